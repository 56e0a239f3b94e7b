// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "sunder/broadphase/aabb.h"
#include "sunder/broadphase/box_cast.h"
#include "sunder/broadphase/proxy.h"
#include "sunder/broadphase/proxy_pair.h"

namespace sunder {

// The referee: the same calls, results and errors as SweepAndPrune, found by testing every proxy against every other.
// For tests, and for anyone who doubts the other. See sweep_and_prune.h for what each call does.
class BruteForce {
 public:
  explicit BruteForce(const BroadphaseSettings& settings = {});

  ProxyId insert(const Aabb& box, bool isStatic, const CollisionFilter& filter = {},
                 const Eigen::Vector3d& displacement = {0, 0, 0});
  void insert(std::span<const ProxyDef> proxies, std::span<ProxyId> ids);
  MoveStatus move(ProxyId id, const Aabb& box, const Eigen::Vector3d& displacement = {0, 0, 0});
  void remove(ProxyId id);
  void setFilter(ProxyId id, const CollisionFilter& filter);
  const PairEvents& updatePairs();
  void setSettings(const BroadphaseSettings& settings);

  bool contains(ProxyId id) const { return id < proxies_.size() && proxies_[id].alive; }
  const Aabb& fatAabb(ProxyId id) const;
  bool isStatic(ProxyId id) const;
  const CollisionFilter& filter(ProxyId id) const;
  std::size_t size() const;
  std::size_t pairCount() const { return pairs_.size(); }
  void pairs(std::vector<ProxyPair>& out) const;

  bool overlap(const Aabb& box, std::vector<ProxyId>& out) const;
  bool castClosest(const BoxCast& cast, CastHit& hit) const;
  bool castAll(const BoxCast& cast, std::vector<CastHit>& out) const;
  bool castAny(const BoxCast& cast) const;
  bool nearest(const Eigen::Vector3d& point, std::size_t k, std::vector<NearHit>& out) const;

 private:
  struct Proxy {
    Aabb fat;
    CollisionFilter filter;
    bool isStatic = false;
    bool alive = false;
    bool idIsFree = false;
  };
  const Proxy& checked(ProxyId id) const;

  BroadphaseSettings settings_;
  std::vector<Proxy> proxies_;
  std::vector<ProxyPair> pairs_;  // as of the last update
  PairEvents events_;
};

}  // namespace sunder
