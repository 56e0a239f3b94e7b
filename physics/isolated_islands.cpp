// SPDX-License-Identifier: MIT
// Islands on which nothing but uniform gravity acts from outside: what Newton's laws say of them as a whole holds exactly,
// whatever the solver, which takes arms and inertia as constant over a step, has done inside. docs/stepping.md, (20) to (22). And
// small islands that touch nothing but what is at rest, which does no work: they gain no energy, (23).
#include <algorithm>
#include <cmath>

#include "sunder/physics/world_internal.h"

namespace sunder {

using namespace math;

namespace {

// Of the energy of rotation: more than that comes from an orientation that the free motion would not have led to.
constexpr double kTurnedFar = 1.1;
// The same of a whole island: what is left below is an error of the step that comes and goes.
constexpr double kTurnedWhole = 1.001;

// Share of the energy of motion that a large island may gain in a step: from penetration that is taken out it does not gain that much.
constexpr double kLargeGain = 1e-3;

// m/s. What hits with less than this stays down (kRestitutionThreshold); what moves with less in a small island is being settled.
constexpr double kSlow = 0.5;

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

// The bodies of isolated islands, with their velocities before the step, and the contacts between them.
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

// Closed islands in which something is fast gain no energy if they are small, and little if they are large and bounce. (In slow ones, loads
// and what they push out of each other would be disturbed for nothing; in large ones, all loads for one body.)
void World::Impl::limitClosedIslands(double dt) {
  std::vector<IsolatedBody>& closed = isolatedBodies.closed;
  for (const IsolatedBody& b : closed) {
    const BodyState& body = bodies[b.index];
    const Vec3 v = load(body.linearVelocity), w = body.radius * load(body.angularVelocity);
    Island& island = islands[b.root];
    island.isFast = island.isFast || island.mayHit || dot(v, v) + dot(w, w) > kSlow * kSlow;
  }
  std::erase_if(closed, [this](const IsolatedBody& b) { return !islands[b.root].isFast; });
  std::sort(closed.begin(), closed.end(),
            [](const IsolatedBody& a, const IsolatedBody& b) { return a.root != b.root ? a.root < b.root : a.index < b.index; });
  bool limits = false;
  for (std::size_t begin = 0, end = 0; begin < closed.size(); begin = end) {
    while (end < closed.size() && closed[end].root == closed[begin].root) ++end;
    limitEnergy(std::span(closed).subspan(begin, end - begin), dt);
    limits = limits || islands[closed[begin].root].share < 1;
  }
  if (!limits) return;
  for (const ContactRef& ref : activeContacts) {
    const float share = static_cast<float>(islands[rootOf(ref)].share);
    if (!(share < 1)) continue;
    Contact& contact = contacts[ref.contact];
    for (int i = 0; i < contact.pointCount; ++i) contact.points[i].totalImpulse *= share;
    for (float& impulse : contact.totalFrictionImpulse) impulse *= share;
    contact.totalTwistImpulse *= share;
  }
}

// A restitution that is aimed at by Newton's law makes energy when friction pushes against it (Stronge, "Rigid body collisions with
// friction", 1990), and so do a body's arms and inertia, taken as constant over a step in which it turns. Then all impulses of the step
// are taken back by the least share with which no energy is gained. They stay in their cones, and what parted still parts.
void World::Impl::limitEnergy(std::span<const IsolatedBody> island, double dt) {
  double free = 0, mixed = 0, squared = 0, gained = 0;  // energy of motion: free + share * mixed + share^2 * squared
  double turning = 0, turned = 0;  // energy of rotation before, and of the same momentum in the new orientation
  const auto change = [&](const IsolatedBody& b, auto&& use) {
    const BodyState& body = bodies[b.index];
    const Vec3 gravity = alongFreeAxes(body.def.gravityScale * load(def.gravity), body.def.lockedAxes);
    const Vec3 velocity = b.linearVelocity + dt * gravity;
    const Vec3 momentum = angularMomentum(body, body.previousPose.orientation, b.angularVelocity);
    use(body, gravity, velocity, momentum, load(body.linearVelocity) - velocity,
        angularMomentum(body, body.pose.orientation, load(body.angularVelocity)) - momentum);
  };
  for (const IsolatedBody& b : island)
    change(b, [&](const BodyState& body, const Vec3& g, const Vec3& v, const Vec3& l, const Vec3& dv, const Vec3& dl) {
      const Vec3 w = angularVelocityOf(body, body.pose.orientation, l), dw = angularVelocityOf(body, body.pose.orientation, dl);
      free += 0.5 * (body.mass * dot(v, v) + dot(l, w));
      turned += 0.5 * dot(l, w);
      mixed += body.mass * dot(v, dv) + dot(l, dw);
      squared += 0.5 * (body.mass * dot(dv, dv) + dot(dl, dw));
      const Vec3 before = b.linearVelocity, moved = load(body.pose.position) - load(body.previousPose.position);
      const double spin = 0.5 * dot(b.angularVelocity, l);
      turning += spin;
      gained += body.mass * (dot(g, moved) + 0.5 * dot(before, before)) + spin;
    });
  // `gained`: the energy of motion before, and what the fall gave.
  if (islands[island[0].root].contacts > kMostLimitedContacts) gained *= 1 + kLargeGain;
  if (!(free + mixed + squared > gained) || !std::isfinite(free + mixed + squared + gained)) return;
  const double root = mixed * mixed - 4 * squared * (free - gained);
  const double share = std::max(0.0, std::min(1.0, (std::sqrt(std::max(root, 0.0)) - mixed) / (2 * squared)));
  // A body that turns by many radians in a step is turned by the solver to where even its free momentum has more energy.
  const double left = free + share * (mixed + share * squared);
  const double scale = turned > kTurnedFar * turning && left > gained ? std::sqrt(std::max(gained, 0.0) / left) : 1;
  for (const IsolatedBody& b : island)
    change(b, [&](const BodyState& body, const Vec3&, const Vec3& v, const Vec3& l, const Vec3& dv, const Vec3& dl) {
      BodyState& moved = bodies[b.index];
      store(moved.linearVelocity, scale * (v + share * dv));
      store(moved.angularVelocity, scale * angularVelocityOf(body, body.pose.orientation, l + share * dl));
    });
  islands[island[0].root].share = share;
}

}  // namespace sunder
