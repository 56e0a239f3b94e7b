// SPDX-License-Identifier: MIT
// World as a container: bodies and their numbers, mass and energy by the formulas of a text book, and what the hash sees.
#include <algorithm>
#include <random>
#include <set>

#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;

TEST(World, SettingsAreCheckedAndKept) {
  const auto refused = [](auto&& change) {
    WorldDef def;
    change(def);
    EXPECT_THROW(World{def}, std::invalid_argument);
  };
  for (const double bad : {kNaN, kInfinity}) {
    refused([&](WorldDef& d) { d.gravity = {0, bad, 0}; });
    refused([&](WorldDef& d) { d.sleepSpeed = bad; });
    refused([&](WorldDef& d) { d.sleepTime = bad; });
  }
  for (const int bad : {-1, 0, 65}) refused([&](WorldDef& d) { d.substeps = bad; });
  for (const int bad : {-1, 0, 257}) refused([&](WorldDef& d) { d.threads = bad; });
  for (const double bad : {0.0, -1.0}) {
    refused([&](WorldDef& d) { d.sleepSpeed = bad; });
    refused([&](WorldDef& d) { d.sleepTime = bad; });
  }
  WorldDef def;
  def.substeps = 64;
  def.threads = 3;
  def.gravity = {1, 2, 3};
  const World world(def);
  EXPECT_EQ(world.settings().substeps, 64);
  EXPECT_EQ(world.settings().threads, 3);
  EXPECT_EQ(world.settings().gravity, Vector3d(1, 2, 3));
}

// Bodies come and go; each number with its generation names one body only, ever.
TEST(World, NumbersAreReusedButNotWithTheirGeneration) {
  std::mt19937 random(3);
  World world;
  std::vector<BodyId> alive, gone;
  std::set<std::pair<std::uint32_t, std::uint32_t>> given;
  for (int step = 0; step < 2000; ++step) {
    if (alive.empty() || random() % 2 == 0) {
      const BodyId id = world.addBody(boxAt({5.0 * static_cast<double>(random() % 40), 0, 0}));
      EXPECT_TRUE(given.insert({id.index, id.generation}).second);
      alive.push_back(id);
    } else {
      const std::size_t which = random() % alive.size();
      world.removeBody(alive[which]);
      gone.push_back(alive[which]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(which));
    }
    if (random() % 10 == 0) world.step(kDt);
    std::vector<BodyId> expected = alive;
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(world.bodies(), expected);
    if (gone.empty()) continue;
    const BodyId old = gone[random() % gone.size()];
    EXPECT_FALSE(world.isValid(old));
    EXPECT_THROW(world.pose(old), std::invalid_argument);
    EXPECT_THROW(world.removeBody(old), std::invalid_argument);
  }
  EXPECT_LT(std::max_element(given.begin(), given.end())->first, 200u);  // numbers are given again
  EXPECT_FALSE(world.isValid({}));
}

// The moment about an axis is the mass times the mean of the squares of the two other coordinates.
TEST(World, MassAndMomentsAreThoseOfASolidBox) {
  World world;
  const auto square = [](double half) { return (half * half + 0 + half * half) / 6; };  // mean of x^2 by Simpson's rule
  for (const Vector3d& half : {Vector3d(0.5, 0.5, 0.5), Vector3d(1, 2, 3), Vector3d(1e-3, 5, 0.2)}) {
    BodyDef def = boxAt({0, 0, 0}, half);
    def.density = 700;
    const BodyId dense = world.addBody(def);
    const double mass = 700 * (2 * half.x()) * (2 * half.y()) * (2 * half.z());
    EXPECT_NEAR(world.mass(dense), mass, 1e-12 * mass);
    def.mass = 3;  // counts more than the density
    const BodyId heavy = world.addBody(def);
    EXPECT_EQ(world.mass(heavy), 3);
    for (int k = 0; k < 3; ++k) {
      const double moment = 3 * (square(half[(k + 1) % 3]) + square(half[(k + 2) % 3]));
      EXPECT_NEAR(world.inertia(heavy)[k], moment, 1e-12 * moment);
    }
    def.kind = BodyKind::Static;
    EXPECT_EQ(world.mass(world.addBody(def)), 0);
  }
}

