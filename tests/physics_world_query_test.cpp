// SPDX-License-Identifier: MIT
// World queries against brute force over all bodies with the narrowphase, and by hand.
#include <algorithm>
#include <random>
#include <thread>

#include "physics_bodies.h"
#include "sunder/narrowphase/query.h"
#include "sunder/narrowphase/ray_cast.h"
#include "sunder/narrowphase/shape_cast.h"

namespace sunder {
namespace {

using namespace sunder::testing;

class Cloud {
 public:
  explicit Cloud(int count, double size = 10) : size_(size) {
    world.setGravity({0, 0, 0});
    for (int i = 0; i < count; ++i) {
      const Vector3d half = {0.1 + length(), 0.1 + length(), 0.1 + length()};
      BodyDef def = boxAt(point(), half, static_cast<BodyKind>(i % 3));
      def.pose.orientation = turn();
      def.filter.category = 1u << (i % 4);
      ids.push_back(world.addBody(def));
    }
    world.step(1e-3);
  }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  double length() { return std::abs(number()); }
  Vector3d point() {
    const double z = number(), y = number(), x = number();  // one draw per initializer: a call's arguments have no order
    return size_ * Vector3d(x, y, z);
  }
  Quaternion turn() {
    const double z = 0.1 + length(), y = number(), x = number(), w = number();
    return Quaternion(w, x, y, z).normalized();
  }
  Box boxOf(BodyId id) const { return {world.definition(id).halfExtents}; }

  World world;
  std::vector<BodyId> ids;

 private:
  double size_;
  std::mt19937 random_{12345};
};

TEST(WorldQuery, RaysAgreeWithBruteForce) {
  Cloud c(300);
  int hits = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vector3d origin = c.point(), translation = c.point() - origin;
    QueryFilter filter;
    if (trial % 3 == 1) filter.filter.mask = 5;
    if (trial % 3 == 2) filter.ignored = c.ids[static_cast<std::size_t>(trial)];
    std::vector<BodyRayHit> expected, all;
    for (const BodyId id : c.ids) {
      if (id == filter.ignored || !accepts(filter.filter, c.world.definition(id).filter)) continue;
      const Pose& pose = c.world.pose(id);
      Ray ray;
      ray.origin = pose.orientation.conjugate() * (origin - pose.position);
      ray.direction = pose.orientation.conjugate() * translation;
      const RayHit hit = rayCast(c.boxOf(id), ray);
      if (hit.hit) expected.push_back({id, hit.fraction, origin + hit.fraction * translation, pose.orientation * hit.normal, hit.startsInside});
    }
    std::sort(expected.begin(), expected.end(), [](const BodyRayHit& a, const BodyRayHit& b) {
      return a.fraction != b.fraction ? a.fraction < b.fraction : a.body.index < b.body.index;
    });
    ASSERT_EQ(c.world.rayCastAll(origin, translation, all, filter), QueryStatus::Converged);
    ASSERT_EQ(all.size(), expected.size());
    const RayCastResult closest = c.world.rayCast(origin, translation, filter);
    ASSERT_EQ(closest.hit, !expected.empty());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].body, expected[i].body);
      EXPECT_NEAR(all[i].fraction, expected[i].fraction, 1e-12);
      EXPECT_LT((all[i].normal - expected[i].normal).norm(), 1e-12);
      EXPECT_EQ(all[i].startsInside, expected[i].startsInside);
    }
    if (closest.hit) {
      ++hits;
      EXPECT_EQ(closest.closest.body, all[0].body);
      EXPECT_EQ(closest.closest.fraction, all[0].fraction);
      EXPECT_LT((closest.closest.point - expected[0].point).norm(), 1e-11);
    }
  }
  EXPECT_GT(hits, 100);
}

TEST(WorldQuery, OverlapsAgreeWithBruteForce) {
  Cloud c(300);
  std::size_t total = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Box box{{0.1 + c.length(), 0.1 + 2 * c.length(), 0.1 + c.length()}};
    const Pose pose{c.point(), c.turn()};
    std::vector<BodyId> expected, found;
    for (const BodyId id : c.ids) {
      if (signedDistance(box, c.boxOf(id), relativePose(pose, c.world.pose(id))).signedDistance <= 0) expected.push_back(id);
    }
    ASSERT_EQ(c.world.overlap(box, pose, found), QueryStatus::Converged);
    EXPECT_EQ(found, expected);
    total += found.size();
  }
  EXPECT_GT(total, 100u);
}

