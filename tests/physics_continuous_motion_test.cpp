// SPDX-License-Identifier: MIT
// Motions over a step and the time of first contact, against matrices and dense sampling.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <sunder/physics/continuous_internal.h>

#include "physics_bodies.h"
#include "sunder/demo/referee.h"

namespace sunder {
namespace {

using namespace sunder::testing;
using Eigen::Matrix3d;

// libm is for tests only.
Quaternion turnBy(const Vector3d& rotationVector) {
  const double angle = rotationVector.norm();
  if (angle == 0) return Quaternion(1, 0, 0, 0);
  const Vector3d s = std::sin(angle / 2) / angle * rotationVector;
  return Quaternion(std::cos(angle / 2), s[0], s[1], s[2]);
}

TEST(ContinuousMotion, LeadsFromOnePoseToTheOther) {
  Numbers numbers(1);
  for (int i = 0; i < 20000; ++i) {
    const Pose from = numbers.pose(10);
    // Turns of any size up to half a turn, tiny ones as well.
    const double size = i % 4 == 0 ? 1e-9 : i % 4 == 1 ? 0.1 : std::numbers::pi * 0.999;
    const Vector3d turn = numbers.between(0, size) * numbers.vector(1).normalized();
    const Pose to = {numbers.vector(10), (turnBy(turn) * from.orientation).normalized()};
    const Motion motion = motionBetween(from, to, turn, 1);
    EXPECT_LT((motion.angularVelocity - turn).norm(), 1e-14 + 1e-13 * turn.norm()) << i;
    EXPECT_LT((motion.linearVelocity - (to.position - from.position)).norm(), 1e-14);
    const Matrix3d end = (turnBy(motion.angularVelocity) * from.orientation).toRotationMatrix();
    EXPECT_LT((end - to.orientation.toRotationMatrix()).norm(), 1e-13);
  }
}

// The sign of a quaternion means nothing.
TEST(ContinuousMotion, TakesTheShortWayWhateverTheSign) {
  Numbers numbers(2);
  for (int i = 0; i < 1000; ++i) {
    const Pose from = numbers.pose(1);
    Pose to = {from.position, turnBy(numbers.vector(1)) * from.orientation};
    const Vector3d turn = motionBetween(from, to, {0, 0, 0}, 1).angularVelocity;
    to.orientation.coeffs() *= -1;
    EXPECT_EQ(motionBetween(from, to, {0, 0, 0}, 1).angularVelocity, turn);
    EXPECT_LE(turn.norm(), std::numbers::pi);
  }
}

// More than half a turn in a step: two poses can't show it, the angular velocity does.
TEST(ContinuousMotion, CountsWholeTurns) {
  Numbers numbers(3);
  for (int i = 0; i < 2000; ++i) {
    const Vector3d velocity = numbers.between(3.2, 100) * numbers.vector(1).normalized();
    const double dt = numbers.between(0.5, 2);
    const Pose from = numbers.pose(1), to = {from.position, (turnBy(dt * velocity) * from.orientation).normalized()};
    const Vector3d turn = motionBetween(from, to, velocity, dt).angularVelocity;
    if (dt * velocity.norm() < 3.1) continue;  // there the poses alone decide
    // The axis is found from what is left of the turn: close to whole turns that is a small difference.
    const double rest = std::fabs(std::remainder(dt * velocity.norm(), 2 * std::numbers::pi));
    if (rest < 1e-3 || rest > 3.1) continue;
    EXPECT_LT((turn - dt * velocity).norm(), 1e-9 * dt * velocity.norm()) << (dt * velocity).transpose();
  }
}

TEST(ContinuousMotion, NoPointMovesFurtherThanTheBound) {
  Numbers numbers(4);
  double tightest = 2;
  for (int i = 0; i < 5000; ++i) {
    const Vector3d half = numbers.vector(1).cwiseAbs() + Vector3d::Constant(0.01);
    const Pose from = numbers.pose(3);
    const double duration = numbers.between(0, 1);
    const Vector3d turn = numbers.vector(i % 2 == 0 ? 0.2 : 1.7), shift = numbers.vector(i % 3 == 0 ? 0 : 1);
    const Pose to = {from.position + duration * shift, turnBy(duration * turn) * from.orientation};
    Motion motion;
    motion.pose = from;
    motion.linearVelocity = shift;
    motion.angularVelocity = turn;
    const double bound = motionBound(motion, half.norm(), duration), fromPoses = motionBound(from, to, half.norm());
    double furthest = 0;
    for (int corner = 0; corner < 8; ++corner) {
      Vector3d local = half;
      for (int k = 0; k < 3; ++k) local[k] *= (corner >> k & 1) != 0 ? 1 : -1;
      furthest = std::max(furthest, (to.position + to.orientation * local - from.position - from.orientation * local).norm());
    }
    EXPECT_LE(furthest, bound * (1 + 1e-12));
    EXPECT_LE(furthest, fromPoses * (1 + 1e-12));
    if (furthest > 0) tightest = std::min(tightest, fromPoses / furthest);
  }
  EXPECT_LT(tightest, 1.3) << "a bound that is never near the truth";
}

// The least separation of two moving boxes up to a time, and when it is reached.
struct Sampled {
  double least = 1e300, firstWithin = 2;  // firstWithin: the first sample at or below the limit; 2: none
};
Sampled sample(const Box& a, const Motion& ma, const Box& b, const Motion& mb, double limit) {
  Sampled result;
  constexpr int kSamples = 2000;
  for (int i = 0; i <= kSamples; ++i) {
    const double time = double(i) / kSamples;
    const auto at = [&](const Motion& m) {
      return Pose{m.pose.position + time * m.linearVelocity, turnBy(time * m.angularVelocity) * m.pose.orientation};
    };
    const double separation = demo::separation({a, at(ma), true}, {b, at(mb), true});
    result.least = std::min(result.least, separation);
    if (separation <= limit && result.firstWithin > 1) result.firstWithin = time;
  }
  return result;
}

TEST(FirstImpact, AgreesWithDenseSampling) {
  Numbers numbers(6);
  int hits = 0, misses = 0;
  for (int i = 0; i < 300; ++i) {
    const double tolerance = 1e-4;
    const Box a = {numbers.vector(1).cwiseAbs() + Vector3d::Constant(0.1)}, b = {numbers.vector(1).cwiseAbs() + Vector3d::Constant(0.1)};
    Motion ma, mb;
    ma.pose = {{0, 0, 0}, numbers.rotation()};
    mb.pose = {4 * numbers.vector(1).normalized(), numbers.rotation()};
    ma.linearVelocity = numbers.vector(2);
    mb.linearVelocity = numbers.vector(1.5) - mb.pose.position;
    ma.angularVelocity = numbers.vector(2);
    mb.angularVelocity = numbers.vector(i % 2 == 0 ? 0 : 4);
    const Impact impact = firstImpact(a, ma, b, mb, 1, tolerance);
    const Sampled truth = sample(a, ma, b, mb, 0.5 * tolerance);
    // What a point can move between two samples.
    const double between = (motionBound(ma, a.halfExtents.norm(), 1) + motionBound(mb, b.halfExtents.norm(), 1)) / 2000;
    if (truth.firstWithin <= 1) {
      ASSERT_TRUE(impact.hit) << i;
      EXPECT_LE(impact.time, truth.firstWithin) << i;
    }
    if (!impact.hit) {
      EXPECT_GT(truth.least, 0) << i;
      ++misses;
      continue;
    }
    // The SAT's separation is below the distance where corners face each other: up to sqrt(3) times.
    const Sampled before = sample(a, ma, b, mb, -1);
    EXPECT_LE(before.least, tolerance + between) << i << ": a hit that is none";
    const auto at = [&](const Motion& m) {
      return Pose{m.pose.position + impact.time * m.linearVelocity, turnBy(impact.time * m.angularVelocity) * m.pose.orientation};
    };
    const double separation = demo::separation({a, at(ma), true}, {b, at(mb), true});
    EXPECT_LE(separation, tolerance + 1e-9) << i;
    EXPECT_GT(separation, 0) << i << ": past the contact";
    const Vector3d normal(impact.normal.x, impact.normal.y, impact.normal.z);
    EXPECT_NEAR(normal.norm(), 1, 1e-12);
    EXPECT_GT(normal.dot(at(mb).position - at(ma).position), 0) << i;
    EXPECT_FALSE(impact.startsInTouch);
    ++hits;
  }
  EXPECT_GT(hits, 80);
  EXPECT_GT(misses, 40);
}

TEST(FirstImpact, StartsInTouchIsSaid) {
  const Box cube = {{1, 1, 1}};
  Motion still, other;
  other.pose.position = {1.9, 0, 0};
  other.linearVelocity = {5, 0, 0};
  const Impact impact = firstImpact(cube, still, cube, other, 1, 1e-6);
  EXPECT_TRUE(impact.hit && impact.startsInTouch);
  EXPECT_EQ(impact.time, 0);
  other.pose.position = {2.1, 0, 0};
  EXPECT_FALSE(firstImpact(cube, still, cube, other, 1, 1e-6).hit);  // it goes away
  other.linearVelocity = {-0.2, 0, 0};
  const Impact later = firstImpact(cube, still, cube, other, 1, 1e-6);
  EXPECT_TRUE(later.hit && !later.startsInTouch);
  EXPECT_NEAR(later.time, 0.5, 1e-5);
  EXPECT_FALSE(firstImpact(cube, still, cube, other, 0.4, 1e-6).hit);  // after the time asked for
}

TEST(ContinuousMotion, CoreIsTheBoxWithoutALayer) {
  const Box box = {{1, 2, 3}};
  EXPECT_EQ(smallestHalfExtent(box), 1);
  EXPECT_EQ(smallestHalfExtent({{3, 0.5, 2}}), 0.5);
  EXPECT_EQ(smallestHalfExtent({{3, 2, 0.25}}), 0.25);
  EXPECT_EQ(core(box, 0.25).halfExtents, Vector3d(0.75, 1.75, 2.75));
}

}  // namespace
}  // namespace sunder
