// SPDX-License-Identifier: MIT
// Sleep and wake. An island sleeps when every body in it has been slow for a while and none is on its way to fall, and
// wakes as a whole.
#include <algorithm>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// A stack that starts to buckle, or a box that starts to tip over, is slow for long: near the unstable equilibrium its way
// grows like exp(t / tau), with tau about 0.3 s for a cube of 1 m, 1 s for one of 10 m; from rest, like t^2 at first. What
// settles or sways slows down or turns round instead. So a body is watched over intervals of a quarter of the sleep time;
// one that twice in a row moved in the same direction as in the interval before and further, by this factor, is not at
// rest. (Of the four intervals the first may hold a last bump, so only three can be asked for.)
constexpr double kTrendIntervals = 4;
constexpr double kTrendFactor = 1.1;
constexpr std::uint32_t kTrendGrowths = 2;
// Motion of less in an interval is noise: the penetration that the solver leaves alone, or a thousandth of a small body.
constexpr double kTrendDistance = 2e-5;  // m
constexpr double kTrendShare = 1e-3;     // of the radius
// The contacts of a sleeper go on with what they reported at last, so a body goes to sleep when its velocity changes by less than this
// share of what gravity alone would do, or when it has been slow enough for so many sleep times: some piles sway for ever.
constexpr double kSteadyShare = 1e-3;
constexpr double kMostSleepTimes = 3;
// In islands of up to so many contacts loads that hold them at rest are found as well (rest_loads.cpp), whether steady or swaying. More
// would take longer than a step.
constexpr int kMostHeldContacts = 96, kMostSwayingContacts = 1024;
constexpr double kTouchDistance = 0.001;  // m: closer counts as touching when it is about waking a body

}  // namespace

// Whether the two bodies touch, or will within the coming step: a sleeper that is hit must take part in that step, or it
// would stop what hits it like a wall.
bool World::Impl::touches(const Contact& contact) const {
  const BodyFrame& a = frames[contact.bodyA];
  const BodyFrame& b = frames[contact.bodyB];
  const auto velocityAt = [this](std::uint32_t index, const Vec3& r) {
    const BodyState& body = bodies[index];
    if (body.sleepingIsland != kNone) return Vec3{0, 0, 0};
    const Vec3 v = load(body.linearVelocity) + cross(load(body.angularVelocity), r);
    return body.mass > 0 ? v + (lastDt * body.def.gravityScale) * load(def.gravity) : v;
  };
  const Vec3 normal = rotated(a, contact.normal);
  const Vec3 offset = between(a, b);
  for (int i = 0; i < contact.pointCount; ++i) {
    const Vec3 onA = rotated(a, contact.points[i].onA), onB = rotated(b, contact.points[i].onB);
    const double opening = dot(normal, velocityAt(contact.bodyB, onB) - velocityAt(contact.bodyA, onA));
    if (dot(normal, offset + onB - onA) + lastDt * std::min(opening, 0.0) < kTouchDistance) return true;
  }
  return false;
}

void World::Impl::wake(std::uint32_t body) {
  BodyState& state = bodies[body];
  state.stillTime = 0;
  const std::uint32_t island = state.sleepingIsland;
  if (island == kNone) return;
  for (const std::uint32_t member : sleepingIslands[island]) {
    bodies[member].sleepingIsland = kNone;
    bodies[member].stillTime = 0;
    noteMotion(member);
  }
  sleepingIslands[island].clear();
  freeIslands.push_back(island);
}

void World::Impl::wakeAll() {
  for (std::uint32_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].alive) wake(i);
}

void World::Impl::disturb(std::uint32_t body) {
  wake(body);
  disturbed.push_back(body);
  noteMotion(body);
}

void World::Impl::disturbContacts(std::uint32_t body) {
  disturb(body);
  changed[body] = 1;
}

void World::Impl::wakeDisturbed() {
  if (disturbed.empty()) return;
  constexpr std::uint32_t kDisturbed = 1, kChanged = 2;
  std::vector<std::uint32_t>& marks = islandOf;
  marks.assign(bodies.size(), 0);
  for (const std::uint32_t body : disturbed) marks[body] |= kDisturbed | (changed[body] != 0 ? kChanged : 0);
  for (const std::uint32_t body : disturbed) changed[body] = 0;
  collectPairs(disturbed, startedPairs);
  disturbed.clear();
  for (const std::uint32_t slot : startedPairs) {
    BodyPair& pair = pairs[slot];
    const std::uint32_t mark = marks[pair.a] | marks[pair.b];
    if (mark == 0 || pair.ignored) continue;
    if ((mark & kChanged) != 0) pair.stale = true;
    if (pair.contact != kNone) {
      if ((mark & kChanged) != 0) noteUnloaded(pair);
      wake(pair.a);
      wake(pair.b);
      continue;
    }
    // Something at rest may have been put onto, or grown into, something asleep: no moving body will look at that pair.
    const bool sleeps = bodies[pair.a].sleepingIsland != kNone || bodies[pair.b].sleepingIsland != kNone;
    if (!sleeps) continue;
    Contact next;
    ++report.narrowphaseQueries;
    if (!queryContact(pair, nullptr, kTouchDistance, kTouchDistance, next)) continue;
    pair.stale = false;
    pair.contact = newContact();
    contacts[pair.contact] = next;
    if (!touches(next)) continue;
    wake(pair.a);
    wake(pair.b);
  }
}

