// SPDX-License-Identifier: MIT
// Nothing leaves a closed room: small boxes at 20 to 250 m/s, walls thinner than most of them, corners where two or three walls are
// hit in one step, and turns of radians between hits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "physics_bodies.h"
#include "sunder/physics/world.h"

namespace sunder {
namespace {

class Random : public testing::Numbers {
 public:
  using Numbers::Numbers;
  double spread(double low, double high) { return low * std::pow(high / low, between(0, 1)); }
  Eigen::Vector3d direction() { return rotation() * Eigen::Vector3d(0, 0, 1); }
};

struct Family {
  std::string name;
  Eigen::Vector3d half;  // m, of the space inside
  double thickness;      // m, of a wall
  int tiles = 1;         // per wall and direction
  double speed = 0;      // m/s, of the walls, kinematic ones then
  double inward = 0;     // m/s, of one of them
  double gravity = 0;
};
std::ostream& operator<<(std::ostream& out, const Family& family) { return out << family.name; }

// A room at some place, turned at random, whose walls reach over each other at the corners.
class Room {
 public:
  Room(World& world, const Family& family, const BodyDef& material, Random& random)
      : half_(family.half), turn_(random.rotation()), velocity_(family.speed * random.direction()) {
    origin_ = 2 * random.direction();
    for (int axis = 0; axis < 3; ++axis)
      for (const int side : {-1, 1}) {
        BodyDef wall = material;
        const bool moves = family.inward > 0 && axis == 0 && side == 1;
        wall.kind = family.speed > 0 || moves ? BodyKind::Kinematic : BodyKind::Static;
        wall.linearVelocity = velocity_;
        if (moves) wall.linearVelocity = turn_ * Eigen::Vector3d(-family.inward, 0.15, 0.15);
        if (wall.kind == BodyKind::Static) wall.linearVelocity.setZero();
        addWall(world, wall, axis, side, family);
      }
  }
  bool contains(const Eigen::Vector3d& point, double time) const {
    const Eigen::Vector3d local = turn_.conjugate() * (point - origin_ - time * velocity_);
    return (local.cwiseAbs() - half_).maxCoeff() < 0;
  }
  Eigen::Vector3d centre(double time) const { return origin_ + time * velocity_; }

 private:
  void addWall(World& world, BodyDef wall, int axis, int side, const Family& family) const {
    const int n = family.tiles, u = (axis + 1) % 3, v = (axis + 2) % 3;
    Eigen::Vector3d size = (half_.array() + 0.2).matrix();
    size[axis] = family.thickness / 2;
    size[u] /= n;
    size[v] /= n;
    wall.halfExtents = size;
    wall.pose.orientation = turn_;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        Eigen::Vector3d at;
        at[axis] = side * (half_[axis] + size[axis]);
        at[u] = (2 * i + 1 - n) * size[u];
        at[v] = (2 * j + 1 - n) * size[v];
        wall.pose.position = origin_ + turn_ * at;
        world.addBody(wall);
      }
  }

