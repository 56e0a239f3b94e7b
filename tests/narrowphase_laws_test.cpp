// SPDX-License-Identifier: MIT
// The laws every pair of convex shapes obeys, for every pair of shape kinds; and box pairs of every family against the
// exact referee.
#include <sunder/narrowphase/query.h>

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "box_pair_check.h"

namespace sunder {
namespace {

using families::Random;

enum Kind { kBox, kSphere, kCapsule, kHull, kRoundedBox, kEllipsoid, kKinds };
const char* const kNames[] = {"Box", "Sphere", "Capsule", "Hull", "RoundedBox", "Ellipsoid"};

void ellipsoidSupport(const void* shape, const Eigen::Vector3d& direction, Eigen::Vector3d& point) {
  const Eigen::Vector3d& axes = *static_cast<const Eigen::Vector3d*>(shape);
  const Eigen::Vector3d scaled = axes.cwiseProduct(direction);
  point = axes.cwiseProduct(scaled) / scaled.norm();
}

// A shape of random size, and the same shape scaled.
struct AnyShape {
  Box box;
  Sphere sphere;
  Capsule capsule;
  std::unique_ptr<ConvexHull> hull;
  Eigen::Vector3d axes{0, 0, 0};
  SupportShape support;
};

std::unique_ptr<AnyShape> makeShape(Kind kind, std::uint64_t seed, double scale) {
  Random r(seed);
  auto s = std::make_unique<AnyShape>();
  const Eigen::Vector3d size = r.powers(0.3, 2);
  s->box.halfExtents = scale * size;
  s->sphere.radius = scale * size.x();
  s->capsule = {scale * size.x(), scale * size.y()};
  s->axes = scale * size;
  switch (kind) {
    case kBox: s->support = supportShape(s->box); break;
    case kSphere: s->support = supportShape(s->sphere); break;
    case kCapsule: s->support = supportShape(s->capsule); break;
    case kHull: {
      std::vector<Eigen::Vector3d> points;
      for (int i = 0; i < 20; ++i) points.push_back(scale * size.cwiseProduct(r.direction()));
      s->hull = std::make_unique<ConvexHull>(points);
      s->support = supportShape(*s->hull);
      break;
    }
    case kRoundedBox: s->support = rounded(supportShape(s->box), scale * 0.25); break;
    default: s->support = supportShape(&s->axes, ellipsoidSupport);
  }
  return s;
}

class ShapePairLaws : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  Kind kindA() const { return static_cast<Kind>(std::get<0>(GetParam())); }
  Kind kindB() const { return static_cast<Kind>(std::get<1>(GetParam())); }
  bool curved() const { return kindA() == kEllipsoid || kindB() == kEllipsoid; }
  // Curved shapes stop at the tolerance of QueryOptions or when EPA's storage is full; they say so, and the laws hold to
  // within the bounds they give.
  double tolerance() const { return curved() ? 1e-8 : 1e-12; }
  double errorOf(const Proximity& r) const { return r.upperBound - r.lowerBound + 10 * tolerance(); }

