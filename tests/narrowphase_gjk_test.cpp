// SPDX-License-Identifier: MIT
// GJK by itself, before the closed form may step in: outcome, distance, bounds, and no luck needed with its start.
#include <sunder/narrowphase/gjk_internal.h>
#include <sunder/narrowphase/proximity_internal.h>

#include <gtest/gtest.h>

#include "box_pair_check.h"

namespace sunder {
namespace {

using families::BoxPairCase;
using families::Family;
using families::Random;
using math::GjkOutcome;
using math::GjkResult;
using math::Vec3;

constexpr double kInfinity = HUGE_VAL;
// 1e-12 of the pair's size: a hundredth of the error promised by the queries.
constexpr double kAllowed = 1e-12;

math::Difference differenceOf(const BoxPairCase& c) {
  math::Difference d;
  EXPECT_TRUE(math::makeDifference(supportShape(c.a), supportShape(c.b), c.poseB, d));
  return d;
}
BoxPairCase pairOf(Family family, std::uint64_t seed) { return families::inFrameOfA(families::pairOfSeed(family, seed)); }

GjkResult run(const math::Difference& d, const Vec3& axis, double maxDistance = kInfinity) {
  GjkResult r;
  r.simplex.count = 0;
  math::gjk(d, axis, maxDistance, 0, r);
  return r;
}

// A point of A - B comes back whatever happens, its distance is right when the bounds meet, and the bounds hold.
// Returns whether the bounds met.
bool check(const GjkResult& r, const math::Difference& d, double exact) {
  EXPECT_FALSE(r.iterationLimit);
  if (r.outcome == GjkOutcome::Inside) {
    EXPECT_EQ(r.simplex.count, 4);
    EXPECT_LE(exact, kAllowed);
    return true;
  }
  EXPECT_GE(r.simplex.count, 1);
  EXPECT_LE(r.simplex.count, 3);
  const double distance = std::sqrt(r.nearest.vv);
  if (r.outcome == GjkOutcome::Touching) {
    EXPECT_LE(exact, 1e-12);
    return true;
  }
  EXPECT_EQ(r.outcome, GjkOutcome::Apart);
  double weight[3];
  math::weightsOf(r.simplex, r.nearest.v, weight);
  Vec3 point{0, 0, 0};
  for (int i = 0; i < r.simplex.count; ++i) point = point + weight[i] * r.simplex.vertex[i].w;
  EXPECT_NEAR(math::length(point - r.nearest.v), 0, 1e-9);
  EXPECT_GE(distance, exact - kAllowed);
  EXPECT_LE(r.lowerBound, exact + kAllowed);
  math::Vertex w;
  EXPECT_LE(-math::reach(d, (1 / math::length(r.axis)) * r.axis, w), exact + kAllowed);
  return distance - r.lowerBound <= kAllowed;
}

class GjkOnBoxes : public testing::TestWithParam<Family> {};

TEST_P(GjkOnBoxes, FromAnyFirstDirection) {
  int open = 0, total = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const BoxPairCase c = pairOf(GetParam(), seed);
    const math::Difference d = differenceOf(c);
    const double exact = families::exactDistance(c, true) / d.unit;
    Random r(seed);
    for (const Vec3& axis : {math::dot(d.t, d.t) > 0 ? d.t : Vec3{0, 1, 0}, Vec3{1, 0, 0}, Vec3{0, 0, -1e-30}, math::load(r.direction()),
                             -d.t + Vec3{0, 0, math::dot(d.t, d.t) > 0 ? 0.0 : 1.0}}) {
      const GjkResult result = run(d, axis);
      open += !check(result, d, exact);
      ++total;
      if (exact > kAllowed) {
        EXPECT_EQ(result.outcome, GjkOutcome::Apart) << exact;
      }
      if (exact < -kAllowed) {
        EXPECT_NE(result.outcome, GjkOutcome::Apart) << exact;
      }
      if (HasFailure()) {
        ADD_FAILURE() << families::name(GetParam()) << ", seed " << seed << '\n' << families::paste(c);
        return;
      }
    }
  }
  // Nearly parallel boxes a hair apart may leave the bounds open, sticks that cross at 1e-8 rad more often; the closed form
  // then answers.
  EXPECT_LE(open, total / (GetParam() == Family::NearParallelEdges ? 10 : 50)) << families::name(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Families, GjkOnBoxes, testing::ValuesIn(families::all()),
                         [](const auto& test) { return "Family" + std::to_string(static_cast<int>(test.param)); });

TEST(Gjk, StopsBeyondTheMaximumDistanceWithAProof) {
  int beyond = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const BoxPairCase c = pairOf(Family::Near, seed);
    const math::Difference d = differenceOf(c);
    const double exact = families::exactDistance(c, true) / d.unit;
    for (const double most : {-1.0, 0.0, 0.5 * exact, 2 * exact}) {
      const GjkResult r = run(d, d.t, most);
      if (r.outcome != GjkOutcome::Beyond) {
        EXPECT_LE(exact, std::max(most, 1e-13) * (1 + 1e-9)) << seed;
        continue;
      }
      ++beyond;
      EXPECT_GT(r.lowerBound, most);
      EXPECT_LE(r.lowerBound, exact + 1e-15);
      math::Vertex w;
      EXPECT_NEAR(-math::reach(d, (1 / math::length(r.axis)) * r.axis, w), r.lowerBound, 1e-15) << "the axis proves the gap";
    }
  }
  EXPECT_GT(beyond, 2000);
}

// Any vertices of the difference may be the start: the last simplex, one that is not reduced, one vertex twice.
TEST(Gjk, StartsFromAnySimplex) {
  Random r(3);
  int restarts = 0, atOnce = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const BoxPairCase c = pairOf(seed % 2 ? Family::Near : Family::Overlapping, seed);
    const math::Difference d = differenceOf(c);
    const double exact = families::exactDistance(c, true) / d.unit;
    GjkResult warm;
    warm.simplex.count = 1 + r.below(3);
    for (int i = 0; i < warm.simplex.count; ++i) warm.simplex.vertex[i] = math::boxVertex(d, static_cast<std::uint32_t>(r.below(64)));
    math::gjk(d, {1, 0, 0}, kInfinity, 0, warm);
    EXPECT_TRUE(check(warm, d, exact)) << seed;
    if (exact > kAllowed) {
      EXPECT_NEAR(std::sqrt(warm.nearest.vv), exact, kAllowed) << seed;
      GjkResult again = warm;
      math::gjk(d, warm.axis, kInfinity, 0, again);
      EXPECT_NEAR(std::sqrt(again.nearest.vv), exact, kAllowed);
      atOnce += again.iterations == 1;
      ++restarts;
    }
  }
  // The answer as the start is seen to be the answer, but where a sum rounds the other way round.
  EXPECT_GT(restarts, 300);
  EXPECT_GT(atOnce, restarts * 9 / 10);
}

// A ball against a point: stops within the tolerance asked for, above rounding.
TEST(Gjk, CurvedShapesStopWithinTheTolerance) {
  static const double radius = 1;
  const SupportShape ball = supportShape(&radius, [](const void*, const Eigen::Vector3d& n, Eigen::Vector3d& p) { p = n.normalized(); });
  const Sphere sphere{1e-3};
  const SupportShape point = supportShape(sphere);
  Random random(9);
  for (int i = 0; i < 200; ++i) {
    Pose pose;
    pose.position = random.vectorOfPower(1.01, 100);
    math::Difference d;
    ASSERT_TRUE(math::makeDifference(ball, point, pose, d));
    GjkResult r;
    r.simplex.count = 0;
    math::gjk(d, math::load(random.direction()), kInfinity, 1e-8, r);
    EXPECT_EQ(r.outcome, GjkOutcome::Apart);
    EXPECT_LE(std::sqrt(r.nearest.vv) - r.lowerBound, 1.01e-8);
    EXPECT_NEAR(std::sqrt(r.nearest.vv), (pose.position.norm() - 1) / d.unit, 1e-8);
  }
}

}  // namespace
}  // namespace sunder
