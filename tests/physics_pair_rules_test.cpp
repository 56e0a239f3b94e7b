// SPDX-License-Identifier: MIT
// What was asked for single pairs of bodies: materials of their own, and not to collide.
#include <map>
#include <random>

#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;

TEST(PairRules, AMaterialOfItsOwnOverridesTheMix) {
  // Sliding on a floor of friction 0.5: the pair decides.
  const auto distance = [](auto&& change) {
    World world;
    const BodyId floor = addFloor(world);
    BodyDef def = boxAt({0, 0, 0.1}, {0.5, 0.5, 0.1});
    const BodyId id = world.addBody(def);
    run(world, 0.5);
    change(world, floor, id);
    world.setLinearVelocity(id, {2, 0, 0});
    run(world, 2);
    return world.pose(id).position.x();
  };
  const double g = 9.81;
  EXPECT_NEAR(distance([](World&, BodyId, BodyId) {}), 4 / (2 * 0.5 * g), 0.02);
  EXPECT_NEAR(distance([](World& w, BodyId floor, BodyId id) { w.setPairMaterial(id, floor, {1, 0}); }), 4 / (2 * g), 0.02);
  EXPECT_NEAR(distance([](World& w, BodyId floor, BodyId id) { w.setPairMaterial(floor, id, {0, 0}); }), 4, 0.02);
  EXPECT_NEAR(distance([](World& w, BodyId floor, BodyId id) {
                w.setPairMaterial(floor, id, {0, 0});
                w.clearPairMaterial(floor, id);
              }), 4 / (2 * 0.5 * g), 0.02);
  EXPECT_NEAR(distance([](World& w, BodyId, BodyId id) { w.setFriction(id, 0.32); }), 4 / (2 * 0.4 * g), 0.02);
}

TEST(PairRules, AMaterialHoldsBeforeThePairMeetsAndDiesWithItsBody) {
  World world;
  const BodyId floor = addFloor(world), cube = world.addBody(boxAt({0, 0, 40}));
  world.setPairMaterial(floor, cube, {0.5, 1});
  world.removeBody(cube);
  world.step(kDt);
  const BodyId next = world.addBody(boxAt({0, 0, 2}));
  ASSERT_EQ(next.index, cube.index);
  run(world, 3);
  EXPECT_NEAR(world.pose(next).position.z(), 0.5, 1e-3);  // does not bounce
  EXPECT_THROW(world.setPairMaterial(floor, cube, {}), std::invalid_argument);
  EXPECT_THROW(world.setPairMaterial(floor, floor, {}), std::invalid_argument);
  EXPECT_THROW(world.setPairMaterial(floor, next, {-1, 0}), std::invalid_argument);
  EXPECT_THROW(world.setPairMaterial(floor, next, {kNaN, 0}), std::invalid_argument);
  EXPECT_THROW(world.setPairMaterial(floor, next, {0, 1.5}), std::invalid_argument);
}

TEST(PairRules, FiltersAndIgnoredPairs) {
  World world;
  const BodyId floor = addFloor(world);
  BodyDef def = boxAt({0, 0, 0.5});
  def.filter = {2, ~2u};  // not with its own kind
  const BodyId a = world.addBody(def);
  def.pose.position = {0, 0, 0.9};
  const BodyId b = world.addBody(def);
  const BodyId c = world.addBody(boxAt({5, 0, 0.5}));
  run(world, 1);
  EXPECT_NEAR(world.pose(a).position.z(), 0.5, 1e-3);
  EXPECT_NEAR(world.pose(b).position.z(), 0.5, 1e-3);
  world.setFilter(a, {2, ~0u});  // both ways or not at all
  run(world, 0.5);
  EXPECT_NEAR(world.pose(b).position.z(), 0.5, 1e-3);
  world.ignorePair(floor, c);
  EXPECT_TRUE(world.isIgnored(c, floor));
  run(world, 0.25);
  EXPECT_NEAR(world.pose(c).position.z(), 0.5 - 0.5 * 9.81 * 0.25 * 0.25, 0.05);
  world.allowPair(c, floor);
  EXPECT_FALSE(world.isIgnored(c, floor));
  run(world, 2);
  EXPECT_NEAR(world.pose(c).position.z(), 0.5, 0.01);  // pushed out again
  // Sleepers in each other fall apart when they begin to see each other.
  run(world, 3);
  ASSERT_FALSE(world.isAwake(b));
  world.setFilter(b, {2, ~0u});
  world.setFilter(a, {2, ~0u});
  run(world, 3);
  EXPECT_GT((world.pose(a).position - world.pose(b).position).norm(), 0.99);
}

