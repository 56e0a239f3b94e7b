// SPDX-License-Identifier: MIT
// Groups of bodies that collide with each other in flight: of each group as a whole the centre of mass flies on a parabola,
// the momentum about it stays, and no energy comes from the contacts, in every step. Computed here from the bodies' poses
// and velocities alone, in extended precision.
#include <algorithm>
#include <functional>

#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;
using Vector3l = Eigen::Matrix<long double, 3, 1>;
using Matrix3l = Eigen::Matrix<long double, 3, 3>;

// A group as one: mass times place and velocity, momentum about the centre, energy of motion.
struct Group {
  long double mass = 0, energy = 0;
  Vector3l center = Vector3l::Zero(), velocity = Vector3l::Zero(), spin = Vector3l::Zero();
};
Group groupOf(const World& world, const std::vector<BodyId>& bodies) {
  Group g;
  for (const BodyId id : bodies) {
    g.mass += world.mass(id);
    g.center += static_cast<long double>(world.mass(id)) * world.pose(id).position.cast<long double>();
    g.velocity += static_cast<long double>(world.mass(id)) * world.linearVelocity(id).cast<long double>();
  }
  g.center /= g.mass;
  g.velocity /= g.mass;
  for (const BodyId id : bodies) {
    const long double m = world.mass(id);
    const Vector3l d = world.pose(id).position.cast<long double>() - g.center, v = world.linearVelocity(id).cast<long double>();
    const Vector3l w = world.angularVelocity(id).cast<long double>();
    Eigen::Quaternion<long double> q = world.pose(id).orientation.cast<long double>();
    const Matrix3l r = q.normalized().toRotationMatrix();
    const Vector3l own = r * world.inertia(id).cast<long double>().cwiseProduct(r.transpose() * w);
    g.spin += m * d.cross(v - g.velocity) + own;
    g.energy += (m * (v - g.velocity).squaredNorm() + w.dot(own)) / 2;
  }
  return g;
}

class Thrown : public Numbers {
 public:
  using Numbers::Numbers;
  // Around a place, towards each other, every one turning.
  std::vector<BodyId> addGroup(World& world, const Vector3d& place, int count, double restitution,
                               const std::function<void(BodyDef&)>& change = [](BodyDef&) {}) {
    std::vector<BodyId> ids;
    for (int i = 0; i < count; ++i) {
      BodyDef def = boxAt(place, vector(0.2).cwiseAbs() + Vector3d(0.15, 0.15, 0.15));
      const double angle = 6.283185307179586 * i / count;
      const Vector3d out(std::cos(angle), std::sin(angle), between(-0.2, 0.2));
      def.pose.position += 1.2 * out;
      def.pose.orientation = Quaternion(1, between(-1, 1), between(-1, 1), between(-1, 1)).normalized();
      def.linearVelocity = Vector3d(3, 1, 5) - 4 * out;
      def.angularVelocity = vector(3);
      def.restitution = restitution;
      def.density = i == 0 ? 20000 : 1000;
      change(def);
      ids.push_back(world.addBody(def));
    }
    return ids;
  }
};

bool pushEachOther(const World& world, const std::vector<BodyId>& bodies) {
  return std::any_of(bodies.begin(), bodies.end(), [&](BodyId id) { return world.contactImpulse(id).norm() > 0; });
}

