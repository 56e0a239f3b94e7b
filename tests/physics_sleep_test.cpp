// SPDX-License-Identifier: MIT
// When bodies fall asleep and what wakes them; World::isAwake states the rules.
#include "physics_bodies.h"
#include "sunder/narrowphase/query.h"

namespace sunder {
namespace {

using namespace sunder::testing;

// A cube asleep on a floor.
struct Sleeper {
  World world;
  BodyId floor, cube;
  explicit Sleeper(const WorldDef& def = {}) : world(def) {
    floor = addFloor(world);
    cube = world.addBody(boxAt({0, 0, 0.5}));
    timeToSleep(world, cube, 5);
    EXPECT_FALSE(world.isAwake(cube));
  }
  bool wakesInAStep() {
    world.step(kDt);
    return world.isAwake(cube);
  }
};

TEST(Sleep, ThresholdsAreTunable) {
  for (const double time : {0.25, 0.5, 2.0}) {
    WorldDef def;
    def.sleepTime = time;
    World world(def);
    addFloor(world);
    const BodyId id = world.addBody(boxAt({0, 0, 0.5}));
    EXPECT_NEAR(timeToSleep(world, id, 5), time, 0.15);
  }
  WorldDef drifting = weightless();
  drifting.sleepSpeed = 0.01;
  World world(drifting);
  BodyDef slow = boxAt({0, 0, 0});
  slow.linearVelocity = {0.02, 0, 0};
  const BodyId id = world.addBody(slow);
  EXPECT_GE(timeToSleep(world, id, 3), 3);  // faster than the threshold
  world.setLinearVelocity(id, {0.005, 0, 0});
  EXPECT_LT(timeToSleep(world, id, 3), 1);
  for (const double bad : {0.0, -1.0, kNaN, kInfinity}) {
    WorldDef wrong;
    wrong.sleepSpeed = bad;
    EXPECT_THROW(World{wrong}, std::invalid_argument);
    wrong = {};
    wrong.sleepTime = bad;
    EXPECT_THROW(World{wrong}, std::invalid_argument);
  }
}

TEST(Sleep, IsForbiddenPerBodyForItsWholeIsland) {
  World world;
  addFloor(world);
  const std::vector<BodyId> stack = addStack(world, 3);
  const BodyId apart = world.addBody(boxAt({5, 0, 0.5}));
  world.setAllowSleep(stack[1], false);
  run(world, 3);
  for (const BodyId id : stack) EXPECT_TRUE(world.isAwake(id));
  EXPECT_FALSE(world.isAwake(apart));
  world.setAllowSleep(stack[1], true);
  run(world, 1.5);
  for (const BodyId id : stack) EXPECT_FALSE(world.isAwake(id));
  world.setAllowSleep(stack[2], false);
  for (const BodyId id : stack) EXPECT_TRUE(world.isAwake(id));
}

TEST(Sleep, ASupportThatIsRemovedWakes) {
  Sleeper s;
  s.world.removeBody(s.floor);
  EXPECT_TRUE(s.wakesInAStep());
  run(s.world, 0.5);
  EXPECT_LT(s.world.pose(s.cube).position.z(), 0);
}

// S-avian-654: a static support shrinks or moves, and the sleeper floats.
TEST(Sleep, AStaticSupportThatShrinksOrMovesWakes) {
  Sleeper shrunk;
  shrunk.world.setHalfExtents(shrunk.floor, {50, 50, 0.25});
  EXPECT_TRUE(shrunk.wakesInAStep());
  run(shrunk.world, 2);
  EXPECT_NEAR(shrunk.world.pose(shrunk.cube).position.z(), 0.25, 1e-3);

  Sleeper lowered;
  Pose pose = lowered.world.pose(lowered.floor);
  pose.position.z() -= 0.01;
  lowered.world.setPose(lowered.floor, pose);
  EXPECT_TRUE(lowered.wakesInAStep());

  Sleeper gone;
  pose = gone.world.pose(gone.floor);
  pose.position.x() += 1000;
  gone.world.setPose(gone.floor, pose);
  EXPECT_TRUE(gone.wakesInAStep());
}

// S-rapier-573: writing the same pose each step must not keep the neighbour awake, nor wake it.
TEST(Sleep, RewritingAnUnchangedPoseDoesNothing) {
  World world;
  const BodyId floor = addFloor(world), cube = world.addBody(boxAt({0, 0, 0.5}));
  for (int i = 0; i < 120; ++i) {
    world.setPose(floor, world.pose(floor));
    world.setFriction(floor, 0.5);
    world.step(kDt);
  }
  EXPECT_FALSE(world.isAwake(cube));
  world.setPose(cube, world.pose(cube));
  world.setLinearVelocity(cube, {0, 0, 0});
  world.applyForce(cube, {0, 0, 0});
  world.applyImpulse(cube, {0, 0, 0});
  EXPECT_FALSE(world.isAwake(cube));
}

// S-bevyrapier-570: gravity is switched on later.
TEST(Sleep, ChangingGravityWakes) {
  World world(weightless());
  const BodyId id = world.addBody(boxAt({0, 0, 0}));
  run(world, 2);
  ASSERT_FALSE(world.isAwake(id));
  world.setGravity({0, 0, 0});
  EXPECT_FALSE(world.isAwake(id));
  world.setGravity({0, 0, -9.81});
  EXPECT_TRUE(world.isAwake(id));
  run(world, 1);
  EXPECT_NEAR(world.pose(id).position.z(), -0.5 * 9.81, 1e-9);
}

TEST(Sleep, ChangesOfTheBodyWakeIt) {
  const auto wakes = [](auto&& change) {
    Sleeper s;
    change(s.world, s.cube);
    return s.world.isAwake(s.cube);
  };
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.wake(id); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.applyForce(id, {1, 0, 0}); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.applyForceAt(id, {1, 0, 0}, {0, 0, 0}); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.applyTorque(id, {1, 0, 0}); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.applyImpulse(id, {1, 0, 0}); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.applyAngularImpulse(id, {1, 0, 0}); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.setLinearVelocity(id, {1, 0, 0}); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.setHalfExtents(id, {0.4, 0.5, 0.5}); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.setMass(id, 3); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.setFriction(id, 0); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.setGravityScale(id, 2); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.setFilter(id, {2, 2}); }));
  EXPECT_TRUE(wakes([](World& w, BodyId id) { w.setLockedAxes(id, kLockLinearX); }));
  EXPECT_TRUE(wakes([](World& w, BodyId) { w.setSleep(false); }));
  EXPECT_FALSE(wakes([](World& w, BodyId id) { w.setContinuous(id, true); }));
  EXPECT_FALSE(wakes([](World& w, BodyId id) { w.setAllowSleep(id, true); }));
}

