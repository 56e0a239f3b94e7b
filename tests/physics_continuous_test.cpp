// SPDX-License-Identifier: MIT
// Fast bodies: nothing passes through anything, and nothing is lost but time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "sunder/narrowphase/box_sat.h"
#include "sunder/physics/world.h"

namespace sunder {
namespace {

constexpr double kDt = 1.0 / 60.0;

WorldDef noGravity() {
  WorldDef def;
  def.gravity = Eigen::Vector3d::Zero();
  return def;
}
WorldDef down(bool continuous = true) {
  WorldDef def;
  def.gravity = {0, -9.81, 0};
  def.continuous = continuous;
  return def;
}

BodyId addStatic(World& world, const Eigen::Vector3d& half, const Eigen::Vector3d& position) {
  BodyDef def;
  def.kind = BodyKind::Static;
  def.halfExtents = half;
  def.pose.position = position;
  return world.addBody(def);
}

BodyDef boxAt(const Eigen::Vector3d& half, const Eigen::Vector3d& position, const Eigen::Vector3d& velocity = {0, 0, 0}) {
  BodyDef def;
  def.halfExtents = half;
  def.pose.position = position;
  def.linearVelocity = velocity;
  return def;
}

Quaternion randomTurn(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::Vector4d q;
  for (int k = 3; k >= 0; --k) q[k] = normal(random);  // one draw per statement: a call's arguments have no order
  q.normalize();
  return Quaternion(q[0], q[1], q[2], q[3]);
}

double depthOf(const World& world, BodyId a, BodyId b) {
  const BoxSatResult sat = boxSat({world.definition(a).halfExtents}, {world.definition(b).halfExtents}, relativePose(world.pose(a), world.pose(b)));
  return -sat.signedDistance;
}

// The shot scenes of the side-by-side benchmark: 16 lanes of 0.2 m cubes, every other one turned at random, against a
// plate of 5 cm that is fixed, or free and 50 times as heavy. Returns how many got through: past the middle of the plate
// within its edges. (Around a free plate, which turns, a cube that slides along it may get in time.)
int tunnelled(double speed, bool freePlate, bool continuous, bool bullet) {
  WorldDef def = noGravity();
  def.continuous = continuous;
  World world(def);
  std::vector<BodyId> plates, bullets;
  std::mt19937_64 random(7);
  const int lanes = 16;
  for (int k = 0; k < lanes; ++k) {
    const double z = 8.0 * k;
    BodyDef plate = boxAt({0.025, freePlate ? 1.0 : 2.0, freePlate ? 1.0 : 2.0}, {0, 0, z});
    plate.kind = freePlate ? BodyKind::Dynamic : BodyKind::Static;
    plate.density = 2000;
    plates.push_back(world.addBody(plate));
    BodyDef shot = boxAt({0.1, 0.1, 0.1}, {-10 - k * (speed / 60) / lanes, 0.05, z + 0.05}, {speed, 0, 0});
    if (k % 2 != 0) shot.pose.orientation = randomTurn(random);
    shot.continuous = bullet;
    bullets.push_back(world.addBody(shot));
  }
  std::vector<bool> isBefore(lanes, true), isThrough(lanes, false);
  for (int i = 0; i < 90; ++i) {
    world.step(kDt);
    for (int k = 0; k < lanes; ++k) {
      const Pose& plate = world.pose(plates[k]);
      const Eigen::Vector3d at = plate.orientation.conjugate() * (world.pose(bullets[k]).position - plate.position);
      const Eigen::Vector3d half = world.definition(plates[k]).halfExtents;
      const bool within = std::abs(at.y()) < half.y() + 0.1 && std::abs(at.z()) < half.z() + 0.1;
      if (isBefore[k] && at.x() > 0 && within) isThrough[k] = true;
      isBefore[k] = at.x() <= 0;
    }
  }
  return static_cast<int>(std::count(isThrough.begin(), isThrough.end(), true));
}

TEST(PhysicsContinuous, ShotsAtAWall) {
  EXPECT_EQ(tunnelled(50, false, true, false), 0);
  EXPECT_EQ(tunnelled(200, false, true, false), 0);
  EXPECT_EQ(tunnelled(1000, false, true, false), 0);
}
TEST(PhysicsContinuous, ShotsAtAFreePlate) {
  EXPECT_EQ(tunnelled(50, true, true, true), 0);
  EXPECT_EQ(tunnelled(200, true, true, true), 0);
}

// A plank of 3 m at 50 m/s and 20 rad/s against a wall of 5 cm, from many places and about many axes: no part of it gets
// through.
TEST(PhysicsContinuous, SpinningPlankAtAThinWall) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  double deepest = 0;
  for (int run = 0; run < 300; ++run) {
    World world(noGravity());
    const BodyId wall = addStatic(world, {0.025, 20, 20}, {0, 0, 0});
    BodyDef plank = boxAt({1.5, 0.1, 0.1}, {-4 - 4 * unit(random), 0.3, 0.2}, {50, 0, 0});
    plank.pose.orientation = randomTurn(random);
    Eigen::Vector3d axis;
    for (int k = 2; k >= 0; --k) axis[k] = normal(random);
    if (run % 3 == 0) axis = plank.pose.orientation * Eigen::Vector3d(0, 0, 1);
    plank.angularVelocity = 20 * axis.normalized();
    plank.restitution = run % 5 == 0 ? 0.5 : 0;
    const BodyId id = world.addBody(plank);
    for (int i = 0; i < 60; ++i) {
      world.step(kDt);
      ASSERT_LT(world.pose(id).position.x(), 0) << "run " << run << ", step " << i;
      deepest = std::max(deepest, depthOf(world, wall, id));
    }
  }
  EXPECT_LT(deepest, 0.1);  // the plank's half thickness: deeper, it would be through
}

// Turning alone moves its tips by half a metre per step: a plank that spins in place over a floor.
TEST(PhysicsContinuous, SpinningPlankHitsAPostByItsTip) {
  for (const double speed : {20.0, 60.0, 80.0}) {
    World world(noGravity());
    const BodyId post = addStatic(world, {0.02, 0.02, 1}, {1.4, 0, 0});
    BodyDef plank = boxAt({1.5, 0.05, 0.05}, {0, 0, 0});
    plank.pose.orientation = Quaternion(std::cos(0.3), 0, 0, std::sin(0.3));
    plank.angularVelocity = {0, 0, -speed};
    const BodyId id = world.addBody(plank);
    for (int i = 0; i < 3; ++i) {
      world.step(kDt);
      // Its long side stays on the side of the post it came from.
      const Eigen::Vector3d seen = world.pose(id).orientation.conjugate() * (world.pose(post).position - world.pose(id).position);
      EXPECT_TRUE(i > 0 || seen.y() < 0) << speed;
      EXPECT_LT(depthOf(world, post, id), 0.02) << speed;
    }
  }
}

// S-jolt-ccd: 2 m per step and body. They meet at x = -0.5 and 0.5; one step later the velocities are reversed (0 with
// restitution 0).
TEST(PhysicsContinuous, SJoltCcd) {
  for (const double restitution : {1.0, 0.0}) {
    World world(noGravity());
    BodyDef left = boxAt({0.5, 0.5, 0.5}, {-1, 0, 0}, {120, 0, 0}), right = boxAt({0.5, 0.5, 0.5}, {1, 0, 0}, {-120, 0, 0});
    left.restitution = right.restitution = restitution;
    const BodyId a = world.addBody(left), b = world.addBody(right);
    world.step(kDt);
    EXPECT_NEAR(world.pose(a).position.x(), -0.5, restitution > 0 && world.linearVelocity(a).x() < 0 ? 2 : 0.002);
    world.step(kDt);
    EXPECT_NEAR(world.linearVelocity(a).x(), -120 * restitution, 0.12);
    EXPECT_NEAR(world.linearVelocity(b).x(), 120 * restitution, 0.12);
    EXPECT_LT(world.pose(a).position.x(), world.pose(b).position.x());
    EXPECT_NEAR(world.pose(a).position.x() + world.pose(b).position.x(), 0, 1e-6);
    EXPECT_NEAR(world.linearVelocity(a).norm() - world.linearVelocity(b).norm(), 0, 1e-4);
  }
}

// Head-on at many speeds, offsets and orientations, also three in a row: never past each other.
TEST(PhysicsContinuous, FastBoxesMeetHeadOn) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int run = 0; run < 200; ++run) {
    World world(noGravity());
    const double speed = 20 + 200 * unit(random);
    std::vector<BodyId> ids;
    double momentum = 0;
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d velocity = {k == 0 ? speed : k == 2 ? -speed * (0.5 + unit(random)) : 0, 0, 0};
      const Eigen::Vector3d position = {(k - 1) * (2 + 5 * unit(random)), 0.1 * unit(random), 0.1 * unit(random)};
      BodyDef box = boxAt({0.2 + 0.2 * unit(random), 0.3, 0.3}, position, velocity);
      if (run % 2 != 0) box.pose.orientation = randomTurn(random);
      box.continuous = true;
      ids.push_back(world.addBody(box));
      momentum += world.mass(ids.back()) * box.linearVelocity.x();
    }
    for (int i = 0; i < 30; ++i) {
      world.step(kDt);
      for (int k = 0; k < 2; ++k) {
        const Eigen::Vector3d between = world.pose(ids[k + 1]).position - world.pose(ids[k]).position;
        // Off each other sideways, by what the first hits did, they may pass.
        const bool inLine = std::hypot(between.y(), between.z()) < 0.4;
        ASSERT_TRUE(!inLine || between.x() > 0) << "run " << run << ", step " << i << ": " << between.transpose();
        // A fast one is stopped when its core meets the other, a quarter of its half extent inside; the middle one, slow at
        // first, may be hit from both sides in one step.
        ASSERT_LT(depthOf(world, ids[k], ids[k + 1]), 0.25) << "run " << run << ", step " << i;
      }
    }
    double after = 0;
    for (const BodyId id : ids) after += world.mass(id) * world.linearVelocity(id).x();
    EXPECT_NEAR(after, momentum, 1e-5 * world.mass(ids[0]) * speed) << run;
  }
}

