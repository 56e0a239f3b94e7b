// SPDX-License-Identifier: MIT
// Islands: what hangs together by contacts, and the substeps that it gets.
#include <gtest/gtest.h>

#include <algorithm>

#include "physics_bodies.h"

namespace sunder::testing {
namespace {

TEST(Islands, StaticAndKinematicBodiesJoinNone) {
  World world(awakeWorld());
  addFloor(world);
  addStack(world, 3);
  EXPECT_EQ(world.step(kDt).islands, 1);
  for (const double x : {5.0, 10.0}) world.addBody(boxAt({x, 0, 0.5}));  // on the same floor
  EXPECT_EQ(world.step(kDt).islands, 3);
  const BodyId lift = world.addBody(boxAt({-5, 0, 0.5}, {2, 2, 0.5}, BodyKind::Kinematic));
  world.setLinearVelocity(lift, {0, 0, 0.1});
  for (const double x : {-6.0, -4.0}) world.addBody(boxAt({x, 0, 1.5}));
  EXPECT_EQ(world.step(kDt).islands, 5);
  world.addBody(boxAt({0, 0, 50}));  // in the air
  EXPECT_EQ(world.step(kDt).islands, 6);
}

TEST(Islands, JoinWhenTheyMeetAndPartWhenTheLinkIsGone) {
  World world(awakeWorld());
  addFloor(world);
  world.addBody(boxAt({-1.2, 0, 0.5}));
  world.addBody(boxAt({1.2, 0, 0.5}));
  EXPECT_EQ(world.step(kDt).islands, 2);
  const BodyId bridge = world.addBody(boxAt({0, 0, 1.1}, {1.5, 0.5, 0.1}));
  EXPECT_EQ(world.step(kDt).islands, 1);
  world.removeBody(bridge);
  EXPECT_EQ(world.step(kDt).islands, 2);
}

TEST(Islands, ABodyThatBecomesKinematicWhileItMovesParts) {
  World world(awakeWorld());
  const BodyId raft = world.addBody(boxAt({0, 0, 0.5}, {2, 2, 0.5}));
  for (const double x : {-1.0, 1.0}) world.addBody(boxAt({x, 0, 1.5}));
  EXPECT_EQ(world.step(kDt).islands, 1);
  world.setKind(raft, BodyKind::Kinematic);
  EXPECT_EQ(world.step(kDt).islands, 2);
  world.setKind(raft, BodyKind::Dynamic);
  EXPECT_EQ(world.step(kDt).islands, 1);
}

TEST(Islands, SleepersAreNotCounted) {
  World world;
  addFloor(world);
  const BodyId cube = world.addBody(boxAt({0, 0, 0.5}));
  ASSERT_LT(timeToSleep(world, cube, 5), 5);
  EXPECT_EQ(world.step(kDt).islands, 0);
}

// A thousand times the mass on one cube: the contact's softness would let it sink by many centimetres in 8 substeps. And with
// fewer of the world's own, an island that piles up gets as many more.
TEST(Islands, AHighLoadGetsMoreSubsteps) {
  for (const int substeps : {1, 2, 4, 8, 16}) {
    World world(awakeWorld(substeps));
    addFloor(world);
    world.addBody(boxAt({0, 0, 0.5}));
    BodyDef heavy = boxAt({0, 0, 1.5});
    heavy.density *= 1000;
    const BodyId top = world.addBody(heavy);
    run(world, 5);
    EXPECT_NEAR(world.pose(top).position.z(), 1.5, substeps < 4 ? 0.02 : 2e-3) << substeps << " substeps";
  }
}

}  // namespace
}  // namespace sunder::testing
