// SPDX-License-Identifier: MIT
// First loads. The solver finds what a contact carries from what it carried before, and so passes weight on by one contact
// per sweep: a wall of 100 courses that is put down would sink by 15 cm until the lowest has felt the highest, and then
// swing. For bodies that are put down at rest the answer is nearly known: each hands its weight, and what lies on it, down to
// the points that it stands on.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// m: a point with a smaller gap carries within the first substep.
constexpr double kClosedGap = 1e-4;
// Faces that lean further than this from the horizontal (cosine) hold by friction, which is not known yet.
constexpr double kLeastSlope = 0.7;
// Of load times lever: a larger moment that is left turns the body over, and what it will press with is not its weight.
constexpr double kBalanced = 1e-3;
// m/s, of any point: what is slower counts as standing.
constexpr double kStandingSpeed = 0.01;

// Loads of points (N, >= 0, sum: `load`) whose moments are `momentX` and `momentY`: of all such loads those with the least
// squares. Where there are none, as under a body that is about to tip over, returns false and something near.
bool balance(std::vector<FirstLoads::Support>& points, double load, double momentX, double momentY) {
  for (FirstLoads::Support& p : points) p.pressed = true;
  for (int round = 0; round < 4; ++round) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (const FirstLoads::Support& p : points) {
      if (!p.pressed) continue;
      n += 1;
      x += p.x;
      y += p.y;
      xx += p.x * p.x;
      xy += p.x * p.y;
      yy += p.y * p.y;
    }
    // About the mean of the points: load / n each, and a plane for the moments.
    const double cx = x / n, cy = y / n;
    xx -= n * cx * cx;
    xy -= n * cx * cy;
    yy -= n * cy * cy;
    // All points on a line or in one place leave nothing to hold the other moment with.
    const double least = 1e-9 * (xx + yy + cx * cx + cy * cy);
    xx += least;
    yy += least;
    const double determinant = xx * yy - xy * xy;
    const double mx = momentX - load * cx, my = momentY - load * cy;
    const double a = determinant > 0 ? (yy * mx - xy * my) / determinant : 0;
    const double b = determinant > 0 ? (xx * my - xy * mx) / determinant : 0;
    double sum = 0;
    bool again = false;
    for (FirstLoads::Support& p : points) {
      p.load = p.pressed ? load / n + a * (p.x - cx) + b * (p.y - cy) : 0;
      if (p.load < 0) {
        p.load = 0;
        p.pressed = false;
        again = true;
      }
      sum += p.load;
    }
    for (FirstLoads::Support& p : points) p.load *= load / sum;
    if (!again) break;
  }
  double size = 0;
  for (const FirstLoads::Support& p : points) {
    momentX -= p.load * p.x;
    momentY -= p.load * p.y;
    size = std::max(size, std::fabs(p.x) + std::fabs(p.y));
  }
  return std::fabs(momentX) + std::fabs(momentY) < kBalanced * load * size;
}

}  // namespace

bool World::Impl::isPutDown(std::uint32_t index) const {
  const BodyState& body = bodies[index];
  const auto isZero = [](const Vec3& v) { return v.x == 0 && v.y == 0 && v.z == 0; };
  return movesNow[index] != 0 && body.isNew && body.mass > 0 && body.def.gravityScale > 0 &&
         isZero(load(body.angularVelocity)) &&
         (isZero(load(body.linearVelocity)) || isZero(load(body.linearVelocity) - standingVelocity(index)));
}

// The bodies that were put down at rest, from the top down, each with its chain of the contacts that it stands on.
void World::Impl::chainFirstLoads(const Vec3& down, double g) {
  FirstLoads& s = firstLoads;
  s.contacts.clear();
  s.next.clear();
  s.bodies.clear();
  s.place.assign(bodies.size(), kNone);
  for (const ContactRef& ref : activeContacts) {
    const Contact& contact = contacts[ref.contact];
    if (!contact.isNew || contact.startedInside) continue;
    const double fall = dot(rotated(frames[contact.bodyA], contact.normal), down);
    if (!(std::fabs(fall) > kLeastSlope)) continue;
    const std::uint32_t upper = fall > 0 ? contact.bodyA : contact.bodyB;
    if (!isPutDown(upper) || (fall > 0 ? contact.fixedA : contact.fixedB)) continue;
    if (s.place[upper] == kNone) {
      s.place[upper] = static_cast<std::uint32_t>(s.bodies.size());
      const double* p = frames[upper].position;
      s.bodies.push_back({upper, kNone, -dot(Vec3{p[0], p[1], p[2]}, down), bodies[upper].mass * bodies[upper].def.gravityScale * g, 0, 0});
    }
    FirstLoads::Body& body = s.bodies[s.place[upper]];
    s.next.push_back(body.first);
    body.first = static_cast<std::uint32_t>(s.contacts.size());
    s.contacts.push_back(ref.contact);
  }
  std::sort(s.bodies.begin(), s.bodies.end(), [](const FirstLoads::Body& a, const FirstLoads::Body& b) {
    return a.height != b.height ? a.height > b.height : a.index < b.index;
  });
  for (std::size_t k = 0; k < s.bodies.size(); ++k) s.place[s.bodies[k].index] = static_cast<std::uint32_t>(k);
}

