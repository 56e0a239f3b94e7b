// SPDX-License-Identifier: MIT
// Properties of bodies at run time: kinds, kinematic bodies, conveyors, dominance, sizes, and refusals. Those of pairs are in
// physics_pair_rules_test.cpp.
#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;

// S-bt-4202: boxes on a kinematic body that does not move, bit for bit as on a static one.
TEST(Kinematic, AtRestIsStaticBitForBit) {
  std::uint64_t hash[2];
  for (int kinematic = 0; kinematic < 2; ++kinematic) {
    WorldDef def;
    def.sleep = false;
    World world(def);
    world.addBody(boxAt({0, 0, -0.5}, {10, 10, 0.5}, kinematic == 1 ? BodyKind::Kinematic : BodyKind::Static));
    for (int i = 0; i < 64; ++i) world.addBody(boxAt({i % 4 - 1.5, i / 4 % 4 - 1.5, 0.5 + i / 16}));
    run(world, 5);
    hash[kinematic] = world.stateHash();
  }
  EXPECT_EQ(hash[0], hash[1]);
}

TEST(Kinematic, MovesAsToldAndIsPushedByNothing) {
  World world;
  const BodyId platform = addFloor(world, BodyKind::Kinematic);
  BodyDef heavy = boxAt({0, 0, 2});
  heavy.mass = 1e6;
  world.addBody(heavy);
  world.setLinearVelocity(platform, {0.5, 0, 1});
  world.setAngularVelocity(platform, {0, 0, 0.2});
  run(world, 2);
  EXPECT_LT((world.pose(platform).position - Vector3d(1, 0, 1.5)).norm(), 1e-12);
  EXPECT_EQ(world.linearVelocity(platform), Vector3d(0.5, 0, 1));
  EXPECT_NEAR(2 * std::atan2(world.pose(platform).orientation.z(), world.pose(platform).orientation.w()), 0.4, 1e-9);
  EXPECT_EQ(world.mass(platform), 0);
}

TEST(Kinematic, CarriesWhatStandsOnIt) {
  World world;
  const BodyId platform = addFloor(world, BodyKind::Kinematic);
  const std::vector<BodyId> stack = addStack(world, 3);
  run(world, 0.5);
  const Vector3d start = world.pose(stack[2]).position;
  for (int i = 1; i <= 120; ++i) {  // to 2 m/s at 1 m/s^2: within friction
    world.setLinearVelocity(platform, {i / 60.0, 0, 0.5 * i / 60.0});
    world.step(kDt);
  }
  const Vector3d moved = world.pose(platform).position - Vector3d(0, 0, -0.5);
  EXPECT_LT((world.pose(stack[2]).position - start - moved).norm(), 0.01);
}

// Friction turns what stands on a turntable with it.
TEST(Kinematic, ATurntableTurnsWhatStandsOnIt) {
  World world;
  const BodyId table = addFloor(world, BodyKind::Kinematic), cube = world.addBody(boxAt({1, 0, 0.5}));
  world.setAngularVelocity(table, {0, 0, 1});
  run(world, 3);
  EXPECT_NEAR(world.angularVelocity(cube).z(), 1, 0.01);
  EXPECT_NEAR(world.pose(cube).position.head<2>().norm(), 1, 0.03);
}

TEST(Conveyor, CarriesAtItsSpeed) {
  World world;
  const BodyId belt = addFloor(world), cube = world.addBody(boxAt({0, 0, 0.5}));
  world.setSurfaceVelocity(belt, {1.5, -0.5, 0});
  run(world, 3);
  EXPECT_LT((world.linearVelocity(cube) - Vector3d(1.5, -0.5, 0)).norm(), 1e-3);
  EXPECT_EQ(world.pose(belt).position, Vector3d(0, 0, -0.5));
  // Friction accelerates it: mu g until the speed is reached.
  EXPECT_NEAR(world.pose(cube).position.x(), 1.5 * (3 - std::hypot(1.5, 0.5) / (2 * 0.5 * 9.81)), 0.05);
  world.setSurfaceVelocity(belt, {0, 0, 0});
  run(world, 2);
  EXPECT_LT(world.linearVelocity(cube).norm(), 1e-3);
}

