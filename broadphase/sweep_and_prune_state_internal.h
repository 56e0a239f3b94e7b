// SPDX-License-Identifier: MIT
// What is inside a SweepAndPrune. Not installed.
#pragma once
#include <cstdint>
#include <vector>

#include "sunder/broadphase/box_tree_internal.h"
#include "sunder/broadphase/fat_box_internal.h"
#include "sunder/broadphase/sweep_and_prune.h"

namespace sunder {

struct SweepAndPrune::State {
  static constexpr std::uint32_t kNone = BoxTree::kNone;

  struct Proxy {
    std::uint32_t change = kNone;  // index into `changes`
    CollisionFilter filter;
    bool alive = false;
    bool isStatic = false;
  };

  // How a change is searched for. Near and far differ in cost only: one search around both places, or one at each.
  enum class Kind : std::uint8_t {
    kNear,     // the old and the new fat box overlap
    kFar,      // they do not
    kFresh,    // inserted
    kGone,     // removed
    kNothing,  // inserted and removed between two updates
  };

  // A proxy that changed since the last update, and what it was then. Its present state is in `proxies` and `fat`; until
  // the update the trees hold the old one.
  struct Change {
    Aabb oldBox;
    CollisionFilter oldFilter;
    ProxyId id = 0;
    bool existed = false;
    bool sameFilter = true;
    Kind kind = Kind::kNothing;
  };

  // Some children of a node one level above the leaves.
  struct Branch {
    std::uint32_t node;
    unsigned lanes;
  };

  BroadphaseSettings settings;
  std::vector<Proxy> proxies;
  std::vector<Aabb> fat;
  BoxTree::Places places;
  BoxTree trees[2];  // of the movable proxies; of the static ones
  std::vector<Change> changes;
  std::vector<ProxyId> freeIds;  // a heap, lowest id first
  PairEvents events;
  std::size_t alive = 0;
  std::size_t pairCount = 0;

  // Scratch, kept for its capacity.
  std::vector<std::uint64_t> keys[2];  // per tree
  std::vector<std::uint64_t> sortSpace;
  std::vector<ProxyPair> pairSpace;
  std::vector<Branch> branches;
  std::vector<std::uint8_t> searched[2];  // per tree and leaf: the lanes that are searched for
  std::vector<ProxyId> ids;

  ProxyId takeId();
  Change& noteChange(ProxyId id);
  void addProxy(ProxyId id, const Aabb& box, bool isStatic, const CollisionFilter& filter,
                const Eigen::Vector3d& displacement);
  bool isAlive(ProxyId id) const { return id < proxies.size() && proxies[id].alive; }

  void update();
  void classify();
  void searchOldPlaces();
  void applyChanges();
  void searchNewPlaces();
  void finish();
  void rebuild(unsigned tree);
  void applyOneByOne(unsigned tree);
  void listPlaces(unsigned tree, bool (*concerns)(const Change&));
};

}  // namespace sunder