// The points that carry `body`.
void World::Impl::findSupports(const FirstLoads::Body& body, const Vec3& down) {
  const Vec3 other = std::fabs(down.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 across = cross(down, other), x = (1 / length(across)) * across, y = cross(down, x);
  FirstLoads& s = firstLoads;
  s.supports.clear();
  for (std::uint32_t k = body.first; k != kNone; k = s.next[k]) {
    const Contact& contact = contacts[s.contacts[k]];
    const BodyFrame& a = frames[contact.bodyA];
    const BodyFrame& b = frames[contact.bodyB];
    const Vec3 offset = between(a, b);
    const Vec3 normal = rotated(a, contact.normal);
    const bool isUpperA = contact.bodyA == body.index;
    for (int i = 0; i < contact.pointCount; ++i) {
      const Vec3 onA = rotated(a, contact.points[i].onA), onB = rotated(b, contact.points[i].onB);  // from their centres
      if (dot(normal, offset + onB - onA) > kClosedGap) continue;
      const Vec3& upper = isUpperA ? onA : onB;
      const Vec3& lower = isUpperA ? onB : onA;
      s.supports.push_back({s.contacts[k], i, isUpperA ? contact.bodyB : contact.bodyA, dot(upper, x), dot(upper, y), dot(lower, x),
                            dot(lower, y), std::fabs(dot(normal, down)), 0, true});
    }
  }
}

// A pair with a contact that ends, or of which a body has changed.
void World::Impl::noteUnloaded(const BodyPair& pair) {
  if (carriesLoad(contacts[pair.contact])) unloaded.insert(unloaded.end(), {pair.a, pair.b});
}

// What stood still and has lost a load, not by motion, is put down anew: its contacts press with what they carried before, and it would
// jump, and rattle while its references follow. Only where statics is likely to know the loads: nothing leans, and no force acts.
void World::Impl::putDownAgain(const Vec3& down) {
  for (const std::uint32_t i : unloaded)
    if (bodies[i].alive && isInIsland(i)) islands[rootOf(i)].isUnloaded = true;
  for (const std::uint32_t i : moving) {
    if (!isInIsland(i)) continue;
    const BodyState& body = bodies[i];
    const double speed = length(load(body.linearVelocity) - standingVelocity(i)) + body.radius * length(load(body.angularVelocity));
    if (speed > kStandingSpeed || !isUnforced(i) || body.def.lockedAxes != kLockNone) islands[rootOf(i)].isUnloaded = false;
  }
  for (const ContactRef& ref : activeContacts) {
    Island& island = islands[rootOf(ref)];
    if (!island.isUnloaded) continue;
    const Contact& contact = contacts[ref.contact];
    if (carriesLoad(contact) && !(std::fabs(dot(rotated(frames[contact.bodyA], contact.normal), down)) > kLeastSlope)) island.isUnloaded = false;
  }
  for (const ContactRef& ref : activeContacts)
    if (islands[rootOf(ref)].isUnloaded) {
      contacts[ref.contact].isNew = true;
      forgetImpulses(contacts[ref.contact]);
    }
  for (const std::uint32_t i : moving)
    if (isInIsland(i) && islands[rootOf(i)].isUnloaded) {
      bodies[i].isNew = newBodyStarted = true;
      store(bodies[i].linearVelocity, standingVelocity(i));
      store(bodies[i].angularVelocity, {0, 0, 0});
    }
}

void World::Impl::findFirstLoads(double dt) {
  // A new body begins to move in its first step, so a world that just goes on looks no further.
  const double g = length(load(def.gravity));
  const Vec3 down = g > 0 ? (1 / g) * load(def.gravity) : Vec3{0, 0, 0};
  if (!unloaded.empty() && g > 0) putDownAgain(down);
  if (!std::exchange(newBodyStarted, false) || !(g > 0)) return;
  chainFirstLoads(down, g);
  FirstLoads& s = firstLoads;
  for (const FirstLoads::Body& body : s.bodies) {
    findSupports(body, down);
    if (s.supports.empty()) continue;
    const bool isBalanced = balance(s.supports, body.load, body.momentX, body.momentY);
    for (const FirstLoads::Support& p : s.supports) {
      if (isBalanced) {
        Contact& contact = contacts[p.contact];
        contact.points[p.point].impulse = static_cast<float>(p.slope * p.load * dt);
        contact.reference += contact.points[p.point].impulse;
        contact.substep = static_cast<float>(dt);
      }
      const Contact& contact = contacts[p.contact];
      if (s.place[p.lower] == kNone || (contact.bodyA == p.lower ? contact.fixedA : contact.fixedB)) continue;
      FirstLoads::Body& lower = s.bodies[s.place[p.lower]];
      lower.load += p.load;
      lower.momentX += p.load * p.lowerX;
      lower.momentY += p.load * p.lowerY;
    }
  }
}

}  // namespace sunder
