// SPDX-License-Identifier: MIT
// Sweeps of fast bodies. A contact made before the step (continuous_contact.cpp) stops nearly every fast body where it
// should; what it can't know - a velocity that changed within the step, a body that turns far, a pair that is not one
// yet - is caught here, after the solve: a body that moved far is moved along its path once more, and stopped where its
// core first meets something. It keeps its momentum; the rest of the step's motion is lost to it, and the next step has
// the contact.
#include <algorithm>
#include <cmath>

#include "sunder/narrowphase/query.h"
#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// Share of the smallest half extent that a body may move in a step, or be entered by something it hits, without being
// looked at: overlaps that deep are ordinary contacts. It also lets a body slide over the seam of two boxes that it has
// sunk into a little.
constexpr double kEnterShare = 0.25;
// A body that starts deeper than that is held to the depth it has, up to this share of its smallest half extent: beyond,
// nothing is left of it to be swept.
constexpr double kDeepest = 0.95;

// rad per step. Beyond, motionBetween() counts whole turns, of which two poses know nothing.
constexpr double kMostCertainTurn = 3;

// A box around all places of a body on its way. The centre moves on a line, which the boxes at both ends contain; a point
// at the radius strays from the line between its ends by at most radius * angle^2 / 8.
Aabb sweptBounds(const Aabb& start, const Aabb& end, double radius, const Vec3& turn) {
  const double stray = std::min(2 * radius, radius * dot(turn, turn) / 8);
  Aabb box;
  for (int k = 0; k < 3; ++k) {
    box.lower.data()[k] = std::min(start.lower.data()[k], end.lower.data()[k]) - stray;
    box.upper.data()[k] = std::max(start.upper.data()[k], end.upper.data()[k]) + stray;
  }
  return box;
}

// The rest of a motion from a time on.
Motion restOf(const SweptBody& body, double time) {
  Motion motion;
  motion.pose = poseAt(body.motion, body.stopped ? body.stop : time);
  if (body.stopped) return motion;
  motion.linearVelocity = body.motion.linearVelocity;
  motion.angularVelocity = body.motion.angularVelocity;
  return motion;
}

bool isLater(const SweepHit& x, const SweepHit& y) { return x.time > y.time || (x.time == y.time && x.pair > y.pair); }

}  // namespace

// Around all places of a body in this step, in which it turned by `turn` (rad).
Aabb World::Impl::boundsOnTheWay(std::uint32_t index, const Vec3& turn) const {
  const BodyState& body = bodies[index];
  return sweptBounds(boundsOf(frameOf(body.previousPose), body.def.halfExtents), boundsOf(frames[index], body.def.halfExtents), body.radius, turn);
}

// Whether a body that has moved by up to `moved` (m) has to be swept. Not when it has no pair, and all that it went through lies
// in its fat box: nothing else was there.
bool World::Impl::needsSweep(std::uint32_t index, double moved, double dt) const {
  const BodyState& body = bodies[index];
  const double limit = kEnterShare * smallestHalfExtent({body.def.halfExtents}), turn = dt * length(load(body.angularVelocity));
  if (!(moved > limit || body.radius * turn > limit)) return false;
  if (pairCounts[index] != 0 || turn > kMostCertainTurn) return true;
  const double angle = (moved - length(load(body.pose.position) - load(body.previousPose.position))) / body.radius;  // at least
  const Aabb bounds = boundsOnTheWay(index, {angle, 0, 0});
  return !contains(broadphase.fatAabb(index), bounds);
}

void World::Impl::addSweptBody(std::uint32_t index, double dt) {
  const BodyState& body = bodies[index];
  SweptBody swept;
  swept.body = index;
  swept.motion = motionBetween(body.previousPose, body.pose, body.angularVelocity, dt);
  swept.depth = kEnterShare * smallestHalfExtent({body.def.halfExtents});
  swept.bounds = boundsOnTheWay(index, load(swept.motion.angularVelocity));
  sweep.bodies.push_back(swept);
  sweep.number[index] = static_cast<std::uint32_t>(sweep.bodies.size());
}

