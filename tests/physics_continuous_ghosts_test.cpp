// SPDX-License-Identifier: MIT
// Boxes that slide over floors and along walls made of many boxes: nothing may tell the seams from a single box.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;

Quaternion aboutZ(double angle) { return Quaternion(std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle)); }
Quaternion aboutY(double angle) { return Quaternion(std::cos(0.5 * angle), 0, std::sin(0.5 * angle), 0); }

void addTile(World& world, double x, double y, double z, double half, double friction) {
  BodyDef tile;
  tile.kind = BodyKind::Static;
  tile.halfExtents = {half, half, half};
  tile.pose.position = {x, y, z};
  tile.friction = friction;
  world.addBody(tile);
}

// Cubes of edge 2 `half` side by side, tops at z = 0, the first centre at the origin of the plane; rows y < 0 and y >= 0.
void addTiles(World& world, int countX, int countY, double half, double friction) {
  for (int i = 0; i < countX; ++i)
    for (int j = 0; j < countY; ++j) addTile(world, 2 * half * i, 2 * half * (j - countY / 2), -half, half, friction);
}

// The path of a body that slides in its start direction, measured after each step.
struct Path {
  double highest = -1e9, lowest = 1e9;  // m, of the centre, against the first step
  double sideways = 0;                  // m, largest |offset| off the line
  double turn = 0;                      // rad, largest angle to the start
  double distance = 0;                  // m, along the line
  double least = 1e9;                   // m/s, least speed along the line
  double slowest = 0;                   // m/s^2, largest loss of speed in a step / dt
};

Path follow(World& world, BodyId slider, int steps) {
  Path path;
  const Pose start = world.pose(slider);
  const Eigen::Vector3d along = world.linearVelocity(slider).normalized();
  double speed = world.linearVelocity(slider).norm();
  for (int i = 0; i < steps; ++i) {
    world.step(kDt);
    const Eigen::Vector3d moved = world.pose(slider).position - start.position;
    path.highest = std::max(path.highest, moved.z());
    path.lowest = std::min(path.lowest, moved.z());
    const Eigen::Vector3d off = moved - moved.dot(along) * along;
    path.sideways = std::max(path.sideways, Eigen::Vector3d(off.x(), off.y(), 0).norm());
    const double cosine = std::abs(world.pose(slider).orientation.dot(start.orientation));
    path.turn = std::max(path.turn, 2 * std::acos(std::min(1.0, cosine)));
    path.distance = moved.dot(along);
    const double now = world.linearVelocity(slider).dot(along);
    path.least = std::min(path.least, now);
    path.slowest = std::max(path.slowest, (speed - now) / kDt);
    speed = now;
  }
  return path;
}

BodyId addSlider(World& world, const Eigen::Vector3d& half, double yaw, const Eigen::Vector3d& velocity, double friction,
                 double y = 0) {
  BodyDef slider;
  slider.halfExtents = half;
  slider.pose.position = {0, y, half.z()};
  slider.pose.orientation = aboutZ(yaw);
  slider.linearVelocity = velocity;
  slider.friction = friction;
  return world.addBody(slider);
}

// S-qu3e-58 as reported: 40 cubes in a row, half 0.4 on top, 5 m/s and a little sideways, no friction.
TEST(PhysicsGhost, SQu3e58) {
  World world;
  addTiles(world, 40, 1, 0.5, 0);
  const BodyId slider = addSlider(world, {0.4, 0.4, 0.4}, 0, {5, 0, 0.0}, 0);
  world.setLinearVelocity(slider, {5, 0.01, 0});
  const Path path = follow(world, slider, 360);
  EXPECT_GT(path.least, 4.95);
  EXPECT_LT(path.highest, 0.001);
  EXPECT_GT(path.lowest, -0.001);
  EXPECT_LT(path.turn, 1e-3);
}

