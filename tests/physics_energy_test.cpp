// SPDX-License-Identifier: MIT
// What must be conserved, and what must never grow: momentum in free collisions, energy with restitution up to 1, the height
// of bounces.
#include <gtest/gtest.h>

#include "scene_rows.h"

namespace sunder::measure {
namespace {

// --- free collisions ----------------------------------------------------------------------------------------------------

struct Collision {
  double momentum = 0;         // change, as a share of the sum of the bodies' momenta before
  double angularMomentum = 0;  // same
  double energy = 0;           // end / start
  double gain = 0;             // largest rise of the energy over its start, as a share
  double hitGain = 0;          // largest rise within one step in which they push each other, as a share of the start
};
Collision collide(double restitution, double friction, std::uint64_t seed, double massRatio) {
  demo::Random random(seed);
  demo::Scene scene;
  scene.gravity.setZero();
  for (const int side : {-1, 1}) {
    const double x = side * 2.0, y = random.between(-0.3, 0.3), z = random.between(-0.3, 0.3);
    BodyDef& box = addDynamic(scene, {random.between(0.3, 0.6), random.between(0.3, 0.6), random.between(0.3, 0.6)}, {x, y, z});
    box.pose.orientation = random.rotation();
    box.linearVelocity = {-side * random.between(1, 5), random.between(-0.2, 0.2), random.between(-0.2, 0.2)};
    box.angularVelocity = {random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)};
    box.restitution = restitution;
    box.friction = friction;
    box.density = side < 0 ? 1000 : 1000 * massRatio;
  }
  SceneRun run(scene);
  double momentum = 0, spin = 0;
  for (int i = 0; i < 2; ++i) {
    momentum += run.world().mass(run.id(i)) * run.velocity(i).norm();
    spin += run.spinMomentum(i).norm() + run.world().mass(run.id(i)) * run.position(i).cross(run.velocity(i)).norm();
  }
  const Vector3d p = run.momentum(), l = run.angularMomentum();
  const double energy = run.kineticEnergy();
  Collision result;
  bool touched = false;
  for (int i = 0; i < 180; ++i) {
    const double last = run.kineticEnergy();
    run.step();
    const bool meets = run.world().contactImpulse(run.id(0)).norm() > 0;
    touched = meets || touched;
    if (meets) result.hitGain = std::max(result.hitGain, (run.kineticEnergy() - last) / energy);
    result.gain = std::max(result.gain, run.kineticEnergy() / energy - 1);
  }
  EXPECT_TRUE(touched) << "seed " << seed;
  result.momentum = (run.momentum() - p).norm() / momentum;
  result.angularMomentum = (run.angularMomentum() - l).norm() / spin;
  result.energy = run.kineticEnergy() / energy;
  return result;
}

// An island on which nothing acts from outside keeps its momentum and angular momentum to the rounding of 180 steps, and
// its contacts never add energy (docs/stepping.md, (20) to (22)).
TEST(Energy, FreeCollisionsConserveMomentum) {
  for (const double restitution : {0.0, 0.5, 1.0})
    for (const double ratio : {1.0, 30.0})
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Collision c = collide(restitution, 0.5, seed, ratio);
        EXPECT_LT(c.momentum, 1e-14) << "restitution " << restitution << ", ratio " << ratio << ", seed " << seed;
        EXPECT_LT(c.angularMomentum, 1e-13) << "restitution " << restitution << ", ratio " << ratio << ", seed " << seed;
      }
}

// The hits themselves give none. The free rotation between them is a splitting: its energy swings by what is let by here.
TEST(Energy, FreeCollisionsNeverGainEnergy) {
  for (const double restitution : {0.0, 0.5, 1.0})
    for (const double friction : {0.0, 0.5})
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Collision c = collide(restitution, friction, seed, 3);
        EXPECT_LT(c.hitGain, 1e-14) << "restitution " << restitution << ", friction " << friction << ", seed " << seed;
        EXPECT_LT(c.gain, 5e-5) << "restitution " << restitution << ", friction " << friction << ", seed " << seed;
      }
}

