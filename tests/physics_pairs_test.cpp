// SPDX-License-Identifier: MIT
// The pairs that the broadphase hands over: who is in them, in which order, and when they go.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "physics_bodies.h"

namespace sunder::testing {
namespace {

// Contacts come by (a, b), whatever the order in which pairs came to be.
TEST(Pairs, ContactsAreInOrder) {
  World world;
  addFloor(world);
  std::vector<BodyId> ids;
  for (int i = 0; i < 40; ++i) ids.push_back(world.addBody(boxAt({(i * 7) % 10 * 1.0, (i * 3) % 4 * 1.0, 0.5 + (i / 10) * 1.0})));
  for (int i = 0; i < 40; i += 3) world.removeBody(ids[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 10; ++i) world.addBody(boxAt({i * 1.0, 5, 0.5}));
  run(world, 1);
  std::pair<std::uint32_t, std::uint32_t> last = {0, 0};
  int count = 0;
  for (const ContactInfo& contact : world.contacts()) {
    const std::pair<std::uint32_t, std::uint32_t> key = {contact.a.index, contact.b.index};
    EXPECT_LT(key.first, key.second);
    if (count++ > 0) {
      EXPECT_LT(last, key);
    }
    last = key;
  }
  EXPECT_GT(count, 40);
}

TEST(Pairs, GoWhenBodiesPartAndComeBackWhenTheyMeet) {
  World world(weightless());
  BodyDef def = boxAt({0, 0, 0});
  world.addBody(def);
  def.pose.position = {1.001, 0, 0};
  const BodyId b = world.addBody(def);
  EXPECT_EQ(world.step(kDt).pairs, 1);
  world.setPose(b, Pose{{50, 0, 0}, Quaternion::Identity()});
  EXPECT_EQ(world.step(kDt).pairs, 0);
  world.setPose(b, Pose{{0, 1.001, 0}, Quaternion::Identity()});
  EXPECT_EQ(world.step(kDt).pairs, 1);
  world.removeBody(b);
  EXPECT_EQ(world.step(kDt).pairs, 0);
}

// Nothing that can't move another is a pair.
TEST(Pairs, NoneBetweenStaticBodies) {
  World world;
  for (int i = 0; i < 5; ++i) world.addBody(boxAt({0.5 * i, 0, 0}, {0.5, 0.5, 0.5}, BodyKind::Static));
  EXPECT_EQ(world.step(kDt).pairs, 0);
}

}  // namespace
}  // namespace sunder::testing