// A body of higher dominance is not moved by one of lower, whatever the masses.
TEST(Dominance, TheHigherIsNotMoved) {
  for (const int sign : {1, -1}) {  // whichever was added first
    World world(weightless());
    BodyDef strong = boxAt({0, 0, 0}), weak = boxAt({-2.0 * sign, 0, 0});
    strong.mass = 1;
    strong.dominance = 1;
    weak.mass = 1e5;
    weak.linearVelocity = {3.0 * sign, 0, 0};
    const BodyId first = world.addBody(sign > 0 ? strong : weak), second = world.addBody(sign > 0 ? weak : strong);
    const BodyId still = sign > 0 ? first : second, other = sign > 0 ? second : first;
    run(world, 2);
    EXPECT_EQ(world.pose(still).position, Vector3d(0, 0, 0));
    EXPECT_NEAR(world.linearVelocity(other).x(), 0, 1e-4);
    EXPECT_NEAR(world.pose(other).position.x(), -1.0 * sign, 0.01);
  }
}

// Nor does it fall through what is static, whichever was added first.
TEST(Dominance, WhatIsStaticDominatesAll) {
  for (int order = 0; order < 2; ++order) {
    World world;
    if (order == 0) addFloor(world);
    BodyDef def = boxAt({0, 0, 0.5});
    def.dominance = 100;
    const BodyId id = world.addBody(def);
    if (order == 1) addFloor(world);
    run(world, 1);
    EXPECT_NEAR(world.pose(id).position.z(), 0.5, 1e-3);
  }
}

TEST(Dominance, CanBeChangedAtRunTime) {
  World world;
  addFloor(world);
  BodyDef light = boxAt({0, 0, 0.5});
  light.mass = 1;
  const BodyId lower = world.addBody(light);
  BodyDef heavy = boxAt({0, 0, 1.5});
  heavy.mass = 100;
  const BodyId upper = world.addBody(heavy);
  world.setDominance(lower, 5);
  run(world, 1);
  // The lower one feels nothing of what stands on it: the floor carries its own weight only.
  EXPECT_NEAR(-world.contactImpulse({0, 1}).z() / kDt, 9.81, 0.02);
  EXPECT_NEAR(world.pose(upper).position.z(), 1.5, 1e-3);
  world.setDominance(lower, 0);
  run(world, 2);
  EXPECT_NEAR(-world.contactImpulse({0, 1}).z() / kDt, 101 * 9.81, 1);
}

// S-rp3d-184: a static body whose mass is set again stays static, in any order of the calls.
TEST(Kinds, StaticStaysStaticWhateverIsSet) {
  World world;
  const BodyId floor = world.addBody(boxAt({0, 0, -0.5}, {50, 50, 0.5}));
  world.setKind(floor, BodyKind::Static);
  world.setMass(floor, 10);
  world.setDensity(floor, 500);
  world.setHalfExtents(floor, {40, 40, 0.5});
  const BodyId cube = world.addBody(boxAt({0, 0, 2}));
  run(world, 2);
  EXPECT_EQ(world.mass(floor), 0);
  EXPECT_EQ(world.inertia(floor), Vector3d(0, 0, 0));
  EXPECT_EQ(world.pose(floor).position, Vector3d(0, 0, -0.5));
  EXPECT_NEAR(world.pose(cube).position.z(), 0.5, 1e-3);
  world.setKind(floor, BodyKind::Dynamic);
  EXPECT_EQ(world.mass(floor), 10);
}

TEST(Kinds, CanBeChangedAtRunTime) {
  World world;
  addFloor(world);
  const BodyId hole = world.addBody(boxAt({9, 0, 0.5}));
  const BodyId block = world.addBody(boxAt({0, 0, 1.5}, {0.5, 0.5, 0.5}, BodyKind::Static));
  const BodyId rider = world.addBody(boxAt({0, 0, 2.5}));
  run(world, 1);
  world.removeBody(hole);  // a lower free slot: the proxy must still keep its number
  world.step(kDt);
  EXPECT_NEAR(world.pose(rider).position.z(), 2.5, 1e-3);
  world.setKind(block, BodyKind::Dynamic);
  run(world, 2);
  EXPECT_NEAR(world.pose(block).position.z(), 0.5, 1e-3);
  EXPECT_NEAR(world.pose(rider).position.z(), 1.5, 2e-3);
  world.setKind(block, BodyKind::Kinematic);
  world.setLinearVelocity(block, {0, 0, 0.5});
  run(world, 1);
  EXPECT_NEAR(world.pose(rider).position.z(), 2.0, 2e-3);
  world.setKind(block, BodyKind::Static);
  EXPECT_EQ(world.linearVelocity(block), Vector3d(0, 0, 0));
  EXPECT_FALSE(world.isAwake(block));
  run(world, 1);
  EXPECT_NEAR(world.pose(rider).position.z(), 2.0, 2e-3);
}