// Equal cubes that meet face to face exchange their velocities.
TEST(Energy, ElasticCubesExchangeVelocities) {
  demo::Scene scene;
  scene.gravity.setZero();
  for (const int side : {-1, 1}) {
    BodyDef& cube = addDynamic(scene, {0.5, 0.5, 0.5}, {2.0 * side, 0, 0});
    cube.linearVelocity = {side < 0 ? 3.0 : -1.0, 0, 0};
    cube.restitution = 1;
  }
  SceneRun run(scene);
  run.run(3);
  EXPECT_NEAR(run.velocity(0)[0], -1, 0.01);
  EXPECT_NEAR(run.velocity(1)[0], 3, 0.01);
  EXPECT_LT(run.angularVelocity(0).norm(), 1e-3);
}

// --- bounces ------------------------------------------------------------------------------------------------------------

TEST(Energy, FlatBounceReachesTheRightHeight) {
  for (const double dt : {1.0 / 30, 1.0 / 60, 1.0 / 240})
    for (const double drop : {0.5, 2.5, 10.0})
      for (const double e : {0.5, 1.0}) {
        SceneRun run = droppedCube(e, drop, 0, 0.5, dt);
        const Bounces b = measureBounces(run, 0.5, 1, 10);
        ASSERT_EQ(b.apexes.size(), 1u) << "restitution " << e << ", drop " << drop << ", dt " << dt;
        EXPECT_NEAR(b.apexes[0] / (e * e * drop), 1, 0.02) << "restitution " << e << ", drop " << drop << ", dt " << dt;
        EXPECT_LE(b.apexes[0], e * e * drop * (1 + 1e-6)) << "restitution " << e << ", drop " << drop << ", dt " << dt;
      }
}

TEST(Energy, WithoutRestitutionItStaysDown) {
  for (const double drop : {0.5, 2.5, 10.0}) {
    SceneRun run = droppedCube(0, drop);
    double highest = -1;
    bool landed = false;
    for (int i = 0; i < 180; ++i) {
      run.step();
      landed = landed || run.position(1)[1] < 0.505;
      if (landed) highest = std::max(highest, run.position(1)[1] - 0.5);
    }
    ASSERT_TRUE(landed);
    EXPECT_LT(highest, 5e-3) << drop;  // where it was when it counted as landed
    EXPECT_LT(std::abs(run.position(1)[1] - 0.5), 5e-4) << drop;
    EXPECT_LT(run.maxSpeed(), 1e-3) << drop;
  }
}

TEST(Energy, EdgeBounceReachesTheRightHeight) {
  for (const double e : {0.5, 1.0}) {
    const double angle = 0.7853981633974483;
    SceneRun run = droppedCube(e, 2.5, angle);
    const Bounces b = measureBounces(run, run.position(1)[1] - 2.5, 1, 4);
    ASSERT_EQ(b.apexes.size(), 1u);
    EXPECT_NEAR(b.apexes[0] / expectedEdgeApex(e, 2.5, angle), 1, 0.05) << e;
  }
  for (const double angle : {0.6981317007977318, 0.5235987755982988}) {
    SceneRun run = droppedCube(1, 2.5, angle, 0);
    const Bounces b = measureBounces(run, run.position(1)[1] - 2.5, 1, 4);
    ASSERT_EQ(b.apexes.size(), 1u);
    EXPECT_NEAR(b.apexes[0] / expectedEdgeApex(1, 2.5, angle), 1, 0.05) << angle;
  }
}

// Every impact takes energy or keeps it.
TEST(Energy, TumblingBoxNeverGainsEnergy) {
  for (const double e : {0.0, 0.3, 0.7, 1.0})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      demo::Scene scene = onGround("tumble");
      demo::Random random(seed);
      BodyDef& box = addDynamic(scene, {0.3, 0.5, 0.2}, {0, 3, 0});
      box.pose.orientation = random.rotation();
      box.angularVelocity = {random.between(-3, 3), random.between(-3, 3), random.between(-3, 3)};
      box.linearVelocity = {random.between(-3, 3), 0, random.between(-3, 3)};
      box.restitution = e;
      SceneRun run(scene);
      const double start = run.world().energy();
      double most = start;
      for (int i = 0; i < 300; ++i) {
        run.step();
        most = std::max(most, run.world().energy());
      }
      EXPECT_LE(most, start * (1 + 1e-4)) << "restitution " << e << ", seed " << seed;
    }
}

