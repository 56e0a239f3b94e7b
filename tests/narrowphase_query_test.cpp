// SPDX-License-Identifier: MIT
// The query interface: analytic answers, warm start, limits, bad input, threads.
#include <sunder/narrowphase/query.h>

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "box_pair_check.h"

namespace sunder {
namespace {

using families::Random;

Pose at(double x, double y, double z) {
  Pose pose;
  pose.position = {x, y, z};
  return pose;
}
TEST(Queries, SpheresAreAnalytic) {
  Random r(1);
  for (int i = 0; i < 1000; ++i) {
    const Sphere a{r.power(1e-3, 1e3)}, b{r.power(1e-3, 1e3)};
    const Eigen::Vector3d d = r.direction();
    const double between = (a.radius + b.radius) * r.uniform(1e-6, 2);
    Pose pose;
    pose.position = between * d;
    const Proximity p = signedDistance(supportShape(a), supportShape(b), pose);
    EXPECT_EQ(p.status, QueryStatus::Converged);
    EXPECT_NEAR(p.signedDistance, between - a.radius - b.radius, 1e-14 * (between + a.radius + b.radius));
    EXPECT_NEAR((p.normal - d).norm(), 0, 1e-12);
    EXPECT_NEAR((p.pointOnA - a.radius * d).norm(), 0, 1e-12 * a.radius);
  }
  // Centres that coincide: any direction is right, the depth is the sum.
  const Sphere s{0.5};
  const Proximity p = signedDistance(supportShape(s), supportShape(s), Pose());
  EXPECT_EQ(p.status, QueryStatus::Converged);
  EXPECT_EQ(p.signedDistance, -1);
  EXPECT_NEAR(p.normal.norm(), 1, 1e-15);
}

// Distance of two segments, by the referee's square of clamped lines.
TEST(Queries, CapsulesAreAnalytic) {
  Random r(2);
  for (int i = 0; i < 2000; ++i) {
    const Capsule a{r.uniform(0.1, 2), r.uniform(0.01, 1)}, b{r.uniform(0.1, 2), r.uniform(0.01, 1)};
    Pose pose;
    pose.position = r.vector(0, 4);
    pose.orientation = i % 4 ? r.rotation() : Quaternion(1, 0, 0, 0);
    const Eigen::Vector3d u = pose.orientation * Eigen::Vector3d(0, 0, 1);
    referee::Vector<long double> between{};
    const long double square = referee::segmentDistanceSquared<long double>(
        {0, 0, 0}, {0, 0, 1}, a.halfLength, {pose.position[0], pose.position[1], pose.position[2]}, {u[0], u[1], u[2]},
        b.halfLength, between);
    const double exact = static_cast<double>(referee::root(square)) - a.radius - b.radius;
    const Proximity p = signedDistance(supportShape(a), supportShape(b), pose);
    EXPECT_EQ(p.status, QueryStatus::Converged) << i;
    EXPECT_NEAR(p.signedDistance, exact, 1e-12) << i;
  }
}

// Axes that cross at one point: the cores touch, and the depth is the sum of the radii along the common perpendicular.
TEST(Queries, CrossingCapsules) {
  const Capsule capsule{1, 0.25};
  Pose pose = at(0, 0, 0.3);
  pose.orientation = Quaternion(std::sqrt(0.5), std::sqrt(0.5), 0, 0);  // about x: the axis goes to y
  const Proximity p = signedDistance(supportShape(capsule), supportShape(capsule), pose);
  EXPECT_EQ(p.status, QueryStatus::Converged);
  EXPECT_NEAR(p.signedDistance, -0.5, 1e-14);
  EXPECT_NEAR(std::abs(p.normal.x()), 1, 1e-12);
}

TEST(Queries, SphereAndBox) {
  const Box box{{1, 2, 3}};
  const Sphere sphere{0.5};
  const Proximity face = signedDistance(supportShape(box), supportShape(sphere), at(2, 0.3, 0));
  EXPECT_NEAR(face.signedDistance, 0.5, 1e-15);
  EXPECT_NEAR((face.normal - Eigen::Vector3d(1, 0, 0)).norm(), 0, 1e-14);
  const Proximity corner = signedDistance(supportShape(box), supportShape(sphere), at(2, 3, 4));
  EXPECT_NEAR(corner.signedDistance, std::sqrt(3) - 0.5, 1e-14);
  const Proximity inside = signedDistance(supportShape(box), supportShape(sphere), at(0.75, 0, 0));
  EXPECT_NEAR(inside.signedDistance, -0.75, 1e-14);
}

TEST(Queries, MaxDistanceStopsEarly) {
  const Box box{{0.5, 0.5, 0.5}};
  QueryOptions near;
  near.maxDistance = 0.1;
  const Proximity far = signedDistance(box, box, at(3, 0.2, 0.1), near);
  EXPECT_TRUE(far.beyondMaxDistance);
  EXPECT_GT(far.signedDistance, 0.1);
  EXPECT_LE(far.signedDistance, 2 + 1e-15);
  EXPECT_EQ(far.iterations, 1);
  const Proximity close = signedDistance(box, box, at(1.05, 0.2, 0.1), near);
  EXPECT_FALSE(close.beyondMaxDistance);
  EXPECT_NEAR(close.signedDistance, 0.05, 1e-15);
}

// A pair that moves a little from query to query needs one or two support evaluations, apart or in contact.
TEST(Queries, WarmStartNeedsOneOrTwoSupports) {
  Random r(3);
  long cold = 0, warm = 0, queries = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const Box a{r.inCube(0.3, 2)};
    const Box b{r.inCube(0.3, 2)};
    Pose pose;
    pose.position = r.vector(1, 5);
    pose.orientation = r.rotation();
    const Eigen::Vector3d drift = 1e-4 * r.direction();
    QueryCache cache;
    signedDistance(a, b, pose, {}, &cache);
    for (int step = 0; step < 10; ++step) {
      pose.position += drift;
      const Proximity w = signedDistance(a, b, pose, {}, &cache), c = signedDistance(a, b, pose);
      EXPECT_NEAR(w.signedDistance, c.signedDistance, 1e-14);
      warm += w.iterations;
      cold += c.iterations;
      ++queries;
    }
  }
  EXPECT_LT(warm, queries * 3 / 2);
  EXPECT_GT(cold, queries * 5);
}

// Whatever is in the cache, the answer is right.
TEST(Queries, GarbageInTheCacheIsHarmless) {
  Random r(4);
  for (int i = 0; i < 3000; ++i) {
    const families::Family family = families::all()[static_cast<std::size_t>(i) % families::all().size()];
    const families::BoxPairCase c = families::pairOfSeed(family, static_cast<std::uint64_t>(i));
    QueryCache cache;
    for (float& x : cache.axis)
      x = i % 7 ? static_cast<float>(r.uniform(-1, 1)) : std::numeric_limits<float>::quiet_NaN();
    cache.vertexCount = static_cast<std::uint8_t>(r.below(256));
    for (std::uint8_t& v : cache.vertices) v = static_cast<std::uint8_t>(r.below(256));
    cache.face = static_cast<std::uint8_t>(r.below(256));
    const Pose pose = relativePose(c.poseA, c.poseB);
    const double cold = signedDistance(c.a, c.b, pose).signedDistance;
    EXPECT_NEAR(signedDistance(c.a, c.b, pose, {}, &cache).signedDistance, cold, families::allowedError(c)) << i;
  }
}

// Boxes that touch to within rounding are in contact on a warm start, on the word of the fifteen axes: the bounds hold to
// the last bit, also for a corner over a corner, whose distance is up to sqrt(3) times the largest separation.
TEST(Queries, WarmTouchingBoxesHaveHonestBounds) {
  std::vector<families::BoxPairCase> cases;
  for (std::uint64_t seed = 0; seed < 1500; ++seed)
    for (const auto family : {families::Family::KissingFaces, families::Family::KissingEdges})
      cases.push_back(families::inFrameOfA(families::pairOfSeed(family, seed)));
  for (int i = -40; i <= 400; ++i) {
    families::BoxPairCase corners;
    const double gap = (i <= 40 ? i : 37 * i - 1440) * 0x1p-52;
    corners.poseB.position = Eigen::Vector3d::Constant(1 + gap);
    cases.push_back(corners);
    corners.poseB.position = {1 + 180 * 0x1p-52, 1 + 180 * 0x1p-52, 1 + gap};  // off the face by less than its tolerance
    cases.push_back(corners);
  }
  int certified = 0, cornersCertified = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const families::BoxPairCase& c = cases[i];
    const double exact = families::exactDistance(c, true);
    QueryCache cache;
    signedDistance(c.a, c.b, c.poseB, {}, &cache);
    cache.face = 1;  // as if it had been in contact
    const Proximity r = signedDistance(c.a, c.b, c.poseB, {}, &cache);
    ASSERT_EQ(r.status, QueryStatus::Converged) << i;
    EXPECT_LE(r.lowerBound, exact) << i;
    EXPECT_LE(exact, r.upperBound) << i;
    EXPECT_EQ(families::faultOf(c, r, exact, true), "") << i;
    certified += r.iterations == 1;
    cornersCertified += i >= 3000 && r.iterations == 1 && exact > 1e-15;
    for (const NarrowphaseMethod method : {NarrowphaseMethod::GjkEpa, NarrowphaseMethod::ClosedForm}) {
      BoxPairCache pairCache;
      BoxCollision s;
      for (int k = 0; k < 2; ++k) collideBoxes(c.a, c.b, c.poseB, 1, method, pairCache, s);
      EXPECT_NEAR(s.signedDistance, exact, s.errorBound) << i;
    }
    if (HasFailure()) FAIL() << families::paste(c);
  }
  EXPECT_GT(certified, 1500);
  EXPECT_GT(cornersCertified, 3);
}

