// SPDX-License-Identifier: MIT
// The referee's own referee: what it answers, against the definitions written down once more in extended precision. The
// calls that it shares with SweepAndPrune are also tested by hand, for both, in broadphase_sweep_and_prune_test.cpp and
// broadphase_sweep_and_prune_queries_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <sunder/broadphase/brute_force.h>

namespace {

using namespace sunder;

struct Known {
  Aabb fat;
  bool isStatic;
  CollisionFilter filter;
};

class BruteForceTest : public testing::Test {
 protected:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  // Quarters: sums are exact, boxes touch, distances are equal.
  double lattice(unsigned bound) { return below(4 * bound + 1) / 4.0; }
  Eigen::Vector3d place(unsigned bound) {
    const double x = lattice(bound), y = lattice(bound), z = lattice(bound);
    return {x, y, z};
  }
  Aabb box() {
    const Eigen::Vector3d lower = place(6);
    return {lower, lower + place(2)};
  }

  // A world of `count` boxes, each made fat by hand.
  void fill(BruteForce& world, const BroadphaseSettings& settings, int count) {
    for (int i = 0; i < count; ++i) {
      const Aabb tight = box();
      const Eigen::Vector3d motion = place(1) - Eigen::Vector3d(0.5, 0.5, 0.5);
      const Known known = {grown(tight, motion, settings), below(3) == 0, {1u << below(3), below(4) == 0 ? 3u : 7u}};
      known_[world.insert(tight, known.isStatic, known.filter, motion)] = known;
    }
  }
  static Aabb grown(const Aabb& tight, const Eigen::Vector3d& motion, const BroadphaseSettings& settings) {
    Aabb fat = tight;
    for (int axis = 0; axis < 3; ++axis) {
      fat.lower[axis] -= settings.margin;
      fat.upper[axis] += settings.margin;
      (motion[axis] < 0 ? fat.lower : fat.upper)[axis] += settings.lookahead * motion[axis];
    }
    return fat;
  }
  static bool meet(const Aabb& a, const Aabb& b) {
    for (int axis = 0; axis < 3; ++axis)
      if (std::max(a.lower[axis], b.lower[axis]) > std::min(a.upper[axis], b.upper[axis])) return false;
    return true;
  }
  std::set<std::pair<ProxyId, ProxyId>> knownPairs() const {
    std::set<std::pair<ProxyId, ProxyId>> pairs;
    for (const auto& [a, p] : known_)
      for (const auto& [b, q] : known_) {
        const bool wanted = (p.filter.category & q.filter.mask) != 0 && (q.filter.category & p.filter.mask) != 0;
        if (a < b && wanted && !(p.isStatic && q.isStatic) && meet(p.fat, q.fat)) pairs.insert({a, b});
      }
    return pairs;
  }
  static std::set<std::pair<ProxyId, ProxyId>> asSet(const std::vector<ProxyPair>& pairs) {
    std::set<std::pair<ProxyId, ProxyId>> result;
    for (const ProxyPair& pair : pairs) EXPECT_TRUE(result.insert({pair.a, pair.b}).second) << "twice";
    EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
    return result;
  }