  template <class Check>
  void forManyPoses(int count, Check&& check) {
    for (int i = 0; i < count; ++i) {
      Random r(static_cast<std::uint64_t>(1000 * i + 10 * kindA() + kindB()));
      Pose pose;
      pose.orientation = i % 5 == 0 ? Quaternion(1, 0, 0, 0) : r.rotation();
      pose.position = i % 7 == 0 ? Eigen::Vector3d(0, 0, 0) : r.vector(0, 4);
      const std::uint64_t seedA = 2 * i + 1, seedB = 2 * i + 2;
      SCOPED_TRACE(i);
      check(*makeShape(kindA(), seedA, 1), *makeShape(kindB(), seedB, 1), pose, i);
    }
  }
};

TEST_P(ShapePairLaws, ConvergesWithBounds) {
  int apart = 0, overlapping = 0, limits = 0;
  forManyPoses(300, [&](const AnyShape& a, const AnyShape& b, const Pose& pose, int) {
    const Proximity r = signedDistance(a.support, b.support, pose);
    if (curved() && r.status == QueryStatus::IterationLimit)
      ++limits;
    else
      EXPECT_EQ(r.status, QueryStatus::Converged) << r.signedDistance << ' ' << r.lowerBound << ' ' << r.upperBound;
    EXPECT_LE(r.lowerBound, r.signedDistance);
    EXPECT_GE(r.upperBound, r.signedDistance);
    EXPECT_LE(r.upperBound - r.lowerBound, curved() ? 5e-2 : tolerance());
    EXPECT_NEAR(r.normal.norm(), 1, 1e-12);
    // The gap along the normal is the answer, and no other direction has a larger gap.
    EXPECT_NEAR(gapAlong(a.support, b.support, pose, r.normal), r.signedDistance, errorOf(r));
    Random directions(5);
    for (int k = 0; k < 50; ++k)
      EXPECT_LE(gapAlong(a.support, b.support, pose, directions.direction()), r.signedDistance + errorOf(r));
    (r.signedDistance > 0 ? apart : overlapping)++;
  });
  EXPECT_GT(apart, 20);
  EXPECT_GT(overlapping, 20);
  EXPECT_LT(limits, 100);
}

TEST_P(ShapePairLaws, SwapSymmetry) {
  forManyPoses(200, [&](const AnyShape& a, const AnyShape& b, const Pose& pose, int) {
    const Proximity r = signedDistance(a.support, b.support, pose);
    const Proximity s = signedDistance(b.support, a.support, relativePose(pose, Pose()));
    EXPECT_NEAR(r.signedDistance, s.signedDistance, errorOf(r) + errorOf(s));
  });
}

TEST_P(ShapePairLaws, RigidMotion) {
  forManyPoses(200, [&](const AnyShape& a, const AnyShape& b, const Pose& pose, int i) {
    Random r(static_cast<std::uint64_t>(i));
    Pose moveA, moveB;
    moveA.orientation = r.rotation();
    moveA.position = 10 * r.direction();
    moveB.orientation = (moveA.orientation * pose.orientation).normalized();
    moveB.position = moveA.position + moveA.orientation * pose.position;
    const Proximity before = signedDistance(a.support, b.support, pose);
    const Proximity after = signedDistance(a.support, b.support, relativePose(moveA, moveB));
    EXPECT_NEAR(after.signedDistance, before.signedDistance, errorOf(before) + errorOf(after));
  });
}

TEST_P(ShapePairLaws, PowerOfTwoScalingIsBitExact) {
  forManyPoses(100, [&](const AnyShape& a, const AnyShape& b, const Pose& pose, int i) {
    const Proximity r = signedDistance(a.support, b.support, pose);
    for (const double scale : {0x1p-40, 0.5, 0x1p33}) {
      const auto scaledA = makeShape(kindA(), static_cast<std::uint64_t>(2 * i + 1), scale);
      const auto scaledB = makeShape(kindB(), static_cast<std::uint64_t>(2 * i + 2), scale);
      Pose scaled = pose;
      scaled.position *= scale;
      const Proximity s = signedDistance(scaledA->support, scaledB->support, scaled);
      EXPECT_EQ(s.signedDistance, scale * r.signedDistance);
      EXPECT_EQ(s.normal, r.normal);
      EXPECT_EQ(s.pointOnA, Eigen::Vector3d(scale * r.pointOnA));
      EXPECT_EQ(s.lowerBound, scale * r.lowerBound);
    }
  });
}

TEST_P(ShapePairLaws, PushedByTheAnswerTheyJustTouch) {
  forManyPoses(300, [&](const AnyShape& a, const AnyShape& b, Pose pose, int) {
    const Proximity r = signedDistance(a.support, b.support, pose);
    pose.position -= r.signedDistance * r.normal;
    const Proximity pushed = signedDistance(a.support, b.support, pose);
    EXPECT_NEAR(pushed.signedDistance, 0, errorOf(r) + errorOf(pushed));
  });
}

// Moved along the normal through contact, the signed distance follows the motion from one side to the other.
TEST_P(ShapePairLaws, DistanceAndDepthMeetAtContact) {
  forManyPoses(60, [&](const AnyShape& a, const AnyShape& b, Pose pose, int) {
    const Proximity r = signedDistance(a.support, b.support, pose);
    const Eigen::Vector3d contact = pose.position - r.signedDistance * r.normal;
    for (const double gap : {-1e-4, -1e-8, -1e-12, -1e-15, 0.0, 1e-15, 1e-12, 1e-8, 1e-4}) {
      pose.position = contact + gap * r.normal;
      const Proximity s = signedDistance(a.support, b.support, pose);
      // Pressed together where a corner met, another direction may be shorter; never longer.
      if (gap < 0 && r.signedDistance > 0) {
        EXPECT_LE(s.signedDistance, errorOf(r) + errorOf(s));
        EXPECT_GE(s.signedDistance, gap - errorOf(r) - errorOf(s));
      } else {
        EXPECT_NEAR(s.signedDistance, gap, errorOf(r) + errorOf(s));
      }
      EXPECT_NEAR(s.normal.norm(), 1, 1e-12);
      EXPECT_TRUE(s.pointOnA.allFinite() && s.pointOnB.allFinite());
    }
  });
}

TEST_P(ShapePairLaws, QueriesAgree) {
  forManyPoses(200, [&](const AnyShape& a, const AnyShape& b, const Pose& pose, int) {
    const Proximity r = signedDistance(a.support, b.support, pose);
    if (std::abs(r.signedDistance) < 1e-7) return;
    const bool overlap = r.signedDistance < 0;
    const Intersection i = intersects(a.support, b.support, pose);
    EXPECT_EQ(i.overlap, overlap);
    if (!overlap) {
      EXPECT_TRUE(isSeparating(a.support, b.support, pose, i.separatingAxis));
    }
    const Proximity d = distance(a.support, b.support, pose);
    EXPECT_NEAR(d.signedDistance, overlap ? 0 : r.signedDistance, errorOf(r));
    const Penetration p = penetration(a.support, b.support, pose);
    EXPECT_EQ(p.overlap, overlap);
    EXPECT_NEAR(p.depth, overlap ? -r.signedDistance : 0, errorOf(r));
    EXPECT_LE(p.lowerBound, p.depth);
    EXPECT_GE(p.upperBound, p.depth);
    const SeparatingPlane plane = separatingPlane(a.support, b.support, pose);
    EXPECT_EQ(plane.found, !overlap);
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, ShapePairLaws, testing::Combine(testing::Range(0, int(kKinds)), testing::Range(0, int(kKinds))),
                         [](const auto& test) {
                           return std::string(kNames[std::get<0>(test.param)]) + "And" + kNames[std::get<1>(test.param)];
                         });

void sweep(std::uint64_t pairs) {
  int faults = 0;
  const std::uint64_t seeds = pairs / families::all().size() + 1;
  for (const families::Family family : families::all())
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const families::BoxPairCase c = families::pairOfSeed(family, seed);
      const std::string fault = families::faultOf(c, families::needsQuad(family));
      if (fault.empty()) continue;
      ADD_FAILURE() << families::asTest(family, seed, c, fault);
      if (++faults > 10) return;
    }
}

TEST(BoxPairsAgainstReferee, Sample) { sweep(4000); }
TEST(BoxPairsAgainstReferee, LongMillion) { sweep(1000000); }

}  // namespace
}  // namespace sunder
