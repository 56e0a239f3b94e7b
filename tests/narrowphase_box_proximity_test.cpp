// SPDX-License-Identifier: MIT
// GJK and EPA of boxes with their exact ending, against the referee; and the face of the difference that they name.
#include <gtest/gtest.h>
#include <sunder/narrowphase/proximity_internal.h>

#include "box_pair_families.h"
#include "referee.h"

namespace sunder {
namespace {

using math::CoreProximity;
using math::Vec3;

TEST(BoxProximity, BoundsHoldAndTheNamedFaceHasTheDepth) {
  families::Random random(4);
  int named[3] = {0, 0, 0};
  for (const families::Family family : families::all())
    for (int i = 0; i < 150; ++i) {
      const families::BoxPairCase c = families::inFrameOfA(families::make(family, random));
      math::Difference d;
      ASSERT_TRUE(math::makeDifference(supportShape(c.a), supportShape(c.b), c.poseB, d));
      CoreProximity r;
      math::boxProximity(d, std::numeric_limits<double>::infinity(), true, nullptr, r);
      const referee::PlacedBox<referee::Quad> a(c.a, c.poseA), b(c.b, c.poseB);
      const auto truth = referee::exactSignedDistance(a, b);
      const double size = c.a.halfExtents.norm() + c.b.halfExtents.norm() + c.poseB.position.norm();
      ASSERT_EQ(r.status, QueryStatus::Converged) << i;
      EXPECT_LE(r.lowerBound, static_cast<double>(truth.signedDistance) + 1e-15 * size) << i;
      EXPECT_GE(r.upperBound, static_cast<double>(truth.signedDistance) - 1e-15 * size) << i;
      EXPECT_NEAR(r.signedDistance, static_cast<double>(truth.signedDistance), 1e-12 * size) << i;
      if (r.boxFeature < 0) {
        EXPECT_GE(static_cast<double>(truth.signedDistance), -1e-13 * size) << i << ": overlaps, and no face is named";
        continue;
      }
      // Projected on the axis with that number the boxes overlap by the depth.
      referee::Vector<referee::Quad> n;
      const int feature = r.boxFeature;
      if (feature < 6) n = feature < 3 ? a.axis[feature] : b.axis[feature - 3];
      else n = referee::cross(a.axis[(feature - 6) / 3], b.axis[(feature - 6) % 3]);
      const referee::Quad length = referee::root(referee::dot(n, n));
      for (referee::Quad& component : n) component /= length;
      // Either way along the axis: the gap is that of the nearer side.
      referee::Vector<referee::Quad> back = n;
      for (referee::Quad& component : back) component = -component;
      const double gap = std::max(static_cast<double>(referee::gapAlong(a, b, n)), static_cast<double>(referee::gapAlong(a, b, back)));
      EXPECT_NEAR(gap, r.signedDistance, 1e-12 * size) << i << ", axis " << feature;
      ++named[feature < 3 ? 0 : feature < 6 ? 1 : 2];
      if (HasFailure()) FAIL() << static_cast<int>(family) << ", " << i;
    }
  for (const int count : named) EXPECT_GT(count, 20);
}

// A limit that is passed ends the search with a proof: a lower bound beyond the limit, and below the distance.
TEST(BoxProximity, BeyondTheLimitIsProven) {
  families::Random random(5);
  int beyond = 0;
  for (int i = 0; i < 2000; ++i) {
    const Box a = {random.powers(0.1, 2)}, b = {random.powers(0.1, 2)};
    Pose pose;
    pose.position = random.vector(0, 8);
    pose.orientation = random.rotation();
    const double limit = random.uniform(0, 2);
    math::Difference d;
    ASSERT_TRUE(math::makeDifference(supportShape(a), supportShape(b), pose, d));
    CoreProximity r;
    math::boxProximity(d, limit, false, nullptr, r);
    const double truth = static_cast<double>(referee::exactSignedDistance(a, b, Pose{}, pose).signedDistance);
    if (r.beyond) {
      ++beyond;
      EXPECT_GT(r.lowerBound, limit);
      EXPECT_LE(r.lowerBound, truth + 1e-14);
    } else {
      EXPECT_LE(truth, limit + 1e-9);
      EXPECT_NEAR(std::max(truth, 0.0), r.signedDistance, 1e-12);
    }
  }
  EXPECT_GT(beyond, 300);
}

// Faces turned a little on each other: a face axis and the cross products of edges that lie in the face are one direction but for
// rounding. The face is named, which does not jump from step to step.
TEST(BoxProximity, OfDirectionsThatAgreeToRoundingTheFaceIsNamed) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    families::Random random(seed);
    const Box a = {random.powers(0.3, 2)}, b = {random.powers(0.3, 2)};
    const double small = std::min(a.halfExtents.minCoeff(), b.halfExtents.minCoeff());
    const int k = random.below(3);
    const Quaternion turn(Eigen::AngleAxisd(random.below(3) ? random.uniform(-3, 3) : 0, Eigen::Vector3d::Unit(k)));
    Pose pose;
    pose.orientation = (families::Random::turn(random.vectorOfPower(1e-17, 1e-15)) * turn).normalized();
    pose.position = 0.3 * small * random.direction();
    pose.position[k] = a.halfExtents[k] + b.halfExtents[k] - small * random.power(1e-7, 0.1);
    math::Difference d;
    ASSERT_TRUE(math::makeDifference(supportShape(a), supportShape(b), pose, d));
    CoreProximity r;
    math::boxProximity(d, std::numeric_limits<double>::infinity(), true, nullptr, r);
    EXPECT_TRUE(r.boxFeature == k || r.boxFeature == 3 + k) << r.boxFeature << ", seed " << seed;
  }
}

}  // namespace
}  // namespace sunder
