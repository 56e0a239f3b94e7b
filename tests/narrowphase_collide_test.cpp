// SPDX-License-Identifier: MIT
// Manifolds of any two convex shapes: the laws for every pair of kinds over all families, and contacts known by hand.
#include <sunder/narrowphase/collide.h>
#include <sunder/narrowphase/collide_boxes.h>
#include <sunder/narrowphase/contact_patch_internal.h>

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "box_pair_check.h"
#include "convex_families.h"

namespace sunder {
namespace {

using convex::Family;
using convex::Kind;
using families::Random;

Pose at(double x, double y, double z) {
  Pose pose;
  pose.position = {x, y, z};
  return pose;
}

std::map<std::uint32_t, ContactPoint> byId(const ContactManifold& m) {
  std::map<std::uint32_t, ContactPoint> points;
  for (int i = 0; i < m.pointCount; ++i) points.emplace(m.points[i].featureId, m.points[i]);
  return points;
}
double least(const ContactManifold& m) {
  double s = HUGE_VAL;
  for (int i = 0; i < m.pointCount; ++i) s = std::min(s, m.points[i].separation);
  return s;
}

class CollideLaws : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  Kind kindA() const { return static_cast<Kind>(std::get<0>(GetParam())); }
  Kind kindB() const { return static_cast<Kind>(std::get<1>(GetParam())); }
  bool plainBoxes() const { return kindA() == Kind::Box && kindB() == Kind::Box; }  // the laws of collide_boxes.h are wider

  static bool hasFaces(Kind k) { return k != Kind::Sphere && k != Kind::Capsule; }
  bool faces() const { return hasFaces(kindA()) && hasFaces(kindB()); }

  template <class Check>
  void forEach(std::uint64_t seeds, Check&& check) {
    for (int f = 0; f < static_cast<int>(Family::Count); ++f)
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const convex::PairCase c = convex::make(static_cast<Family>(f), kindA(), kindB(), seed);
        check(c, relativePose(c.poseA, c.poseB));
        if (HasFailure()) {
          ADD_FAILURE() << convex::name(static_cast<Family>(f)) << ", seed " << seed;
          return;
        }
      }
  }
  static double small(const convex::PairCase& c) { return std::min(c.a.extent(), c.b.extent()); }
  static QueryOptions within(double maxDistance) {
    QueryOptions options;
    options.maxDistance = maxDistance;
    return options;
  }
};

TEST_P(CollideLaws, PointsLieOnBothShapesAndTheLeastSeparationIsTheSignedDistance) {
  int touching = 0, many = 0;
  forEach(12, [&](const convex::PairCase& c, const Pose& pose) {
    const convex::Judge<long double> judge(c);
    const double exact = judge.exact(c), allowed = 2 * convex::allowedError(c), margin = 0.05 * small(c);
    const Collision r = collide(c.a.support(), c.b.support(), pose, within(margin));
    EXPECT_EQ(r.status, QueryStatus::Converged);
    const ContactManifold& m = r.manifold;
    if (exact > margin + allowed) {
      EXPECT_EQ(m.pointCount, 0);
      EXPECT_LE(r.signedDistance, exact + allowed);
      return;
    }
    EXPECT_NEAR(r.signedDistance, exact, allowed);
    EXPECT_LE(r.errorBound, allowed);
    if (exact > margin - allowed) return;
    ++touching;
    many += m.pointCount > 1;
    ASSERT_GE(m.pointCount, 1);
    ASSERT_LE(m.pointCount, 4);
    EXPECT_NEAR(m.normal.norm(), 1, 1e-12);
    // Faces over each other may have more than four corners to choose from.
    EXPECT_LE(least(m), exact + allowed + (faces() ? 4e-3 : 4e-6) * small(c));
    if (!plainBoxes()) {
      EXPECT_GE(least(m), exact - allowed);
    }
    EXPECT_EQ(byId(m).size(), static_cast<std::size_t>(m.pointCount)) << "an id twice";
    for (int i = 0; i < m.pointCount; ++i) {
      const ContactPoint& p = m.points[i];
      EXPECT_NE(p.featureId, 0u);
      EXPECT_LE(p.separation, margin + allowed);
      EXPECT_NEAR((p.pointOnB - p.pointOnA - p.separation * m.normal).norm(), 0, allowed);
      const Eigen::Vector3d inB = pose.orientation.normalized().conjugate() * (p.pointOnB - pose.position);
      const double outA = judge.outside(judge.localA, p.pointOnA), outB = judge.outside(judge.localB, inB);
      EXPECT_NEAR(outA, 0, c.a.coreRadius() > 0 ? HUGE_VAL : allowed) << "A, point " << i;
      EXPECT_NEAR(outB, 0, c.b.coreRadius() > 0 ? HUGE_VAL : allowed) << "B, point " << i;
      EXPECT_LE(outA, allowed) << "A, point " << i;
      EXPECT_LE(outB, allowed) << "B, point " << i;
      EXPECT_GE(outA, -c.a.coreRadius() - allowed);
      EXPECT_GE(outB, -c.b.coreRadius() - allowed);
    }
  });
  EXPECT_GT(touching, 50);
  const bool point = kindA() == Kind::Sphere || kindB() == Kind::Sphere;
  EXPECT_EQ(many > 0, !point);
}

