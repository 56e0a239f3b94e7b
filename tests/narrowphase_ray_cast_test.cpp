// SPDX-License-Identifier: MIT
#include <sunder/narrowphase/ray_cast.h>

#include <gtest/gtest.h>

#include <limits>

#include "box_pair_families.h"

namespace sunder {
namespace {

using families::Random;

Ray rayOf(const Eigen::Vector3d& from, const Eigen::Vector3d& to) { return {from, to - from, 1}; }
double outside(const Box& box, const Eigen::Vector3d& p) { return (p.cwiseAbs() - box.halfExtents).maxCoeff(); }

ConvexHull hullOf(const Box& box) {
  std::vector<Eigen::Vector3d> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(box.halfExtents.cwiseProduct(Eigen::Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  return ConvexHull(corners);
}

// edyn 155: a ray along each axis, on the box and on the same box as a general convex.
TEST(RayCast, AlongEachAxis) {
  const Box box{{1, 1, 1}};
  const ConvexHull hull = hullOf(box);
  for (int k = 0; k < 3; ++k) {
    const Ray ray = rayOf(2 * Eigen::Vector3d::Unit(k), -2 * Eigen::Vector3d::Unit(k));
    for (const RayHit& hit : {rayCast(box, ray), rayCast(supportShape(box), ray), rayCast(supportShape(hull), ray)}) {
      EXPECT_EQ(hit.status, QueryStatus::Converged);
      ASSERT_TRUE(hit.hit);
      EXPECT_NEAR(hit.fraction, 0.25, 1e-10);
      EXPECT_NEAR((hit.normal - Eigen::Vector3d::Unit(k)).norm(), 0, 1e-9);
    }
    EXPECT_EQ(rayCast(box, ray).fraction, 0.25);
    EXPECT_EQ(rayCast(box, ray).normal, Eigen::Vector3d(Eigen::Vector3d::Unit(k)));
  }
}

// ncollide 242: the hit is on the surface, and a ray leaving from just outside does not hit again.
TEST(RayCast, LeavesTheSurfaceWithoutHittingItAgain) {
  Random r(242);
  for (const Box& box : {Box{{1, 1, 1}}, Box{{1, 1, 0.5}}, Box{{0.5, 1, 0.5}}}) {
    for (int i = 0; i < 1000; ++i) {
      const Eigen::Vector3d from = 5 * r.direction();
      const RayHit hit = rayCast(box, rayOf(from, Eigen::Vector3d::Zero()));
      ASSERT_TRUE(hit.hit);
      EXPECT_NEAR(outside(box, hit.point), 0, 1e-14);
      EXPECT_LT(outside(box, hit.point - 0.001 * hit.normal), 0);
      EXPECT_GT(outside(box, hit.point + 0.001 * hit.normal), 0);
      EXPECT_FALSE(rayCast(box, {hit.point + 0.001 * hit.normal, hit.normal, 100}).hit);
      EXPECT_FALSE(rayCast(box, {hit.point + 0.001 * hit.normal, from, 100}).hit);
    }
  }
}

// godot 28032: normals stay exact up to the very edge.
TEST(RayCast, NormalsAreFaceNormalsUpToTheEdge) {
  const Box box{{0.5, 0.5, 0.5}};
  const double edge = 0.5 - 1e-6;
  for (int k = 0; k < 3; ++k)
    for (const double sign : {1.0, -1.0})
      for (int i = -10; i <= 10; ++i)
        for (int j = -10; j <= 10; ++j) {
          Eigen::Vector3d from;
          from[k] = sign * 3;
          from[(k + 1) % 3] = edge * i / 10;
          from[(k + 2) % 3] = edge * j / 10;
          const Eigen::Vector3d normal = sign * Eigen::Vector3d::Unit(k);
          const RayHit hit = rayCast(box, {from, -normal, 10});
          ASSERT_TRUE(hit.hit);
          EXPECT_EQ(hit.normal, normal);
          EXPECT_EQ(hit.fraction, 2.5);
        }
}

// godot-jolt 653: inside there is no surface to speak of.
TEST(RayCast, FromInside) {
  const Box box{{0.5, 0.5, 0.5}};
  const Sphere sphere{0.5};
  const Capsule capsule{0.5, 0.5};
  const Ray ray{{0.1, 0, 0}, {1, 2, 3}, 10};
  for (const RayHit& hit :
       {rayCast(box, ray), rayCast(sphere, ray), rayCast(supportShape(box), ray), rayCast(supportShape(capsule), ray)}) {
    EXPECT_TRUE(hit.hit);
    EXPECT_TRUE(hit.startsInside);
    EXPECT_EQ(hit.fraction, 0);
    EXPECT_EQ(hit.normal, Eigen::Vector3d(0, 0, 0));
  }
}

TEST(RayCast, StartOnTheSurface) {
  const Box box{{1, 1, 1}};
  EXPECT_FALSE(rayCast(box, {{1, 0, 0}, {1, 0, 0}, 10}).hit);       // leaves
  EXPECT_TRUE(rayCast(box, {{1, 0, 0}, {-1, 0, 0}, 10}).hit);       // goes in
  EXPECT_FALSE(rayCast(box, {{1, -3, 0}, {0, 1, 0}, 10}).hit);      // grazes the face
  EXPECT_FALSE(rayCast(box, {{3, 0, 0}, {-1, 0, 0}, 1.99}).hit);    // ends before
  EXPECT_TRUE(rayCast(box, {{3, 0, 0}, {-1, 0, 0}, 2.0}).hit);      // ends on it
}

TEST(RayCast, SphereAgainstGeometry) {
  Random r(7);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const Sphere sphere{r.power(1e-3, 1e3)};
    const double distance = sphere.radius * r.uniform(1.1, 100), miss = sphere.radius * r.uniform(0, 1.5);
    const Eigen::Vector3d d = r.direction();
    Eigen::Vector3d side = r.direction();
    side = (side - side.dot(d) * d).normalized();
    const Ray ray{-distance * d + miss * side, d, 2 * distance};
    const RayHit hit = rayCast(sphere, ray);
    ASSERT_EQ(hit.hit, miss < sphere.radius);
    if (!hit.hit) continue;
    ++hits;
    const double half = std::sqrt(sphere.radius * sphere.radius - miss * miss);
    EXPECT_NEAR(hit.fraction, distance - half, 1e-11 * distance);
    EXPECT_NEAR((hit.normal - hit.point / sphere.radius).norm(), 0, 1e-9);
  }
  EXPECT_GT(hits, 1000);
}

// The general ray cast on a hull of the box, and on a capsule by its analytic parts.
TEST(RayCast, GeneralAgreesWithClosedForm) {
  Random r(8);
  for (int i = 0; i < 2000; ++i) {
    const Box box{r.inCube(0.1, 2)};
    const Eigen::Vector3d origin = 4 * r.direction();
    const Ray ray = rayOf(origin, 2 * r.direction());
    const ConvexHull hull = hullOf(box);
    const RayHit exact = rayCast(box, ray), general = rayCast(supportShape(hull), ray);
    ASSERT_EQ(general.status, QueryStatus::Converged);
    ASSERT_EQ(exact.hit, general.hit) << i;
    if (!exact.hit || exact.startsInside) continue;
    EXPECT_NEAR(general.fraction, exact.fraction, 1e-8);
    EXPECT_LE(std::abs(outside(box, general.point)), 1e-8);
  }
}

TEST(RayCast, CapsuleSideAndCap) {
  const Capsule capsule{1, 0.5};
  const RayHit side = rayCast(supportShape(capsule), {{3, 0, 0.5}, {-1, 0, 0}, 10});
  ASSERT_TRUE(side.hit);
  EXPECT_NEAR(side.fraction, 2.5, 1e-9);
  EXPECT_NEAR((side.normal - Eigen::Vector3d(1, 0, 0)).norm(), 0, 1e-8);
  const RayHit cap = rayCast(supportShape(capsule), {{0, 0, 4}, {0, 0, -1}, 10});
  ASSERT_TRUE(cap.hit);
  EXPECT_NEAR(cap.fraction, 2.5, 1e-9);
}

TEST(RayCast, BadInputIsFlagged) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const Box box{{1, 1, 1}};
  for (const Ray& ray : {Ray{{nan, 0, 0}, {1, 0, 0}, 1}, Ray{{0, 0, 0}, {0, 0, 0}, 1}, Ray{{0, 0, 0}, {inf, 0, 0}, 1},
                         Ray{{3, 0, 0}, {1, 0, 0}, nan}, Ray{{3, 0, 0}, {1, 0, 0}, -1}}) {
    EXPECT_EQ(rayCast(box, ray).status, QueryStatus::InvalidInput);
    EXPECT_EQ(rayCast(Sphere{1}, ray).status, QueryStatus::InvalidInput);
    EXPECT_EQ(rayCast(supportShape(Capsule{1, 1}), ray).status, QueryStatus::InvalidInput);
    EXPECT_FALSE(rayCast(box, ray).hit);
  }
  EXPECT_EQ(rayCast(Box{{1, -1, 1}}, {}).status, QueryStatus::InvalidInput);
  EXPECT_EQ(rayCast(Sphere{nan}, {}).status, QueryStatus::InvalidInput);
}

}  // namespace
}  // namespace sunder
