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

}  // namespace
}  // namespace sunder