// Steps on; the least height of the body's centre after a step.
double lowestOver(World& world, BodyId body, int steps) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < steps; ++i) {
    world.step(kDt);
    lowest = std::min(lowest, world.pose(body).position.y());
  }
  return lowest;
}

TEST(PhysicsContinuous, SStereokit406) {
  World world(down());
  addStatic(world, {2, 0.005, 2}, {0, -0.005, 0});
  const BodyId cube = world.addBody(boxAt({0.05, 0.05, 0.05}, {0, 2.05, 0}));
  EXPECT_GT(lowestOver(world, cube, 300), 0.05 - 0.001);
  EXPECT_NEAR(world.pose(cube).position.y(), 0.05, 0.001);
}

void rapier237(double height, int steps) {
  World world(down());
  addStatic(world, {10, 10, 10}, {0, -10, 0});
  const BodyId cube = world.addBody(boxAt({0.1, 0.1, 0.1}, {0, height, 0}));
  double lowest = 1000, sideways = 0;
  for (int i = 0; i < steps; ++i) {
    world.step(kDt);
    lowest = std::min(lowest, world.pose(cube).position.y());
    sideways = std::max(sideways, std::hypot(world.linearVelocity(cube).x(), world.linearVelocity(cube).z()));
  }
  EXPECT_GT(lowest, 0.1 - 0.001);
  EXPECT_LT(sideways, 0.001);
}
TEST(PhysicsContinuous, SRapier237From1) { rapier237(1, 180); }
TEST(PhysicsContinuous, SRapier237From100) { rapier237(100, 480); }