// Any sequence of calls, against a map from pairs to rules; bodies come and go, and their rules with them.
TEST(PairRules, AreKeptPerPairAndDieWithTheirBodies) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  World world;
  std::vector<BodyId> bodies;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> ignored;
  const auto keyOf = [](BodyId a, BodyId b) { return std::pair(std::min(a.index, b.index), std::max(a.index, b.index)); };
  for (int step = 0; step < 4000; ++step) {
    if (bodies.size() < 3 || (bodies.size() < 25 && below(12) == 0)) {
      bodies.push_back(world.addBody(boxAt({10.0 * static_cast<double>(bodies.size()), 0, 0})));
      continue;
    }
    const BodyId a = bodies[below(bodies.size())], b = bodies[below(bodies.size())];
    if (a == b) continue;
    switch (below(8)) {
      case 0:
        world.removeBody(a);
        std::erase_if(ignored, [&](const auto& rule) { return rule.first.first == a.index || rule.first.second == a.index; });
        std::erase(bodies, a);
        if (below(3) == 0) world.step(kDt);  // its number is free from now on
        continue;
      case 1:
      case 2:
      case 3: world.ignorePair(a, b), ignored[keyOf(a, b)] = true; break;
      case 4: world.allowPair(a, b), ignored[keyOf(a, b)] = false; break;
      case 5: world.setPairMaterial(a, b, {1, 0}); break;  // does not touch the rest of the rule
      default: world.clearPairMaterial(a, b);
    }
    if (step % 20 != 0) continue;
    for (const BodyId x : bodies)
      for (const BodyId y : bodies) {
        if (x == y) continue;
        const auto rule = ignored.find(keyOf(x, y));
        ASSERT_EQ(world.isIgnored(x, y), rule != ignored.end() && rule->second) << step;
      }
  }
}

// In the contact itself: the material of the pair, whichever body is named first, and the mix again when it is cleared.
TEST(PairRules, TheContactHasTheMaterialOfThePair) {
  World world;
  BodyDef def = boxAt({0, 0, -0.5}, {50, 50, 0.5}, BodyKind::Static);
  def.friction = 0.9, def.restitution = 0.1;
  const BodyId floor = world.addBody(def);
  def = boxAt({0, 0, 0.5});
  def.friction = 0.4, def.restitution = 0;
  const BodyId cube = world.addBody(def);
  const auto expectMaterial = [&](double friction, double restitution) {
    world.step(kDt);
    int contacts = 0;
    for (const ContactInfo& contact : world.contacts(cube)) {
      ++contacts;
      // The solver keeps them as floats.
      EXPECT_EQ(contact.friction, static_cast<float>(friction));
      EXPECT_EQ(contact.restitution, static_cast<float>(restitution));
    }
    EXPECT_EQ(contacts, 1);
  };
  expectMaterial(0.6, 0.1);
  world.setPairMaterial(floor, cube, {0.25, 0.5});
  expectMaterial(0.25, 0.5);
  world.setPairMaterial(cube, floor, {2, 0});
  expectMaterial(2, 0);
  world.clearPairMaterial(floor, cube);
  expectMaterial(0.6, 0.1);
  world.ignorePair(cube, floor);
  world.step(kDt);
  EXPECT_TRUE(world.contacts(cube).begin() == world.contacts(cube).end());
}

}  // namespace
}  // namespace sunder
