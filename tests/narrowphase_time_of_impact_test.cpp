// SPDX-License-Identifier: MIT
// Times of impact of turning boxes where conservative advancement has it hard, judged by the exact gap at many times: nothing
// overlaps before the reported time, the boxes touch at it, and where no hit is reported nothing overlaps at all.
#include <sunder/narrowphase/shape_cast.h>

#include <gtest/gtest.h>

#include "box_pair_families.h"
#include "referee.h"

namespace sunder {
namespace {

using families::Random;

struct Case {
  Box a, b;
  Motion motionA, motionB;
  double maxTime = 1;
};

// By the axis and angle of the motion itself, with nothing of the library.
Pose placed(const Motion& m, double time) {
  Pose pose;
  pose.position = m.pose.position + time * m.linearVelocity;
  pose.orientation = Random::turn(time * m.angularVelocity) * m.pose.orientation;
  return pose;
}
double gapAt(const Case& c, double time) {
  return static_cast<double>(
      referee::exactSignedDistance<long double>(c.a, c.b, placed(c.motionA, time), placed(c.motionB, time)).signedDistance);
}
double sizeOf(const Case& c) { return c.a.halfExtents.norm() + c.b.halfExtents.norm(); }

enum class Family { Grazing, Planks, StartTouching, StartOverlapping, LongSweep, Pinwheels, Count };
const char* const kNames[] = {"grazing", "spinning planks", "start touching", "start overlapping", "long sweep", "pinwheels"};

Case make(Family family, std::uint64_t seed) {
  Random r(seed * 8 + static_cast<std::uint64_t>(family));
  Case c;
  c.a.halfExtents = r.powers(0.1, 2);
  c.b.halfExtents = r.powers(0.1, 2);
  if (family == Family::Planks || family == Family::Pinwheels) {
    c.a.halfExtents = {2, r.power(1e-4, 1e-2), 0.5};
    if (r.below(2)) c.b.halfExtents = {r.power(1e-3, 1e-1), 1.5, r.power(1e-4, 1e-2)};
  }
  c.motionA.pose.orientation = r.rotation();
  c.motionB.pose.orientation = r.rotation();
  const Eigen::Vector3d d = r.direction();
  const double size = sizeOf(c);
  c.motionA.angularVelocity = r.vector(0, 10);
  c.motionB.angularVelocity = r.vector(0, 10);
  c.motionB.pose.position = 2 * size * d;
  c.motionB.linearVelocity = -r.uniform(1, 4) * size * d;
  if (family == Family::Pinwheels) {  // neither moves: their ends meet, or pass by closely
    c.motionA.angularVelocity = r.vectorOfPower(1, 50);
    c.motionB.angularVelocity = r.vectorOfPower(1, 50);
    c.motionB.pose.position = r.uniform(0.3, 1) * size * d;
    c.motionB.linearVelocity.setZero();
  } else if (family == Family::LongSweep) {
    c.motionB.pose.position = r.power(10, 1e4) * size * d;
    c.motionB.linearVelocity = -2 * c.motionB.pose.position + r.vector(0, size);
  } else if (family == Family::Grazing) {  // turning slowly, off to the side until the gap on the way is next to nothing
    c.motionA.angularVelocity *= 0.1;
    c.motionB.angularVelocity *= 0.1;
    Eigen::Vector3d side = d.cross(r.direction()).normalized();
    double low = 0, high = 2 * size;
    const Case start = c;
    for (int i = 0; i < 30; ++i) {
      const double middle = 0.5 * (low + high);
      c.motionB.pose.position = start.motionB.pose.position + middle * side;
      double least = HUGE_VAL;
      for (int s = 0; s <= 60; ++s) least = std::min(least, gapAt(c, s / 60.0));
      (least < 0 ? low : high) = middle;
    }
    c.motionB.pose.position = start.motionB.pose.position + (high + (r.below(2) ? 1 : -1) * r.power(1e-6, 1e-3)) * side;
  } else if (family == Family::StartTouching || family == Family::StartOverlapping) {
    c.motionB.pose.position = 0.2 * size * d;
    c.motionB.linearVelocity = r.vector(0, 3);
    if (family == Family::StartTouching) {  // out along d until they just touch
      double low = 0, high = 2 * size;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        c.motionB.pose.position = middle * d;
        (gapAt(c, 0) < 0 ? low : high) = middle;
      }
    }
  }
  return c;
}

class TimesOfImpact : public testing::TestWithParam<int> {};

TEST_P(TimesOfImpact, AgreeWithTheExactGapAtManyTimes) {
  const Family family = static_cast<Family>(GetParam());
  int hits = 0, misses = 0, limits = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Case c = make(family, seed);
    const double size = sizeOf(c);
    // What rounding does to positions on the way, beside the tolerance.
    const double allowed = 1e-8 * size + 1e-14 * (c.motionB.pose.position.norm() + c.motionB.linearVelocity.norm() * c.maxTime);
    const TimeOfImpact r = timeOfImpact(c.a, c.motionA, c.b, c.motionB, c.maxTime);
    SCOPED_TRACE(testing::Message() << kNames[GetParam()] << ", seed " << seed << ", time " << r.time << (r.hit ? ", hit" : ""));
    EXPECT_TRUE(r.status == QueryStatus::Converged || r.status == QueryStatus::IterationLimit);
    limits += r.status == QueryStatus::IterationLimit;
    EXPECT_GE(r.time, 0);
    EXPECT_LE(r.time, c.maxTime);
    hits += r.hit;
    misses += !r.hit;
    if (r.hit) {
      EXPECT_NEAR(r.normal.norm(), 1, 1e-12);
      const double gap = gapAt(c, r.time);
      if (r.startsInTouch) {
        EXPECT_EQ(r.time, 0);
        EXPECT_LE(gap, allowed);
      } else {
        EXPECT_NEAR(gap, 0, allowed);
      }
    }
    if (gapAt(c, 0) < -allowed) {
      EXPECT_TRUE(r.hit && r.startsInTouch);
      continue;
    }
    // Evenly over the time proven free, and closer and closer to its end.
    const int samples = family == Family::LongSweep ? 200 : 100;
    for (int s = 0; s < samples; ++s) EXPECT_GE(gapAt(c, r.time * s / samples), -allowed) << "at sample " << s;
    for (double before = 1; before > 1e-9; before /= 4) EXPECT_GE(gapAt(c, r.time * (1 - before)), -allowed) << before;
    if (HasFailure()) return;
  }
  EXPECT_LE(limits, 3) << "advancing has not ended";
  EXPECT_GE(hits, 10);
  if (family != Family::StartOverlapping && family != Family::StartTouching) {
    EXPECT_GE(misses, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, TimesOfImpact, testing::Range(0, int(Family::Count)),
                         [](const auto& test) { return "Family" + std::to_string(test.param); });

// Touching at the start and moving straight away, without turning, is no hit; towards each other it is one at once.
TEST(TimesOfImpactInTouch, TellLeavingFromMeeting) {
  Box a, b;
  a.halfExtents = {1, 2, 0.5};
  b.halfExtents = {0.25, 0.5, 1};
  Motion still, moving;
  moving.pose.position = {1.25, 0.3, 0.2};
  moving.linearVelocity = {2, 0, 0};
  EXPECT_FALSE(timeOfImpact(a, still, b, moving, 10).hit);
  moving.linearVelocity = {0, 1, 0};
  EXPECT_FALSE(timeOfImpact(a, still, b, moving, 10).hit);
  moving.linearVelocity = {-1e-3, 0, 0};
  const TimeOfImpact hit = timeOfImpact(a, still, b, moving, 10);
  EXPECT_TRUE(hit.hit && hit.startsInTouch);
  EXPECT_EQ(hit.time, 0);
  EXPECT_NEAR(hit.normal.x(), 1, 1e-12);
}

}  // namespace
}  // namespace sunder