TEST(WorldQuery, BoxCastsAgreeWithBruteForce) {
  Cloud c(300);
  int hits = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Box box{{0.1 + c.length(), 0.1 + c.length(), 0.1 + c.length()}};
    const Pose pose{c.point(), c.turn()};
    const Vector3d translation = c.point() - pose.position;
    double best = 2;
    BodyId first;
    std::size_t count = 0;
    for (const BodyId id : c.ids) {
      const Box other = c.boxOf(id);
      const ShapeCastHit hit = shapeCast(supportShape(box), supportShape(other), relativePose(pose, c.world.pose(id)),
                                         pose.orientation.conjugate() * -translation);
      if (!hit.hit) continue;
      ++count;
      if (hit.fraction >= best) continue;
      best = hit.fraction;
      first = id;
    }
    const BoxCastResult result = c.world.boxCast(box, pose, translation);
    std::vector<BodyCastHit> all;
    ASSERT_EQ(c.world.boxCastAll(box, pose, translation, all), QueryStatus::Converged);
    ASSERT_EQ(result.hit, best <= 1);
    EXPECT_EQ(all.size(), count);
    if (!result.hit) continue;
    ++hits;
    EXPECT_NEAR(result.closest.fraction, best, 1e-9);
    if (best > 0) {
      EXPECT_EQ(result.closest.body, first);
    }
    EXPECT_EQ(all[0].body, result.closest.body);
    if (result.closest.startsInTouch) continue;
    // There the two boxes just touch, at the point and along the normal that were reported.
    const Pose there{pose.position + result.closest.fraction * translation, pose.orientation};
    const Proximity near = signedDistance(box, c.boxOf(result.closest.body), relativePose(there, c.world.pose(result.closest.body)));
    EXPECT_NEAR(near.signedDistance, 0, 1e-8);
    EXPECT_LE(result.closest.normal.dot(translation), 0 + translation.norm());
    EXPECT_GT(result.closest.normal.dot(translation), 0);
  }
  EXPECT_GT(hits, 100);
}

TEST(WorldQuery, NearestAgreesWithBruteForce) {
  Cloud c(300);
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3d point = 1.5 * c.point();
    const Box box{{0.1 + c.length(), 0.1 + c.length(), 0.1 + c.length()}};
    const Pose pose{point, c.turn()};
    double toPoint = 1e9, toBox = 1e9;
    for (const BodyId id : c.ids) {
      const Pose& other = c.world.pose(id);
      const Vector3d local = other.orientation.conjugate() * (point - other.position), h = c.boxOf(id).halfExtents;
      toPoint = std::min(toPoint, (local - local.cwiseMax(-h).cwiseMin(h)).norm());
      toBox = std::min(toBox, signedDistance(box, c.boxOf(id), relativePose(pose, other)).signedDistance);
    }
    const NearestResult a = c.world.nearest(point, kInfinity), b = c.world.nearest(box, pose, kInfinity);
    ASSERT_TRUE(a.found && b.found);
    EXPECT_NEAR(a.distance, toPoint, 1e-12);
    EXPECT_NEAR((a.pointOnBody - point).norm(), toPoint, 1e-12);
    EXPECT_NEAR(b.distance, toBox, 1e-12);
    if (toBox > 0) {
      EXPECT_NEAR((b.pointOnBody - b.pointOnQuery).norm(), toBox, 1e-11);
    }
    EXPECT_FALSE(c.world.nearest(point, 0.5 * toPoint).found && toPoint > 0);
    EXPECT_FALSE(c.world.nearest(box, pose, 0.5 * toBox).found && toBox > 0);
  }
}

// They see bodies where they are now, not where the last step left them.
TEST(WorldQuery, SeePresentPoses) {
  World world(weightless());
  const BodyId id = world.addBody(boxAt({0, 0, 0}));
  EXPECT_TRUE(world.rayCast({-5, 0, 0}, {10, 0, 0}).hit);  // before any step
  world.setPose(id, Pose{{0, 9, 0}, Quaternion(1, 0, 0, 0)});
  EXPECT_FALSE(world.rayCast({-5, 0, 0}, {10, 0, 0}).hit);
  const RayCastResult hit = world.rayCast({-5, 9, 0}, {10, 0, 0});
  ASSERT_TRUE(hit.hit);
  EXPECT_DOUBLE_EQ(hit.closest.fraction, 0.45);
  EXPECT_EQ(hit.closest.normal, Vector3d(-1, 0, 0));
  world.setHalfExtents(id, {2, 0.5, 0.5});
  EXPECT_DOUBLE_EQ(world.rayCast({-5, 9, 0}, {10, 0, 0}).closest.fraction, 0.3);
  world.removeBody(id);
  EXPECT_FALSE(world.rayCast({-5, 9, 0}, {10, 0, 0}).hit);
}