// S-physx-sleep: only what the rules name wakes; neighbours that nothing touches sleep on.
TEST(Sleep, ThingsNearbyDoNotWake) {
  Sleeper s;
  const BodyId box = s.world.addBody(boxAt({3, 0, 0.5}));
  run(s.world, 0.2);
  s.world.setPose(box, Pose{{3, 3, 0.5}, Quaternion(1, 0, 0, 0)});
  run(s.world, 0.2);
  s.world.removeBody(box);
  BodyDef fast = boxAt({1.51, -5, 3}, {0.5, 0.5, 0.5});  // passes at 1 cm
  fast.linearVelocity = {0, 20, 0};
  fast.gravityScale = 0;
  const BodyId passing = s.world.addBody(fast);
  run(s.world, 0.5);
  s.world.removeBody(passing);
  run(s.world, 0.1);
  EXPECT_FALSE(s.world.isAwake(s.cube));
}

// S-physx-sleep: sleepers are added to, removed from and moved; in the end the world knows every touching pair.
TEST(Sleep, PairsAreCompleteAfterChangesToSleepers) {
  World world;
  addFloor(world);
  std::vector<BodyId> ids;
  for (int i = 0; i < 30; ++i) ids.push_back(world.addBody(boxAt({1.0001 * (i % 6), 1.5 * (i / 6), 0.5})));
  run(world, 2);
  for (const BodyId id : ids) ASSERT_FALSE(world.isAwake(id));
  world.removeBody(ids[7]);
  world.setPose(ids[3], Pose{{0.2, 0.1, 1.5}, Quaternion(1, 0, 0, 0)});
  world.setHalfExtents(ids[20], {0.5, 0.9, 0.5});
  world.setKind(ids[10], BodyKind::Static);
  ids.push_back(world.addBody(boxAt({4.2, 3.1, 1.5})));
  run(world, 3);
  std::size_t touching = 0, near = 0;
  for (const ContactInfo& info : world.contacts()) touching += info.touching;
  const std::vector<BodyId> all = world.bodies();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (world.mass(all[i]) == 0 && world.mass(all[j]) == 0) continue;
      const Box a{world.definition(all[i]).halfExtents}, b{world.definition(all[j]).halfExtents};
      const double distance = signedDistance(a, b, relativePose(world.pose(all[i]), world.pose(all[j]))).signedDistance;
      bool listed = false;
      for (const ContactInfo& info : world.contacts(all[i])) listed = listed || info.b == all[j] || info.a == all[j];
      if (distance < 1e-6) {
        ++near;
        EXPECT_TRUE(listed) << all[i].index << " " << all[j].index << " at " << distance;
      }
    }
  EXPECT_GT(near, 25u);
  EXPECT_GE(touching, near);
}

