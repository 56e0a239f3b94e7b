// SPDX-License-Identifier: MIT
// What bounces off what is at rest, or has locked axes, gains no energy: physics/closed_islands.cpp.
#include <algorithm>
#include <cmath>

#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;

// Restitution and friction: by Newton's law a single hit of a spinning cube makes up to 38 % of energy, at any time step. One box or
// three that fall on each other, on a floor.
TEST(Bounces, MakeNoEnergy) {
  for (const int count : {1, 3})
    for (const double restitution : {1.0, 0.9})
      for (const double friction : {0.0, 0.5, 1.0})
        for (const double dt : {1.0 / 60, 1.0 / 240}) {
          double least = 1;
          for (unsigned seed = 1; seed <= 16; ++seed) {
            Numbers numbers(seed);
            World world(awakeWorld());
            BodyDef floor = boxAt({0, 0, -0.5}, {200, 200, 0.5}, BodyKind::Static);
            floor.friction = friction;
            world.addBody(floor);
            for (int i = 0; i < count; ++i) {
              BodyDef def = boxAt({0, 0, 2 + 2.0 * i}, {numbers.between(0.3, 0.6), numbers.between(0.3, 0.6), numbers.between(0.3, 0.6)});
              def.pose.orientation = numbers.rotation();
              def.linearVelocity = (count == 1 ? 5 : 1) * numbers.vector(1);
              def.angularVelocity = numbers.vector(8);
              def.restitution = restitution;
              def.friction = friction;
              world.addBody(def);
            }
            const double start = world.energy();
            for (int i = 0; i < 3 / dt; ++i) {
              world.step(dt);
              ASSERT_LE(world.energy(), 1.002 * start) << count << " boxes, e " << restitution << ", friction " << friction << ", seed " << seed << ", step " << i;
            }
            least = std::min(least, world.energy() / start);
          }
          // And they do bounce.
          if (restitution == 1 && friction == 0 && count == 1) { EXPECT_GT(least, 0.9); }
        }
}

// Thin boxes in a corridor, restitution 1: they come to spin with thousands of rad/s, which turns them by whole turns in a step. (One
// got 3.3 times its energy.)
TEST(Bounces, MakeNoEnergyOfFastSpins) {
  for (const double dt : {1.0 / 60, 1.0 / 120})
    for (unsigned seed = 1; seed <= 60; ++seed) {
      Numbers numbers(seed);
      World world(weightless());
      const Vector3d half(0.5, 0.5, 6);
      for (int axis = 0; axis < 3; ++axis)
        for (const int side : {-1, 1}) {
          BodyDef wall = boxAt({0, 0, 0}, half + Vector3d(0.2, 0.2, 0.2), BodyKind::Static);
          wall.halfExtents[axis] = 0.005;
          wall.pose.position[axis] = side * (half[axis] + 0.005);
          wall.friction = 0;
          world.addBody(wall);
        }
      BodyDef def = boxAt({0, 0, 0}, {numbers.between(0.02, 0.2), numbers.between(0.02, 0.05), numbers.between(0.02, 0.05)});
      def.pose.orientation = numbers.rotation();
      def.linearVelocity = numbers.vector(150);
      def.restitution = 1;
      def.friction = 0;
      world.addBody(def);
      const double start = world.energy();
      for (int i = 0; i < 60; ++i) {
        world.step(dt);
        ASSERT_LE(world.energy(), 1.002 * start) << "seed " << seed << ", step " << i << ", dt " << dt;
      }
    }
}

// What the energy of motion is at the start, gravity along -z.
double startEnergyOf(const World& world) {
  double energy = world.energy();
  for (const BodyId id : world.bodies()) energy += world.mass(id) * world.settings().gravity.dot(world.pose(id).position);
  return energy;
}

// Steps; no step and no number of them may gain more than a share of the energy of motion at the start.
void expectNoGain(World& world, double seconds, double dt, unsigned seed, double restitution) {
  const double start = world.energy(), scale = startEnergyOf(world);
  double before = start;
  for (int i = 0; i < static_cast<int>(seconds / dt + 0.5); ++i) {
    ASSERT_EQ(world.step(dt).errors, kStepOk);
    const double now = world.energy();
    ASSERT_LE(now, before + 1e-3 * scale) << "seed " << seed << ", restitution " << restitution << ", step " << i;
    ASSERT_LE(now, start + 2e-3 * scale) << "seed " << seed << ", restitution " << restitution << ", step " << i;
    before = now;
  }
}

