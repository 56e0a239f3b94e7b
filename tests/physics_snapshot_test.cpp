// SPDX-License-Identifier: MIT
#include "sunder/physics/snapshot.h"

#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;

// A world with all that a snapshot must hold: contacts, sleepers, kinematic bodies, rules, forces, free slots.
World busyWorld(int steps) {
  World world;
  const BodyId floor = addFloor(world);
  const BodyId platform = world.addBody(boxAt({6, 0, 0.5}, {1, 1, 0.2}, BodyKind::Kinematic));
  world.setLinearVelocity(platform, {0.3, 0, 0.1});
  addStack(world, 6, 0.003);
  std::vector<BodyId> rain;
  for (int i = 0; i < 40; ++i) {
    BodyDef def = boxAt({5 + 0.3 * (i % 5), 0.4 * (i % 3), 2 + 0.5 * i}, {0.3, 0.2, 0.25});
    def.pose.orientation = Quaternion(1, 0.1 * i, 0.2, -0.05 * i).normalized();
    def.restitution = i % 3 == 0 ? 0.4 : 0;
    rain.push_back(world.addBody(def));
  }
  world.setPairMaterial(floor, rain[3], {0.1, 0.9});
  world.ignorePair(rain[4], rain[5]);
  for (int i = 0; i < steps; ++i) {
    if (i == steps / 2) {
      world.removeBody(rain[7]);
      world.removeBody(rain[20]);
    }
    world.step(kDt);
  }
  return world;
}

void expectSameFuture(World& a, World& b, int steps) {
  for (int i = 0; i < steps; ++i) {
    a.step(kDt);
    b.step(kDt);
    ASSERT_EQ(a.stateHash(), b.stateHash()) << "step " << i;
    ASSERT_EQ(a.beganContacts().size(), b.beganContacts().size()) << "step " << i;
    ASSERT_EQ(a.endedContacts().size(), b.endedContacts().size()) << "step " << i;
    ASSERT_EQ(a.lastReport().pairs, b.lastReport().pairs) << "step " << i;
    ASSERT_EQ(a.lastReport().narrowphaseQueries, b.lastReport().narrowphaseQueries) << "step " << i;
    ASSERT_EQ(a.lastReport().awakeBodies, b.lastReport().awakeBodies) << "step " << i;
  }
  ASSERT_EQ(a.save(), b.save());
}

TEST(Snapshot, GoesOnBitForBit) {
  for (const int steps : {0, 1, 37, 90, 150, 400}) {
    World world = busyWorld(steps);
    const std::vector<std::uint8_t> bytes = world.save();
    World other;
    addFloor(other);
    other.step(kDt);
    other.restore(bytes);
    EXPECT_EQ(other.save(), bytes);
    expectSameFuture(world, other, 120);
  }
}

// Whatever is asked of both after the restore happens alike, slots of removed bodies included.
TEST(Snapshot, LaterCallsActAlike) {
  World world = busyWorld(60);
  const std::vector<BodyId> ids = world.bodies();
  world.removeBody(ids[12]);  // its slot is not free before the next step
  world.applyForce(ids[15], {300, 0, 50});
  world.setHalfExtents(ids[16], {0.35, 0.2, 0.25});
  World other;
  other.restore(world.save());
  for (World* w : {&world, &other}) {
    EXPECT_NE(w->addBody(boxAt({0, 3, 0.5})).index, ids[12].index);
    w->setFilter(ids[17], {1, 1});
    w->setGravityScale(ids[18], 0.5);
  }
  EXPECT_EQ(world.bodies(), other.bodies());
  expectSameFuture(world, other, 30);
  for (World* w : {&world, &other}) w->addBody(boxAt({0, 4, 0.5}));
  EXPECT_EQ(world.bodies(), other.bodies());
  expectSameFuture(world, other, 60);
}

// Rollback: the same world, put back again and again.
TEST(Snapshot, RollsBack) {
  World world = busyWorld(100);
  const std::vector<std::uint8_t> bytes = world.save();
  std::uint64_t hash = 0;
  for (int again = 0; again < 3; ++again) {
    world.restore(bytes);
    run(world, 1);
    if (again == 0) hash = world.stateHash();
    EXPECT_EQ(world.stateHash(), hash);
  }
}

TEST(Snapshot, SleepersSleepOn) {
  World world;
  addFloor(world);
  const std::vector<BodyId> stack = addStack(world, 3);
  timeToSleep(world, stack[0], 10);
  ASSERT_FALSE(world.isAwake(stack[0]));
  World other;
  other.restore(world.save());
  run(other, 0.5);
  for (const BodyId id : stack) EXPECT_FALSE(other.isAwake(id));
  other.applyImpulse(stack[2], {1, 0, 0});
  for (const BodyId id : stack) EXPECT_TRUE(other.isAwake(id));
}