TEST(PhysicsContinuous, SGj900) {
  double first = -1;
  for (int run = 0; run < 20; ++run) {
    World world(down());
    const BodyId ground = addStatic(world, {0.5, 0.5, 0.5}, {0, -0.5, 0});
    const BodyId cube = world.addBody(boxAt({0.5, 0.5, 0.5}, {0, 3.5, 0}));
    double deepest = 0;
    for (int i = 0; i < 180; ++i) {
      world.step(kDt);
      deepest = std::max(deepest, depthOf(world, ground, cube));
    }
    EXPECT_LT(deepest, 0.002);  // v dt is 0.13
    if (run == 0) first = deepest;
    EXPECT_EQ(deepest, first);
  }
}

TEST(PhysicsContinuous, SRp3d384) {
  World world(down());
  const BodyId floor = addStatic(world, {5, 1, 5}, {0, 0, 0});
  const BodyId cube = world.addBody(boxAt({0.5, 0.5, 0.5}, {0, 20, 0}));
  double time = 0;
  for (int i = 0; i < 300 && time == 0; ++i) {
    world.step(kDt);
    if (depthOf(world, floor, cube) > -0.001) time = (i + 1) * kDt;
  }
  EXPECT_NEAR(time, std::sqrt(2 * 18.5 / 9.81), kDt);
  EXPECT_NEAR(world.pose(cube).position.y(), 1.5, 0.001);
}

