// SPDX-License-Identifier: MIT
// Boxes that slide over floors and along walls made of many boxes: nothing may tell the seams from a single box.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "sunder/physics/world.h"

namespace sunder {
namespace {

constexpr double kDt = 1.0 / 60.0;

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

class PhysicsGhostTiles : public testing::TestWithParam<Case> {};

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
    testing::Values(Case{"row", 1, 0.4, 0, 0, 0, 0}, Case{"rowFriction", 1, 0.4, 0, 0, 0.5, 0}, Case{"grid", 5, 0.4, 0, 0, 0, 0.13},
                    Case{"gridFriction", 5, 0.4, 0, 0, 0.5, 0.13}, Case{"gridOnSeam", 4, 0.4, 0, 0, 0, -0.5},
                    Case{"gridLarge", 9, 1.3, 0, 0, 0, 0.3}, Case{"gridSmall", 5, 0.05, 0, 0, 0, 0.49},
                    Case{"yawed", 5, 0.4, 0.5, 0, 0, 0.2}, Case{"yawedFriction", 5, 0.4, 0.5, 0, 0.5, 0.2},
                    Case{"diagonal", 30, 0.4, 0, 0.15, 0, -12}),
    [](const auto& tested) { return std::string(tested.param.name); });

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