// A kinematic box that creeps up to a sleeper has a contact with it before it touches it. That is in no island, and must not count in one:
// not in that of another body, whose number stood in its place.
TEST(Snapshot, NearASleeperToo) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Numbers random(seed);
    World world;
    BodyDef bouncing = boxAt({20, 0, random.between(1, 4)}, {0.3, 0.4, 0.25});
    bouncing.pose.orientation = random.rotation();
    bouncing.angularVelocity = random.vector(20);
    bouncing.restitution = random.between(0.8, 1);
    bouncing.friction = 1;
    const BodyId cube = world.addBody(bouncing);
    addFloor(world);
    BodyDef creeping = boxAt({1.0117, 0, 0.5}, {0.5, 0.5, 0.45}, BodyKind::Kinematic);
    creeping.linearVelocity = {-0.004, 0, 0};
    world.addBody(creeping);
    const BodyId sleeper = world.addBody(boxAt({0, 0, 0.5}));
    run(world, 104 * kDt);
    ASSERT_FALSE(world.isAwake(sleeper));
    World restored;
    restored.restore(world.save());
    for (int i = 0; i < 50; ++i) {
      world.step(kDt);
      restored.step(kDt);
    }
    EXPECT_EQ(world.stateHash(), restored.stateHash()) << "seed " << seed;
    EXPECT_TRUE(world.linearVelocity(cube) == restored.linearVelocity(cube)) << "seed " << seed;
  }
}

TEST(Snapshot, EqualWorldsHaveEqualSnapshots) {
  World a = busyWorld(80), b = busyWorld(80);
  EXPECT_EQ(a.save(), b.save());
  SnapshotInfo info;
  const std::vector<std::uint8_t> bytes = a.save();
  EXPECT_EQ(inspectSnapshot(bytes, info), "");
  EXPECT_EQ(info.version, kSnapshotVersion);
  EXPECT_EQ(info.size + 28, bytes.size());
}

TEST(Snapshot, WhatIsBrokenIsRefusedAndChangesNothing) {
  const World source = busyWorld(50);
  const std::vector<std::uint8_t> good = source.save();
  World world = busyWorld(10);
  const std::vector<std::uint8_t> before = world.save();
  const auto refuses = [&](std::vector<std::uint8_t> bytes, const std::string& reason) {
    try {
      world.restore(bytes);
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
      EXPECT_EQ(world.save(), before);
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refuses({}, "no snapshot"));
  EXPECT_TRUE(refuses(std::vector<std::uint8_t>(100, 7), "no snapshot"));
  std::vector<std::uint8_t> bytes = good;
  bytes[8] = 9;
  EXPECT_TRUE(refuses(bytes, "version is 9, must be " + std::to_string(kSnapshotVersion)));
  for (std::size_t size = 1; size < good.size(); size += good.size() / 37) {
    bytes.assign(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(refuses(bytes, "snapshot:")) << size;
  }
  bytes = good;
  bytes.push_back(0);
  EXPECT_TRUE(refuses(bytes, "bytes follow"));
  for (std::size_t i = 28; i < good.size(); i += good.size() / 101) {
    bytes = good;
    bytes[i] ^= 0x10;
    EXPECT_TRUE(refuses(bytes, "altered")) << i;
  }
}

// Bytes that were altered together with their hash: refused, or a world that can be stepped.
TEST(Snapshot, AForgedHashDoesNoHarm) {
  const World source = busyWorld(50);
  const std::vector<std::uint8_t> good = source.save();
  int refused = 0, taken = 0;
  for (std::size_t i = 28; i < good.size(); i += good.size() / 499) {
    std::vector<std::uint8_t> bytes = good;
    bytes[i] ^= 0xff;
    // The hash of the head, as snapshot.cpp makes it.
    std::uint64_t hash = 0xcbf29ce484222325ull ^ (bytes.size() - 28);
    for (std::size_t at = 28; at < bytes.size(); at += 8) {
      std::uint64_t word = 0;
      for (std::size_t k = 0; k < 8 && at + k < bytes.size(); ++k) word |= std::uint64_t{bytes[at + k]} << (8 * k);
      hash = (hash ^ word) * 0x100000001b3ull;
      hash ^= hash >> 32;
    }
    for (int k = 0; k < 8; ++k) bytes[20 + static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(hash >> (8 * k));
    World world;
    try {
      world.restore(bytes);
      ++taken;
      for (int step = 0; step < 3; ++step) world.step(kDt);
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(taken, 50);
}

}  // namespace
}  // namespace sunder