TEST(Size, MassAndContactsFollow) {
  World world;
  addFloor(world);
  const BodyId cube = world.addBody(boxAt({0, 0, 0.5}));
  run(world, 1);
  world.setHalfExtents(cube, {1, 1, 1});
  EXPECT_NEAR(world.mass(cube), 8000, 1e-9);
  EXPECT_NEAR(world.inertia(cube).x(), 8000 * 4 / 6.0, 1e-9);
  run(world, 3);
  EXPECT_NEAR(world.pose(cube).position.z(), 1, 2e-3);
  world.setHalfExtents(cube, {0.2, 0.2, 0.2});
  run(world, 2);
  EXPECT_NEAR(world.pose(cube).position.z(), 0.2, 1e-3);
}

// S-rp3d-431: what is not a number is refused by the call that brings it, and the world is as it was.
TEST(Refusals, EverySetterAndTheWorldStaysAsItWas) {
  World world;
  addFloor(world);
  const BodyId id = world.addBody(boxAt({0, 0, 0.5}));
  run(world, 0.2);
  const std::vector<std::uint8_t> before = world.save();
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_THROW(world.setPose(id, Pose{{bad, 0, 0}, Quaternion(1, 0, 0, 0)}), std::invalid_argument);
    EXPECT_THROW(world.setPose(id, Pose{{0, 0, 0}, Quaternion(bad, 0, 0, 0)}), std::invalid_argument);
    EXPECT_THROW(world.setLinearVelocity(id, {0, bad, 0}), std::invalid_argument);
    EXPECT_THROW(world.setAngularVelocity(id, {0, bad, 0}), std::invalid_argument);
    EXPECT_THROW(world.setSurfaceVelocity(id, {0, 0, bad}), std::invalid_argument);
    EXPECT_THROW(world.setGravity({0, 0, bad}), std::invalid_argument);
    EXPECT_THROW(world.setGravityScale(id, bad), std::invalid_argument);
    EXPECT_EQ(world.step(bad).errors, kStepInvalidTimeStep);
  }
  for (const double bad : {kNaN, kInfinity, -1.0}) {
    EXPECT_THROW(world.setHalfExtents(id, {1, bad, 1}), std::invalid_argument);
    EXPECT_THROW(world.setMass(id, bad), std::invalid_argument);
    EXPECT_THROW(world.setDensity(id, bad), std::invalid_argument);
    EXPECT_THROW(world.setFriction(id, bad), std::invalid_argument);
    EXPECT_THROW(world.setRestitution(id, bad), std::invalid_argument);
    EXPECT_THROW(world.setLinearDamping(id, bad), std::invalid_argument);
    EXPECT_THROW(world.setAngularDamping(id, bad), std::invalid_argument);
    BodyDef def = boxAt({0, 0, 0}, {1, 1, bad});
    EXPECT_THROW(world.addBody(def), std::invalid_argument);
    SeparateSettings settings;
    settings.tolerance = bad;
    EXPECT_THROW(world.separate(settings), std::invalid_argument);
  }
  EXPECT_THROW(world.setPose(id, Pose{{0, 0, 0}, Quaternion(0, 0, 0, 0)}), std::invalid_argument);
  EXPECT_THROW(world.setHalfExtents(id, {0, 1, 1}), std::invalid_argument);
  EXPECT_THROW(world.setRestitution(id, 1.01), std::invalid_argument);
  EXPECT_THROW(world.setKind(id, static_cast<BodyKind>(7)), std::invalid_argument);
  const BodyId stale{id.index, id.generation + 1}, none;
  EXPECT_THROW(world.setFriction(stale, 1), std::invalid_argument);
  EXPECT_THROW(world.applyForce(none, {1, 0, 0}), std::invalid_argument);
  EXPECT_THROW(world.contacts(stale), std::invalid_argument);
  EXPECT_THROW(world.ignorePair(id, none), std::invalid_argument);
  EXPECT_EQ(world.save(), before);
  try {
    world.setFriction(id, -2);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "body: friction is -2, must be >= 0");
  }
}

}  // namespace
}  // namespace sunder