TEST(IsolatedIslands, GoOnAsAWholeLikeOneBody) {
  int pushed = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    Thrown thrown(seed);
    World world(awakeWorld());
    const double restitution = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 0.5 : 1;
    const std::vector<std::vector<BodyId>> groups = {thrown.addGroup(world, {0, 0, 0}, 2, restitution), thrown.addGroup(world, {40, 0, 0}, 5, restitution)};
    const long double g = -9.81L;
    for (int step = 0; step < 90; ++step) {
      std::vector<Group> before;
      for (const auto& bodies : groups) before.push_back(groupOf(world, bodies));
      world.step(kDt);
      for (std::size_t k = 0; k < groups.size(); ++k) {
        const Group now = groupOf(world, groups[k]);
        pushed += pushEachOther(world, groups[k]);
        Vector3l center = before[k].center + static_cast<long double>(kDt) * before[k].velocity, velocity = before[k].velocity;
        center.z() += g * kDt * kDt / 2;
        velocity.z() += g * kDt;
        // A few roundings of the numbers that are kept, which are tens of metres and ten metres per second.
        EXPECT_LT((now.center - center).norm(), 1e-13L) << "seed " << seed << ", step " << step;
        EXPECT_LT((now.velocity - velocity).norm(), 1e-13L) << "seed " << seed << ", step " << step;
        EXPECT_LT((now.spin - before[k].spin).norm(), 1e-13L * now.mass) << "seed " << seed << ", step " << step;
        // Free rotation is a splitting whose energy swings; the contacts add nothing.
        EXPECT_TRUE(!pushEachOther(world, groups[k]) || now.energy < before[k].energy * (1 + 5e-5L)) << "seed " << seed << ", step " << step;
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(pushed, 60);
}

// What the rule must leave alone: a group that the ground holds loses momentum to it, a force is no inner matter, and a
// body that only flies by is not pulled along.
TEST(IsolatedIslands, NotThoseThatSomethingHolds) {
  World world(awakeWorld());
  addFloor(world);
  const std::vector<BodyId> stack = addStack(world, 3);
  const BodyId flier = world.addBody(boxAt({5, 0, 30}));
  run(world, 0.5);
  EXPECT_NEAR(static_cast<double>(groupOf(world, stack).velocity.norm()), 0, 1e-3);
  EXPECT_NEAR(world.pose(flier).position.z(), 30 - 9.81 / 8, 1e-9);
  EXPECT_NEAR(world.pose(stack[2]).position.z(), 2.5, 2e-3);
}

// Two that have hit each other and fly on fall as before while two others hit. (They got gravity twice.)
TEST(IsolatedIslands, EndWithTheirLastPair) {
  for (int speed = 1; speed <= 8; ++speed) {
    World world(awakeWorld());
    const auto addPair = [&](double y, double distance, double restitution) {
      std::vector<BodyId> ids;
      for (const int side : {-1, 1}) {
        BodyDef def = boxAt({side * distance, y, 0});
        def.linearVelocity = {side * -1.0 * speed, 0, 0};
        def.restitution = restitution;
        ids.push_back(world.addBody(def));
      }
      return ids;
    };
    const std::vector<BodyId> first = addPair(0, 1, 1);
    addPair(20, 0.5 + speed, 0);  // hits after a second, and stays together
    run(world, 2);
    for (const BodyId id : first) {
      EXPECT_NEAR(world.pose(id).position.z(), -9.81 * 2, 1e-9) << speed << " m/s";
      EXPECT_NEAR(std::fabs(world.linearVelocity(id).x()), speed, 1e-3) << speed << " m/s";
    }
  }
}

TEST(IsolatedIslands, AForceIsFromOutside) {
  World world(weightless());
  const BodyId a = world.addBody(boxAt({0, 0, 0})), b = world.addBody(boxAt({1, 0, 0}));
  const double mass = world.mass(a) + world.mass(b);
  double impulse = 0;
  for (int i = 0; i < 30; ++i) {
    world.applyForce(a, {500, 0, 0});  // pushes b along
    impulse += 500 * kDt;
    world.step(kDt);
    EXPECT_NEAR(static_cast<double>(groupOf(world, {a, b}).velocity.x()), impulse / mass, 1e-3 * impulse / mass);
  }
  EXPECT_GT(world.linearVelocity(b).x(), 0.8 * impulse / mass);
}

// Two boxes that overlap at rest move apart, although no impulse is left of it at the end of the step.
TEST(IsolatedIslands, PenetrationIsStillTakenOut) {
  World world(weightless());
  const BodyId a = world.addBody(boxAt({0, 0, 0})), b = world.addBody(boxAt({0.99, 0, 0}));
  run(world, 2);
  EXPECT_GT(world.pose(b).position.x() - world.pose(a).position.x(), 0.9999);
  EXPECT_LT(world.linearVelocity(b).norm(), 1e-6);
}

// Whatever acts from outside has its effect: each of these changes the momentum or the angular momentum of a group.
TEST(IsolatedIslands, WhatActsFromOutsideCounts) {
  const std::function<void(BodyDef&)> changes[] = {
      [](BodyDef& d) { d.linearDamping = 1; },
      [](BodyDef& d) { d.angularDamping = 3; },
      [](BodyDef& d) { d.lockedAxes = kLockLinearX; },
      [](BodyDef& d) { d.lockedAxes = kLockAngularY | kLockAngularZ; },
      [](BodyDef& d) { d.gravityScale = d.halfExtents.x(); },
  };
  for (std::size_t k = 0; k < std::size(changes); ++k) {
    World world(awakeWorld());
    const std::vector<BodyId> bodies = Thrown(3).addGroup(world, {0, 0, 0}, 5, 0.5, changes[k]);
    const Group start = groupOf(world, bodies);
    run(world, 1);
    const Group end = groupOf(world, bodies);
    const Vector3l gained = end.velocity - start.velocity + Vector3l(0, 0, 9.81L);
    EXPECT_GT(static_cast<double>(gained.norm() + (end.spin - start.spin).norm() / start.mass), 0.01) << "change " << k;
  }
}

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
