// SPDX-License-Identifier: MIT
// The lists of moving bodies and active pairs are changed in place from step to step. A restored world makes them anew, so
// it is the referee: both must go on alike whatever wakes, falls asleep, comes and goes.
#include <gtest/gtest.h>
#include <sunder/physics/world.h>

#include <algorithm>
#include <random>
#include <vector>

namespace sunder {
namespace {

// Stacks of two on a floor, apart from each other: most of them asleep after a second.
World stacks(int count) {
  World world;
  world.addBody({.kind = BodyKind::Static, .halfExtents = {200, 200, 1}, .pose = {.position = {0, 0, -1}}});
  for (int i = 0; i < count; ++i)
    for (int level = 0; level < 2; ++level)
      world.addBody({.pose = {.position = {3.0 * (i % 20), 3.0 * (i / 20), 0.5 + level}}});
  return world;
}

std::vector<ContactPair> sorted(std::span<const ContactPair> events) {
  std::vector<ContactPair> result(events.begin(), events.end());
  std::sort(result.begin(), result.end());
  return result;
}

// What a user might do between two steps.
void change(World& world, std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::vector<BodyId> ids = world.bodies();
  const BodyId id = ids[1 + below(ids.size() - 1)];
  switch (below(6)) {
    case 0: world.removeBody(id); break;
    case 1: world.addBody({.pose = {.position = {3.0 * static_cast<double>(below(20)), 3.0 * static_cast<double>(below(20)), 4}}}); break;
    case 2: world.setLinearVelocity(id, {2, 0.5, 1}); break;
    case 3: world.setPose(id, {.position = {1.5 + 3.0 * static_cast<double>(below(20)), 1.5, 3}}); break;
    case 4: world.wake(id); break;
    default: break;  // let it come to rest
  }
}

TEST(Moving, ListsChangedInPlaceEqualThoseMadeAnew) {
  World world = stacks(400);
  std::mt19937 random(5);
  int slept = 0;
  for (int step = 0; step < 200; ++step) {
    if (step > 70 && step % 3 == 0) change(world, random);
    const std::vector<std::uint8_t> state = world.save();
    const StepReport report = world.step(1.0 / 60);
    slept += report.awakeBodies < 700;
    if (step < 55) continue;
    World anew;
    anew.restore(state);
    const StepReport& again = anew.step(1.0 / 60);
    ASSERT_EQ(anew.stateHash(), world.stateHash()) << "step " << step;
    ASSERT_EQ(again.awakeBodies, report.awakeBodies) << "step " << step;
    ASSERT_EQ(again.contacts, report.contacts) << "step " << step;
    ASSERT_EQ(again.pairs, report.pairs) << "step " << step;
    ASSERT_EQ(sorted(anew.beganContacts()), sorted(world.beganContacts())) << "step " << step;
    ASSERT_EQ(sorted(anew.endedContacts()), sorted(world.endedContacts())) << "step " << step;
    ASSERT_EQ(anew.save().size(), world.save().size()) << "step " << step;
  }
  EXPECT_GT(slept, 100) << "too few slept for the test to mean anything";
}

}  // namespace
}  // namespace sunder
