// SPDX-License-Identifier: MIT
// World::step as a whole: time steps of any length, what it refuses, and what it reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "physics_bodies.h"

namespace sunder::testing {
namespace {

TEST(Step, TimeStepsThatAreNoneAreFlaggedAndChangeNothing) {
  World world;
  addFloor(world);
  world.addBody(boxAt({0, 0, 2}));
  run(world, 0.2);
  const std::uint64_t hash = world.stateHash();
  for (const double dt : {0.0, -0.01, kNaN, kInfinity, -kInfinity}) {
    EXPECT_EQ(world.step(dt).errors, std::uint32_t{kStepInvalidTimeStep}) << dt;
    EXPECT_EQ(world.stateHash(), hash) << dt;
  }
  EXPECT_EQ(world.step(kDt).errors, std::uint32_t{kStepOk});
}

// What contacts do takes the same path for any length of step that resolves it.
TEST(Step, AStackStandsAtAnyRate) {
  for (const double rate : {30.0, 60.0, 240.0, 1000.0}) {
    World world;
    addFloor(world);
    const std::vector<BodyId> stack = addStack(world, 5);
    run(world, 2, 1 / rate);
    EXPECT_NEAR(world.pose(stack.back()).position.z(), 4.5, 2e-3) << rate;
    EXPECT_LT(world.linearVelocity(stack.back()).norm(), 1e-3) << rate;
  }
}

// The depth that belongs to a load must not follow each step's length, or a stack is lifted and let down, and creeps.
TEST(Step, AStackStandsInStepsOfAnyLengths) {
  Numbers random(1);
  const auto alternate = [](double first, double second) { return [=](int i) { return 1 / (i % 2 == 0 ? first : second); }; };
  const std::function<double(int)> patterns[] = {alternate(60, 120), alternate(30, 120), alternate(30, 240),
                                                 [&](int) { return 1 / random.between(30, 240); },
                                                 [](int i) { return i % 60 == 59 ? 0.1 : kDt; },
                                                 [](int i) { return i / 100 % 2 == 0 ? 1 / 240.0 : kDt; }};
  for (const int count : {5, 10, 20})
    for (std::size_t pattern = 0; pattern < std::size(patterns); ++pattern) {
      WorldDef def;
      def.sleep = false;
      World world(def);
      addFloor(world);
      std::vector<BodyId> stack;
      std::vector<Vector3d> start;
      for (int i = 0; i < count; ++i) {
        const double x = random.between(-0.003, 0.003);
        const double y = random.between(-0.003, 0.003);
        start.push_back({x, y, 0.5 + i});
        stack.push_back(world.addBody(boxAt(start.back())));
      }
      double time = 0;
      for (int i = 0; time < 10; ++i) {
        const double dt = patterns[pattern](i);
        ASSERT_EQ(world.step(dt).errors, kStepOk);
        time += dt;
      }
      for (int i = 0; i < count; ++i)
        EXPECT_LT((world.pose(stack[static_cast<std::size_t>(i)]).position - start[static_cast<std::size_t>(i)]).norm(), 0.003)
            << count << " boxes, pattern " << pattern << ", box " << i;
    }
}

TEST(Step, APyramidStandsInStepsOfAnyLengths) {
  for (const double other : {120.0, 240.0, 90.0})
    for (const int first : {0, 1}) {
      World world;
      addFloor(world);
      std::vector<BodyId> bodies;
      std::vector<Vector3d> start;
      for (int row = 0; row < 14; ++row)
        for (int i = 0; i < 14 - row; ++i) {
          start.push_back({(i - 0.5 * (13 - row)) * 1.01, 0, 0.5 + row});
          bodies.push_back(world.addBody(boxAt(start.back())));
        }
      for (int i = first; i < 900; ++i) world.step(i % 2 == 0 ? kDt : 1 / other);
      double moved = 0;
      for (std::size_t i = 0; i < bodies.size(); ++i) moved = std::max(moved, (world.pose(bodies[i]).position - start[i]).norm());
      EXPECT_LT(moved, 0.001) << "1/60 and 1/" << other << " s, from step " << first << " on";  // 16 to 73 mm with equal substeps in each step
    }
}

TEST(Step, ReportsWhatIsThere) {
  World world;
  addFloor(world);
  addStack(world, 3);
  world.addBody(boxAt({20, 0, 30}));
  const StepReport& report = world.step(kDt);
  EXPECT_EQ(report.bodies, 5);
  EXPECT_EQ(report.awakeBodies, 4);
  EXPECT_EQ(report.contacts, 3);
  EXPECT_EQ(report.contactPoints, 12);
  EXPECT_GE(report.pairs, 3);
  EXPECT_GE(report.colors, 2);  // the middle cube has two contacts
  EXPECT_TRUE(report.frozenBodies.empty());
  const StageTimes& t = report.milliseconds;
  EXPECT_LE(t.broadphase + t.narrowphase + t.islands + t.solver + t.finish + t.continuous, t.total * 1.0001);
}

// A force beyond all numbers freezes the body that feels it, says so, and nothing else.
TEST(Step, ABodyThatStopsBeingFiniteIsFrozenAndTheOthersGoOn) {
  World world;
  const BodyId bad = world.addBody(boxAt({0, 0, 0}, {1e-3, 1e-3, 1e-3})), good = world.addBody(boxAt({10, 0, 0}));
  world.applyForce(bad, {1e308, 0, 0});
  const StepReport& report = world.step(kDt);
  ASSERT_EQ(report.errors, std::uint32_t{kStepNonFiniteBody});
  ASSERT_EQ(report.frozenBodies.size(), 1u);
  EXPECT_EQ(report.frozenBodies[0].index, bad.index);
  EXPECT_TRUE(world.pose(bad).position.allFinite());
  run(world, 1 - kDt);
  EXPECT_NEAR(world.pose(good).position.z(), -9.81 / 2, 1e-9);
}

// What a turntable carries goes round with it. (Along the tangent in each step it would spiral outward: r exp(w^2 dt t / 2).)
TEST(Step, ATurntableCarriesWhatLiesOnIt) {
  for (const BodyKind kind : {BodyKind::Kinematic, BodyKind::Dynamic})
    for (const double spin : {0.5, 1.0, 2.0})
      for (const double dt : {1.0 / 30, 1.0 / 60, 1.0 / 240}) {
        World world(awakeWorld());
        BodyDef table = boxAt({0, 0, -0.5}, {6, 6, 0.5}, kind);
        table.friction = 1;
        table.angularVelocity = {0, 0, spin};
        if (kind == BodyKind::Dynamic) {  // held up by its locks, and not slowed down
          table.lockedAxes = kLockLinearX | kLockLinearY | kLockLinearZ | kLockAngularX | kLockAngularY;
          table.dominance = 1;
        }
        const BodyId tableId = world.addBody(table);
        BodyDef rider = boxAt({1, 0, 0.1}, {0.3, 0.2, 0.1});
        rider.friction = 1;
        rider.linearVelocity = {0, spin, 0};
        rider.angularVelocity = {0, 0, spin};
        const BodyId id = world.addBody(rider);
        run(world, 20, dt);
        const Vector3d seen = world.pose(tableId).orientation.conjugate() * world.pose(id).position;
        EXPECT_NEAR(std::hypot(seen.x(), seen.y()), 1, 0.004) << spin << " rad/s, " << dt;
        EXPECT_NEAR(std::atan2(seen.y(), seen.x()), 0, 0.05) << spin << " rad/s, " << dt;
      }
}

// Put down with gaps, bodies of other masses on each other come to rest; the loads that travel through the stack die out.
TEST(Step, StacksOfMixedMassesDoNotHum) {
  for (const double rate : {60.0, 240.0})
    for (unsigned seed = 11; seed <= 30; ++seed) {
      Numbers numbers(seed);
      World world;
      addFloor(world);
      std::vector<BodyId> ids;
      const double width = numbers.between(0.1, 0.25);
      double top = 0;
      for (int i = 0; i < 12; ++i) {
        const double half = width * numbers.between(0.5, 1), gap = numbers.between(0, 0.003);
        ids.push_back(world.addBody(boxAt({0, 0, top + gap + half}, {width, width, half})));
        world.setMass(ids.back(), std::exp(numbers.between(0, std::log(13))));
        world.setFriction(ids.back(), 0.7);
        top += 2 * half + 0.003;
      }
      run(world, 6, 1 / rate);
      for (const BodyId id : ids) EXPECT_LT(world.linearVelocity(id).norm(), 0.005) << "rate " << rate << ", seed " << seed;
    }
}

// A light box that heavy ones press between faces that are nearly opposed moves as fast as its velocity says: friction holds it from
// the moment at which the load comes.
TEST(Step, NothingIsShotOutOfAStack) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Numbers numbers(seed);
    World world;
    const double rate = std::vector<double>{30, 60, 240}[seed % 3], friction = numbers.between(0.2, 1), width = numbers.between(0.1, 0.25);
    const double restitution = numbers.between(0.3, 1), span = std::log(10000) * numbers.between(0, 1);
    const int count = static_cast<int>(numbers.between(10, 30));
    std::vector<BodyId> ids = {world.addBody(boxAt({0, 0, -0.5}, {3, 3, 0.5}, BodyKind::Static))};
    double top = 0;
    for (int i = 0; i < count; ++i) {
      const double half = width * numbers.between(0.5, 1), gap = numbers.between(0, 0.003);
      BodyDef def = boxAt({0, 0, top + gap + half}, {width, width, half});
      def.mass = std::exp(span * numbers.between(0, 1));
      def.friction = friction;
      def.restitution = restitution;
      ids.push_back(world.addBody(def));
      top += 2 * half + 0.003;
    }
    for (int step = 0; step < 2 * rate; ++step) {
      std::vector<Vector3d> positions;
      std::vector<double> speeds;
      for (const BodyId id : ids) {
        positions.push_back(world.pose(id).position);
        speeds.push_back(world.linearVelocity(id).norm());
      }
      world.step(1 / rate);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const double moved = (world.pose(ids[i]).position - positions[i]).norm() * rate;
        const double speed = std::max(speeds[i], world.linearVelocity(ids[i]).norm()) + 9.81 / rate + 3;
        EXPECT_LT(moved, 2 * speed + 1) << "seed " << seed << ", step " << step << ", box " << i;
      }
    }
  }
}

}  // namespace
}  // namespace sunder::testing
