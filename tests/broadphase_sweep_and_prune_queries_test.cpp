// SPDX-License-Identifier: MIT
// SweepAndPrune's geometric queries; against the referee over random worlds, also in broadphase_model_test.cpp.
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sunder/broadphase/brute_force.h>
#include <sunder/broadphase/sweep_and_prune.h>

namespace {

using namespace sunder;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

Aabb cube(double x, double y, double z, double half) {
  return {{x - half, y - half, z - half}, {x + half, y + half, z + half}};
}

template <class Broadphase>
class BroadphaseQueries : public testing::Test {
 protected:
  // Cubes of half size 1 at x = 0, 10, 20, 30, tight.
  BroadphaseQueries() : row({0.0, 0.0}) {
    for (int i = 0; i < 4; ++i) row.insert(cube(10 * i, 0, 0, 1), i == 2);
    row.updatePairs();
  }
  Broadphase row;
  std::vector<ProxyId> ids;
  std::vector<CastHit> hits;
  std::vector<NearHit> near;
};
using Both = testing::Types<SweepAndPrune, BruteForce>;
TYPED_TEST_SUITE(BroadphaseQueries, Both);

TYPED_TEST(BroadphaseQueries, OverlapFindsMovableAndStaticInOrder) {
  EXPECT_TRUE(this->row.overlap({{11, -5, -5}, {29, 5, 5}}, this->ids));
  EXPECT_EQ(this->ids, (std::vector<ProxyId>{1, 2, 3}));
  EXPECT_TRUE(this->row.overlap({{11.5, -5, -5}, {18.5, 5, 5}}, this->ids));
  EXPECT_TRUE(this->ids.empty());
}

TYPED_TEST(BroadphaseQueries, RayMeetsBoxesInOrder) {
  const BoxCast ray = rayCast({-10, 0.5, 0}, {50, 0, 0});
  CastHit hit;
  EXPECT_TRUE(this->row.castClosest(ray, hit));
  EXPECT_EQ(hit, (CastHit{0, 9.0 / 50}));
  EXPECT_TRUE(this->row.castAll(ray, this->hits));
  EXPECT_EQ(this->hits, (std::vector<CastHit>{{0, 9.0 / 50}, {1, 19.0 / 50}, {2, 29.0 / 50}, {3, 39.0 / 50}}));
  EXPECT_TRUE(this->row.castAny(ray));
  // Backwards, from inside, too short, beside, and along a face.
  EXPECT_TRUE(this->row.castClosest(rayCast({40, 0, 0}, {-50, 0, 0}), hit));
  EXPECT_EQ(hit, (CastHit{3, 9.0 / 50}));
  EXPECT_TRUE(this->row.castClosest(rayCast({10, 0, 0}, {0, 0, 5}), hit));
  EXPECT_EQ(hit, (CastHit{1, 0.0}));
  EXPECT_FALSE(this->row.castAny(rayCast({-10, 0, 0}, {8.9, 0, 0})));
  EXPECT_FALSE(this->row.castAny(rayCast({-10, 1.001, 0}, {50, 0, 0})));
  EXPECT_TRUE(this->row.castAny(rayCast({-10, 1, 1}, {50, 0, 0})));
}

TYPED_TEST(BroadphaseQueries, SweptBoxIsARayAgainstGrownBoxes) {
  CastHit hit;
  EXPECT_TRUE(this->row.castClosest({cube(-10, 2.5, 0, 2), {5, 0, 0}}, hit) == false);
  EXPECT_TRUE(this->row.castClosest({cube(-10, 2.5, 0, 2), {20, 0, 0}}, hit));
  EXPECT_EQ(hit, (CastHit{0, 7.0 / 20}));
  // No motion: an overlap test.
  EXPECT_TRUE(this->row.castClosest({cube(20, 0, 0, 0.5), {0, 0, 0}}, hit));
  EXPECT_EQ(hit, (CastHit{2, 0.0}));
}

TYPED_TEST(BroadphaseQueries, NearestByDistanceThenId) {
  EXPECT_TRUE(this->row.nearest({5, 0, 0}, 3, this->near));
  EXPECT_EQ(this->near, (std::vector<NearHit>{{0, 4}, {1, 4}, {2, 14}}));
  EXPECT_TRUE(this->row.nearest({30.5, 0, 0}, 1, this->near));
  EXPECT_EQ(this->near, (std::vector<NearHit>{{3, 0}}));
  EXPECT_TRUE(this->row.nearest({0, 4, 5}, 9, this->near));
  ASSERT_EQ(this->near.size(), 4u);
  EXPECT_EQ(this->near[0], (NearHit{0, 5}));
  EXPECT_TRUE(this->row.nearest({0, 0, 0}, 0, this->near));
  EXPECT_TRUE(this->near.empty());
}

TYPED_TEST(BroadphaseQueries, SeeChangesBeforeTheNextUpdate) {
  CastHit hit;
  const BoxCast ray = rayCast({-10, 0, 0}, {50, 0, 0});
  this->row.move(0, cube(0, 50, 0, 1));
  EXPECT_TRUE(this->row.castClosest(ray, hit));
  EXPECT_EQ(hit.id, 1u);
  this->row.remove(1);
  EXPECT_TRUE(this->row.castClosest(ray, hit));
  EXPECT_EQ(hit.id, 2u);
  const ProxyId fresh = this->row.insert(cube(5, 0, 0, 1), false);
  EXPECT_TRUE(this->row.castClosest(ray, hit));
  EXPECT_EQ(hit.id, fresh);
  this->row.overlap(cube(0, 50, 0, 0.1), this->ids);
  EXPECT_EQ(this->ids, (std::vector<ProxyId>{0}));
  this->row.nearest({6, 0, 0}, 1, this->near);
  EXPECT_EQ(this->near, (std::vector<NearHit>{{fresh, 0}}));
}

TYPED_TEST(BroadphaseQueries, BadInputIsNoHit) {
  CastHit hit;
  EXPECT_FALSE(this->row.overlap({{1, 0, 0}, {0, 1, 1}}, this->ids));
  EXPECT_FALSE(this->row.overlap({{kNan, 0, 0}, {1, 1, 1}}, this->ids));
  EXPECT_FALSE(this->row.castAll(rayCast({0, 0, 0}, {kInfinity, 0, 0}), this->hits));
  EXPECT_FALSE(this->row.castAll(rayCast({kNan, 0, 0}, {1, 0, 0}), this->hits));
  EXPECT_FALSE(this->row.castClosest({{{1, 1, 1}, {0, 0, 0}}, {1, 0, 0}}, hit));
  EXPECT_FALSE(this->row.nearest({0, kNan, 0}, 2, this->near));
  EXPECT_TRUE(this->ids.empty() && this->hits.empty() && this->near.empty());
}

TEST(SweepAndPruneQueries, VisitorsStopAndShorten) {
  SweepAndPrune row({0.0, 0.0});
  for (int i = 0; i < 100; ++i) row.insert(cube(10 * i, 0, 0, 1), false);
  row.updatePairs();
  int seen = 0;
  row.visitOverlaps({{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}}, [&](ProxyId) { return ++seen < 5; });
  EXPECT_EQ(seen, 5);
  // Only even ids count: the first even one behind the start.
  ProxyId closest = 999;
  row.visitCast(rayCast({155, 0, 0}, {1000, 0, 0}), [&](const CastHit& hit) {
    if (hit.id % 2 == 1) return 1.0;
    closest = hit.id;
    return hit.fraction;
  });
  EXPECT_EQ(closest, 16u);
}

// Boxes past the range of float, and a world whose float frame is coarse.
TEST(SweepAndPruneQueries, FarFromEverything) {
  for (const double far : {1e12, 1e30, 1e200}) {
    SweepAndPrune tested({0.0, 0.0});
    BruteForce referee({0.0, 0.0});
    for (int i = 0; i < 40; ++i) {
      const double x = i % 4 == 0 ? i : far * (1 + (i % 7) * 1e-12);
      const Aabb box{{x, double(i), 0}, {x + far * 1e-13 + 1, i + 3.0, 2}};
      tested.insert(box, false);
      referee.insert(box, false);
    }
    EXPECT_EQ(tested.updatePairs().began, referee.updatePairs().began);
    std::vector<CastHit> got, want;
    for (int i = 0; i < 40; ++i) {
      const BoxCast ray = rayCast({-1, i + 0.5, 1}, {2 * far, 0, 0});
      EXPECT_EQ(tested.castAll(ray, got), referee.castAll(ray, want));
      EXPECT_EQ(got, want);
      EXPECT_FALSE(want.empty());
      std::vector<NearHit> gotNear, wantNear;
      tested.nearest({far, double(i), 0}, 5, gotNear);
      referee.nearest({far, double(i), 0}, 5, wantNear);
      EXPECT_EQ(gotNear, wantNear);
    }
  }
}

// Run under ThreadSanitizer as well.
TEST(SweepAndPruneQueries, ManyThreadsAtOnce) {
  std::mt19937 random(3);
  const auto number = [&](double bound) { return bound * static_cast<double>(random()) / 4294967296.0; };
  const auto cubeOf = [&](double size) {
    const double z = number(50), y = number(50), x = number(50);  // one draw per declarator: a call's arguments have no order
    return cube(x, y, z, size);
  };
  SweepAndPrune world;
  for (int i = 0; i < 2000; ++i) world.insert(cubeOf(0.1 + number(1)), i % 3 == 0);
  world.updatePairs();
  for (ProxyId id = 0; id < 50; ++id) world.move(id, cubeOf(1));
  const auto ask = [&world] {
    std::vector<double> answers;
    std::vector<ProxyId> ids;
    std::vector<NearHit> near;
    for (int i = 0; i < 200; ++i) {
      CastHit hit;
      world.overlap(cube(i % 50, i % 17, i % 23, 3), ids);
      world.nearest({double(i % 50), double(i % 31), 25}, 4, near);
      if (world.castClosest(rayCast({-1, double(i % 50), double(i % 41)}, {60, 1, 1}), hit)) answers.push_back(hit.fraction);
      for (const ProxyId id : ids) answers.push_back(id);
      for (const NearHit& n : near) answers.push_back(n.distance);
    }
    return answers;
  };
  const std::vector<double> want = ask();
  EXPECT_GT(want.size(), 1000u);
  std::vector<std::vector<double>> got(4);
  std::vector<std::thread> threads;
  for (auto& answers : got) threads.emplace_back([&] { answers = ask(); });
  for (std::thread& t : threads) t.join();
  for (const auto& answers : got) EXPECT_EQ(answers, want);
}

}  // namespace
