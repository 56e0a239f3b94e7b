// SPDX-License-Identifier: MIT
// Drives SweepAndPrune and BruteForce through the same operations and compares everything they answer. The operations come
// from a stream of numbers: a random generator in the tests, the fuzzer's bytes in fuzz_broadphase.cpp.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <sunder/broadphase/brute_force.h>
#include <sunder/broadphase/sweep_and_prune.h>

namespace sunder::test {

// `Source` has std::uint32_t next(std::uint32_t bound): a number in [0, bound).
template <class Source>
class BroadphaseModel {
 public:
  BroadphaseModel(Source& source, const BroadphaseSettings& settings, std::size_t capacity)
      : source_(source), tested_(settings), referee_(settings), capacity_(capacity) {
    // One scale for most boxes of a run; single boxes leave it.
    constexpr double kScales[] = {1.0, 1.0, 1e12, 1e-12, 1e3};
    scale_ = kScales[source_.next(5)];
    const double shift[] = {0.0, 0.0, 1e12, -1e6};
    offset_ = shift[source_.next(4)];
    // A world as wide as this many boxes: from crowded to sparse.
    spread_ = 2.0 + source_.next(24);
  }

  // One operation; false when the two disagree, `failure` tells where.
  bool step() {
    ++operations_;
    switch (source_.next(16)) {
      case 0:
      case 1: return insert();
      case 2: return remove();
      case 3:
      case 4:
      case 5: return moveLittle();
      case 6:
      case 7: return moveTo(pick(), randomBox());
      case 8: return swapTwo();
      case 9: return gather();
      case 10: return setFilter();
      case 11: return toggle();
      case 12: return query();
      case 13: return teleportAll();
      default: return update();
    }
  }
  bool update() {
    const PairEvents& got = tested_.updatePairs();
    const PairEvents& want = referee_.updatePairs();
    return check(got.began == want.began, "began") && check(got.ended == want.ended, "ended") &&
           check(tested_.pairCount() == referee_.pairCount(), "pairCount") &&
           check(tested_.size() == referee_.size(), "size");
  }
  bool comparePairs() {
    tested_.pairs(pairs_);
    referee_.pairs(wantedPairs_);
    return check(pairs_ == wantedPairs_, "pairs");
  }
  const std::string& failure() const { return failure_; }
  std::size_t eventsSeen() const { return events_; }
  std::size_t operations() const { return operations_; }

 private:
  bool check(bool good, const char* what) {
    events_ += referee_.pairCount();
    if (good) return true;
    std::ostringstream text;
    text << what << " differs at operation " << operations_ << " with " << alive_.size() << " proxies, scale " << scale_
         << ", offset " << offset_ << ", spread " << spread_;
    failure_ = text.str();
    return false;
  }
  // Multiples of 1/8, so that boxes often touch exactly or are equal.
  double lattice(std::uint32_t bound) { return source_.next(bound * 8 + 1) / 8.0; }