TEST(Sleep, SomethingAtRestThatIsPutIntoASleeperWakesIt) {
  Sleeper s;
  const BodyId wall = s.world.addBody(boxAt({20, 0, 0.5}, {0.5, 0.5, 0.5}, BodyKind::Static));
  run(s.world, 0.1);
  ASSERT_FALSE(s.world.isAwake(s.cube));
  s.world.setPose(wall, Pose{{0.9, 0, 0.5}, Quaternion(1, 0, 0, 0)});
  EXPECT_TRUE(s.wakesInAStep());
  Sleeper grown;
  const BodyId block = grown.world.addBody(boxAt({3, 0, 0.5}, {0.5, 0.5, 0.5}, BodyKind::Static));
  run(grown.world, 0.1);
  ASSERT_FALSE(grown.world.isAwake(grown.cube));
  grown.world.setHalfExtents(block, {2.6, 0.5, 0.5});
  EXPECT_TRUE(grown.wakesInAStep());
}

// What hits a sleeper finds it free to move in that very step: momentum is shared as if it had been awake.
TEST(Sleep, AHitIsTheSameAsOnAnAwakeBody) {
  Vector3d velocity[2];
  for (int sleeps = 0; sleeps < 2; ++sleeps) {
    WorldDef def = weightless();
    World world(def);
    BodyDef target = boxAt({0, 0, 0});
    target.allowSleep = sleeps == 1;
    const BodyId id = world.addBody(target);
    BodyDef bullet = boxAt({-4, 0, 0});
    bullet.linearVelocity = {3, 0, 0};
    const BodyId other = world.addBody(bullet);
    run(world, 3);
    velocity[sleeps] = world.linearVelocity(id);
    EXPECT_NEAR(world.linearVelocity(id).x() + world.linearVelocity(other).x(), 3, 1e-4) << (sleeps == 1 ? "asleep" : "awake");
  }
  EXPECT_EQ(velocity[0], velocity[1]);
}