// A box of sides up to 10 : 1.
BodyDef slenderBox(Numbers& numbers, double size) {
  BodyDef def = boxAt({0, 0, 0});
  for (int k = 0; k < 3; ++k) def.halfExtents[k] = size * (numbers.between(0, 1) < 0.5 ? 1.0 : numbers.between(0.1, 1));
  def.pose.orientation = numbers.rotation();
  return def;
}
std::uint8_t someLocks(Numbers& numbers) {
  int locks = 0;
  const double share = numbers.between(0.1, 0.6);
  for (int k = 0; k < 6; ++k) locks |= numbers.between(0, 1) < share ? 1 << k : 0;
  return static_cast<std::uint8_t>(locks);
}
// Thrown at each other, the first with locked axes, or all of them.
std::vector<BodyId> addLockedGroup(World& world, Numbers& numbers, int count, double restitution, double friction) {
  std::vector<BodyId> ids;
  const bool all = numbers.between(0, 1) < 0.5;
  const Vector3d way = numbers.rotation() * Vector3d(1, 0, 0);
  for (int i = 0; i < count; ++i) {
    BodyDef def = slenderBox(numbers, numbers.between(0.05, 0.5));
    const double place = i - 0.5 * (count - 1);
    def.pose.position = 2 * place * way;
    def.linearVelocity = numbers.vector(8);
    def.linearVelocity -= numbers.between(2, 20) * place * way;
    def.angularVelocity = numbers.vector(30);
    def.restitution = restitution;
    def.friction = friction;
    if (all || i == 0) def.lockedAxes = someLocks(numbers);
    ids.push_back(world.addBody(def));
  }
  return ids;
}

// Two or three, some with locked axes, in the air. (One group in 60 gained energy, up to 2.8 times what it had; those that a sweep stopped
// after they had hit got what the sweep lifted them by.)
TEST(Bounces, MakeNoEnergyOfLockedAxes) {
  for (const double restitution : {0.0, 0.7, 1.0})
    for (unsigned seed = 1; seed <= 400; ++seed) {
      Numbers numbers(seed);
      World world(seed % 2 == 0 ? awakeWorld() : weightless());
      addLockedGroup(world, numbers, seed % 3 == 0 ? 3 : 2, restitution, seed % 4 < 2 ? 0.0 : 0.5);
      expectNoGain(world, 0.6, seed % 8 < 4 ? kDt : kDt / 4, seed, restitution);
      if (HasFatalFailure()) return;
    }
}

// What is taken back is taken back from both: momentum along the axes that no body has locked stays, but for the rounding of floats.
TEST(Bounces, KeepMomentumAlongFreeAxes) {
  int hits = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    Numbers numbers(seed);
    WorldDef settings = weightless();
    settings.continuous = false;
    World world(settings);
    const std::vector<BodyId> ids = addLockedGroup(world, numbers, 2, 1, seed % 2 == 0 ? 0.0 : 0.5);
    Vector3d free(1, 1, 1);
    double size = 0;
    for (const BodyId id : ids) {
      for (int k = 0; k < 3; ++k) free[k] *= (world.definition(id).lockedAxes & (kLockLinearX << k)) == 0;
      size += world.mass(id) * world.linearVelocity(id).norm();
    }
    const auto momentum = [&] {
      const Vector3d sum = world.mass(ids[0]) * world.linearVelocity(ids[0]) + world.mass(ids[1]) * world.linearVelocity(ids[1]);
      return Vector3d(sum.cwiseProduct(free));
    };
    const Vector3d start = momentum();
    for (int i = 0; i < 36; ++i) {
      world.step(kDt);
      hits += pushEachOther(world, ids) && free.norm() > 0;
      ASSERT_LE((momentum() - start).norm(), 2e-6 * size) << "seed " << seed << ", step " << i;
    }
  }
  EXPECT_GT(hits, 50);
}