  Aabb randomBox() {
    Aabb box;
    const std::uint32_t special = source_.next(64);
    for (int axis = 0; axis < 3; ++axis) {
      double place = lattice(static_cast<std::uint32_t>(spread_)), size = lattice(2);
      if (special == 0) size = 0;
      if (special == 1) size *= 1000;
      if (special == 2) place *= 1e6;
      if (special == 3) size *= 1e-9;
      box.lower[axis] = offset_ + scale_ * place;
      box.upper[axis] = box.lower[axis] + scale_ * size;
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const int axis = static_cast<int>(source_.next(3));
    if (special == 4) box.upper[axis] = kInfinity;
    if (special == 5) box.lower[axis] = -kInfinity;
    if (special == 6) box = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    if (special == 7) box.lower[axis] = box.upper[axis] = source_.next(2) ? kInfinity : 1e300;
    return box;
  }
  Eigen::Vector3d randomMotion() {
    if (source_.next(2)) return {0, 0, 0};
    return scale_ * 0.125 * inLattice(2);
  }
  // One draw per declarator: a call's arguments have no order.
  Eigen::Vector3d inLattice(std::uint32_t bound) {
    const double half = 0.5 * bound, z = lattice(bound) - half, y = lattice(bound) - half, x = lattice(bound) - half;
    return {x, y, z};
  }
  CollisionFilter randomFilter() {
    if (source_.next(3)) return {};
    return {1u << source_.next(3), source_.next(8)};
  }
  std::size_t pick() { return alive_.empty() ? 0 : source_.next(static_cast<std::uint32_t>(alive_.size())); }

  bool insertBox(const Aabb& box, bool isStatic, const CollisionFilter& filter) {
    const Eigen::Vector3d motion = randomMotion();
    const ProxyId id = tested_.insert(box, isStatic, filter, motion);
    if (!check(id == referee_.insert(box, isStatic, filter, motion), "id")) return false;
    alive_.push_back(id);
    boxes_.push_back(box);
    return true;
  }
  bool insert() {
    if (alive_.size() >= capacity_) return remove();
    if (source_.next(8) != 0) {
      const CollisionFilter filter = randomFilter();
      const bool isStatic = source_.next(4) == 0;
      return insertBox(randomBox(), isStatic, filter);
    }
    std::vector<ProxyDef> defs(source_.next(40));
    for (ProxyDef& def : defs) def = {randomBox(), source_.next(4) == 0, randomFilter()};
    std::vector<ProxyId> got(defs.size()), want(defs.size());
    tested_.insert(defs, got);
    referee_.insert(defs, want);
    for (std::size_t i = 0; i < defs.size(); ++i) {
      alive_.push_back(got[i]);
      boxes_.push_back(defs[i].box);
    }
    return check(got == want, "ids of a batch");
  }
  void removeAt(std::size_t index) {
    tested_.remove(alive_[index]);
    referee_.remove(alive_[index]);
    alive_[index] = alive_.back();
    boxes_[index] = boxes_.back();
    alive_.pop_back();
    boxes_.pop_back();
  }
  bool remove() {
    if (alive_.empty()) return true;
    const bool many = source_.next(64) == 0;
    do {
      removeAt(pick());
    } while (many && !alive_.empty() && source_.next(32) != 0);
    return true;
  }
  bool moveTo(std::size_t index, const Aabb& box) {
    if (alive_.empty()) return true;
    const Eigen::Vector3d motion = randomMotion();
    boxes_[index] = box;
    const ProxyId id = alive_[index];
    return check(tested_.move(id, box, motion) == referee_.move(id, box, motion), "move status") &&
           check(same(tested_.fatAabb(id), referee_.fatAabb(id)), "fat box");
  }
  static bool same(const Aabb& a, const Aabb& b) { return a.lower == b.lower && a.upper == b.upper; }
  bool moveLittle() {
    if (alive_.empty()) return true;
    const std::size_t index = pick();
    Aabb box = boxes_[index];
    for (int axis = 0; axis < 3; ++axis) {
      const double step = scale_ * (lattice(2) - 1) * 0.125;
      box.lower[axis] += step;
      box.upper[axis] += step;
    }
    return moveTo(index, box);
  }
  bool swapTwo() {
    if (alive_.empty()) return true;
    const std::size_t i = pick(), j = pick();
    const Aabb a = boxes_[i], b = boxes_[j];
    return moveTo(i, b) && moveTo(j, a);
  }
  // Several boxes onto one, or side by side with it.
  bool gather() {
    if (alive_.empty()) return true;
    Aabb box = boxes_[pick()];
    const bool sideBySide = source_.next(2) == 0;
    for (std::uint32_t count = source_.next(12); count > 0; --count) {
      if (sideBySide) {
        const int axis = static_cast<int>(source_.next(3));
        const double size = box.upper[axis] - box.lower[axis];
        if (std::isfinite(size)) {
          box.lower[axis] = box.upper[axis];
          box.upper[axis] = box.lower[axis] + size;
        }
      }
      if (!moveTo(pick(), box)) return false;
    }
    return true;
  }
  bool teleportAll() {
    if (source_.next(4) != 0) return update();
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      if (!moveTo(i, randomBox())) return false;
    }
    return true;
  }
  bool setFilter() {
    if (alive_.empty()) return true;
    const ProxyId id = alive_[pick()];
    const CollisionFilter filter = randomFilter();
    tested_.setFilter(id, filter);
    referee_.setFilter(id, filter);
    return check(tested_.filter(id) == filter, "filter");
  }
  // Off and on again before the sweep sees it.
  bool toggle() {
    if (alive_.empty()) return true;
    const std::size_t index = pick();
    const Aabb box = boxes_[index];
    const bool isStatic = tested_.isStatic(alive_[index]);
    removeAt(index);
    return insertBox(box, isStatic, {});
  }
  bool query() {
    const Aabb box = randomBox();
    std::vector<ProxyId> got, want;
    if (!check(tested_.overlap(box, got) == referee_.overlap(box, want) && got == want, "overlap")) return false;
    BoxCast cast{randomBox(), scale_ * inLattice(64)};
    if (source_.next(2)) cast.box.upper = cast.box.lower;
    if (source_.next(4) == 0) cast.displacement[source_.next(3)] = 0;
    std::vector<CastHit> gotHits, wantHits;
    if (!check(tested_.castAll(cast, gotHits) == referee_.castAll(cast, wantHits) && gotHits == wantHits, "castAll")) {
      return false;
    }
    CastHit gotHit, wantHit;
    const bool hit = tested_.castClosest(cast, gotHit);
    if (!check(hit == referee_.castClosest(cast, wantHit) && gotHit == wantHit, "castClosest")) return false;
    if (!check(tested_.castAny(cast) == referee_.castAny(cast), "castAny")) return false;
    const std::size_t k = source_.next(12);
    std::vector<NearHit> gotNear, wantNear;
    const Eigen::Vector3d point = randomBox().lower;
    return check(tested_.nearest(point, k, gotNear) == referee_.nearest(point, k, wantNear) && gotNear == wantNear,
                 "nearest");
  }

  Source& source_;
  SweepAndPrune tested_;
  BruteForce referee_;
  std::size_t capacity_;
  double scale_ = 1, offset_ = 0, spread_ = 8;
  std::vector<ProxyId> alive_;
  std::vector<Aabb> boxes_;
  std::vector<ProxyPair> pairs_, wantedPairs_;
  std::string failure_;
  std::size_t operations_ = 0, events_ = 0;
};

}  // namespace sunder::test
