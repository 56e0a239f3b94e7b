// SPDX-License-Identifier: MIT
// Every pair of the collected reports, and the scenes of the GJK/EPA article, against exact answers.
#include <sunder/narrowphase/query.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "box_pair_families.h"
#include "pair_cases.h"
#include "referee.h"

namespace sunder {
namespace {

struct PlacedPair {
  Box a, b;
  Pose poseA, poseB;
};

PlacedPair pairOf(const cases::PairCase& c) {
  PlacedPair p;
  for (int k = 0; k < 3; ++k) {
    p.a.halfExtents[k] = c.halfA[k];
    p.b.halfExtents[k] = c.halfB[k];
    p.poseA.position[k] = c.positionA[k];
    p.poseB.position[k] = c.positionB[k];
  }
  p.poseA.orientation = Quaternion(c.quaternionA[0], c.quaternionA[1], c.quaternionA[2], c.quaternionA[3]);
  p.poseB.orientation = Quaternion(c.quaternionB[0], c.quaternionB[1], c.quaternionB[2], c.quaternionB[3]);
  return p;
}

double toleranceOf(const PlacedPair& p) {
  const double half = std::max(p.a.halfExtents.maxCoeff(), p.b.halfExtents.maxCoeff());
  const double coordinate = std::max(p.poseA.position.cwiseAbs().maxCoeff(), p.poseB.position.cwiseAbs().maxCoeff());
  return 1e-10 * half + 8e-16 * coordinate;
}

Proximity query(const PlacedPair& p, QueryCache* cache = nullptr) {
  return signedDistance(p.a, p.b, relativePose(p.poseA, p.poseB), {}, cache);
}

// After moving B by -signedDistance * normal the boxes touch.
double gapAfterPush(PlacedPair p, const Proximity& r) {
  p.poseB.position -= r.signedDistance * (p.poseA.orientation.normalized() * r.normal);
  return static_cast<double>(referee::exactSignedDistance<referee::Quad>(p.a, p.b, p.poseA, p.poseB).signedDistance);
}

class ReportedPair : public testing::TestWithParam<cases::PairCase> {};

TEST_P(ReportedPair, IsExact) {
  const cases::PairCase& c = GetParam();
  const PlacedPair p = pairOf(c);
  const double tolerance = toleranceOf(p);
  QueryCache cache;
  for (int round = 0; round < 3; ++round) {  // cold, then twice from the cache
    const Proximity r = query(p, &cache);
    EXPECT_EQ(r.status, QueryStatus::Converged);
    EXPECT_NEAR(r.signedDistance, c.signedDistance, tolerance);
    EXPECT_LE(r.lowerBound, c.signedDistance + tolerance);
    EXPECT_GE(r.upperBound, c.signedDistance - tolerance);
    EXPECT_NEAR(r.normal.norm(), 1, 1e-14);
    EXPECT_NEAR(gapAfterPush(p, r), 0, tolerance);
    const Eigen::Vector3d between = r.pointOnB - r.pointOnA - r.signedDistance * r.normal;
    EXPECT_LE(between.norm(), tolerance);
  }
}

TEST_P(ReportedPair, SwappedIsTheSame) {
  const PlacedPair p = pairOf(GetParam());
  const PlacedPair swapped{p.b, p.a, p.poseB, p.poseA};
  const Proximity r = query(swapped);
  EXPECT_EQ(r.status, QueryStatus::Converged);
  EXPECT_NEAR(r.signedDistance, GetParam().signedDistance, toleranceOf(p));
  EXPECT_NEAR(gapAfterPush(swapped, r), 0, toleranceOf(p));
}

INSTANTIATE_TEST_SUITE_P(Trackers, ReportedPair, testing::ValuesIn(cases::kPairs), [](const auto& test) {
  std::string name = test.param.id;
  for (char& ch : name)
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  return name;
});

TEST(ReportedPairs, AreAllThere) { EXPECT_EQ(std::size(cases::kPairs), 90u); }

// The article's boxes: its scale is the half extent, and the rotation is applied to the translation, too.
Quaternion about(const Eigen::Vector3d& axis, double degrees) {
  return families::Random::turn(axis * (degrees * std::acos(-1.0) / 180));
}
struct ArticleBox {
  Eigen::Vector3d half, translation;
  Quaternion rotation;
};
PlacedPair articlePair(const ArticleBox& a, const ArticleBox& b) {
  PlacedPair p;
  p.a.halfExtents = a.half;
  p.b.halfExtents = b.half;
  p.poseA = {a.rotation * a.translation, a.rotation};
  p.poseB = {b.rotation * b.translation, b.rotation};
  return p;
}

TEST(Article, TenScenes) {
  const Eigen::Vector3d z(0, 0, 1), x(1, 0, 0), one(1, 1, 1), tall(1, 4, 1), origin(0, 0, 0);
  const Quaternion r45 = about(z, 45);
  const ArticleBox cube{one, origin, r45};
  struct Scene {
    const char* what;
    ArticleBox a, b;
    double signedDistance;
    Eigen::Vector3d push;  // exact, in the world; zero: several are right
  };
  const Scene scenes[] = {
      {"same box twice", cube, cube, -2, origin},
      {"pushed sideways", cube, {one, {0.5, 1.5, 0}, r45}, -0.5, r45 * Eigen::Vector3d(0, 0.5, 0)},
      {"apart", cube, {one, {0, 3, 0}, r45}, 1, origin},
      {"star", cube, {one, origin, about(x, 90)}, -2, origin},
      {"touching", cube, {one, {0, 2, 0}, r45}, 0, origin},
      {"cross", {tall, origin, r45}, {{3, 1, 1}, {0, 2, 0}, r45}, -2, origin},
      {"scissors", {tall, origin, about(z, 30)}, {tall, origin, about(z, -30)}, -2, origin},
      {"scissors apart", {tall, origin, about(z, 30)}, {tall, {0, 0, 3}, about(z, -30)}, 1, z},
      {"contained", {{4, 4, 4}, origin, r45}, {one, {0.5, 1, 0}, r45}, -4, r45 * Eigen::Vector3d(0, 4, 0)},
  };
  for (const Scene& s : scenes) {
    SCOPED_TRACE(s.what);
    const PlacedPair p = articlePair(s.a, s.b);
    const Proximity r = query(p);
    EXPECT_EQ(r.status, QueryStatus::Converged);
    EXPECT_NEAR(r.signedDistance, s.signedDistance, 1e-14);
    EXPECT_NEAR(gapAfterPush(p, r), 0, 1e-14);
    const Eigen::Vector3d normal = p.poseA.orientation * r.normal;
    if (s.push.norm() > 0) {
      const Eigen::Vector3d push = s.signedDistance < 0 ? Eigen::Vector3d(-r.signedDistance * normal) : normal;
      EXPECT_LE((push - s.push).norm(), 1e-14);
    }
  }
  // The star and the scissors: straight up or down, with exactly 2, where the article's rounding gives 2.001.
  for (const int i : {3, 5, 6}) EXPECT_NEAR(std::abs(query(articlePair(scenes[i].a, scenes[i].b)).normal[2]), 1, 1e-14);
}

// Two tall boxes leaning towards each other: their nearest edges, both along z, meet at one height in y. In the plane z = 0
// the corner of A nearest to B is R45 (-5 + 1, 4) and that of B R-45 (5 - 1, 4).
TEST(Article, EdgesOnly) {
  const Eigen::Vector3d z(0, 0, 1), tall(1, 4, 1);
  const Quaternion left = about(z, 45), right = about(z, -45);
  const PlacedPair p = articlePair({tall, {-5, 0, 0}, left}, {tall, {5, 0, 0}, right});
  const double exact =
      static_cast<double>(referee::exactSignedDistance<referee::Quad>(p.a, p.b, p.poseA, p.poseB).signedDistance);
  const Proximity r = query(p);
  EXPECT_EQ(r.status, QueryStatus::Converged);
  EXPECT_NEAR(r.signedDistance, exact, 1e-14);
  double nearest = 1e9;  // between the corners of the two rectangles: both lean the same way, edge against edge
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const Eigen::Vector3d cornerA = left * Eigen::Vector3d(-5 + (i & 1 ? 1 : -1), i & 2 ? 4 : -4, 0);
      const Eigen::Vector3d cornerB = right * Eigen::Vector3d(5 + (j & 1 ? 1 : -1), j & 2 ? 4 : -4, 0);
      nearest = std::min(nearest, (cornerA - cornerB).norm());
    }
  EXPECT_NEAR(r.signedDistance, nearest, 1e-14);
}

}  // namespace
}  // namespace sunder
