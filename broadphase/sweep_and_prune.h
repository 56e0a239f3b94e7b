// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "sunder/broadphase/aabb.h"
#include "sunder/broadphase/box_cast.h"
#include "sunder/broadphase/proxy.h"
#include "sunder/broadphase/proxy_pair.h"

namespace sunder {

// Finds which of many axis-aligned boxes overlap, and keeps that up to date while they move. The world has no bounds:
// any double is a coordinate, infinite box bounds included.
//
// Each proxy has a fat box (see BroadphaseSettings). A pair exists while the fat boxes of two proxies overlap (closed
// boxes: touching counts), their filters accept each other and at least one of them is not static. The set of pairs
// depends on the fat boxes only, never on the order of calls or on the machine. docs/broadphase.md tells how it works
// and what was measured.
//
// insert, move, remove and setFilter only note the change; updatePairs() does the work for all of them together. Queries
// always see the present boxes, but changed proxies are tested one by one until the next updatePairs().
// Const member functions may run on many threads at once while no other member function runs.
class SweepAndPrune {
 public:
  // Throws std::invalid_argument on a margin or lookahead that is negative or not finite.
  explicit SweepAndPrune(const BroadphaseSettings& settings = {});
  ~SweepAndPrune();
  SweepAndPrune(const SweepAndPrune& other);
  SweepAndPrune& operator=(const SweepAndPrune& other);
  SweepAndPrune(SweepAndPrune&&) noexcept;
  SweepAndPrune& operator=(SweepAndPrune&&) noexcept;

  // `box` is the tight box in the world frame (metres); `displacement` predicts its motion until the next update (metres).
  // Throws std::invalid_argument on NaN, lower > upper, or a displacement that is not finite.
  ProxyId insert(const Aabb& box, bool isStatic, const CollisionFilter& filter = {},
                 const Eigen::Vector3d& displacement = {0, 0, 0});
  // Many at once; ids[i] belongs to proxies[i]. Throws as insert() does, naming the index, and then inserts none; also
  // when the spans differ in length.
  void insert(std::span<const ProxyDef> proxies, std::span<ProxyId> ids);
  // Tells the proxy's new tight box. Nearly free while that is inside the fat box and the fat box is not much too large for
  // it; otherwise a new fat box is made around it, longer on the side of `displacement`, the motion predicted until the
  // next update (metres). Never throws on bad input.
  MoveStatus move(ProxyId id, const Aabb& box, const Eigen::Vector3d& displacement = {0, 0, 0});
  // Whether move() with the same arguments would have nothing to do.
  bool isInside(ProxyId id, const Aabb& box, const Eigen::Vector3d& displacement = {0, 0, 0}) const;
  // Throw std::invalid_argument when there is no such proxy.
  void remove(ProxyId id);
  void setFilter(ProxyId id, const CollisionFilter& filter);

  // What began and ended since the last call. Costs nothing when no proxy changed. The result is valid until the next
  // call.
  const PairEvents& updatePairs();

  // How fat boxes are made from now on; those that exist stay. With both numbers 0 a fat box is the tight one, which is
  // how a saved state is put back. Throws as the constructor does.
  void setSettings(const BroadphaseSettings& settings);

  bool contains(ProxyId id) const;
  // Throw std::invalid_argument when there is no such proxy.
  const Aabb& fatAabb(ProxyId id) const;
  bool isStatic(ProxyId id) const;
  const CollisionFilter& filter(ProxyId id) const;
  std::size_t size() const;
  // As of the last updatePairs().
  std::size_t pairCount() const;
  // The pairs as of now, sorted; finds them anew. For debugging and for restoring, not for each step.
  void pairs(std::vector<ProxyPair>& out) const;
  std::size_t memoryBytes() const;

  // Queries see fat boxes and return false on bad input (NaN, lower > upper, a cast or point that is not finite), without
  // hits. `out` is overwritten, its capacity is reused.
  // Ids in increasing order.
  bool overlap(const Aabb& box, std::vector<ProxyId>& out) const;
  // The first hit; of several at the same fraction the one with the lowest id. False also when there is none.
  bool castClosest(const BoxCast& cast, CastHit& hit) const;
  // All hits, by (fraction, id).
  bool castAll(const BoxCast& cast, std::vector<CastHit>& out) const;
  // Whether there is a hit at all.
  bool castAny(const BoxCast& cast) const;
  // The k proxies nearest to a point, by (distance, id); fewer when there are not as many.
  bool nearest(const Eigen::Vector3d& point, std::size_t k, std::vector<NearHit>& out) const;

  // visit(id) for each overlapping proxy, in no promised order, until it returns false.
  template <class Visit>
  bool visitOverlaps(const Aabb& box, Visit&& visit) const {
    return visitOverlaps(
        box, [](void* context, ProxyId id) { return static_cast<bool>((*static_cast<std::remove_reference_t<Visit>*>(context))(id)); },
        const_cast<void*>(static_cast<const void*>(&visit)));
  }
  // visit(hit) for the proxies along the cast, in no promised order; it returns the fraction up to which the search goes
  // on: hit.fraction or less to find the closest, 1 to find all, a negative one to stop.
  template <class Visit>
  bool visitCast(const BoxCast& cast, Visit&& visit) const {
    return visitCast(
        cast, [](void* context, const CastHit& hit) { return double((*static_cast<std::remove_reference_t<Visit>*>(context))(hit)); },
        const_cast<void*>(static_cast<const void*>(&visit)));
  }

  // Internal; only our own sources can see inside.
  struct State;

 private:
  using OverlapVisitor = bool (*)(void* context, ProxyId id);
  using CastVisitor = double (*)(void* context, const CastHit& hit);
  bool visitOverlaps(const Aabb& box, OverlapVisitor visit, void* context) const;
  bool visitCast(const BoxCast& cast, CastVisitor visit, void* context) const;
  const State& checked(ProxyId id) const;

  std::unique_ptr<State> state_;
};

}  // namespace sunder