struct Case {
  const char* name;
  int rows;
  double half;      // of the slider, m
  double yaw, heading;  // rad
  double friction;
  double y;         // m, of the slider's centre
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class PhysicsGhostTiles : public ::testing::TestWithParam<Case> {};

TEST_P(PhysicsGhostTiles, StraightAndLevel) {
  const Case& c = GetParam();
  World world;
  addTiles(world, 100, c.rows, 0.5, c.friction);
  const Eigen::Vector3d velocity(5 * std::cos(c.heading), 5 * std::sin(c.heading), 0);
  const BodyId slider = addSlider(world, {c.half, c.half, c.half}, c.yaw, velocity, c.friction, c.y);
  // With friction it stops after 25 / (2 * 4.9) m and 1.02 s; without it crosses 90 tiles.
  const Path path = follow(world, slider, c.friction > 0 ? 90 : 1080);
  EXPECT_LT(path.highest, 0.001);
  EXPECT_GT(path.lowest, -0.001);
  EXPECT_LT(path.sideways, 0.001);
  EXPECT_LT(path.turn, 0.002);
  if (c.friction > 0) {
    // What is lost in a step is friction's share, never more.
    EXPECT_LT(path.slowest, 1.05 * 9.81 * c.friction);
    EXPECT_NEAR(path.distance, 25 / (2 * 9.81 * c.friction), 0.06);
  } else {
    EXPECT_GT(path.least, 4.999);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , PhysicsGhostTiles,
    ::testing::Values(Case{"row", 1, 0.4, 0, 0, 0, 0}, Case{"rowFriction", 1, 0.4, 0, 0, 0.5, 0}, Case{"grid", 5, 0.4, 0, 0, 0, 0.13},
                    Case{"gridFriction", 5, 0.4, 0, 0, 0.5, 0.13}, Case{"gridOnSeam", 4, 0.4, 0, 0, 0, -0.5},
                    Case{"gridLarge", 9, 1.3, 0, 0, 0, 0.3}, Case{"gridSmall", 5, 0.05, 0, 0, 0, 0.49},
                    Case{"yawed", 5, 0.4, 0.5, 0, 0, 0.2}, Case{"yawedFriction", 5, 0.4, 0.5, 0, 0.5, 0.2},
                    Case{"diagonal", 30, 0.4, 0, 0.15, 0, -12}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Random sliders of one shape over a floor of tiles: any heading and yaw, 45 degrees and other rational ones more often than
// not, on paths that lead the centre, a corner or the middle of a side exactly over a place where four tiles meet.
struct FloorCase {
  Eigen::Vector3d halfExtents;
  double heading, yaw, speed, friction;
  double gap, step, turn;  // m, m, rad: of tiles against each other
  BodyKind kind;           // of the tiles
  bool continuous;
  Eigen::Vector3d start;   // of the slider
};

FloorCase randomFloorCase(Numbers& random, const Eigen::Vector3d& halfExtents) {
  constexpr double kQuarter = std::numbers::pi / 4;
  const auto oneOf = [&](std::initializer_list<double> values) { return values.begin()[static_cast<int>(random.between(0, static_cast<double>(values.size())))]; };
  FloorCase c;
  c.halfExtents = halfExtents;
  c.heading = oneOf({0, kQuarter, kQuarter, std::atan2(1, 2), std::atan2(3, 4), random.between(0, 2 * kQuarter)});
  c.yaw = oneOf({0, kQuarter, c.heading, random.between(0, 3)});
  c.speed = oneOf({1, 5, 5, 10, 20, 50});
  c.friction = oneOf({0, 0.5});
  c.gap = oneOf({0, 0, 1e-9, 1e-6, 1e-4});
  c.step = oneOf({0, 0, 1e-9, 1e-6, 1e-4});
  c.turn = oneOf({0, 0, 0, 1e-6, 1e-3});
  if (c.turn > 1e-5) c.gap = 1e-3;
  c.kind = random.between(0, 1) < 0.2 ? BodyKind::Kinematic : BodyKind::Static;
  c.continuous = random.between(0, 1) < 0.7;
  const double side = oneOf({-1, 0, 1}), front = oneOf({-1, 0, 1}), back = random.between(0, 2);
  const Eigen::Vector3d place = aboutZ(c.yaw) * Eigen::Vector3d(front * halfExtents.x(), side * halfExtents.y(), 0);
  c.start = Eigen::Vector3d(0.5, 0.5, halfExtents.z()) - place - back * Eigen::Vector3d(std::cos(c.heading), std::sin(c.heading), 0);
  if (random.between(0, 1) < 0.2) c.start.head<2>() = random.vector(0.5).head<2>();
  return c;
}

// Tiles of edge 1, of which four meet at (0.5, 0.5): those that the slider may come near to on its way of `length` metres.
void addTilesOnTheWay(World& world, const FloorCase& c, double length, Numbers& random) {
  const Eigen::Vector3d along(std::cos(c.heading), std::sin(c.heading), 0);
  const double reach = c.halfExtents.head<2>().norm() + 3;
  for (int i = static_cast<int>(-reach - 3); i < length + reach; ++i)
    for (int j = static_cast<int>(-reach - 3); j < length + reach; ++j) {
      const Eigen::Vector3d at(i * (1 + c.gap), j * (1 + c.gap), -0.5 - random.between(0, c.step));
      const double turn = random.between(-c.turn, c.turn), ahead = at.dot(along);
      if (ahead < -reach - 1 || ahead > length + reach || (at - ahead * along).head<2>().norm() > reach) continue;
      BodyDef tile = boxAt(at, {0.5, 0.5, 0.5}, c.kind);
      tile.pose.orientation = aboutZ(turn);
      tile.friction = c.friction;
      world.addBody(tile);
    }
}

class PhysicsGhostSliders : public ::testing::TestWithParam<Eigen::Vector3d> {};

TEST_P(PhysicsGhostSliders, StraightAndLevelAcrossCorners) {
  Numbers random(7);
  for (int run = 0; run < 60; ++run) {
    const FloorCase c = randomFloorCase(random, GetParam());
    WorldDef def;
    def.continuous = c.continuous;
    World world(def);
    const int steps = c.speed > 15 ? 60 : 150;
    addTilesOnTheWay(world, c, c.speed * steps * kDt, random);
    const Eigen::Vector3d velocity(c.speed * std::cos(c.heading), c.speed * std::sin(c.heading), 0);
    const BodyId slider = addSlider(world, c.halfExtents, c.yaw, velocity, c.friction);
    world.setPose(slider, {c.start, aboutZ(c.yaw)});
    const Path path = follow(world, slider, steps);
    const std::string what = "run " + std::to_string(run) + ": " + std::to_string(c.speed) + " m/s, heading " + std::to_string(c.heading) +
                             ", yaw " + std::to_string(c.yaw);
    EXPECT_LT(path.highest, 0.001) << what;
    EXPECT_GT(path.lowest, -0.001) << what;
    EXPECT_LT(path.sideways, 0.001) << what;
    // Tiles share the load unevenly, and with it friction: that turns small boxes a little.
    EXPECT_LT(path.turn, 0.01) << what;
    if (c.friction > 0)
      EXPECT_LT(path.slowest, 1.1 * 9.81 * c.friction) << what;
    else
      EXPECT_GT(path.least, 0.9998 * c.speed) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(, PhysicsGhostSliders,
                         ::testing::Values(Eigen::Vector3d(0.4, 0.4, 0.4), Eigen::Vector3d(0.5, 0.5, 0.5), Eigen::Vector3d(0.6, 0.2, 0.1),
                                         Eigen::Vector3d(2, 0.3, 0.2), Eigen::Vector3d(0.05, 0.05, 0.05), Eigen::Vector3d(0.1, 0.1, 0.1),
                                         Eigen::Vector3d(0.25, 0.25, 0.1), Eigen::Vector3d(1.3, 1.3, 1.3)),
                         [](const auto& tested) { return "shape" + std::to_string(tested.index); });

// The same with 30 m/s, three tiles in two steps: the sweep must not catch at seams either.
TEST(PhysicsGhost, FastSliderIsNotSwept) {
  World world;
  addTiles(world, 100, 3, 0.5, 0);
  const BodyId slider = addSlider(world, {0.2, 0.2, 0.2}, 0, {30, 0, 0}, 0, 0.1);
  const Path path = follow(world, slider, 190);
  EXPECT_GT(path.least, 29.99);
  EXPECT_LT(path.highest, 0.001);
  EXPECT_GT(path.lowest, -0.001);
  EXPECT_LT(path.sideways, 0.001);
}

// Falls on a floor of one box and on a floor of tiles: the same motion, until small differences have grown. (Where a face
// lies on two tiles its load is shared out differently.)
TEST(PhysicsGhost, TumblingBoxDoesNotNoticeSeams) {
  const auto tumble = [](bool tiles, double height) {
    World world;
    if (tiles) {
      addTiles(world, 40, 21, 0.5, 0.6);
    } else {
      BodyDef floor;
      floor.kind = BodyKind::Static;
      floor.halfExtents = {40, 40, 0.5};
      floor.pose.position = {0, 0, -0.5};
      floor.friction = 0.6;
      world.addBody(floor);
    }
    BodyDef box;
    box.halfExtents = {0.3, 0.4, 0.25};
    box.pose.position = {0, 0.1, height};
    box.pose.orientation = aboutY(0.4);
    box.linearVelocity = {5, 0, 0};
    box.angularVelocity = {0, 10, 0};
    box.friction = 0.6;
    const BodyId id = world.addBody(box);
    std::vector<Eigen::Vector3d> path;
    for (int i = 0; i < 30; ++i) {
      world.step(kDt);
      path.push_back(world.pose(id).position);
    }
    return path;
  };
  for (const double height : {0.6, 0.8, 1.0}) {
    const auto one = tumble(false, height), many = tumble(true, height);
    double apart = 0;
    for (std::size_t i = 0; i < one.size(); ++i) apart = std::max(apart, (one[i] - many[i]).norm());
    EXPECT_LT(apart, 0.04) << "from " << height << " m";
  }
}

// A wall of boxes, a slider that gravity presses against it.
TEST(PhysicsGhost, WallOfBoxes) {
  WorldDef def;
  def.gravity = {0, -9.81, 0};
  World world(def);
  for (int i = 0; i < 60; ++i)
    for (int k = -2; k <= 2; ++k) addTile(world, i, -0.5, k, 0.5, 0.0);
  BodyDef slider;
  slider.halfExtents = {0.3, 0.3, 0.3};
  slider.pose.position = {0, 0.3, 0.2};
  slider.linearVelocity = {5, 0, 0.1};
  slider.friction = 0;
  const BodyId id = world.addBody(slider);
  for (int i = 0; i < 600; ++i) {
    world.step(kDt);
    const Eigen::Vector3d p = world.pose(id).position, v = world.linearVelocity(id);
    ASSERT_NEAR(p.y(), 0.3, 0.001) << i;
    ASSERT_NEAR(v.x(), 5, 0.005) << i;
    ASSERT_NEAR(v.z(), 0.1, 0.005) << i;
  }
}

// What must not be taken for a ghost: a step up, the corner between floor and wall, the end of the floor.
TEST(PhysicsGhost, StepStops) {
  World world;
  addTiles(world, 5, 3, 0.5, 0);
  for (int j = -1; j <= 1; ++j) addTile(world, 5, j, -0.5 + 0.05, 0.5, 0);  // 5 cm higher
  BodyDef def;
  def.halfExtents = {0.4, 0.4, 0.4};
  def.pose.position = {0, 0, 0.4};
  def.linearVelocity = {2, 0, 0};
  def.friction = 0;
  def.lockedAxes = kLockRotation;  // it would trip
  const BodyId slider = world.addBody(def);
  for (int i = 0; i < 240; ++i) {
    world.step(kDt);
    ASSERT_LT(world.pose(slider).position.x(), 4.1 + 0.001) << i;
  }
  EXPECT_GT(world.pose(slider).position.x(), 4.0);
}

// Gravity presses the slider into the groove between a floor and a wall, both made of tiles: it slides along it.
TEST(PhysicsGhost, GrooveOfTiles) {
  for (const double half : {0.1, 0.3, 0.8})
    for (const double speed : {1.0, 5.0, 20.0}) {
      WorldDef def;
      def.gravity = {0, -5, -8};
      World world(def);
      const int count = static_cast<int>(2 * speed) + 6;
      for (int i = -3; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
          addTile(world, i, k + 0.5, -0.5, 0.5, 0);  // the floor, top at z = 0
          addTile(world, i, -0.5, k + 0.5, 0.5, 0);  // the wall, its face at y = 0
        }
      const BodyId slider = addSlider(world, {half, half, half}, 0, {speed, 0, 0}, 0, half);
      const Path path = follow(world, slider, 120);
      EXPECT_LT(std::max(path.highest, -path.lowest), 0.001) << half << " m, " << speed << " m/s";
      EXPECT_LT(path.sideways, 0.001) << half << " m, " << speed << " m/s";
      EXPECT_GT(path.least, 0.9995 * speed) << half << " m, " << speed << " m/s";
    }
}

// A low curb on a floor of tiles is no ghost, however the slider gets there.
TEST(PhysicsGhost, CurbStops) {
  Numbers random(3);
  for (int run = 0; run < 60; ++run) {
    const double half = random.between(0.05, 0.6), speed = random.between(1, 60), heading = random.between(-0.5, 0.5);
    const double height = std::max(0.005, 0.04 * half);
    World world;
    for (int i = -1; i < 4; ++i)
      for (int j = -5; j <= 5; ++j) addTile(world, i, j, i < 3 ? -0.5 : height - 0.5, 0.5, 0);
    BodyDef def = boxAt({0, 0, half}, {half, half, half});
    def.pose.orientation = aboutZ(random.between(0, 3));
    def.linearVelocity = {speed * std::cos(heading), speed * std::sin(heading), 0};
    def.friction = 0;
    def.lockedAxes = kLockRotation;  // it would trip
    const BodyId slider = world.addBody(def);
    const Eigen::Matrix3d axes = def.pose.orientation.toRotationMatrix();
    const double stop = 2.5 - half * axes.row(0).cwiseAbs().sum();
    double furthest = 0;
    for (int i = 0; i < 120 && std::abs(world.pose(slider).position.y()) < 4; ++i) {
      world.step(kDt);
      furthest = std::max(furthest, world.pose(slider).position.x());
    }
    EXPECT_LT(furthest, stop + 0.002) << "run " << run << ": half " << half << ", " << speed << " m/s";
    EXPECT_GT(furthest, stop - 0.02) << "run " << run;
  }
}

TEST(PhysicsGhost, EdgeInTheCornerOfFloorAndWallStays) {
  // A box on its edge in the corner: its contacts with floor and wall are both real.
  World world;
  addTile(world, 0.5, 0, -0.5, 0.5, 0);
  addTile(world, -0.5, 0, 0.5, 0.5, 0);
  addTile(world, -0.5, 0, -0.5, 0.5, 0);
  BodyDef box;
  box.halfExtents = {0.2, 0.2, 0.2};
  const double diagonal = 0.2 * std::numbers::sqrt2;
  box.pose.position = {diagonal, 0, diagonal};
  box.pose.orientation = aboutY(std::numbers::pi / 4);
  box.friction = 0;
  box.lockedAxes = kLockRotation;
  const BodyId id = world.addBody(box);
  for (int i = 0; i < 120; ++i) world.step(kDt);
  EXPECT_NEAR(world.pose(id).position.z(), diagonal, 0.001);
  EXPECT_NEAR(world.pose(id).position.x(), diagonal, 0.001);
}

}  // namespace
}  // namespace sunder
