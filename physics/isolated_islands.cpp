// SPDX-License-Identifier: MIT
// Islands on which nothing but uniform gravity acts from outside: what Newton's laws say of them as a whole holds exactly,
// whatever the solver, which takes arms and inertia as constant over a step, has done inside. docs/stepping.md, (20) to (22).
#include <algorithm>
#include <cmath>

#include "sunder/physics/world_internal.h"

namespace sunder {

using namespace math;

namespace {

// Of the energy before the step: what is left below is an error of the step that comes and goes.
constexpr double kTurnedWhole = 1.001;

// Sums over an island. Velocities are from the centre of mass and its velocity.
struct Whole {
  double mass = 0;               // kg
  Vec3 center = {0, 0, 0};       // m, from where the first body was before the step
  Vec3 velocity = {0, 0, 0};     // m/s
  Vec3 momentum = {0, 0, 0};     // kg m^2/s, about the centre
  double inertia[3][3] = {};     // kg m^2, of all bodies as one
  double energy = 0;             // J
};

// x of m x = v; m symmetric, positive definite.
Vec3 solveSymmetric(const double (&m)[3][3], const Vec3& v) {
  const Vec3 a = {m[0][0], m[0][1], m[0][2]}, b = {m[0][1], m[1][1], m[1][2]}, c = {m[0][2], m[1][2], m[2][2]};
  const Vec3 bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
  return (1 / dot(a, bc)) * Vec3{dot(bc, v), dot(ca, v), dot(ab, v)};
}

}  // namespace

// The bodies of isolated islands and of those of closed_islands.cpp, with their velocities before the step, and the contacts between them.
void World::Impl::findIsolatedIslands() {
  IsolatedBodies& isolated = isolatedBodies;
  isolated.bodies.clear();
  isolated.contacts.clear();
  isolated.closed.clear();
  if (mayHaveIsolated || mayHaveClosed)
    for (const std::uint32_t i : moving) {
      if (!isInIsland(i)) continue;
      const std::uint32_t root = rootOf(i);
      const Island& island = islands[root];
      const Vec3 v = load(bodies[i].linearVelocity), w = load(bodies[i].angularVelocity);
      if (island.isIsolated)
        isolated.bodies.push_back({i, i, v, w});
      else if (island.isUnforced && island.isLimited())
        isolated.closed.push_back({root, i, v, w});
    }
  if (!mayHaveIsolated) return;
  for (const ContactRef& ref : activeContacts)
    if (islands[rootOf(ref)].isIsolated) isolated.contacts.push_back({ref.contact, !(leastSeparation(contacts[ref.contact]) > 0)});
}

// What no contact has pushed in this step goes by itself: islands are made anew, of the contacts that push. (One that takes
// penetration out moves bodies and may end the step without any impulse.)
void World::Impl::conserveIsolatedIslands(double dt) {
  std::vector<IsolatedBody>& isolated = isolatedBodies.bodies;
  const auto placeOf = [&](std::uint32_t index) {
    return std::lower_bound(isolated.begin(), isolated.end(), index, [](const IsolatedBody& b, std::uint32_t i) { return b.index < i; });
  };
  const auto top = [&](std::uint32_t index) {
    auto place = placeOf(index);
    while (place->root != place->index) place = placeOf(place->root);
    return place;
  };
  for (const IsolatedContact& link : isolatedBodies.contacts) {
    const Contact& contact = contacts[link.contact];
    if (!link.wasClosed && !carriesLoad(contact)) continue;
    const auto a = top(contact.bodyA), b = top(contact.bodyB);
    std::max(a, b)->root = std::min(a, b)->index;
  }
  for (IsolatedBody& body : isolated) body.root = top(body.index)->index;
  std::sort(isolated.begin(), isolated.end(),
            [](const IsolatedBody& a, const IsolatedBody& b) { return a.root != b.root ? a.root < b.root : a.index < b.index; });
  for (std::size_t begin = 0, end = 0; begin < isolated.size(); begin = end) {
    while (end < isolated.size() && isolated[end].root == isolated[begin].root) ++end;
    conserveIsland(std::span(isolated).subspan(begin, end - begin), dt);
  }
}

void World::Impl::conserveIsland(std::span<const IsolatedBody> island, double dt) {
  const Vec3 origin = load(bodies[island[0].index].previousPose.position);
  const auto sum = [&](bool before) {
    Whole whole;
    const auto pose = [&](const IsolatedBody& b) -> const Pose& { return before ? bodies[b.index].previousPose : bodies[b.index].pose; };
    const auto linear = [&](const IsolatedBody& b) { return before ? b.linearVelocity : load(bodies[b.index].linearVelocity); };
    const auto angular = [&](const IsolatedBody& b) { return before ? b.angularVelocity : load(bodies[b.index].angularVelocity); };
    for (const IsolatedBody& b : island) {
      const double mass = bodies[b.index].mass;
      whole.mass += mass;
      whole.center = whole.center + mass * (load(pose(b).position) - origin);
      whole.velocity = whole.velocity + mass * linear(b);
    }
    whole.center = (1 / whole.mass) * whole.center;
    whole.velocity = (1 / whole.mass) * whole.velocity;
    for (const IsolatedBody& b : island) {
      const BodyState& body = bodies[b.index];
      const Mat3 rotation = toMatrix(load(pose(b).orientation));
      const Vec3 d = load(pose(b).position) - origin - whole.center, v = linear(b) - whole.velocity, w = angular(b);
      const Vec3 spin = inertiaTimes(body, rotation, w);
      whole.momentum = whole.momentum + body.mass * cross(d, v) + spin;
      whole.energy += 0.5 * (body.mass * dot(v, v) + dot(w, spin));
      const Vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      for (int k = 0; k < 3; ++k) {
        const Vec3 column = inertiaTimes(body, rotation, unit[k]) + body.mass * cross(d, cross(unit[k], d));
        whole.inertia[0][k] += column.x;
        whole.inertia[1][k] += column.y;
        whole.inertia[2][k] += column.z;
      }
    }
    return whole;
  };
  const Whole before = sum(true), after = sum(false);
  const Vec3 gained = dt * bodies[island[0].index].def.gravityScale * load(def.gravity);
  const Vec3 drift = before.velocity + gained - after.velocity;
  const Vec3 shift = before.center + dt * (before.velocity + 0.5 * gained) - after.center;
  // The rigid rotation with the momentum that was there before, and what the solver gave of it.
  Vec3 rigid = solveSymmetric(after.inertia, before.momentum);
  const Vec3 found = solveSymmetric(after.inertia, after.momentum);
  const double rigidEnergy = 0.5 * dot(rigid, before.momentum), innerEnergy = after.energy - 0.5 * dot(found, after.momentum);
  const double allowed = std::max(before.energy - rigidEnergy, 0.0);
  const double scale = innerEnergy > allowed ? std::sqrt(allowed / innerEnergy) : 1;
  // The solver turned it to where no motion with this momentum has so little energy: rather less momentum than energy from nowhere.
  if (rigidEnergy > kTurnedWhole * before.energy) rigid = std::sqrt(before.energy / rigidEnergy) * rigid;
  if (!std::isfinite(scale + dot(rigid, found) + dot(drift, shift))) return;  // of finishBody() to deal with
  for (const IsolatedBody& b : island) {
    BodyState& body = bodies[b.index];
    const Vec3 d = load(body.pose.position) - origin - after.center, center = after.velocity;
    const Vec3 inner = load(body.linearVelocity) - center - cross(found, d), turn = load(body.angularVelocity) - found;
    store(body.pose.position, load(body.pose.position) + shift);
    store(body.linearVelocity, center + drift + cross(rigid, d) + scale * inner);
    store(body.angularVelocity, rigid + scale * turn);
  }
}

}  // namespace sunder
