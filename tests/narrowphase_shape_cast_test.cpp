// SPDX-License-Identifier: MIT
#include <sunder/narrowphase/ray_cast.h>
#include <sunder/narrowphase/shape_cast.h>

#include <gtest/gtest.h>

#include <limits>

#include "box_pair_families.h"
#include "referee.h"

namespace sunder {
namespace {

using families::Random;

Box cube(double half) {
  Box box;
  box.halfExtents.setConstant(half);
  return box;
}
Pose at(double x, double y, double z) {
  Pose pose;
  pose.position = {x, y, z};
  return pose;
}
double exactGap(const Box& a, const Pose& poseA, const Box& b, const Pose& poseB) {
  return static_cast<double>(referee::exactSignedDistance(a, b, poseA, poseB).signedDistance);
}

// parry 141: cubes 0.1 apart; only the approaching one hits.
TEST(ShapeCast, ApproachingHitsOthersDoNot) {
  const Box box = cube(0.5);
  const SupportShape shape = supportShape(box);
  EXPECT_FALSE(shapeCast(shape, shape, at(0, 1.1, 0), {0, 0, 0}).hit);
  EXPECT_FALSE(shapeCast(shape, shape, at(0, 1.1, 0), {0, 1, 0}).hit);
  const ShapeCastHit hit = shapeCast(shape, shape, at(0, 1.1, 0), {0, -1, 0});
  EXPECT_EQ(hit.status, QueryStatus::Converged);
  ASSERT_TRUE(hit.hit);
  EXPECT_FALSE(hit.startsInTouch);
  EXPECT_NEAR(hit.fraction, 0.1, 1e-10);
  EXPECT_NEAR((hit.normal - Eigen::Vector3d(0, 1, 0)).norm(), 0, 1e-12);
  EXPECT_FALSE(shapeCast(shape, shape, at(0, 1.1, 0), {0, -0.09, 0}).hit);  // stops short
}

TEST(ShapeCast, StartInTouch) {
  const Box box = cube(0.5);
  const SupportShape shape = supportShape(box);
  EXPECT_FALSE(shapeCast(shape, shape, at(0, 1, 0), {0, 1, 0}).hit);   // touching, leaving
  EXPECT_FALSE(shapeCast(shape, shape, at(0, 1, 0), {1, 0, 0}).hit);   // touching, sliding along
  EXPECT_TRUE(shapeCast(shape, shape, at(0, 1, 0), {0, -1, 0}).hit);   // touching, pressing
  const ShapeCastHit inside = shapeCast(shape, shape, at(0, 0.9, 0), {0, 5, 0});
  EXPECT_TRUE(inside.hit && inside.startsInTouch);
  EXPECT_EQ(inside.fraction, 0);
  EXPECT_NEAR(inside.normal.y(), 1, 1e-12);
}

// At the reported fraction the boxes touch, and at no earlier time of a fine sample do they.
TEST(ShapeCast, RandomBoxesAgainstReferee) {
  Random r(11);
  int hits = 0;
  for (int i = 0; i < 800; ++i) {
    Box a, b;
    for (int k = 0; k < 3; ++k) {
      a.halfExtents[k] = r.power(0.05, 2);
      b.halfExtents[k] = r.power(0.05, 2);
    }
    Pose start;
    start.position = 5 * r.direction();
    start.orientation = r.rotation();
    const Eigen::Vector3d aside = 2 * r.direction();
    const Eigen::Vector3d move = -r.uniform(0.5, 2) * start.position + aside;
    const ShapeCastHit hit = shapeCast(supportShape(a), supportShape(b), start, move);
    ASSERT_EQ(hit.status, QueryStatus::Converged) << i;
    Pose pose = start;
    if (hit.hit && !hit.startsInTouch) {
      ++hits;
      pose.position = start.position + hit.fraction * move;
      EXPECT_NEAR(exactGap(a, Pose(), b, pose), 0, 1e-9) << i;
    }
    const double end = hit.hit ? hit.fraction : 1;
    for (int s = 0; s < 8; ++s) {
      pose.position = start.position + end * s / 8 * move;
      if (end > 0) {
        EXPECT_GT(exactGap(a, Pose(), b, pose), -1e-9) << i;
      }
    }
  }
  EXPECT_GT(hits, 250);
}

// From up to 1e12 m away, where a position has few digits left for the shapes: still a hit, where the position says.
TEST(ShapeCast, FromAfar) {
  for (int i = 0; i < 1000; ++i) {
    Random r(static_cast<std::uint64_t>(i));
    const Box a{r.powers(0.1, 10)}, b{r.powers(0.1, 10)};
    const Sphere ball{r.power(0.1, 10)};
    const Capsule capsule{r.power(0.1, 10), r.power(0.1, 10)};
    const double far = r.power(60, 1e12);
    const Eigen::Vector3d d = r.direction();
    Pose start;
    start.orientation = r.rotation();
    start.position = r.vector(0, 0.05) - far * d;
    for (const auto& [first, second] : {std::pair(supportShape(a), supportShape(b)), {supportShape(ball), supportShape(capsule)},
                                        {supportShape(capsule), supportShape(a)}}) {
      const ShapeCastHit hit = shapeCast(first, second, start, 2 * far * d);
      ASSERT_TRUE(hit.hit) << i;
      EXPECT_EQ(hit.status, QueryStatus::Converged) << i;
      Pose end = start;
      end.position += hit.fraction * 2 * far * d;
      EXPECT_NEAR(signedDistance(first, second, end).signedDistance, 0, 1e-8 + 1e-14 * far) << i;
    }
    const RayHit ray = rayCast(rounded(supportShape(a), 0.1), {start.position, d, 2 * far});
    ASSERT_TRUE(ray.hit) << i;
    EXPECT_EQ(ray.status, QueryStatus::Converged) << i;
    Motion moving;
    moving.pose = start;
    moving.linearVelocity = far * d;
    const TimeOfImpact impact = timeOfImpact(a, {}, b, moving, 2);
    ASSERT_TRUE(impact.hit) << i;
    EXPECT_EQ(impact.status, QueryStatus::Converged) << i;
  }
}

TEST(ShapeCast, SpheresAgainstAnalytic) {
  Random r(12);
  for (int i = 0; i < 500; ++i) {
    const Sphere a{r.uniform(0.1, 2)}, b{r.uniform(0.1, 2)};
    const double sum = a.radius + b.radius, miss = sum * r.uniform(0, 0.99);
    const Eigen::Vector3d d = r.direction();
    Eigen::Vector3d side = r.direction();
    side = (side - side.dot(d) * d).normalized();
    Pose start;
    start.position = -10 * d + miss * side;
    const ShapeCastHit hit = shapeCast(supportShape(a), supportShape(b), start, 20 * d);
    ASSERT_TRUE(hit.hit) << i;
    EXPECT_NEAR(20 * hit.fraction, 10 - std::sqrt(sum * sum - miss * miss), 1e-7);
  }
}

TEST(TimeOfImpact, PoseAtTurnsByAngularVelocityTimesTime) {
  Motion m;
  m.pose.position = {1, 2, 3};
  m.linearVelocity = {1, 0, 0};
  m.angularVelocity = {0, 0, 1};
  for (const double t : {0.0, 1e-9, 0.1, 1.0, 3.0, 100.0}) {
    const Pose p = poseAt(m, t);
    EXPECT_NEAR(p.orientation.w(), std::cos(t / 2), 1e-13);
    EXPECT_NEAR(p.orientation.z(), std::sin(t / 2), 1e-13);
    EXPECT_NEAR(p.position.x(), 1 + t, 1e-13);
  }
}

// A rod that only turns: its end, 2 from its middle, reaches the wall 1 away when sin = 1/2 (thickness 0).
TEST(TimeOfImpact, TurningRodMeetsWall) {
  Box rod, wall;
  rod.halfExtents = {2, 1e-9, 0.1};
  wall.halfExtents = {10, 0.5, 10};
  Motion turning, still;
  turning.angularVelocity = {0, 0, 1};
  still.pose.position = {0, 1.5, 0};
  const TimeOfImpact hit = timeOfImpact(rod, turning, wall, still, 10);
  EXPECT_EQ(hit.status, QueryStatus::Converged);
  ASSERT_TRUE(hit.hit);
  EXPECT_NEAR(hit.time, std::acos(-1.0) / 6, 1e-7);
  EXPECT_NEAR(hit.normal.y(), 1, 1e-7);
  EXPECT_FALSE(timeOfImpact(rod, turning, wall, still, 0.5).hit);
}

// parry 317: the same spinning box meets the same obstacle at the same time far from the origin.
TEST(TimeOfImpact, DoesNotDependOnThePlace) {
  Box moving, still;
  moving.halfExtents = {1, 0.2, 0.5};
  still.halfExtents.setConstant(0.5);
  double times[3];
  int i = 0;
  for (const Eigen::Vector3d& place : {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(1000, 0, 1000), Eigen::Vector3d(-1e5, 3, 7)}) {
    Motion a, b;
    a.pose.position = place;
    a.linearVelocity = {1, 0, 0};
    a.angularVelocity = {0, 0, 1};
    b.pose.position = place + Eigen::Vector3d(3, 0, 0);
    const TimeOfImpact hit = timeOfImpact(moving, a, still, b, 10);
    ASSERT_EQ(hit.status, QueryStatus::Converged);
    ASSERT_TRUE(hit.hit);
    times[i++] = hit.time;
  }
  EXPECT_GT(times[0], 1.4);
  EXPECT_NEAR(times[1], times[0], 1e-6);
  EXPECT_NEAR(times[2], times[0], 1e-6);
}

TEST(TimeOfImpact, NeverStepsOverAContact) {
  Random r(13);
  int hits = 0;
  for (int i = 0; i < 100; ++i) {
    Box a, b;
    for (int k = 0; k < 3; ++k) {
      a.halfExtents[k] = r.power(0.1, 2);
      b.halfExtents[k] = r.power(0.1, 2);
    }
    Motion ma, mb;
    ma.pose.orientation = r.rotation();
    mb.pose.orientation = r.rotation();
    mb.pose.position = 6 * r.direction();
    ma.angularVelocity = r.vector(0, 5);
    mb.angularVelocity = r.vector(0, 5);
    mb.linearVelocity = -3 * mb.pose.position.normalized() + r.direction();
    const TimeOfImpact hit = timeOfImpact(a, ma, b, mb, 2);
    ASSERT_EQ(hit.status, QueryStatus::Converged) << i;
    if (hit.hit && !hit.startsInTouch) {
      ++hits;
      EXPECT_NEAR(exactGap(a, poseAt(ma, hit.time), b, poseAt(mb, hit.time)), 0, 1e-8) << i;
    }
    for (int s = 0; s < 40; ++s) {
      const double t = hit.time * s / 40;
      if (t < hit.time) {
        EXPECT_GT(exactGap(a, poseAt(ma, t), b, poseAt(mb, t)), -1e-8) << i << ' ' << s;
      }
    }
  }
  EXPECT_GT(hits, 25);
}

TEST(ShapeCast, BadInputIsFlagged) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Box box = cube(0.5), bad = cube(-1);
  const SupportShape good = supportShape(box);
  EXPECT_EQ(shapeCast(good, good, at(0, 2, 0), {0, nan, 0}).status, QueryStatus::InvalidInput);
  EXPECT_EQ(shapeCast(good, good, at(nan, 2, 0), {0, 1, 0}).status, QueryStatus::InvalidInput);
  EXPECT_EQ(shapeCast(good, supportShape(bad), at(0, 2, 0), {0, 1, 0}).status, QueryStatus::InvalidInput);
  Motion m, n;
  m.angularVelocity.x() = nan;
  EXPECT_EQ(timeOfImpact(box, m, box, n, 1).status, QueryStatus::InvalidInput);
  EXPECT_EQ(timeOfImpact(box, n, box, n, -1).status, QueryStatus::InvalidInput);
  EXPECT_EQ(timeOfImpact(bad, n, box, n, 1).status, QueryStatus::InvalidInput);
}

}  // namespace
}  // namespace sunder