TEST_P(CollideLaws, SwapTurnsTheNormalAndKeepsThePoints) {
  if (plainBoxes()) return;
  int compared = 0;
  forEach(60, [&](const convex::PairCase& c, const Pose& pose) {
    const Collision r = collide(c.a.support(), c.b.support(), pose);
    const Collision s = collide(c.b.support(), c.a.support(), relativePose(pose, Pose()));
    const double allowed = 4 * convex::allowedError(c);
    if (std::abs(r.signedDistance) < 1e3 * allowed) return;  // a point or none, as rounding has it
    EXPECT_EQ(r.manifold.pointCount > 0, s.manifold.pointCount > 0);
    if (r.manifold.pointCount == 0) return;
    EXPECT_NEAR(r.signedDistance, s.signedDistance, allowed);
    const Eigen::Vector3d turned = pose.orientation.normalized() * s.manifold.normal;
    if ((turned + r.manifold.normal).norm() > 1e-9) return;  // another direction just as good
    ++compared;
    EXPECT_EQ(r.manifold.pointCount, s.manifold.pointCount);
    for (int i = 0; i < r.manifold.pointCount; ++i) {
      double nearest = HUGE_VAL;
      std::uint32_t id = 0;
      for (int k = 0; k < s.manifold.pointCount; ++k) {
        const Eigen::Vector3d p = pose.position + pose.orientation.normalized() * s.manifold.points[k].pointOnB;
        const double away = (p - r.manifold.points[i].pointOnA).norm();
        if (away > nearest) continue;
        nearest = away;
        id = s.manifold.points[k].featureId;
      }
      EXPECT_EQ(r.manifold.points[i].featureId, detail::idFromTheOtherSide(id));
      EXPECT_LE(nearest, 1e-6 * small(c) + allowed);
    }
  });
  EXPECT_GT(compared, 5);
}

TEST_P(CollideLaws, PowerOfTwoScalingIsBitExactAndWarmIsCold) {
  forEach(4, [&](const convex::PairCase& c, const Pose& pose) {
    QueryCache cache;
    const Collision r = collide(c.a.support(), c.b.support(), pose, within(0.05 * small(c)), &cache);
    const Collision warm = collide(c.a.support(), c.b.support(), pose, within(0.05 * small(c)), &cache);
    EXPECT_EQ(warm.status, QueryStatus::Converged);
    EXPECT_EQ(warm.manifold.pointCount > 0, r.manifold.pointCount > 0);
    if (r.manifold.pointCount > 0) {
      EXPECT_NEAR(warm.signedDistance, r.signedDistance, convex::allowedError(c));
    }
    const auto scaled = [](const convex::AnyShape& s, double scale) {
      convex::AnyShape t;
      t.kind = s.kind;
      t.box.halfExtents = scale * s.box.halfExtents;
      t.sphere.radius = scale * s.sphere.radius;
      t.capsule = {scale * s.capsule.halfLength, scale * s.capsule.radius};
      t.radius = scale * s.radius;
      if (!s.hull) return t;
      std::vector<Eigen::Vector3d> points = s.hull->vertices();
      for (auto& p : points) p *= scale;
      t.hull = std::make_unique<ConvexHull>(points);
      return t;
    };
    convex::AnyShape plain = scaled(c.a, 1), plainB = scaled(c.b, 1);  // the hull of the corners alone
    const Collision one = collide(plain.support(), plainB.support(), pose, within(0.05 * small(c)));
    const convex::AnyShape a = scaled(c.a, 0x1p-20), b = scaled(c.b, 0x1p-20);
    Pose near = pose;
    near.position *= 0x1p-20;
    const Collision s = collide(a.support(), b.support(), near, within(0.05 * 0x1p-20 * small(c)));
    EXPECT_EQ(s.signedDistance, 0x1p-20 * one.signedDistance);
    EXPECT_EQ(s.manifold.pointCount, one.manifold.pointCount);
    if (plainBoxes()) return;  // their unit is the smallest extent
    EXPECT_EQ(s.manifold.normal, one.manifold.normal);
    for (int i = 0; i < s.manifold.pointCount && i < one.manifold.pointCount; ++i) {
      EXPECT_EQ(s.manifold.points[i].separation, 0x1p-20 * one.manifold.points[i].separation);
      EXPECT_EQ(s.manifold.points[i].pointOnA, Eigen::Vector3d(0x1p-20 * one.manifold.points[i].pointOnA));
      EXPECT_EQ(s.manifold.points[i].featureId, one.manifold.points[i].featureId);
    }
  });
}

