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
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> sortSpace;
  std::vector<ProxyPair> pairSpace;
  std::vector<Branch> branches;
  std::vector<std::uint8_t> wholeLeaf;
  std::vector<ProxyId> ids;

  ProxyId takeId();
  Change& noteChange(ProxyId id);
  void addProxy(ProxyId id, const Aabb& box, bool isStatic, const CollisionFilter& filter,
                const Eigen::Vector3d& displacement);
  bool isAlive(ProxyId id) const { return id < proxies.size() && proxies[id].alive; }
  BoxTree& treeOf(ProxyId id) { return trees[proxies[id].isStatic ? 1 : 0]; }

  void update();
  void classify();
  void searchOldPlaces();
  void applyChanges();
  void searchNewPlaces();
  void finish();

  // `Handler` is called as handler(change, other) for each proxy in the trees that a change's search box touches.
  template <class BoxOf, class Handler>
  void searchGroups(unsigned tree, BoxOf&& boxOf, Handler&& handler);
  void markWholeLeaves(unsigned tree);
  void skipWholeLeaves(const BoxTree& tree, std::uint32_t ownLeaf);
  // Of a pair that changed on both sides, one side reports it.
  bool reportsFirst(ProxyId p, ProxyId q) const;
  void report(const Change& p, ProxyId q, bool endings, bool beginnings);
};

}  // namespace sunder