// Kinetic and potential energy as a sum over many small parts of each body.
TEST(World, EnergyIsTheSumOverTheParts) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  WorldDef settings;
  settings.gravity = {0.3, -1, -9.81};
  World world(settings);
  double expected = 0;
  for (int i = 0; i < 6; ++i) {
    BodyDef def = boxAt({10.0 * i, number(random), number(random)}, {0.3 + i, 1.0, 0.5});
    def.pose.orientation = Quaternion(number(random), number(random), number(random), number(random)).normalized();
    def.linearVelocity = {number(random), number(random), number(random)};
    def.angularVelocity = {number(random), number(random), number(random)};
    def.gravityScale = i % 2 == 0 ? 1 : 0.5;
    world.addBody(def);
    // Gauss points with two per axis integrate squares exactly.
    const double mass = 8 * def.halfExtents.prod() * def.density;
    for (int corner = 0; corner < 8; ++corner) {
      Vector3d local = def.halfExtents / std::sqrt(3.0);
      for (int k = 0; k < 3; ++k) local[k] *= (corner >> k & 1) != 0 ? 1 : -1;
      const Vector3d arm = def.pose.orientation * local;
      const Vector3d velocity = def.linearVelocity + def.angularVelocity.cross(arm);
      expected += mass / 8 * (0.5 * velocity.squaredNorm() - def.gravityScale * settings.gravity.dot(def.pose.position + arm));
    }
  }
  BodyDef still = boxAt({0, 50, 0}, {1, 1, 1}, BodyKind::Kinematic);
  still.linearVelocity = {9, 9, 9};
  world.addBody(still);  // what moves as it is told has no energy
  EXPECT_NEAR(world.energy(), expected, 1e-11 * std::fabs(expected));
}

// Every number of a body's state is in the hash; its definition and other bodies that are gone are not.
TEST(World, HashSeesEachNumberOfTheState) {
  const auto hashAfter = [](auto&& change) {
    World world;
    world.removeBody(world.addBody(boxAt({9, 9, 9})));
    const BodyId id = world.addBody(boxAt({1, 2, 3}));
    world.addBody(boxAt({5, 2, 3}));
    change(world, id);
    return world.stateHash();
  };
  const std::uint64_t plain = hashAfter([](World&, BodyId) {});
  EXPECT_EQ(hashAfter([](World& w, BodyId id) { w.setFriction(id, 0.1); }), plain);
  std::set<std::uint64_t> seen = {plain};
  const double hair = 1e-15;
  for (int k = 0; k < 3; ++k) {
    Vector3d v(0, 0, 0);
    v[k] = hair;
    EXPECT_TRUE(seen.insert(hashAfter([&](World& w, BodyId id) { w.setLinearVelocity(id, v); })).second);
    EXPECT_TRUE(seen.insert(hashAfter([&](World& w, BodyId id) { w.setAngularVelocity(id, v); })).second);
    EXPECT_TRUE(seen.insert(hashAfter([&](World& w, BodyId id) { w.setPose(id, {Vector3d(1, 2, 3) + v, Quaternion(1, 0, 0, 0)}); })).second);
    EXPECT_TRUE(seen.insert(hashAfter([&](World& w, BodyId id) { w.setPose(id, {{1, 2, 3}, Quaternion(1, v[0], v[1], v[2])}); })).second);
  }
  EXPECT_NE(hashAfter([](World& w, BodyId id) { w.removeBody(id); }), plain);
}

// S-rapier-868 and S-sapien-174: the same calls give the same bits, also after everything was removed and added again.
TEST(Repeats, TheSameCallsGiveTheSameBits) {
  const auto drop = [](World& world) {
    std::vector<BodyId> ids;
    for (int i = 0; i < 8; ++i) ids.push_back(world.addBody(boxAt({1.1 * (i % 2) + 0.01 * i, 1.1 * (i / 2 % 2), 1 + 1.1 * (i / 4)})));
    run(world, 3);
    std::vector<double> state;
    for (const BodyId id : ids) {
      const Pose& pose = world.pose(id);
      state.insert(state.end(), pose.position.data(), pose.position.data() + 3);
      state.insert(state.end(), pose.orientation.coeffs().data(), pose.orientation.coeffs().data() + 4);
    }
    for (const BodyId id : ids) world.removeBody(id);
    return state;
  };
  std::vector<double> first;
  for (int i = 0; i < 10; ++i) {
    World world;
    addFloor(world);
    const std::vector<double> state = drop(world);
    if (i == 0) first = state;
    EXPECT_EQ(state, first) << "run " << i;
    EXPECT_EQ(drop(world), first) << "added again, run " << i;
  }
}

}  // namespace
}  // namespace sunder