// Boxes with locked axes that fall on a floor, next to a wall.
TEST(Bounces, MakeNoEnergyOfLockedAxesOnAFloor) {
  for (const double restitution : {0.7, 0.9, 1.0})
    for (unsigned seed = 1; seed <= 200; ++seed) {
      Numbers numbers(seed);
      World world(awakeWorld());
      addFloor(world);
      world.addBody(boxAt({2.5, 0, 5}, {0.5, 50, 5}, BodyKind::Static));
      for (unsigned i = 0; i <= seed % 2; ++i) {
        BodyDef def = slenderBox(numbers, numbers.between(0.05, 0.5));
        def.pose.position = {0, 0, 1.0 + 1.8 * i};
        def.linearVelocity = numbers.vector(15);
        def.angularVelocity = numbers.vector(30);
        def.restitution = restitution;
        def.friction = seed % 4 < 2 ? 0.0 : 0.5;
        def.lockedAxes = someLocks(numbers);
        world.addBody(def);
      }
      expectNoGain(world, 1.5, kDt, seed, restitution);
      if (HasFatalFailure()) return;
    }
}

// Rods of 10 : 1 that spin by more than a radian per step and fall on a floor, alone or three at a time: sweeps stop them above where
// the solver had left them.
TEST(Bounces, MakeNoEnergyOfSpinningRods) {
  for (const int count : {1, 3})
    for (const double restitution : {0.9, 1.0})
      for (unsigned seed = 1; seed <= 60; ++seed) {
        Numbers numbers(seed);
        World world(awakeWorld());
        BodyDef floor = boxAt({0, 0, -0.5}, {200, 200, 0.5}, BodyKind::Static);
        floor.friction = seed % 2 == 0 ? 0.0 : 0.5;
        world.addBody(floor);
        for (int i = 0; i < count; ++i) {
          BodyDef def = boxAt({0, 0, 1.5 + 1.3 * i}, {numbers.between(0.3, 0.6), 0.05, 0.05});
          def.pose.orientation = numbers.rotation();
          def.linearVelocity = numbers.vector(count == 1 ? 5 : 1);
          def.angularVelocity = 70 * (numbers.rotation() * Vector3d(1, 0, 0));
          def.restitution = restitution;
          def.friction = floor.friction;
          world.addBody(def);
        }
        expectNoGain(world, 3, kDt, seed, restitution);
        if (HasFatalFailure()) return;
      }
}

// A box with locked axes that falls into a wedge may be pinched where no motion is left that both faces allow. (In some the impulses
// grew to a hundred times the energy.)
TEST(Bounces, MakeNoEnergyOfAPinch) {
  for (unsigned seed = 1; seed <= 600; ++seed) {
    Numbers numbers(seed);
    World world(seed % 2 == 0 ? awakeWorld() : weightless());
    const double half = numbers.between(0.1, 0.7), friction = seed % 4 < 2 ? 0.0 : 0.5;
    for (const int side : {-1, 1}) {
      BodyDef face = boxAt({0, 0, 0}, {0.5, 5, 5}, BodyKind::Static);
      face.pose.orientation = Quaternion(std::cos(0.5 * half), 0, std::sin(0.5 * side * half), 0);
      face.pose.position = face.pose.orientation * Vector3d(0.5 * side, 0, 4.5);
      face.friction = friction;
      world.addBody(face);
    }
    BodyDef def = slenderBox(numbers, numbers.between(0.05, 0.5));
    def.pose.position = {0, 0, numbers.between(2, 5)};
    def.linearVelocity = numbers.vector(20);
    def.angularVelocity = numbers.vector(30);
    def.restitution = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 0.7 : 0;
    def.friction = friction;
    def.lockedAxes = someLocks(numbers);
    world.addBody(def);
    std::vector<BodyId> touched;
    world.overlap({def.halfExtents}, def.pose, touched);
    if (touched.size() > 1) continue;  // put into a face
    const double start = world.energy(), scale = startEnergyOf(world);
    for (int i = 0; i < 120; ++i) {
      ASSERT_EQ(world.step(kDt).errors, kStepOk);
      ASSERT_LE(world.energy(), start + 2e-3 * scale) << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace sunder