// Moved by 1e-7 of its size a pair keeps its ids, and each point goes no further than that lets it: but for the few pairs
// where another direction or another four of many points becomes the better one.
TEST_P(CollideLaws, IdsStayUnderSmallMotion) {
  if (plainBoxes()) return;
  int kept = 0, total = 0;
  for (const Family family : {Family::Random, Family::Deep})
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      const convex::PairCase c = convex::make(family, kindA(), kindB(), seed);
      Pose pose = relativePose(c.poseA, c.poseB);
      Random r(seed);
      QueryCache cache;
      const Collision before = collide(c.a.support(), c.b.support(), pose, within(0), &cache);
      if (before.manifold.pointCount == 0) continue;
      pose.position += 1e-7 * small(c) * r.direction();
      pose.orientation = (Random::turn(1e-7 * r.direction()) * pose.orientation).normalized();
      const Collision after = collide(c.a.support(), c.b.support(), pose, within(0), &cache);
      const auto p = byId(before.manifold), q = byId(after.manifold);
      bool same = p.size() == q.size();
      for (const auto& [id, point] : p)
        same = same && q.count(id) && (q.at(id).pointOnA - point.pointOnA).norm() < 1e-4 * small(c);
      kept += same;
      ++total;
    }
  EXPECT_GT(total, 50);
  EXPECT_GE(kept, total * 97 / 100);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CollideLaws, testing::Combine(testing::Range(0, int(Kind::Count)), testing::Range(0, int(Kind::Count))),
                         [](const auto& test) {
                           return std::string(name(static_cast<Kind>(std::get<0>(test.param)))) + "And" +
                                  name(static_cast<Kind>(std::get<1>(test.param)));
                         });

ConvexHull prism(int sides, double radius, double half) {
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < sides; ++i)
    for (const double z : {-half, half})
      points.push_back({radius * std::cos(6.283185307179586 * i / sides), radius * std::sin(6.283185307179586 * i / sides), z});
  return ConvexHull(points);
}

TEST(Collide, SphereHasOnePoint) {
  const Box floor{{10, 10, 1}};
  const Sphere ball{0.5};
  const Collision r = collide(supportShape(floor), supportShape(ball), at(2, 3, 1.4));
  ASSERT_EQ(r.manifold.pointCount, 1);
  EXPECT_NEAR(r.manifold.points[0].separation, -0.1, 1e-14);
  EXPECT_NEAR((r.manifold.points[0].pointOnA - Eigen::Vector3d(2, 3, 1)).norm(), 0, 1e-12);
  EXPECT_NEAR((r.manifold.points[0].pointOnB - Eigen::Vector3d(2, 3, 0.9)).norm(), 0, 1e-12);
  EXPECT_EQ(collide(supportShape(floor), supportShape(ball), at(2, 3, 1.6)).manifold.pointCount, 0);
  QueryOptions near;
  near.maxDistance = 0.2;
  EXPECT_NEAR(collide(supportShape(floor), supportShape(ball), at(2, 3, 1.6), near).manifold.points[0].separation, 0.1, 1e-14);
}

