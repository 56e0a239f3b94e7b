// SPDX-License-Identifier: MIT
// What is put down at rest stands from the first step on: its contacts start with the loads that statics gives them.
#include <gtest/gtest.h>

#include <algorithm>

#include "physics_bodies.h"

namespace sunder::testing {
namespace {

double fastest(const World& world, const std::vector<BodyId>& ids) {
  double speed = 0;
  for (const BodyId id : ids) speed = std::max({speed, world.linearVelocity(id).norm(), world.angularVelocity(id).norm()});
  return speed;
}

// N: what the body is pressed up with, over the last step.
double upwardForce(const World& world, BodyId id) { return world.contactImpulse(id).z() / kDt; }

TEST(FirstLoads, AStackStandsAtOnce) {
  World world;
  addFloor(world);
  const std::vector<BodyId> stack = addStack(world, 20);
  world.step(kDt);
  EXPECT_LT(fastest(world, stack), 1e-5);  // 0.12 m/s without first loads
  const double weight = 9.81 * world.mass(stack[0]);
  for (const BodyId id : stack) EXPECT_NEAR(upwardForce(world, id), weight, 1e-3 * weight);
}

// Each cube on the halves of two others, ten courses.
TEST(FirstLoads, AWallStandsAtOnce) {
  World world;
  addFloor(world);
  std::vector<BodyId> wall;
  for (int row = 0; row < 10; ++row)
    for (int i = 0; i < 10 - row; ++i) wall.push_back(world.addBody(boxAt({i + 0.5 * row, 0, row + 0.5})));
  double speed = 0;
  for (int i = 0; i < 30; ++i) {
    world.step(kDt);
    speed = std::max(speed, fastest(world, wall));
  }
  EXPECT_LT(speed, 0.003);  // 0.014 without
}

// A plank on two blocks, with a cube at a quarter of the way between them: one carries three times as much of it as the other.
TEST(FirstLoads, LeversShareTheLoad) {
  World world;
  const BodyId left = world.addBody(boxAt({-2, 0, 0.5}, {0.1, 0.5, 0.5}, BodyKind::Static));
  const BodyId right = world.addBody(boxAt({2, 0, 0.5}, {0.1, 0.5, 0.5}, BodyKind::Static));
  const BodyId plank = world.addBody(boxAt({0, 0, 1.1}, {2.5, 0.5, 0.1}));
  const BodyId cube = world.addBody(boxAt({-1, 0, 1.7}));
  world.step(kDt);
  double forces[2] = {0, 0};
  for (const ContactInfo& contact : world.contacts())
    for (int side = 0; side < 2; ++side)
      if (contact.a == (side == 0 ? left : right)) forces[side] = contact.normalImpulse / kDt;
  const double w = 9.81 * world.mass(plank), load = 9.81 * world.mass(cube);
  EXPECT_NEAR(forces[0], w / 2 + 0.75 * load, 1e-3 * load);  // 6e-3 without
  EXPECT_NEAR(forces[1], w / 2 + 0.25 * load, 1e-3 * load);
}

// Half of a stack is put onto the other later: the upper half stands at once, the lower feels it.
TEST(FirstLoads, WhatIsAddedLaterStandsToo) {
  World world;
  addFloor(world);
  addStack(world, 2);
  run(world, 1);
  std::vector<BodyId> added;
  for (int i = 2; i < 4; ++i) added.push_back(world.addBody(boxAt({0, 0, 0.5 + i})));
  world.step(kDt);
  EXPECT_LT(fastest(world, added), 0.005);  // 0.007 without
}

// Nothing is guessed for what can't be at rest: a cube that overhangs starts to tip over as it does without a neighbour.
// A body of a higher dominance does not feel what lies on it: nothing is handed down through it.
TEST(FirstLoads, DominanceTakesNoLoad) {
  World world;
  addFloor(world);
  std::vector<BodyId> stack;
  for (int i = 0; i < 10; ++i) {
    BodyDef box = boxAt({0, 0, 0.5 + i});
    box.dominance = static_cast<std::int8_t>(-i);
    stack.push_back(world.addBody(box));
  }
  double speed = 0;
  for (int i = 0; i < 30; ++i) {
    world.step(kDt);
    speed = std::max(speed, fastest(world, stack));
  }
  EXPECT_LT(speed, 1e-3);  // 0.29 m/s with the loads of all
}

// What is left of a stack when its upper bodies go, get lighter or are set aside, or when gravity changes, stands as before.
TEST(FirstLoads, WhatIsUnloadedStandsStill) {
  enum class Event { Removed, Halved, Moved, Gravity };
  for (const Event event : {Event::Removed, Event::Halved, Event::Moved, Event::Gravity})
    for (const double rate : {30.0, 60.0, 240.0})
      for (const int count : {3, 5, 8, 12})
        for (const double heavy : {1.0, 10.0}) {
          const int left = count - std::max(1, count / 3);
          World world;
          addFloor(world);
          std::vector<BodyId> stack;
          for (int i = 0; i < count; ++i) {
            BodyDef box = boxAt({0, 0, 0.3 + 0.6 * i}, {0.5, 0.5, 0.3});
            box.mass = i < left ? 100 : 100 * heavy;
            stack.push_back(world.addBody(box));
          }
          run(world, 3, 1 / rate);
          for (int i = left; i < count; ++i) {
            const BodyId id = stack[static_cast<std::size_t>(i)];
            if (event == Event::Removed) world.removeBody(id);
            if (event == Event::Halved) world.setMass(id, 50 * heavy);
            if (event == Event::Moved) world.setPose(id, {{5, 0, 0.3 + 0.6 * (i - left)}, Quaternion::Identity()});
          }
          if (event == Event::Gravity) world.setGravity({0, 0, -7.3});
          std::vector<Vector3d> start;
          for (int i = 0; i < left; ++i) start.push_back(world.pose(stack[static_cast<std::size_t>(i)]).position);
          run(world, 5, 1 / rate);
          for (int i = 0; i < left; ++i) {
            const BodyId id = stack[static_cast<std::size_t>(i)];
            EXPECT_LT((world.pose(id).position - start[static_cast<std::size_t>(i)]).norm(), 0.002)
                << "event " << static_cast<int>(event) << ", rate " << rate << ", " << count << " boxes, box " << i;
            EXPECT_FALSE(world.isAwake(id)) << "event " << static_cast<int>(event) << ", rate " << rate << ", " << count << " boxes, box " << i;
          }
        }
}

TEST(FirstLoads, WhatTipsOverGetsNone) {
  const auto tilt = [](bool overhangs) {
    World world;
    addFloor(world);
    world.addBody(boxAt({0, 0, 0.5}, {0.5, 0.5, 0.5}, BodyKind::Static));
    const BodyId cube = world.addBody(boxAt({overhangs ? 0.6 : 0.4, 0, 1.5}));
    run(world, 0.5);
    return world.pose(cube).position.z();
  };
  EXPECT_NEAR(tilt(false), 1.5, 1e-3);
  EXPECT_LT(tilt(true), 1.45);
}

// A guess is not a hit, not an event, and does not outlive its step: with gravity off nothing is pressed.
TEST(FirstLoads, NoneWithoutGravity) {
  World world(weightless());
  addFloor(world);
  const std::vector<BodyId> stack = addStack(world, 3);
  world.step(kDt);
  EXPECT_EQ(fastest(world, stack), 0);
  for (const BodyId id : stack) EXPECT_EQ(world.contactImpulse(id).norm(), 0);
}

}  // namespace
}  // namespace sunder::testing