TEST(Queries, BatchIsTheSameAsOneByOne) {
  Random r(5);
  std::vector<Box> boxes;
  for (int i = 0; i < 40; ++i) boxes.push_back(Box{r.inCube(0.1, 2)});
  std::vector<SupportShape> a, b;
  std::vector<Pose> poses;
  for (int i = 0; i < 20; ++i) {
    a.push_back(supportShape(boxes[static_cast<std::size_t>(2 * i)]));
    b.push_back(supportShape(boxes[static_cast<std::size_t>(2 * i + 1)]));
    poses.push_back({.position = r.inCube(-3, 3)});
  }
  poses[7].position[0] = std::numeric_limits<double>::quiet_NaN();
  std::vector<Proximity> results(20);
  std::vector<QueryCache> caches(20);
  EXPECT_EQ(signedDistances(a.data(), b.data(), poses.data(), 20, {}, caches.data(), results.data()), 1);
  for (std::size_t i = 0; i < 20; ++i) {
    const Proximity one = signedDistance(a[i], b[i], poses[i]);
    EXPECT_EQ(results[i].status, one.status);
    EXPECT_EQ(results[i].signedDistance, one.signedDistance);
    EXPECT_EQ(results[i].normal, one.normal);
  }
}

TEST(Queries, SeparatingPlaneHasTheShapesOnItsTwoSides) {
  Random r(6);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const families::BoxPairCase c = families::pairOfSeed(families::Family::Near, static_cast<std::uint64_t>(i));
    const Pose pose = relativePose(c.poseA, c.poseB);
    const SeparatingPlane plane = separatingPlane(supportShape(c.a), supportShape(c.b), pose);
    if (!plane.found) continue;
    ++found;
    EXPECT_TRUE(isSeparating(supportShape(c.a), supportShape(c.b), pose, plane.normal));
    for (int v = 0; v < 8; ++v) {
      const Eigen::Vector3d s(v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1);
      EXPECT_LE(plane.normal.dot(c.a.halfExtents.cwiseProduct(s)), plane.offset + 1e-14);
      EXPECT_GE(plane.normal.dot(pose.position + pose.orientation * c.b.halfExtents.cwiseProduct(s)), plane.offset - 1e-14);
    }
  }
  EXPECT_GT(found, 1500);
  const Box box{{1, 1, 1}};
  EXPECT_FALSE(separatingPlane(supportShape(box), supportShape(box), at(1.9, 0, 0)).found);
  EXPECT_FALSE(isSeparating(supportShape(box), supportShape(box), at(3, 0, 0), {0, 0, 0}));
  EXPECT_FALSE(isSeparating(supportShape(box), supportShape(box), at(3, 0, 0), {0, 1, 0}));
  EXPECT_NEAR(gapAlong(supportShape(box), supportShape(box), at(3, 0, 0), {1e200, 0, 0}), 1, 1e-15);
}