TEST(Collide, CapsuleLyingOnAFaceHasBothEnds) {
  const Box floor{{10, 10, 1}};
  const Capsule capsule{1, 0.25};
  for (const double tilt : {0.0, 1e-9, 1e-6, 1e-3}) {
    Pose lying = at(2, 3, 1.25);
    lying.orientation = Random::turn(Eigen::Vector3d(std::acos(-1.0) / 2 + tilt, 0, 0));
    QueryOptions near;
    near.maxDistance = 0.01;
    const Collision r = collide(supportShape(floor), supportShape(capsule), lying, near);
    ASSERT_EQ(r.manifold.pointCount, 2) << tilt;
    const double y0 = r.manifold.points[0].pointOnA.y(), y1 = r.manifold.points[1].pointOnA.y();
    EXPECT_NEAR(std::min(y0, y1), 2, 1e-3 + tilt);
    EXPECT_NEAR(std::max(y0, y1), 4, 1e-3 + tilt);
    EXPECT_NEAR(std::abs(r.manifold.points[0].separation - r.manifold.points[1].separation), 2 * std::sin(tilt), 1e-9);
  }
  // Half over the edge: one end, and the place where it leaves the face.
  Pose over = at(2, 9.5, 1.2);
  over.orientation = Random::turn(Eigen::Vector3d(std::acos(-1.0) / 2, 0, 0));
  const Collision r = collide(supportShape(floor), supportShape(capsule), over);
  ASSERT_EQ(r.manifold.pointCount, 2);
  EXPECT_NEAR(std::max(r.manifold.points[0].pointOnA.y(), r.manifold.points[1].pointOnA.y()), 10, 1e-9);
  // Upright: its lower end only.
  EXPECT_EQ(collide(supportShape(floor), supportShape(capsule), at(2, 3, 2.2)).manifold.pointCount, 1);
}

TEST(Collide, CapsulesSideBySideHaveTwoPointsAndCrossedOnesOne) {
  const Capsule capsule{1, 0.25};
  const SupportShape s = supportShape(capsule);
  QueryOptions near;
  near.maxDistance = 0.02;
  for (const double angle : {0.0, 1e-9, 1e-5, 1e-2}) {
    Pose pose = at(0.49, 0, 0.5);
    pose.orientation = Random::turn(Eigen::Vector3d(angle, 0, 0));
    const Collision r = collide(s, s, pose, near);
    ASSERT_GE(r.manifold.pointCount, 2) << angle;
    double low = 1, high = -1;
    for (int i = 0; i < r.manifold.pointCount; ++i) {
      low = std::min(low, r.manifold.points[i].pointOnA.z());
      high = std::max(high, r.manifold.points[i].pointOnA.z());
    }
    EXPECT_NEAR(low, -0.5, 0.02) << angle;
    EXPECT_NEAR(high, 1, 0.02) << angle;
    EXPECT_NEAR(least(r.manifold), -0.01, 1e-6);
  }
  Pose crossed = at(0.49, 0, 0);
  crossed.orientation = Random::turn(Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(collide(s, s, crossed).manifold.pointCount, 1);
}

TEST(Collide, PrismOnABoxSpansItsFace) {
  const Box floor{{10, 10, 1}};
  for (const int sides : {3, 4, 6, 12, 40}) {
    const ConvexHull hull = prism(sides, 1, 0.5);
    EXPECT_EQ(hull.faces().size(), static_cast<std::size_t>(sides + 2));
    for (const double tilt : {0.0, 1e-9, 1e-5}) {
      Pose pose = at(0.3, -0.2, 1.49);
      pose.orientation = Random::turn(Eigen::Vector3d(tilt, 0.3 * tilt, 0));
      const Collision r = collide(supportShape(floor), supportShape(hull), pose);
      ASSERT_EQ(r.manifold.pointCount, std::min(sides, 4)) << sides << ' ' << tilt;
      Eigen::Vector3d middle(0, 0, 0);
      for (int i = 0; i < r.manifold.pointCount; ++i) {
        middle += r.manifold.points[i].pointOnA / r.manifold.pointCount;
        EXPECT_NEAR(r.manifold.points[i].separation, -0.01, 2e-5);
      }
      // The middle of the prism is held: it does not tip over.
      EXPECT_NEAR((middle - Eigen::Vector3d(0.3, -0.2, 1)).norm(), 0, 0.2) << sides;
    }
  }
}

// Two prisms of one size, one on the other, jittering: the ids do not change.
TEST(Collide, EqualFacesOverEachOtherKeepTheirIds) {
  const ConvexHull hull = prism(6, 1, 0.5);
  const SupportShape s = supportShape(hull);
  QueryOptions near;
  near.maxDistance = 0.01;
  std::set<std::uint32_t> first;
  for (int i = 0; i < 200; ++i) {
    Random r(static_cast<std::uint64_t>(i));
    Pose pose;
    for (int k = 0; k < 3; ++k) pose.position[k] = (k == 2) + 1e-4 * r.uniform(-1, 1);
    pose.orientation = Random::turn(1e-4 * r.direction());
    const Collision c = collide(s, s, pose, near);
    std::set<std::uint32_t> ids;
    for (int k = 0; k < c.manifold.pointCount; ++k) ids.insert(c.manifold.points[k].featureId);
    if (i == 0) first = ids;
    EXPECT_EQ(ids, first) << i;
  }
  EXPECT_EQ(first.size(), 4u);
}

TEST(Collide, UserShapeHasItsWitnessPoint) {
  const Eigen::Vector3d axes(1, 2, 0.5);
  const SupportShape ellipsoid = supportShape(&axes, [](const void* shape, const Eigen::Vector3d& n, Eigen::Vector3d& p) {
    const Eigen::Vector3d& a = *static_cast<const Eigen::Vector3d*>(shape);
    const Eigen::Vector3d scaled = a.cwiseProduct(n);
    p = a.cwiseProduct(scaled) / scaled.norm();
  });
  const Box floor{{10, 10, 1}};
  QueryOptions near;
  near.maxDistance = 0.1;
  const Collision r = collide(supportShape(floor), ellipsoid, at(1, 2, 1.55), near);
  EXPECT_EQ(r.status, QueryStatus::Converged);
  ASSERT_EQ(r.manifold.pointCount, 1);
  EXPECT_NEAR(r.manifold.points[0].separation, 0.05, 1e-9);
  EXPECT_NEAR((r.manifold.points[0].pointOnB - Eigen::Vector3d(1, 2, 1.05)).norm(), 0, 1e-4);
}

TEST(Collide, PlainBoxesHaveTheManifoldOfCollideBoxes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto c = families::inFrameOfA(families::pairOfSeed(families::Family::SameSizeStack, seed));
    QueryCache cache;
    BoxPairCache boxCache;
    QueryOptions near;
    near.maxDistance = 0.01;
    for (int i = 0; i < 2; ++i) {
      const Collision r = collide(supportShape(c.a), supportShape(c.b), c.poseB, near, &cache);
      BoxCollision s;
      collideBoxes(c.a, c.b, c.poseB, 0.01, NarrowphaseMethod::GjkEpa, boxCache, s);
      EXPECT_EQ(r.signedDistance, s.signedDistance);
      EXPECT_EQ(r.manifold.normal, s.manifold.normal);
      ASSERT_EQ(r.manifold.pointCount, s.manifold.pointCount);
      for (int k = 0; k < r.manifold.pointCount; ++k) {
        EXPECT_EQ(r.manifold.points[k].featureId, s.manifold.points[k].featureId);
        EXPECT_EQ(r.manifold.points[k].pointOnA, s.manifold.points[k].pointOnA);
      }
    }
  }
}