// Fast bodies, and slow dynamic ones in the way of fast kinematic ones.
void World::Impl::collectSweptBodies(double dt) {
  sweep.bodies.clear();
  for (std::size_t k = 0; k < moving.size(); ++k)
    if (sweep.isFast[k] != 0) addSweptBody(moving[k], dt);
  const std::size_t fast = sweep.bodies.size();
  for (std::size_t i = 0; i < fast; ++i) {
    const SweptBody pusher = sweep.bodies[i];
    if (bodies[pusher.body].def.kind != BodyKind::Kinematic) continue;
    const std::size_t first = sweep.bodies.size();
    broadphase.visitOverlaps(pusher.bounds, [&](ProxyId id) {
      const BodyState& other = bodies[id];
      if (movesNow[id] != 0 && !other.frozen && other.def.kind == BodyKind::Dynamic && sweep.number[id] == 0 && mayCollide(pusher.body, id))
        addSweptBody(id, dt);
      return true;
    });
    // In no promised order.
    std::sort(sweep.bodies.begin() + first, sweep.bodies.end(), [](const SweptBody& x, const SweptBody& y) { return x.body < y.body; });
    for (std::size_t k = first; k < sweep.bodies.size(); ++k) sweep.number[sweep.bodies[k].body] = static_cast<std::uint32_t>(k + 1);
  }
}

// Whether a swept dynamic body has to be tested against another one.
bool World::Impl::sweepsAgainst(const SweptBody& swept, std::uint32_t other) {
  const BodyState& a = bodies[swept.body];
  const BodyState& b = bodies[other];
  if (other == swept.body || !b.alive || !mayCollide(swept.body, other)) return false;
  const std::uint32_t number = sweep.number[other];
  if (number == 0) {
    if (b.def.kind == BodyKind::Dynamic && !a.def.continuous) return false;
    // The bounds of what moves are those of the start of the step.
    return movesNow[other] != 0 || overlaps(swept.bounds, boundsOf(frames[other], b.def.halfExtents));
  }
  const SweptBody& sweptB = sweep.bodies[number - 1];
  if (!overlaps(swept.bounds, sweptB.bounds)) return false;
  if (b.def.kind != BodyKind::Dynamic) return true;
  // Both are fast: relative to each other they may not be, as in a rain of boxes.
  const Vec3 velocity = load(swept.motion.linearVelocity) - load(sweptB.motion.linearVelocity);
  const double motion = length(velocity) + a.radius * length(load(swept.motion.angularVelocity)) +
                        b.radius * length(load(sweptB.motion.angularVelocity));
  return motion > std::min(swept.depth, sweptB.depth);
}

void World::Impl::collectSweptPairs() {
  sweep.pairs.clear();
  for (const SweptBody& swept : sweep.bodies) {
    if (bodies[swept.body].def.kind != BodyKind::Dynamic) continue;
    broadphase.visitOverlaps(swept.bounds, [&](ProxyId other) {
      if (!sweepsAgainst(swept, other)) return true;
      const bool both = sweep.number[other] != 0 && bodies[other].def.kind == BodyKind::Dynamic;
      sweep.pairs.push_back(both && other < swept.body ? SweptPair{other, swept.body} : SweptPair{swept.body, other});
      return true;
    });
  }
  std::sort(sweep.pairs.begin(), sweep.pairs.end());
  sweep.pairs.erase(std::unique(sweep.pairs.begin(), sweep.pairs.end()), sweep.pairs.end());
}

// Puts the time at which a pair meets, if it does, on the heap.
void World::Impl::findSweepHit(std::uint32_t pairIndex) {
  const SweptPair& pair = sweep.pairs[pairIndex];
  const SweptBody& a = sweep.bodies[sweep.number[pair.a] - 1];
  const SweptBody* b = sweep.number[pair.b] != 0 ? &sweep.bodies[sweep.number[pair.b] - 1] : nullptr;
  const double start = std::max(a.stopped ? a.stop : 0.0, b != nullptr && b->stopped ? b->stop : 0.0);
  const Motion motionA = restOf(a, start);
  Motion motionB;
  if (b != nullptr)
    motionB = restOf(*b, start);
  else
    motionB.pose = bodies[pair.b].pose;  // slow: where it ends is near to where it was
  const Box boxA = {bodies[pair.a].def.halfExtents}, boxB = {bodies[pair.b].def.halfExtents};
  const double smallest = smallestHalfExtent(boxA), gap = gapFor(a.depth);
  Impact impact = firstImpact(core(boxA, a.depth), motionA, boxB, motionB, 1 - start, gap);
  const auto separationAt = [&](double time) {
    return signedDistance(boxA, boxB, relativePose(poseAt(motionA, time), poseAt(motionB, time))).signedDistance;
  };
  const bool isDeep = impact.startsInTouch;
  if (isDeep) {
    // In a heap such a pair is pressed together by others. Held to its depth in each step, it would never move again.
    if (bodies[pair.b].def.kind == BodyKind::Dynamic && !bodies[pair.a].def.continuous && !bodies[pair.b].def.continuous) return;
    if (bodies[pair.b].def.kind != BodyKind::Dynamic) {
      noteDeepPair(pair);
      return;
    }
    const double layer = 2 * gap - separationAt(0);
    if (layer < kDeepest * smallest) impact = firstImpact(core(boxA, layer), motionA, boxB, motionB, 1 - start, gap);
  }
  if (!impact.hit) return;
  if (impact.startsInTouch) {
    // As good as through already. It may do what it likes except to go deeper.
    if (!(separationAt(1 - start) < separationAt(0) - gap)) return;
    impact.time = 0;
  }
  if (!isDeep) {
    const Impact outer = firstImpact(boxA, motionA, boxB, motionB, 1 - start, gap);
    if (outer.hit && !outer.startsInTouch) impact = outer;
  }
  SweepHit hit;
  hit.time = start + impact.time;
  hit.pair = pairIndex;
  hit.movesA = !a.stopped;
  hit.movesB = b != nullptr && !b->stopped;
  hit.normal = impact.normal;
  sweep.hits.push_back(hit);
  std::push_heap(sweep.hits.begin(), sweep.hits.end(), isLater);
}