// reactphysics3d 431 and others: NaN, infinity, no rotation, extents <= 0.
TEST(Queries, BadInputIsFlaggedAndAnswersNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const Box good{{1, 1, 1}};
  const auto flagged = [&](const SupportShape& a, const SupportShape& b, const Pose& pose, const QueryOptions& o = {}) {
    const Proximity r = signedDistance(a, b, pose, o);
    return r.status == QueryStatus::InvalidInput && r.signedDistance == 0 && r.normal == Eigen::Vector3d(0, 0, 0) &&
           intersects(a, b, pose, o).status == (o.maxDistance == o.maxDistance ? QueryStatus::InvalidInput : QueryStatus::Converged) &&
           penetration(a, b, pose, o).status == QueryStatus::InvalidInput &&
           distance(a, b, pose, o).status == QueryStatus::InvalidInput;
  };
  const SupportShape g = supportShape(good);
  for (const double bad : {nan, inf, -inf}) {
    EXPECT_TRUE(flagged(g, g, at(bad, 0, 0)));
    EXPECT_TRUE(flagged(g, g, at(0, 0, bad)));
    Pose turned;
    turned.orientation.coeffs()[1] = bad;
    EXPECT_TRUE(flagged(g, g, turned));
  }
  for (const double bad : {nan, inf, -1.0, 0.0}) {
    const Box box{{1, bad, 1}};
    EXPECT_TRUE(flagged(supportShape(box), g, at(1, 0, 0)));
    EXPECT_TRUE(flagged(g, supportShape(box), at(1, 0, 0)));
    EXPECT_NE(validate(box), "");
    EXPECT_NE(validate(Sphere{bad}), "");
    EXPECT_NE(validate(Capsule{1, bad}), "");
    if (bad != 0) {
      EXPECT_TRUE(flagged(rounded(g, bad == -1 ? -2 : bad), g, at(1, 0, 0)));
    }
  }
  EXPECT_EQ(validate(good), "");
  Pose zero;
  zero.orientation = Quaternion(0, 0, 0, 0);
  EXPECT_TRUE(flagged(g, g, zero));
  EXPECT_TRUE(flagged(SupportShape(), g, Pose()));
  QueryOptions options;
  options.maxDistance = nan;
  EXPECT_TRUE(flagged(g, g, Pose(), options));
  const SupportShape wild = supportShape(&good, [](const void*, const Eigen::Vector3d&, Eigen::Vector3d& p) {
    p.setConstant(std::numeric_limits<double>::quiet_NaN());
  });
  EXPECT_TRUE(flagged(wild, g, at(0.1, 0, 0)));
}

