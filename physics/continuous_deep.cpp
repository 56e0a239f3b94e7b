// SPDX-License-Identifier: MIT
// Sweeps of bodies that start the step deep in something that they can't move. Stopped as soon as any of their corners goes deeper,
// those that others press would never move again. So they go where they like, but no lower, along the normal they had at the start,
// than they were: the other lies wholly below. Where that is not so, the end of the motion is lifted, and the new motion is swept
// against all else: what lies behind one wall of a room lies outside of the others.
#include <algorithm>
#include <cmath>

#include "sunder/narrowphase/query.h"
#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// Lifts along the normals of several grounds go round until they are all kept to that share of the body's gap. Each round
// leaves (cosine of the angle between two normals)^2 of the error, 3/4 in a wedge of 30 degrees.
constexpr int kLiftRounds = 64;
constexpr double kLiftTolerance = 0.01;

// What locks leave of a normal, squared. With less, a lift would be a long way sideways.
constexpr double kLeastFree = 0.1;

// How far a box reaches from its centre along a direction of the frame in which it has that orientation.
double reachAlong(const Box& box, const Quat& orientation, const Vec3& direction) {
  const Vec3 local = rotate(conjugate(orientation), direction), h = load(box.halfExtents);
  return h.x * std::fabs(local.x) + h.y * std::fabs(local.y) + h.z * std::fabs(local.z);
}

}  // namespace

// Around all places of a body that moves from one pose to another, however it turns.
Aabb World::Impl::boundsBetween(std::uint32_t index, const Pose& start, const Pose& end) const {
  const double* from = start.position.data();
  const double* to = end.position.data();
  Aabb box;
  for (int k = 0; k < 3; ++k) {
    box.lower.data()[k] = std::min(from[k], to[k]) - bodies[index].radius;
    box.upper.data()[k] = std::max(from[k], to[k]) + bodies[index].radius;
  }
  return box;
}

void World::Impl::noteDeepPair(const SweptPair& pair) {
  const SweptBody& swept = sweep.bodies[sweep.number[pair.a] - 1];
  const std::uint32_t groundNumber = sweep.number[pair.b];
  const Pose& ground = groundNumber != 0 ? sweep.bodies[groundNumber - 1].motion.pose : bodies[pair.b].pose;
  const Box box = {bodies[pair.a].def.halfExtents}, groundBox = {bodies[pair.b].def.halfExtents};
  const Pose relative = relativePose(ground, swept.motion.pose);
  const Proximity before = signedDistance(groundBox, box, relative);
  if (before.status == QueryStatus::InvalidInput) return;
  DeepPair deep;
  deep.body = pair.a;
  deep.ground = pair.b;
  deep.normal = load(before.normal);
  const double height = dot(deep.normal, load(relative.position));
  deep.lowest = height - reachAlong(box, load(relative.orientation), deep.normal);
  // A plank that stands in a thin wall may turn until it lies in it; then its middle must not be behind.
  const double surface = reachAlong(groundBox, {1, 0, 0, 0}, deep.normal);
  deep.centre = std::min(height, surface + smallestHalfExtent(box) - swept.depth);
  sweep.deepPairs.push_back(deep);
}

// How far (m) a pose of the body at the end of the step is too low.
double World::Impl::missingLift(const DeepPair& deep, const Pose& pose) const {
  const Pose relative = relativePose(bodies[deep.ground].pose, pose);
  const double height = dot(deep.normal, load(relative.position));
  const double lowest = height - reachAlong({bodies[deep.body].def.halfExtents}, load(relative.orientation), deep.normal);
  return std::max(deep.lowest - lowest, deep.centre - height);
}

// Moves a pose of a body until it keeps to all of its grounds, deepPairs[begin] to [end - 1]. False: it can't.
bool World::Impl::liftDeepBody(std::size_t begin, std::size_t end, double tolerance, Pose& pose) const {
  for (int round = 0; round < kLiftRounds; ++round) {
    double most = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const DeepPair& deep = sweep.deepPairs[i];
      const double lift = missingLift(deep, pose);
      most = std::max(most, lift);
      if (!(lift > 0)) continue;
      const Vec3 normal = rotate(load(bodies[deep.ground].pose.orientation), deep.normal);
      const Vec3 way = alongFreeAxes(normal, bodies[deep.body].def.lockedAxes);
      if (dot(way, way) < kLeastFree) return false;
      store(pose.position, load(pose.position) + (lift / dot(way, way)) * way);
    }
    if (most <= tolerance) return true;
  }
  return false;
}

// Gives other motions to the bodies that end too low. False: none does.
bool World::Impl::redirectDeepBodies(Redirection how, double dt) {
  bool found = false;
  for (std::size_t begin = 0, end = 0; begin < sweep.deepPairs.size(); begin = end) {
    const std::uint32_t index = sweep.deepPairs[begin].body;
    while (end < sweep.deepPairs.size() && sweep.deepPairs[end].body == index) ++end;
    SweptBody& swept = sweep.bodies[sweep.number[index] - 1];
    const double tolerance = kLiftTolerance * gapFor(swept.depth);
    const Pose last = endOf(swept);
    double lift = 0;
    for (std::size_t i = begin; i < end; ++i) lift = std::max(lift, missingLift(sweep.deepPairs[i], last));
    if (lift <= tolerance) continue;
    found = true;
    for (std::size_t i = begin; i < end; ++i) swept.isPushed = swept.isPushed || sweep.number[sweep.deepPairs[i].ground] != 0;
    const Pose start = swept.motion.pose;
    const BodyState& body = bodies[index];
    // Between two walls there may be room for it to slide, but not to turn; between a wall and what pushes it there, not even that:
    // then it stays, and what pushes goes through it.
    Pose target = body.pose;
    const bool turns = how == Redirection::Lifted && liftDeepBody(begin, end, tolerance, target);
    bool fits = turns;
    if (!fits) {
      target = {how == Redirection::Pushed ? start.position : body.pose.position, start.orientation};
      fits = liftDeepBody(begin, end, tolerance, target);
    }
    if (!fits) target = start;
    swept.redirected = true;
    swept.motion = motionBetween(start, target, body.angularVelocity, turns ? dt : 0.0);
    swept.bounds = boundsBetween(index, start, target);
  }
  return found;
}

}  // namespace sunder