TEST(WorldQuery, FarFromTheOrigin) {
  World world(weightless());
  const Vector3d far(1e7, -1e7, 1e7);
  const BodyId id = world.addBody(boxAt(far, {0.1, 0.2, 0.3}));
  const RayCastResult hit = world.rayCast(far + Vector3d(-1, 0, 0), {2, 0, 0});
  ASSERT_TRUE(hit.hit);
  EXPECT_EQ(hit.closest.body, id);
  EXPECT_NEAR(hit.closest.fraction, 0.45, 1e-9);
  EXPECT_NEAR(world.nearest(far + Vector3d(0, 0, 1), kInfinity).distance, 0.7, 1e-8);
}

TEST(WorldQuery, BadInputIsAStatusWithoutHits) {
  Cloud c(20, 1);
  const Pose here;
  const Box box;
  std::vector<BodyRayHit> rays(3);
  std::vector<BodyCastHit> casts(3);
  std::vector<BodyId> ids(3);
  for (const double bad : {kNaN, kInfinity}) {
    const Vector3d v(bad, 0, 0), one(1, 0, 0);
    const Pose wrong{v, Quaternion(1, 0, 0, 0)};
    EXPECT_EQ(c.world.rayCast(v, one).status, QueryStatus::InvalidInput);
    EXPECT_EQ(c.world.rayCast(one, v).status, QueryStatus::InvalidInput);
    EXPECT_EQ(c.world.rayCastAll(one, v, rays), QueryStatus::InvalidInput);
    EXPECT_EQ(c.world.overlap(box, wrong, ids), QueryStatus::InvalidInput);
    EXPECT_EQ(c.world.overlap({{1, 1, bad}}, here, ids), QueryStatus::InvalidInput);
    EXPECT_EQ(c.world.boxCast(box, here, v).status, QueryStatus::InvalidInput);
    EXPECT_EQ(c.world.boxCastAll(box, wrong, one, casts), QueryStatus::InvalidInput);
    EXPECT_EQ(c.world.nearest(v, 1).status, QueryStatus::InvalidInput);
    EXPECT_EQ(c.world.nearest(box, wrong, 1).status, QueryStatus::InvalidInput);
  }
  EXPECT_TRUE(rays.empty() && casts.empty() && ids.empty());
  EXPECT_EQ(c.world.rayCast({0, 0, 0}, {0, 0, 0}).status, QueryStatus::InvalidInput);
  EXPECT_EQ(c.world.nearest(Vector3d(0, 0, 0), kNaN).status, QueryStatus::InvalidInput);
  EXPECT_EQ(c.world.nearest(Vector3d(0, 0, 0), -1).status, QueryStatus::InvalidInput);
  EXPECT_EQ(c.world.overlap({{0, 1, 1}}, here, ids), QueryStatus::InvalidInput);
}

TEST(WorldQuery, ThreadsMayAskAtOnce) {
  Cloud c(200);
  const auto ask = [&c] {
    std::vector<BodyId> ids;
    double sum = 0;
    for (int i = 0; i < 200; ++i) {
      const Vector3d from(0.1 * i - 10, 0, 0);
      sum += c.world.rayCast(from, {0, 20, 3}).closest.fraction + c.world.nearest(from, kInfinity).distance;
      c.world.overlap({}, Pose{from, Quaternion(1, 0, 0, 0)}, ids);
      sum += static_cast<double>(ids.size()) + c.world.boxCast({}, Pose{from, Quaternion(1, 0, 0, 0)}, {0, 5, 0}).closest.fraction;
      for (const ContactInfo& info : c.world.contacts(c.ids[static_cast<std::size_t>(i)])) sum += info.normalImpulse;
    }
    return sum;
  };
  const double alone = ask();
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (double& sum : sums) threads.emplace_back([&] { sum = ask(); });
  for (std::thread& thread : threads) thread.join();
  for (const double sum : sums) EXPECT_EQ(sum, alone);
}

}  // namespace
}  // namespace sunder