// Found by the fuzzer: a bar 1e12 times longer than thick, asked again from the cache, answered with a zero normal.
TEST(Queries, ThinBarFromTheCache) {
  const Box bar{{5153960755200.0, 6.4375, 4.6875}};
  const Sphere sphere{6.4375};
  QueryCache cache;
  for (int i = 0; i < 3; ++i) {
    const Proximity r = signedDistance(supportShape(bar), supportShape(sphere), at(7.8125, -0.00067138671875, 0), {}, &cache);
    EXPECT_NEAR(r.normal.norm(), 1, 1e-15);
    EXPECT_NEAR(r.signedDistance, -11.125, 1e-10 * 5.2e12);
  }
}

// Found by the fuzzer: squares of such lengths overflow, and the answer was NaN.
TEST(Queries, LengthsBeyondTheRangeAreRefused) {
  const Box huge{{1e300, 1e300, 1e300}}, unit{{1, 1, 1}};
  EXPECT_EQ(signedDistance(huge, unit, Pose()).status, QueryStatus::InvalidInput);
  EXPECT_EQ(signedDistance(unit, unit, at(1e300, 0, 0)).status, QueryStatus::InvalidInput);
  EXPECT_EQ(signedDistance(unit, unit, at(1e99, 0, 0)).status, QueryStatus::Converged);
}

// fcl 253: eight threads from the first instant on, the same answers as one.
TEST(QueriesThreads, ConcurrentQueriesGiveTheSerialAnswers) {
  constexpr int kThreads = 8, kQueries = 4000;
  const auto ask = [](std::uint64_t seed) {
    const families::BoxPairCase c = families::pairOfSeed(families::Family::Overlapping, seed);
    return signedDistance(c.a, c.b, relativePose(c.poseA, c.poseB));
  };
  std::vector<std::vector<double>> answers(kThreads, std::vector<double>(kQueries));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kQueries; ++i)
        answers[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)] = ask(static_cast<std::uint64_t>(i)).signedDistance;
    });
  for (std::thread& t : threads) t.join();
  for (int i = 0; i < kQueries; ++i) {
    const double serial = ask(static_cast<std::uint64_t>(i)).signedDistance;
    for (const auto& a : answers) ASSERT_EQ(a[static_cast<std::size_t>(i)], serial);
  }
}

}  // namespace
}  // namespace sunder
