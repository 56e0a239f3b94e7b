// SPDX-License-Identifier: MIT
// Support points of the shapes and of their Minkowski difference, against all vertices looked at.
#include <sunder/narrowphase/proximity_internal.h>
#include <sunder/narrowphase/support_internal.h>

#include <gtest/gtest.h>

#include "box_pair_check.h"
#include "convex_families.h"

namespace sunder {
namespace {

using families::Random;
using math::Vec3;

Eigen::Vector3d supportOf(const SupportShape& s, const Eigen::Vector3d& n) {
  Eigen::Vector3d p;
  s.support(s.shape, n, p);
  return p;
}

// A direction, sometimes along an axis, across one, or with a zero of either sign.
Eigen::Vector3d directionOf(Random& r) {
  Eigen::Vector3d n = r.direction();
  for (int k = 0; k < 3; ++k)
    if (r.below(4) == 0) n[k] = r.below(2) ? 0.0 : -0.0;
  return n.isZero(0) ? Eigen::Vector3d(0, 0, 1) : n;
}

TEST(Support, IsTheFarthestPointOfTheCore) {
  Random r(1);
  for (int kind = 0; kind < static_cast<int>(convex::Kind::Count); ++kind)
    for (int i = 0; i < 200; ++i) {
      const convex::AnyShape shape = convex::makeShape(static_cast<convex::Kind>(kind), r, Eigen::Vector3d(r.power(0.1, 10), 1, 2));
      const SupportShape s = shape.support();
      const auto points = shape.corePoints();
      for (int k = 0; k < 20; ++k) {
        const Eigen::Vector3d n = directionOf(r), p = supportOf(s, n);
        double most = -HUGE_VAL;
        bool isCorner = false;
        for (const auto& q : points) {
          most = std::max(most, n.dot(q));
          isCorner |= p == q;
        }
        EXPECT_TRUE(isCorner) << convex::name(static_cast<convex::Kind>(kind));
        EXPECT_NEAR(n.dot(p), most, 1e-14 * s.extent);
        EXPECT_EQ(supportOf(s, 1024 * n), p) << "the length of the direction must not matter";
      }
      EXPECT_EQ(s.radius, shape.coreRadius());
      double extent = 0;
      for (const auto& q : points) extent = std::max(extent, q.cwiseAbs().maxCoeff());
      EXPECT_EQ(s.extent, extent);
    }
}

TEST(Support, OfTwoBoxesIsTheFarthestOfAllVertexPairs) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto c = families::inFrameOfA(families::pairOfSeed(families::Family::Overlapping, seed));
    math::Difference d;
    ASSERT_TRUE(math::makeDifference(supportShape(c.a), supportShape(c.b), c.poseB, d));
    const referee::PlacedBox<double> a(c.a, Pose()), b(c.b, c.poseB);
    Random r(seed);
    for (int k = 0; k < 20; ++k) {
      const Eigen::Vector3d e = directionOf(r);
      const Vec3 n = math::load(e);
      const math::Vertex w = math::support(d, n);
      ASSERT_LT(w.id, 64u);
      double most = -HUGE_VAL;
      for (std::uint32_t id = 0; id < 64; ++id) most = std::max(most, math::dot(n, math::boxVertex(d, id).w));
      EXPECT_NEAR(math::dot(n, w.w), most, 1e-15);
      // The vertex is the difference of the corners its bits name, in the pair's unit.
      const auto pa = a.vertex(static_cast<int>(w.id & 7)), pb = b.vertex(static_cast<int>(w.id >> 3));
      const Vec3 onA = math::pointOnA(d, w);
      EXPECT_NEAR(d.unit * w.w.x, pa[0] - pb[0], 1e-15 * 4);
      EXPECT_NEAR(d.unit * w.w.y, pa[1] - pb[1], 1e-15 * 4);
      EXPECT_NEAR(d.unit * w.w.z, pa[2] - pb[2], 1e-15 * 4);
      EXPECT_EQ(d.unit * onA.x, pa[0]);
      // -0 and 0 are the same direction.
      EXPECT_EQ(math::support(d, Vec3{n.x + 0.0, n.y + 0.0, n.z + 0.0}).id, w.id);
      EXPECT_NEAR(math::reach(d, (1 / math::length(n)) * n, *std::make_unique<math::Vertex>()), most / math::length(n), 1e-15);
    }
  }
}

// Two boxes as user shapes, through the general path, reach as far as through the fast one.
TEST(Support, GeneralPathAgreesWithTheOneForBoxes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto c = families::inFrameOfA(families::pairOfSeed(families::Family::Near, seed));
    const auto asUser = [](const Box& box) {
      return supportShape(&box, [](const void* shape, const Eigen::Vector3d& n, Eigen::Vector3d& p) {
        for (int k = 0; k < 3; ++k) p[k] = n[k] >= 0 ? static_cast<const Box*>(shape)->halfExtents[k] : -static_cast<const Box*>(shape)->halfExtents[k];
      });
    };
    const SupportShape a = asUser(c.a), b = asUser(c.b);
    EXPECT_EQ(a.extent, c.a.halfExtents.maxCoeff());
    math::Difference fast, general;
    ASSERT_TRUE(math::makeDifference(supportShape(c.a), supportShape(c.b), c.poseB, fast));
    ASSERT_TRUE(math::makeDifference(a, b, c.poseB, general));
    EXPECT_EQ(fast.unit, general.unit);
    Random r(seed);
    for (int k = 0; k < 20; ++k) {
      const Vec3 n = math::load(r.direction());
      const math::Vertex v = math::support(fast, n), w = math::support(general, n);
      EXPECT_NEAR(math::dot(n, v.w), math::dot(n, w.w), 1e-15);
      EXPECT_NEAR(math::length(math::pointOnA(fast, v) - math::pointOnA(general, w)), 0, 1e-15);
    }
  }
}

TEST(Support, UnitIsThePowerOfTwoBelowTheSize) {
  math::Difference d;
  for (const double size : {1.0, 1.5, 2.0, 1e-30, 3e40, 0x1p-300}) {
    math::setUnit(d, size);
    EXPECT_LE(d.unit, size);
    EXPECT_GT(2 * d.unit, size);
    EXPECT_EQ(d.unit * d.inverseUnit, 1);
    int exponent = 0;
    EXPECT_EQ(std::frexp(d.unit, &exponent), 0.5);
  }
  for (const double size : {0.0, 1e-300, 1e300, HUGE_VAL}) {
    math::setUnit(d, size);
    EXPECT_EQ(d.unit, 1);
    EXPECT_EQ(d.inverseUnit, 1);
  }
}

}  // namespace
}  // namespace sunder
