// SPDX-License-Identifier: MIT
// Which pairs are looked at anew in a step, and what a contact keeps when its manifold is made again.
#include <gtest/gtest.h>

#include <map>

#include "physics_bodies.h"

namespace sunder::testing {
namespace {

TEST(ContactUpdate, WhatRestsIsNotAskedAgain) {
  World world(awakeWorld());
  addFloor(world);
  addStack(world, 5);
  EXPECT_EQ(world.step(kDt).narrowphaseQueries, 5);
  run(world, 2);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(world.step(kDt).narrowphaseQueries, 0);
}

// Two boxes that pass far from each other: the budget of motion lets the pair out, however long both move.
TEST(ContactUpdate, PairsThatCannotTouchAreSkipped) {
  World world(weightless());
  BodyDef def = boxAt({0, 0, 0});
  def.linearVelocity = {1, 0, 0};
  world.addBody(def);
  def.pose.position = {0, 1.5, 0};  // fat boxes overlap
  world.addBody(def);
  int queries = 0;
  for (int i = 0; i < 120; ++i) queries += world.step(kDt).narrowphaseQueries;
  EXPECT_LE(queries, 20);
}

// A cube slides by several times the distance within which a manifold is kept: points are found anew, with the same names,
// and carry on.
TEST(ContactUpdate, PointsKeepTheirNamesAndLoadsWhileABoxSlides) {
  World world(awakeWorld());
  addFloor(world);
  BodyDef def = boxAt({0, 0, 0.5});
  def.friction = 0;
  const BodyId cube = world.addBody(def);
  run(world, 1);
  const auto impulses = [&] {
    std::map<std::uint32_t, double> result;
    for (const ContactInfo& contact : world.contacts(cube))
      for (int i = 0; i < contact.pointCount; ++i) result[contact.points[i].featureId] = contact.points[i].normalImpulse;
    return result;
  };
  const auto before = impulses();
  ASSERT_EQ(before.size(), 4u);
  world.setLinearVelocity(cube, {0.3, 0.1, 0});
  int queries = 0;
  for (int i = 0; i < 60; ++i) {
    queries += world.step(kDt).narrowphaseQueries;
    const auto now = impulses();
    ASSERT_EQ(now.size(), 4u);
    for (const auto& [feature, impulse] : before) {
      ASSERT_TRUE(now.contains(feature)) << "step " << i;
      EXPECT_NEAR(now.at(feature), impulse, 0.02 * impulse) << "step " << i;
    }
  }
  EXPECT_GT(queries, 30);
}

}  // namespace
}  // namespace sunder::testing