// A box that stands on an edge a hair beyond its balance starts slower than any threshold.
TEST(Sleep, ABoxThatStartsToTipDoesNotFallAsleep) {
  for (const double beyond : {1e-4, 1e-3}) {
    World world;
    const BodyId table = world.addBody(boxAt({0, 0, -0.5}, {1, 1, 0.5}, BodyKind::Static));
    const BodyId id = world.addBody(boxAt({1 + beyond, 0, 0.5}));
    (void)table;
    run(world, 6);
    EXPECT_LT(world.pose(id).position.z(), 0) << "beyond " << beyond;
  }
}

// A tower that leans past its limit: five boxes, each shifted so that the top four just overhang.
TEST(Sleep, ASlowlyBucklingStackDoesNotFallAsleepHalfWay) {
  World world;
  addFloor(world);
  std::vector<BodyId> stack;
  for (int i = 0; i < 5; ++i) stack.push_back(world.addBody(boxAt({i < 1 ? 0 : 0.5005, 0, 0.5 + i})));
  run(world, 8);
  EXPECT_LT(world.pose(stack[4]).position.z(), 3);
}

TEST(Sleep, StandingStacksDoFallAsleep) {
  World world;
  addFloor(world);
  const std::vector<BodyId> stack = addStack(world, 10, 0.002);
  EXPECT_LT(timeToSleep(world, stack[0], 10), 5);
  EXPECT_NEAR(world.pose(stack[9]).position.z(), 9.5, 0.01);
}

// A slower belt than the threshold still carries.
TEST(Sleep, ASlowConveyorKeepsAwake) {
  World world;
  const BodyId floor = addFloor(world), cube = world.addBody(boxAt({0, 0, 0.5}));
  world.setSurfaceVelocity(floor, {0.02, 0, 0});
  run(world, 10);
  EXPECT_NEAR(world.pose(cube).position.x(), 0.2, 0.005);
  world.setSurfaceVelocity(floor, {0, 0, 0});
  run(world, 2);
  EXPECT_FALSE(world.isAwake(cube));
}

TEST(Sleep, ASlowPlatformKeepsAwakeAndOneThatStopsDoesNot) {
  World world;
  const BodyId platform = addFloor(world, BodyKind::Kinematic), cube = world.addBody(boxAt({0, 0, 0.5}));
  world.setLinearVelocity(platform, {0, 0, 0.02});
  run(world, 5);
  EXPECT_NEAR(world.pose(cube).position.z(), 0.6, 1e-3);
  world.setLinearVelocity(platform, {0, 0, 0});
  run(world, 2);
  EXPECT_FALSE(world.isAwake(cube));
  world.setLinearVelocity(platform, {0, 0, 0.02});
  run(world, 5);
  EXPECT_NEAR(world.pose(cube).position.z(), 0.7, 1e-3);
}

// Nothing holds it up: slow at the top of its way, or by damping, or since it is nearly weightless.
TEST(Sleep, NotInTheAir) {
  for (int kind = 0; kind < 3; ++kind) {
    WorldDef worldDef;
    if (kind == 0) worldDef.gravity = {0, 0, -0.05};
    World world(worldDef);
    BodyDef def = boxAt({0, 0, 10});
    if (kind == 0) def.linearVelocity = {0, 0, 0.3};
    if (kind == 1) def.linearDamping = 250;
    if (kind == 2) def.gravityScale = 0.001;
    const BodyId id = world.addBody(def);
    def.lockedAxes = kLockLinearZ;  // this one hangs
    def.linearVelocity.setZero();
    def.pose.position = {5, 0, 10};
    const BodyId locked = world.addBody(def);
    run(world, 12);
    EXPECT_TRUE(world.isAwake(id)) << kind;
    EXPECT_FALSE(world.isAwake(locked)) << kind;
    const double fallen = kind == 0 ? 0.3 * 12 - 0.05 * 72 : kind == 1 ? -9.81 / 250 * 12 : -0.00981 * 72;
    EXPECT_NEAR(world.pose(id).position.z() - 10, fallen, 1e-3) << kind;
  }
}

}  // namespace
}  // namespace sunder
