// SPDX-License-Identifier: MIT
// Contacts of pairs that are still apart. Near ones have a contact at once, made from where they are. Further away, the
// nearest features say little about where the boxes will meet, and a contact made from them stops boxes that would have
// passed each other; so those are moved along their velocities for the length of the step, and only if they meet they get
// a contact, with the manifold of the place where they do.
#include <algorithm>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// Boxes whose paths cut less deep than this (m, and share of the smaller box's smallest half extent) do not meet: flush
// tiles are off each other by that much, and what slides over them has sunk in.
constexpr double kGraze = 0.001;
constexpr double kGrazeShare = 0.01;

}  // namespace

// Whether a sweep may stop the one body at the other.
bool World::Impl::mayCollide(std::uint32_t a, std::uint32_t b) {
  if (!accepts(bodies[a].def.filter, bodies[b].def.filter)) return false;
  const PairRule* rule = findRule(std::min(a, b), std::max(a, b));
  return (rule == nullptr || !rule->ignored) && !letsThrough(a, b);
}

// How far (m) two bodies may come nearer to each other in this step, if no contact changes their velocities.
double World::Impl::approachBound(const BodyPair& pair) const {
  const BodyState& a = bodies[pair.a];
  const BodyState& b = bodies[pair.b];
  const Vec3 velocity = velocityAhead(pair.b) - velocityAhead(pair.a);
  return lastTimeStep * (length(velocity) + a.radius * length(load(a.angularVelocity)) + b.radius * length(load(b.angularVelocity)));
}

// The mean velocity (m/s) of a body over this step if nothing stops it. What had contacts in the last step will probably be
// held by them in this one, too: it does not fall.
Vec3 World::Impl::velocityAhead(std::uint32_t index) const {
  const BodyState& body = bodies[index];
  if (movesNow[index] == 0) return {0, 0, 0};
  const Vec3 v = load(body.linearVelocity);
  if (body.def.kind != BodyKind::Dynamic || body.held) return v;
  return v + (0.5 * lastTimeStep) * freeAcceleration(index);
}

// Whether the pair meets in this step; then it has the contact of the place where it does, of points up to `reach` (m) apart.
bool World::Impl::predictContact(BodyPair& pair, const Contact* old, double reach, Contact& next) const {
  const auto motionAhead = [this](std::uint32_t index) {
    Motion motion;
    motion.pose = bodies[index].pose;
    store(motion.linearVelocity, lastTimeStep * velocityAhead(index));
    if (movesNow[index] != 0) store(motion.angularVelocity, lastTimeStep * load(bodies[index].angularVelocity));
    return motion;
  };
  const Motion motionA = motionAhead(pair.a), motionB = motionAhead(pair.b);
  const Box boxA = {bodies[pair.a].def.halfExtents}, boxB = {bodies[pair.b].def.halfExtents};
  const double smallestA = smallestHalfExtent(boxA), smallestB = smallestHalfExtent(boxB);
  const double graze = std::min(kGraze, kGrazeShare * std::min(smallestA, smallestB));
  const bool shrinksA = smallestA <= smallestB;
  const Impact impact =
      firstImpact(shrinksA ? core(boxA, graze) : boxA, motionA, shrinksA ? boxB : core(boxB, graze), motionB, 1, 0.1 * graze);
  if (!impact.hit) return false;
  const Pose meeting = relativePose(poseAt(motionA, impact.time), poseAt(motionB, impact.time));
  return queryContact(pair, old, graze, (1 - impact.time) * reach, next, &meeting);
}

}  // namespace sunder