// What pushes goes on to its end, and takes along what it hit, up to where that meets something else that is not dynamic.
void World::Impl::takeAlong(SweptBody& swept, std::uint32_t by) {
  const double left = 1 - swept.stop;
  const Pose relative = relativePose(poseAt(sweep.bodies[sweep.number[by] - 1].motion, swept.stop), swept.end);
  const Quat turn = load(bodies[by].pose.orientation);
  Pose last;
  store(last.position, load(bodies[by].pose.position) + rotate(turn, load(relative.position)));
  store(last.orientation, normalized(turn * load(relative.orientation)));
  const Motion motion = motionBetween(swept.end, last, {0, 0, 0}, 0);
  double share = 1;
  // In no promised order; the first of the times does not depend on it.
  broadphase.visitOverlaps(boundsBetween(swept.body, swept.end, last), [&](ProxyId id) {
    if (id == by || !bodies[id].alive || bodies[id].def.kind == BodyKind::Dynamic || !mayCollide(swept.body, id)) return true;
    const Box box = core({bodies[swept.body].def.halfExtents}, swept.depth);
    Motion other;
    other.pose = bodies[id].pose;
    if (sweep.number[id] != 0) {
      const Motion& whole = sweep.bodies[sweep.number[id] - 1].motion;
      other.pose = poseAt(whole, swept.stop);
      store(other.linearVelocity, left * load(whole.linearVelocity));
      store(other.angularVelocity, left * load(whole.angularVelocity));
    }
    const Impact impact = firstImpact(box, motion, {bodies[id].def.halfExtents}, other, share, gapFor(swept.depth));
    if (impact.hit && !impact.startsInTouch) share = impact.time;
    return true;
  });
  swept.end = share < 1 ? poseAt(motion, share) : last;
  swept.isPushed = true;
}

// In the order of time: the first hit of a body stops it, and what else may meet it then has to be found anew.
void World::Impl::stopSweptBodies() {
  sweep.hits.clear();
  sweep.deepPairs.clear();
  for (std::uint32_t i = 0; i < sweep.pairs.size(); ++i) findSweepHit(i);
  const auto stop = [&](SweptBody& body, double time, std::uint32_t by, const Vec3& normal) {
    body.stopped = true;
    body.stop = time;
    body.normal = normal;
    body.end = poseAt(body.motion, time);
    if (bodies[by].def.kind == BodyKind::Kinematic && sweep.number[by] != 0) takeAlong(body, by);
  };
  while (!sweep.hits.empty()) {
    std::pop_heap(sweep.hits.begin(), sweep.hits.end(), isLater);
    const SweepHit hit = sweep.hits.back();
    sweep.hits.pop_back();
    const SweptPair pair = sweep.pairs[hit.pair];
    SweptBody& a = sweep.bodies[sweep.number[pair.a] - 1];
    const bool bothDynamic = sweep.number[pair.b] != 0 && bodies[pair.b].def.kind == BodyKind::Dynamic;
    SweptBody* b = bothDynamic ? &sweep.bodies[sweep.number[pair.b] - 1] : nullptr;
    if (a.stopped == hit.movesA || (b != nullptr && b->stopped == hit.movesB)) continue;  // out of date
    const bool stopsA = !a.stopped, stopsB = b != nullptr && !b->stopped;
    if (stopsA) stop(a, hit.time, pair.b, hit.normal);
    if (stopsB) stop(*b, hit.time, pair.a, -hit.normal);
    for (std::uint32_t i = 0; i < sweep.pairs.size(); ++i) {
      const SweptPair& other = sweep.pairs[i];
      if (sweep.number[other.b] == 0 || bodies[other.b].def.kind != BodyKind::Dynamic) continue;
      const bool affected = (stopsA && (other.a == pair.a || other.b == pair.a)) || (stopsB && (other.a == pair.b || other.b == pair.b));
      if (!affected) continue;
      if (sweep.bodies[sweep.number[other.a] - 1].stopped && sweep.bodies[sweep.number[other.b] - 1].stopped) continue;
      findSweepHit(i);
    }
  }
}