TEST(Collide, BatchIsTheSameAsOneByOneAndBadInputIsFlagged) {
  std::vector<convex::PairCase> cases;
  std::vector<SupportShape> a, b;
  std::vector<Pose> poses;
  for (std::uint64_t i = 0; i < 20; ++i) cases.push_back(convex::make(Family::Random, Kind::Hull, static_cast<Kind>(i % 6), i));
  for (const auto& c : cases) {
    a.push_back(c.a.support());
    b.push_back(c.b.support());
    poses.push_back(relativePose(c.poseA, c.poseB));
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  poses[3].position.x() = nan;
  std::vector<Collision> results(20);
  QueryOptions near;
  near.maxDistance = 0.5;
  EXPECT_EQ(collide(a.data(), b.data(), poses.data(), 20, near, nullptr, results.data()), 1);
  for (std::size_t i = 0; i < 20; ++i) {
    const Collision one = collide(a[i], b[i], poses[i], near);
    EXPECT_EQ(one.status, results[i].status);
    EXPECT_EQ(one.signedDistance, results[i].signedDistance);
    EXPECT_EQ(one.manifold.pointCount, results[i].manifold.pointCount);
  }
  EXPECT_EQ(results[3].status, QueryStatus::InvalidInput);
  for (const double bad : {nan, -1.0}) {
    near.maxDistance = bad;
    EXPECT_EQ(collide(a[0], b[0], poses[0], near).status, QueryStatus::InvalidInput);
  }
}

}  // namespace
}  // namespace sunder