TEST(PhysicsContinuous, SRp3d26) {
  World world(down());
  addStatic(world, {10, 1, 10}, {0, 0, 0});
  const BodyId cube = world.addBody(boxAt({2, 2, 2}, {0, 20, 0}));
  EXPECT_GT(lowestOver(world, cube, 600), 3 - 0.002);
  EXPECT_NEAR(world.pose(cube).position.y(), 3, 0.001);
}

// A bullet past the edge of a wall at a centimetre: neither a contact nor the sweep may touch it.
TEST(PhysicsContinuous, NearMissIsAMiss) {
  for (const double gap : {0.1, 0.01, 0.002}) {
    World world(noGravity());
    addStatic(world, {0.05, 1, 1}, {0, -1 - 0.1 - gap, 0});
    const BodyId shot = world.addBody(boxAt({0.1, 0.1, 0.1}, {-7, 0, 0}, {120, 0, 0}));
    for (int i = 0; i < 10; ++i) world.step(kDt);
    EXPECT_NEAR(world.pose(shot).position.x(), -7 + 10 * 120 * kDt, 1e-4) << gap;
    EXPECT_NEAR(world.pose(shot).position.y(), 0, 1e-6) << gap;
  }
}

// A hit without friction off the centre turns a wall's bullet as the laws say; momentum along the wall stays.
TEST(PhysicsContinuous, GlancingHitKeepsTangentialMomentum) {
  World world(noGravity());
  BodyDef wall;
  wall.kind = BodyKind::Static;
  wall.halfExtents = {0.05, 50, 5};
  wall.friction = 0;
  world.addBody(wall);
  BodyDef shot = boxAt({0.1, 0.1, 0.1}, {-3, -5, 0}, {150, 80, 0});
  shot.friction = 0;
  const BodyId id = world.addBody(shot);
  for (int i = 0; i < 20; ++i) world.step(kDt);
  EXPECT_NEAR(world.linearVelocity(id).y(), 80, 1e-3);
  EXPECT_NEAR(world.linearVelocity(id).x(), 0, 1e-3);
  EXPECT_NEAR(world.pose(id).position.x(), -0.15, 0.001);
}

// Dropped from high above, bouncing with restitution 1, at sizes for which every step is a fast one: no gain of energy.
TEST(PhysicsContinuous, BouncesGainNoEnergy) {
  for (const double half : {0.02, 0.1, 0.5}) {
    World world(down());
    addStatic(world, {50, 0.05, 50}, {0, -0.05, 0});
    BodyDef box = boxAt({half, half, half}, {0, 30, 0});
    box.restitution = 1;
    world.addBody(box);
    const double start = world.energy();
    double most = start;
    for (int i = 0; i < 1200; ++i) {
      world.step(kDt);
      most = std::max(most, world.energy());
    }
    EXPECT_LT(most, start * (1 + 1e-4)) << half;
    EXPECT_GT(world.energy(), 0.97 * start) << half;
  }
}