// --- many bodies --------------------------------------------------------------------------------------------------------

// Random boxes, one above the other, of a density ratio of up to 80.
demo::Scene fallingPile(demo::Random& random, double restitution) {
  demo::Scene scene = onGround("pile");
  const double friction = random.between(0, 5) < 1 ? 0 : random.between(0, 1);
  const int count = static_cast<int>(random.between(2, 7));
  const double gap = random.between(0, 2) < 1 ? 0.002 : random.between(0, 0.5);
  double height = 0;
  for (int i = 0; i < count; ++i) {
    const double extent = random.between(0.1, 0.5);
    const double x = random.between(0.3, 1), y = random.between(0.3, 1), z = random.between(0.3, 1);
    BodyDef& box = addDynamic(scene, {extent * x, extent * y, extent * z}, {0, 0, 0});
    double reach = box.halfExtents.y();
    if (random.between(0, 2) < 1) {
      box.pose.orientation = random.rotation();
      reach = box.halfExtents.norm();
    }
    const double beside = random.between(-0.2, 0.2), before = random.between(-0.2, 0.2);
    box.pose.position = {beside, height + reach + 0.001, before};
    height += 2 * reach + gap;
    const double share = random.between(0, 1);
    box.density = 100 * (1 + 79 * share * share * share);
  }
  for (demo::SceneBody& body : scene.bodies) {
    body.def.restitution = restitution;
    body.def.friction = friction;
  }
  return scene;
}

// What a body bounces back with must be a speed that it had: a light one between the floor and a heavy one got speeds in the sweep
// that nothing ever had, bounced with them, and in 3 of 100 piles energy went up, to 10^28 of the start.
TEST(Energy, BouncingPilesNeverGainEnergy) {
  for (const double restitution : {0.5, 0.93})
    for (const double rate : {60.0, 240.0})
      for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        demo::Random random(seed);
        SceneRun run(fallingPile(random, restitution));
        const double start = run.world().energy();
        double most = start;
        for (int i = 0; i < 2 * rate; ++i) {
          run.world().step(1 / rate);
          most = std::max(most, run.world().energy());
        }
        EXPECT_LE(most, start * 1.01) << "restitution " << restitution << ", rate " << rate << ", seed " << seed;
      }
}

// A cube falls on a block of cubes, more than hits are swept in: such an island gains little in a step.
TEST(Energy, LargeBlocksThatAreHitGainLittle) {
  for (const double rate : {60.0, 240.0})
    for (const double speed : {10.0, 60.0})
      for (const int edge : {3, 4}) {
        demo::Scene scene = onGround("block");
        for (int x = 0; x < edge; ++x)
          for (int y = 0; y < edge; ++y)
            for (int z = 0; z < edge; ++z) addDynamic(scene, {0.25, 0.25, 0.25}, {0.5 * x, 0.25 + 0.5 * y, 0.5 * z});
        BodyDef& hitter = addDynamic(scene, {0.25, 0.25, 0.25}, {0.3, 0.5 * edge + 0.5, 0.2});
        hitter.linearVelocity = {0, -speed, 0};
        for (demo::SceneBody& body : scene.bodies) body.def.restitution = 1;
        SceneRun run(scene);
        const double start = run.world().energy();
        double most = start;
        for (int i = 0; i < rate; ++i) {
          run.world().step(1 / rate);
          most = std::max(most, run.world().energy());
        }
        EXPECT_LE(most, start * 1.002) << "rate " << rate << ", speed " << speed << ", " << edge << "^3 cubes";
      }
}

}  // namespace
}  // namespace sunder::measure