  std::mt19937 random_{1};
  std::map<ProxyId, Known> known_;
};

TEST_F(BruteForceTest, PairsAndEventsAreTheDifferenceOfTwoStates) {
  const BroadphaseSettings settings = {0.25, 2};
  BruteForce world(settings);
  std::set<std::pair<ProxyId, ProxyId>> before;
  std::size_t events = 0;
  for (int round = 0; round < 200; ++round) {
    fill(world, settings, round == 0 ? 25 : 2);
    for (int i = 0; i < 2; ++i) {
      const ProxyId gone = std::next(known_.begin(), below(static_cast<unsigned>(known_.size())))->first;
      world.remove(gone);
      known_.erase(gone);
    }
    for (int i = 0; i < 4; ++i) {
      const auto moved = std::next(known_.begin(), below(static_cast<unsigned>(known_.size())));
      const Aabb tight = box();
      if (world.move(moved->first, tight) == MoveStatus::kLeft) moved->second.fat = grown(tight, {0, 0, 0}, settings);
      EXPECT_TRUE(contains(world.fatAabb(moved->first), tight));
      const CollisionFilter filter = {1u << below(3), below(8)};
      world.setFilter(moved->first, filter);
      moved->second.filter = filter;
    }
    const auto now = knownPairs();
    const PairEvents& change = world.updatePairs();
    std::set<std::pair<ProxyId, ProxyId>> expected = before;
    for (const auto& pair : asSet(change.began)) EXPECT_TRUE(expected.insert(pair).second);
    for (const auto& pair : asSet(change.ended)) EXPECT_EQ(expected.erase(pair), 1u);
    EXPECT_EQ(expected, now);
    EXPECT_EQ(world.pairCount(), now.size());
    std::vector<ProxyPair> pairs;
    world.pairs(pairs);
    EXPECT_EQ(asSet(pairs), now);
    EXPECT_EQ(world.size(), known_.size());
    for (const auto& [id, known] : known_) EXPECT_TRUE(world.fatAabb(id).lower == known.fat.lower && world.fatAabb(id).upper == known.fat.upper);
    events += change.began.size() + change.ended.size();
    before = now;
  }
  EXPECT_GT(events, 1000u);
}

TEST_F(BruteForceTest, OverlapsAndNearestAreThoseOfTheDefinition) {
  const BroadphaseSettings settings = {0, 0};
  BruteForce world(settings);
  fill(world, settings, 60);
  for (int i = 0; i < 500; ++i) {
    const Aabb question = box();
    std::vector<ProxyId> got, expected;
    ASSERT_TRUE(world.overlap(question, got));
    for (const auto& [id, known] : known_)
      if (meet(known.fat, question)) expected.push_back(id);
    EXPECT_EQ(got, expected);

    const Eigen::Vector3d point = place(8);
    std::vector<std::pair<long double, ProxyId>> byDistance;
    for (const auto& [id, known] : known_) {
      long double sum = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const long double nearestPlace = std::clamp<long double>(point[axis], known.fat.lower[axis], known.fat.upper[axis]);
        sum += (nearestPlace - point[axis]) * (nearestPlace - point[axis]);
      }
      byDistance.push_back({std::sqrt(sum), id});
    }
    std::sort(byDistance.begin(), byDistance.end());
    const std::size_t k = below(70);
    std::vector<NearHit> near;
    ASSERT_TRUE(world.nearest(point, k, near));
    ASSERT_EQ(near.size(), std::min<std::size_t>(k, 60));
    for (std::size_t n = 0; n < near.size(); ++n) {
      EXPECT_EQ(near[n].id, byDistance[n].second);
      EXPECT_EQ(near[n].distance, static_cast<double>(byDistance[n].first));
    }
  }
}

// A box that moves meets another while, on every axis, the distance of the centres is within the sum of the half sizes.
TEST_F(BruteForceTest, CastsMeetWhenTheCentresAreNearOnEveryAxis) {
  const BroadphaseSettings settings = {0, 0};
  BruteForce world(settings);
  fill(world, settings, 40);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    BoxCast cast{box(), 2 * (place(8) - Eigen::Vector3d(4, 4, 4))};
    if (i % 3 == 0) cast.box.upper = cast.box.lower;
    std::vector<std::pair<long double, ProxyId>> expected;
    for (const auto& [id, known] : known_) {
      long double first = 0, last = 1;
      for (int axis = 0; axis < 3; ++axis) {
        const long double reach = (cast.box.upper[axis] - cast.box.lower[axis] + known.fat.upper[axis] - known.fat.lower[axis]) / 2.0L;
        const long double offset = (cast.box.upper[axis] + cast.box.lower[axis] - known.fat.upper[axis] - known.fat.lower[axis]) / 2.0L;
        const long double speed = cast.displacement[axis];
        if (speed == 0) {
          if (std::fabs(offset) > reach) last = -1;
          continue;
        }
        first = std::max(first, (-offset - (speed > 0 ? reach : -reach)) / speed);
        last = std::min(last, (-offset + (speed > 0 ? reach : -reach)) / speed);
      }
      if (first <= last) expected.push_back({first, id});
    }
    std::sort(expected.begin(), expected.end());
    std::vector<CastHit> got;
    ASSERT_TRUE(world.castAll(cast, got));
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t n = 0; n < got.size(); ++n) {
      EXPECT_EQ(got[n].id, expected[n].second);
      EXPECT_EQ(got[n].fraction, static_cast<double>(expected[n].first));
    }
    CastHit closest;
    EXPECT_EQ(world.castClosest(cast, closest), !expected.empty());
    EXPECT_TRUE(expected.empty() || closest == got.front());
    EXPECT_EQ(world.castAny(cast), !expected.empty());
    hits += static_cast<int>(expected.size());
  }
  EXPECT_GT(hits, 2000);
}

}  // namespace