// A rod between floor and ceiling, deep in both, slides along. (Held until no corner of it went deeper, what others press into the
// floor stood still for good.)
TEST(PhysicsContinuous, DeepInTheFloorIsNoPrison) {
  for (const double depth : {0.008, 0.015, 0.0185, 0.0205, 0.025})
    for (const double spin : {0.0, 3.0, -8.0}) {
      World world(noGravity());
      BodyDef slab = boxAt({2, 0.5, 2}, {0, -0.5, 0});
      slab.kind = BodyKind::Static;
      slab.friction = 0;
      world.addBody(slab);
      slab.pose.position = {0, 0.54 - 2 * depth, 0};
      world.addBody(slab);
      BodyDef rod = boxAt({0.3, 0.02, 0.02}, {0, 0.02 - depth, 0}, {1, 0, 0});
      rod.angularVelocity = {0, 0, spin};
      rod.friction = 0;
      const BodyId id = world.addBody(rod);
      for (int i = 0; i < 4; ++i) world.step(kDt);
      const double before = world.pose(id).position.x();
      for (int i = 0; i < 6; ++i) {
        world.step(kDt);
        // With its middle beyond both surfaces it may rest against either.
        EXPECT_NEAR(world.pose(id).position.y(), 0.02 - depth, depth < 0.02 ? 0.009 : 0.025) << depth << " m, " << spin << " rad/s, step " << i;
      }
      EXPECT_NEAR(world.pose(id).position.x() - before, 6 * kDt, 0.01) << depth << " m, " << spin << " rad/s";
    }
}

// A kinematic paddle at 60 m/s takes along what it hits.
TEST(PhysicsContinuous, FastPaddle) {
  World world(noGravity());
  BodyDef paddle = boxAt({0.05, 1, 1}, {-3, 0, 0}, {60, 0, 0});
  paddle.kind = BodyKind::Kinematic;
  const BodyId pusher = world.addBody(paddle);
  const BodyId box = world.addBody(boxAt({0.2, 0.2, 0.2}, {0, 0, 0}));
  for (int i = 0; i < 10; ++i) {
    world.step(kDt);
    ASSERT_GT(world.pose(box).position.x(), world.pose(pusher).position.x()) << i;
  }
  EXPECT_GE(world.linearVelocity(box).x(), 59.9);
}

// The same bits from the same scene, and whatever the order in which unrelated bodies were added.
TEST(PhysicsContinuous, Deterministic) {
  const auto run = [] {
    World world(down());
    addStatic(world, {20, 0.05, 20}, {0, -0.05, 0});
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int i = 0; i < 60; ++i) {
      const Eigen::Vector3d velocity = {60 * unit(random), -60, 60 * unit(random)};
      BodyDef box = boxAt({0.1, 0.2, 0.05}, {3 * unit(random), 5 + 4 * unit(random), 3 * unit(random)}, velocity);
      box.pose.orientation = randomTurn(random);
      box.angularVelocity = {30 * unit(random), 30 * unit(random), 30 * unit(random)};
      box.continuous = i % 2 == 0;
      world.addBody(box);
    }
    for (int i = 0; i < 60; ++i) world.step(kDt);
    for (const BodyId id : world.bodies()) {
      const Eigen::Vector3d p = world.pose(id).position;
      EXPECT_TRUE(std::abs(p.x()) > 19 || std::abs(p.z()) > 19 || p.y() > -0.06) << p.transpose();
    }
    return world.stateHash();
  };
  EXPECT_EQ(run(), run());
}

// What has no pair is not swept as long as it stays in its fat box. A force that comes of a sudden throws it out of that.
TEST(PhysicsContinuous, ABodyWithoutAPairThatIsThrownOutOfItsBoxHitsTheWall) {
  for (const bool turns : {false, true}) {
    World world(noGravity());
    const BodyId box = world.addBody(boxAt({0.5, 0.05, 0.05}, {0, 0, 0}));
    addStatic(world, {0.02, 5, 5}, {turns ? 0.3 : 3.0, turns ? 5.4 : 0.0, 0});  // thin; a plank that turns has to pass its end
    world.step(kDt);
    ASSERT_EQ(world.lastReport().pairs, 0);
    const double mass = world.mass(box);
    if (turns)
      world.applyTorque(box, {0, 0, 2.0 / (kDt * kDt) * mass / 12});  // 2 rad in a step
    else
      world.applyForce(box, {6 / (kDt * kDt) * mass, 0, 0});  // 6 m in a step
    world.step(kDt);
    const Eigen::Vector3d tip = world.pose(box).orientation * Eigen::Vector3d(0.5, 0, 0) + world.pose(box).position;
    EXPECT_LT(turns ? tip.y() : tip.x(), turns ? 0.42 : 3.0);
    EXPECT_GT(turns ? tip.y() : tip.x(), turns ? 0.3 : 2.9);
  }
}

}  // namespace
}  // namespace sunder
