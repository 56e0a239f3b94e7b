// SPDX-License-Identifier: MIT
// Islands that touch nothing but what is at rest: that does no work, so they gain no energy. docs/stepping.md, (23).
#include <algorithm>
#include <cmath>

#include "sunder/physics/world_internal.h"

namespace sunder {

using namespace math;

namespace {

// Of the energy of rotation: more than that comes from an orientation that the free motion would not have led to.
constexpr double kTurnedFar = 1.1;

// Share of the energy of motion that a large island may gain in a step: from penetration that is taken out it does not gain that much.
constexpr double kLargeGain = 1e-3;

// m/s. What hits with less than this stays down (kRestitutionThreshold); what moves with less in a small island is being settled.
constexpr double kSlow = 0.5;

}  // namespace

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