void World::Impl::resetTrend(std::uint32_t body) {
  trends[body] = {};
  for (int k = 0; k < 3; ++k) trends[body].from[k] = bodies[body].pose.position.data()[k];
}

void World::Impl::updateTrend(std::uint32_t body, double dt) {
  MotionTrend& trend = trends[body];
  const Vec3 velocity = load(bodies[body].linearVelocity), change = velocity - Vec3{trend.velocity[0], trend.velocity[1], trend.velocity[2]};
  trend.isSteady = !(length(change) > kSteadyShare * dt * length(load(def.gravity)));
  trend.velocity[0] = velocity.x;
  trend.velocity[1] = velocity.y;
  trend.velocity[2] = velocity.z;
  trend.elapsed += dt;
  if (trend.elapsed + 0.5 * dt < def.sleepTime / kTrendIntervals) return;  // to the nearest step
  trend.elapsed = 0;
  const Vec3 position = load(bodies[body].pose.position), before = {trend.moved[0], trend.moved[1], trend.moved[2]};
  const Vec3 moved = position - Vec3{trend.from[0], trend.from[1], trend.from[2]};
  const double distance = length(moved);
  const bool grows = distance > std::min(kTrendDistance, kTrendShare * bodies[body].radius) && distance > kTrendFactor * length(before) && dot(moved, before) > 0;
  trend.growing = grows ? trend.growing + 1 : 0;
  const double values[3] = {position.x, position.y, position.z}, steps[3] = {moved.x, moved.y, moved.z};
  for (int k = 0; k < 3; ++k) {
    trend.from[k] = values[k];
    trend.moved[k] = steps[k];
  }
}

// Whether gravity moves a body without contacts, be it ever so slow at the top of its way or by damping.
bool World::Impl::falls(std::uint32_t index) const {
  const BodyState& body = bodies[index];
  const double* gravity = def.gravity.data();
  for (int k = 0; k < 3; ++k)
    if (body.def.gravityScale * gravity[k] != 0 && (body.def.lockedAxes & (kLockLinearX << k)) == 0) return true;
  return false;
}

void World::Impl::updateSleep(double dt) {
  bool candidates = false;
  for (const std::uint32_t i : moving) {
    BodyState& body = bodies[i];
    if (body.def.kind != BodyKind::Dynamic) continue;
    // Being pushed out of an overlap is motion without velocity.
    const double moved = length(load(body.pose.position) - load(body.previousPose.position)) / dt;
    const double speed = std::max(moved, length(load(body.linearVelocity))) + body.radius * length(load(body.angularVelocity));
    const bool isStill = speed < def.sleepSpeed && body.def.allowSleep && (body.held || !falls(i));
    body.stillTime = isStill ? body.stillTime + dt : 0;
    updateTrend(i, dt);
    candidates = candidates || body.stillTime >= def.sleepTime;
  }
  if (!candidates) return;
  // What is static or kinematic joins no island, but what moves keeps awake.
  restless.resize(bodies.size(), 0);
  for (const std::uint32_t i : moving) restless[i] = 0;
  for (const ContactRef& contact : activeContacts) {
    if (movesNow[contact.bodyA] != 0 && movesNow[contact.bodyB] != 0) {
      if (!(bodies[contact.bodyA].mass > 0)) restless[contact.bodyB] = kRestless;
      if (!(bodies[contact.bodyB].mass > 0)) restless[contact.bodyA] = kRestless;
    }
    // A belt carries what lies on it, however slowly.
    if (contact.isBelt) restless[contact.bodyA] = restless[contact.bodyB] = kRestless;
  }
  // A root is the lowest body of its island, so ascending order meets it first.
  for (const std::uint32_t i : moving) {
    const BodyState& body = bodies[i];
    if (body.def.kind != BodyKind::Dynamic) continue;
    const std::uint32_t root = rootOf(i);
    const bool isLate = body.stillTime >= kMostSleepTimes * def.sleepTime;
    if (body.stillTime < def.sleepTime || restless[i] == kRestless || !(trends[i].isSteady || isLate) || trends[i].growing >= kTrendGrowths)
      restless[root] = kRestless;
    else if (isInIsland(i) && islands[root].contacts <= (trends[i].isSteady ? kMostHeldContacts : kMostSwayingContacts))
      restless[root] = std::max(restless[root], kUnheld);
  }
  holdAtRest(dt);
  for (const std::uint32_t i : moving) {
    BodyState& body = bodies[i];
    if (body.def.kind != BodyKind::Dynamic) continue;
    const std::uint32_t root = rootOf(i);
    if (restless[root] != 0) continue;
    if (root == i) {
      if (freeIslands.empty()) {
        freeIslands.push_back(static_cast<std::uint32_t>(sleepingIslands.size()));
        sleepingIslands.emplace_back();
      }
      body.sleepingIsland = freeIslands.back();
      freeIslands.pop_back();
    }
    body.sleepingIsland = bodies[root].sleepingIsland;
    sleepingIslands[body.sleepingIsland].push_back(i);
    store(body.linearVelocity, {0, 0, 0});
    store(body.angularVelocity, {0, 0, 0});
    noteMotion(i);
  }
}

}  // namespace sunder