// Where a swept body is at the end of the step.
Pose World::Impl::endOf(const SweptBody& swept) const {
  if (swept.stopped) return swept.end;
  return swept.redirected ? poseAt(swept.motion, 1) : bodies[swept.body].pose;
}

// The state of a body at the time at which it was stopped.
void World::Impl::applyStop(const SweptBody& swept, double dt) {
  BodyState& body = bodies[swept.body];
  const Pose end = body.pose;
  const double energy = kineticEnergy(body);
  body.pose = endOf(swept);
  // What is held where it is, deep between others, must not gather the speed of a fall meanwhile.
  const double speed = length(load(body.linearVelocity)), moved = length(load(body.pose.position) - load(body.previousPose.position));
  if (swept.redirected && moved < dt * speed) store(body.linearVelocity, moved / (dt * speed) * load(body.linearVelocity));
  // The velocity is that of the end of the step; what the lost time would have added to it is taken back, or a fall would
  // gain energy. Of a body with contacts, only along the normal: the contacts hold it in the other directions.
  const Vec3 lost = ((1 - swept.stop) * dt) * freeAcceleration(swept.body);
  if (hasMoved[swept.body] == 0) {
    store(body.linearVelocity, load(body.linearVelocity) - lost);
  } else {
    const double along = dot(lost, swept.normal);
    if (along > 0) store(body.linearVelocity, load(body.linearVelocity) - along * swept.normal);
  }
  // The angular velocity turns with the body: that keeps the energy and the length of the angular momentum, and for a cube
  // it is the same vector anyway.
  clearLockedVelocity(body);
  if (isLockedAboutOneAxis(body)) {
    afterLockedTurn(body, end.orientation);
  } else if (!isSphericalTop(body)) {
    const Vec3 w = rotate(conjugate(load(end.orientation)), load(body.angularVelocity));
    store(body.angularVelocity, rotate(load(body.pose.orientation), w));
    clearLockedVelocity(body);
  }
  // Where nothing works on it but gravity: what is stopped higher than the end of its way has that much less energy of motion than
  // there. (Along the normal alone, a body that has bounced already would be sped up.)
  if (hasMoved[swept.body] == 0 || swept.isPushed || !islands[rootOf(swept.body)].isClosed) return;
  const double fall = body.mass * dot(freeAcceleration(swept.body), load(body.pose.position) - load(end.position));
  const double found = kineticEnergy(body), allowed = std::max(energy + fall, 0.0);
  if (!(found > allowed)) return;
  const double scale = std::sqrt(allowed / found);
  store(body.linearVelocity, scale * load(body.linearVelocity));
  store(body.angularVelocity, scale * load(body.angularVelocity));
}

void World::Impl::sweepFastBodies(double dt) {
  sweep.number.resize(bodies.size(), 0);
  collectSweptBodies(dt);
  if (sweep.bodies.empty()) return;
  collectSweptPairs();
  stopSweptBodies();
  for (const Redirection how : {Redirection::Lifted, Redirection::Unturned, Redirection::Pushed}) {
    if (!redirectDeepBodies(how, dt)) break;
    for (SweptBody& swept : sweep.bodies) swept.forgetStop();
    collectSweptPairs();
    stopSweptBodies();
  }
  // After all else about the body was done.
  for (const SweptBody& swept : sweep.bodies) {
    if (!swept.stopped && !swept.redirected) continue;
    const Pose end = bodies[swept.body].pose;
    applyStop(swept, dt);
    finishPose(swept.body, end);
    moveProxy(swept.body, dt);
  }
  for (const SweptBody& swept : sweep.bodies) sweep.number[swept.body] = 0;
}

}  // namespace sunder