  Eigen::Vector3d half_;
  Quaternion turn_;
  Eigen::Vector3d velocity_, origin_;
};

WorldDef withGravity(double gravity) {
  WorldDef def;
  def.gravity = {0, 0, -gravity};
  def.sleep = false;
  return def;
}

class PhysicsRooms : public ::testing::TestWithParam<Family> {};

TEST_P(PhysicsRooms, NothingLeavesAndNothingIsStuck) {
  const Family& family = GetParam();
  for (const int rate : {24, 30, 60})
    for (unsigned seed = 0; seed < 90; ++seed) {
      Random random(seed);
      World world(withGravity(family.gravity));
      BodyDef def;
      def.restitution = 0.5 * (seed % 3);
      def.friction = seed / 3 % 2;
      const Room room(world, family, def, random);
      for (int k = 0; k < 3; ++k) def.halfExtents[k] = random.spread(0.02, 0.2);
      def.pose.position = room.centre(0);
      def.pose.orientation = random.rotation();
      def.linearVelocity = random.spread(20, 250) * random.direction();
      const BodyId box = world.addBody(def);
      const double start = world.energy();
      const int steps = family.inward > 0 ? rate : 3 * rate;
      for (int i = 1; i <= steps; ++i) {
        world.step(1.0 / rate);
        ASSERT_TRUE(room.contains(world.pose(box).position, static_cast<double>(i) / rate)) << rate << " Hz, seed " << seed << ", step " << i;
        // A restitution of 1 gives energy where several corners hit at once, whether there are sweeps or not.
        if (family.speed == 0 && family.inward == 0 && def.restitution < 1) {
          ASSERT_LT(world.energy(), start * (1 + 1e-12)) << rate << " Hz, seed " << seed;
        }
      }
      if (family.inward > 0 || family.gravity > 0) continue;
      // It ends in a corner, or anywhere: from there it can go to the middle.
      const Eigen::Vector3d drift = family.speed > 0 ? (room.centre(1) - room.centre(0)).eval() : Eigen::Vector3d::Zero().eval();
      const Eigen::Vector3d from = world.pose(box).position, way = room.centre(3) - from;
      world.setLinearVelocity(box, drift + 4 * way.normalized());
      world.setAngularVelocity(box, {0, 0, 0});
      for (int i = 0; i < rate / 6; ++i) world.step(1.0 / rate);
      EXPECT_GT((world.pose(box).position - from - (rate / 6) * drift / rate).norm(), std::min(0.4, 0.5 * way.norm())) << rate << " Hz, seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(, PhysicsRooms,
                         ::testing::Values(Family{"cube", {3, 3, 3}, 0.02}, Family{"thin", {3, 3, 3}, 0.01},
                                         Family{"tiles", {3, 3, 3}, 0.01, 3}, Family{"corridor", {0.5, 0.5, 6}, 0.02},
                                         Family{"moving", {3, 3, 3}, 0.01, 1, 1}, Family{"closing", {3, 3, 3}, 0.01, 1, 0, 0.9},
                                         Family{"falling", {3, 3, 3}, 0.02, 1, 0, 0, 9.81}),
                         [](const auto& parameter) { return parameter.param.name; });

// Two slabs that cross at 30 degrees, and boxes that fly into the edge between them.
TEST(PhysicsRoom, NothingLeavesAWedge) {
  const double cosine = std::cos(std::acos(-1.0) / 12), sine = std::sin(std::acos(-1.0) / 12);
  for (const int rate : {24, 60, 240})
    for (unsigned seed = 0; seed < 90; ++seed) {
      Random random(seed);
      World world(withGravity(0));
      BodyDef def;
      def.restitution = 0.5 * (seed % 3);
      def.friction = seed / 3 % 2;
      const double thickness = seed % 2 ? 0.01 : 0.02;
      for (const int side : {-1, 1}) {
        BodyDef slab = def;
        slab.kind = BodyKind::Static;
        slab.halfExtents = {1.6, thickness / 2, 1.5};
        slab.pose.orientation = Quaternion(Eigen::AngleAxisd(side * std::acos(-1.0) / 12, Eigen::Vector3d::UnitZ()));
        slab.pose.position = slab.pose.orientation * Eigen::Vector3d(1.4, side * thickness / 2, 0);
        world.addBody(slab);
      }
      for (int k = 0; k < 3; ++k) def.halfExtents[k] = random.spread(0.02, 0.2);
      def.pose.position = {1.5, 0, 0};
      def.pose.orientation = random.rotation();
      const double x = random.between(-0.2, 0.5), y = random.between(-0.1, 0.1), z = random.between(-0.3, 0.3);
      def.linearVelocity = random.spread(20, 250) * Eigen::Vector3d(x - 1.5, y, z).normalized();
      const BodyId box = world.addBody(def);
      for (int i = 0; i < 3 * rate; ++i) {
        world.step(1.0 / rate);
        const Eigen::Vector3d p = world.pose(box).position;
        if (std::hypot(p.x(), p.y()) > 2.8 || std::abs(p.z()) > 1.4) break;  // out by the open sides
        // Of the middles of the slabs, along their outward normals.
        ASSERT_LT(std::abs(p.y()) * cosine - p.x() * sine, thickness) << rate << " Hz, seed " << seed << ", step " << i << ": " << p.transpose();
      }
    }
}

// A fast kinematic paddle takes a box along as far as a thin static wall, and no further.
TEST(PhysicsRoom, APaddlePushesNothingThroughAWall) {
  for (const double speed : {10.0, 60.0, 200.0})
    for (unsigned seed = 0; seed < 20; ++seed) {
      Random random(seed);
      World world(withGravity(0));
      BodyDef wall;
      wall.kind = BodyKind::Static;
      wall.halfExtents = {0.01, 5, 5};
      wall.pose.position = {2, 0, 0};
      world.addBody(wall);
      BodyDef paddle = wall;
      paddle.kind = BodyKind::Kinematic;
      paddle.halfExtents = {0.05, 1, 1};
      paddle.pose.position = {-1 - random.between(0, speed / 60), 0, 0};
      paddle.linearVelocity = {speed, 0, 0};
      world.addBody(paddle);
      BodyDef def;
      def.halfExtents = {0.1, 0.1, 0.1};
      def.pose.orientation = random.rotation();
      def.pose.position = {random.between(0, 1.5), 0, 0};
      const BodyId box = world.addBody(def);
      // Until the paddle is at the box's place at the wall, and in the step in which it goes through both.
      const int steps = static_cast<int>((2 - paddle.pose.position.x()) / speed * 60) + 1;
      for (int i = 0; i < steps; ++i) world.step(1.0 / 60);
      EXPECT_LT(world.pose(box).position.x(), 2) << speed << " m/s, seed " << seed;
      EXPECT_GT(world.pose(box).position.x(), 1.5) << speed << " m/s, seed " << seed;
    }
}

// Kinematic paddles press tumbling boxes of 2 to 40 cm into walls or the edge between two of them. In these runs there is room for the
// box where it is pushed to, but not as it has turned: it is moved without turning. (Left where they were, all of these got out.)
TEST(PhysicsRoom, APaddlePushesNothingThroughAnEdge) {
  for (const unsigned seed : {1274u, 1451u, 1947u, 2279u, 3448u, 4150u, 4781u}) {
    std::mt19937 engine(seed);
    const auto between = [&engine](double low, double high) { return low + (high - low) * static_cast<double>(engine() >> 5) / 134217728.0; };
    World world(withGravity(0));
    const auto addWall = [&world](const Eigen::Vector3d& half, const Eigen::Vector3d& at) {
      BodyDef wall;
      wall.kind = BodyKind::Static;
      wall.halfExtents = half;
      wall.pose.position = at;
      world.addBody(wall);
    };
    const double thickness = std::pow(10, between(-2.2, -0.7));
    addWall({thickness / 2, 5, 5}, {1 + thickness / 2, 0, 0});
    const bool isEdge = between(0, 1) < 0.6;
    if (isEdge) addWall({5, thickness / 2, 5}, {0, 1 + thickness / 2, 0});
    BodyDef paddle;
    paddle.kind = BodyKind::Kinematic;
    for (int k = 0; k < 3; ++k) paddle.halfExtents[k] = k == 0 ? between(0.01, 0.3) : between(0.2, 2);
    paddle.pose.position = {-1, 0, 0};
    const double speed = std::pow(10, between(-0.3, 2)), aside = between(-0.5, 0.5), angle = between(-0.4, 0.4), spin = between(-3, 3);
    paddle.linearVelocity = {speed, isEdge ? speed * aside : 0, 0};
    paddle.pose.orientation = Quaternion(std::cos(angle), 0, 0, std::sin(angle));
    if (between(0, 1) < 0.5) paddle.angularVelocity = {0, 0, spin};
    const BodyId pusher = world.addBody(paddle);
    BodyDef def;
    for (int k = 0; k < 3; ++k) def.halfExtents[k] = std::pow(10, between(-1.7, -0.4));
    double q[4];
    for (double& x : q) x = between(-1, 1);
    def.pose.orientation = Quaternion(q[0], q[1], q[2], q[3]).normalized();
    for (int k = 0; k < 2; ++k) def.pose.position[k] = between(-0.3, 0.8);
    for (int k = 0; k < 3; ++k) def.linearVelocity[k] = between(-20, 20);
    for (int k = 0; k < 3; ++k) def.angularVelocity[k] = between(-40, 40);
    if (between(0, 1) < 0.3) def.lockedAxes = static_cast<std::uint8_t>(engine() % 64);
    const BodyId box = world.addBody(def);
    for (int i = 0; i < 90 && world.pose(pusher).position.x() <= 1.2; ++i) {
      world.step(1.0 / 60);
      const Eigen::Vector3d at = world.pose(box).position;
      if (std::abs(at.y()) < 1 && std::abs(at.z()) < 4) { ASSERT_LE(at.x(), 1) << "seed " << seed << ", step " << i; }
      if (isEdge && std::abs(at.x()) < 1 && std::abs(at.z()) < 4) { ASSERT_LE(at.y(), 1) << "seed " << seed << ", step " << i; }
    }
  }
}

// What is put into the faces of a wedge is lifted out of them, but not along an axis that is locked. (Every tenth was.)
TEST(ContinuousDeep, LiftsNothingAlongLockedAxes) {
  using namespace testing;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Numbers numbers(seed);
    World world(awakeWorld());
    const double half = numbers.between(0.1, 0.7);
    for (const int side : {-1, 1}) {
      BodyDef face = boxAt({0, 0, 0}, {0.5, 5, 5}, BodyKind::Static);
      face.pose.orientation = Quaternion(std::cos(0.5 * half), 0, std::sin(0.5 * side * half), 0);
      face.pose.position = face.pose.orientation * Vector3d(0.5 * side, 0, 4.5);
      world.addBody(face);
    }
    BodyDef def = boxAt({0, 0, 0}, {numbers.between(0.05, 0.5), 0.1, 0.1});
    def.pose.position = {numbers.between(-0.2, 0.2), 0, numbers.between(0.2, 2)};
    def.pose.orientation = numbers.rotation();
    def.linearVelocity = numbers.vector(20);
    def.angularVelocity = numbers.vector(30);
    def.lockedAxes = seed % 2 == 0 ? kLockLinearZ : seed % 4 == 1 ? kLockLinearX : kLockLinearZ | kLockLinearY;
    const BodyId id = world.addBody(def);
    for (int i = 0; i < 60; ++i) {
      ASSERT_EQ(world.step(kDt).errors, kStepOk);
      for (int k = 0; k < 3; ++k) {
        if ((def.lockedAxes & (kLockLinearX << k)) == 0) continue;
        ASSERT_EQ(world.pose(id).position[k], def.pose.position[k]) << "seed " << seed << ", step " << i << ", axis " << k;
      }
    }
  }
}

}  // namespace
}  // namespace sunder
