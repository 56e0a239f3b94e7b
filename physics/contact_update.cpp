// SPDX-License-Identifier: MIT
// From pairs of the broadphase to contacts. A pair is only looked at when its two bodies may have moved enough to matter:
// each body has a clock that bounds the motion of all its points. A pair apart by d cannot touch before its clocks have
// advanced by d; a contact keeps its manifold - points fixed to the bodies, so that separations stay exact for a vertex
// on a face - until they have advanced by a small share of the box.
#include <algorithm>
#include <cmath>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// Of the smallest half extent of the two boxes: further apart, a pair that nears has a contact only if the boxes meet.
constexpr double kNearShare = 0.1;
// A box that lands on a corner lands on others in the same step, so a contact has all points that the bodies may reach in it. But
// what would hit in the substep after a hit hits with it, and its arms are those of the first point: of bodies that come nearer by
// `approach` in a step, points further away than this share of extent^2 / approach are left to the next step. (A cube that comes back
// from a wall is within 15 % of its speed with 0.5, within 25 % with 1; boxes that land after 2 m are 1 mm deep at most with either in
// nine cases of ten, 40 without.)
constexpr double kReachShare = 0.5;
// Share of the smallest half extent of the two boxes that they may move before the manifold is made anew.
constexpr double kRecycleShare = 0.002;
// m. Bodies that were put inside each other count as that until they are nearer than this to being apart.
constexpr double kInsideDepth = 0.01;
// Share of the smaller box's radius within which a new point takes over the impulse of an old one with another id.
constexpr double kMatchShare = 0.1;

// Bodies deeper in each other than this share of their smallest half extent for kStuckSteps steps, and moving, are stuck until
// less than kFreedShare is left.
constexpr double kStuckShare = 0.08, kFreedShare = 0.03;
constexpr std::uint8_t kStuckSteps = 30;
// Share of the smallest half extent from which on Contact::isDeep: loads alone never press bodies in by that much. (Of 800
// random squeezes a sixth more shot something out with 0.1 than with 0.05, and as many with 0.02 and 0.01.)
constexpr double kDeepShare = 0.02;

// Impulses of the old points go to the new ones with the same feature, then to the nearest ones that are left.
void takeOverImpulses(const Contact& old, Contact& next, double matchDistance) {
  bool taken[4] = {}, found[4] = {};
  for (int i = 0; i < next.pointCount; ++i)
    for (int j = 0; j < old.pointCount; ++j)
      if (!taken[j] && old.points[j].featureId == next.points[i].featureId) {
        next.points[i].impulse = old.points[j].impulse;
        taken[j] = found[i] = true;
        break;
      }
  for (int i = 0; i < next.pointCount; ++i) {
    if (found[i]) continue;
    int best = -1;
    double bestSquared = matchDistance * matchDistance;
    for (int j = 0; j < old.pointCount; ++j) {
      if (taken[j]) continue;
      double squared = 0;
      for (int k = 0; k < 3; ++k) {
        const double d = old.points[j].onA[k] - next.points[i].onA[k];
        squared += d * d;
      }
      if (squared < bestSquared) {
        bestSquared = squared;
        best = j;
      }
    }
    if (best < 0) continue;
    next.points[i].impulse = old.points[best].impulse;
    taken[best] = true;
  }
}

}  // namespace

std::uint32_t World::Impl::newContact() {
  if (freeContacts.empty()) {
    contacts.emplace_back();
    return static_cast<std::uint32_t>(contacts.size() - 1);
  }
  const std::uint32_t slot = freeContacts.back();
  freeContacts.pop_back();
  return slot;
}

void World::Impl::freeContact(std::uint32_t contact) { freeContacts.push_back(contact); }

// Takes the contact away from its pair, which is looked at again in the next step.
void World::Impl::dropContact(std::uint32_t contact) {
  BodyPair& pair = *findPair(contacts[contact].bodyA, contacts[contact].bodyB);
  freeContact(contact);
  pair.contact = kNone;
  pair.reach = clocks[pair.a].now + clocks[pair.b].now;
}

void World::Impl::setManifold(Contact& contact, const ContactManifold& manifold, const Pose& relative) {
  const Vec3 normal = load(manifold.normal);
  contact.normal[0] = normal.x;
  contact.normal[1] = normal.y;
  contact.normal[2] = normal.z;
  contact.pointCount = static_cast<std::uint8_t>(manifold.pointCount);
  const Vec3 position = load(relative.position);
  const Quat orientation = load(relative.orientation);
  contact.position[0] = position.x;
  contact.position[1] = position.y;
  contact.position[2] = position.z;
  contact.orientation[0] = orientation.w;
  contact.orientation[1] = orientation.x;
  contact.orientation[2] = orientation.y;
  contact.orientation[3] = orientation.z;
  const Mat3 rotation = toMatrix(orientation);
  for (int i = 0; i < contact.pointCount; ++i) {
    const ContactPoint& from = manifold.points[i];
    Contact::Point& to = contact.points[i];
    const Vec3 onA = load(from.pointOnA);
    const Vec3 onB = transposeTimes(rotation, load(from.pointOnB) - position);
    const double valuesA[3] = {onA.x, onA.y, onA.z}, valuesB[3] = {onB.x, onB.y, onB.z};
    for (int k = 0; k < 3; ++k) {
      to.onA[k] = valuesA[k];
      to.onB[k] = valuesB[k];
    }
    to.featureId = from.featureId;
  }
}

// Makes the contact of a pair by a full query, of the bodies where they are or where they will meet, of all points no further apart
// than `reach` (m); `old` is the one that the pair had, or null. False: further apart than maxDistance (m).
bool World::Impl::queryContact(BodyPair& pair, const Contact* old, double maxDistance, double reach, Contact& next, const Pose* meeting) const {
  const BodyState& a = bodies[pair.a];
  const BodyState& b = bodies[pair.b];
  const Pose relative = meeting != nullptr ? *meeting : relativePose(a.pose, b.pose);
  BoxCollision collision;
  collideBoxes({a.def.halfExtents}, {b.def.halfExtents}, relative, std::max(reach, maxDistance), def.narrowphase, pair.cache, collision);
  const double now = clocks[pair.a].now + clocks[pair.b].now;
  if (collision.manifold.pointCount == 0 || collision.signedDistance > maxDistance) {
    if (meeting == nullptr) pair.reach = now + (collision.signedDistance - kContactMargin);
    return false;
  }
  // A manifold made for another place holds for this step only.
  pair.reach = meeting != nullptr ? now : now + kRecycleShare * smallestExtent(a, b);
  next.bodyA = pair.a;
  next.bodyB = pair.b;
  // What is not dynamic dominates everything.
  next.fixedA = a.def.kind != BodyKind::Dynamic || (b.def.kind == BodyKind::Dynamic && a.def.dominance > b.def.dominance);
  next.fixedB = b.def.kind != BodyKind::Dynamic || (a.def.kind == BodyKind::Dynamic && b.def.dominance > a.def.dominance);
  const PairRule* rule = findRule(pair.a, pair.b);
  const Material material = rule != nullptr && rule->hasMaterial
                                ? rule->material
                                : mix({a.def.friction, a.def.restitution}, {b.def.friction, b.def.restitution});
  next.friction = static_cast<float>(material.friction);
  next.restitution = static_cast<float>(material.restitution);
  const Vec3 surface = load(b.def.surfaceVelocity) - load(a.def.surfaceVelocity);
  next.surfaceVelocity[0] = static_cast<float>(-surface.x);
  next.surfaceVelocity[1] = static_cast<float>(-surface.y);
  next.surfaceVelocity[2] = static_cast<float>(-surface.z);
  setManifold(next, collision.manifold, relative);
  // Bodies that meet are no deeper in each other than they can have moved in a step.
  next.startedInside = old == nullptr ? collision.signedDistance < -std::max(maxDistance, kContactMargin + approachBound(pair))
                                      : old->startedInside && collision.signedDistance < -kInsideDepth;
  const double depth = -collision.signedDistance / smallestExtent(a, b);
  next.isDeep = depth > kDeepShare;
  if (old == nullptr) return true;
  takeOverImpulses(*old, next, kMatchShare * std::min(a.radius, b.radius));
  for (int k = 0; k < 3; ++k) next.frictionImpulse[k] = old->frictionImpulse[k];
  next.twistImpulse = old->twistImpulse;
  next.substep = old->substep;
  next.isNew = old->isNew;
  next.isSqueezed = old->isSqueezed && depth > 0;
  next.deepSteps = next.startedInside || depth < kFreedShare ? 0 : old->deepSteps;
  if (depth > kStuckShare && !next.startedInside && next.deepSteps < kStuckSteps) ++next.deepSteps;
  next.reference = old->reference;
  return true;
}

// Whether B, seen from A, is still where it was when the manifold was made. The clocks also count motion that the two
// share; what is left of the allowance after taking that out is put on the clocks anew.
bool World::Impl::isUnchanged(BodyPair& pair) const {
  const BodyState& a = bodies[pair.a];
  const BodyState& b = bodies[pair.b];
  const Contact& contact = contacts[pair.contact];
  const Pose relative = relativePose(a.pose, b.pose);
  const Vec3 moved = load(relative.position) - Vec3{contact.position[0], contact.position[1], contact.position[2]};
  const Quat q = load(relative.orientation);
  const double* p = contact.orientation;
  const double dw = q.w - p[0], dx = q.x - p[1], dy = q.y - p[2], dz = q.z - p[3];
  // As in finishPose: 2.3 |q - p| bounds the angle. Opposite signs of the same rotation only cost a query.
  const double change = length(moved) + 2.3 * b.radius * std::sqrt(dw * dw + dx * dx + dy * dy + dz * dz);
  const double left = kRecycleShare * smallestExtent(a, b) - change;
  if (left < 0) return false;
  pair.reach = clocks[pair.a].now + clocks[pair.b].now + left;
  return true;
}

// Whether the pair has a contact in this step. Runs on several threads at once: what other pairs share is only read, and
// what has to be changed there is noted in `block`.
bool World::Impl::updateContact(std::uint32_t slot, ContactBlockUpdate& block) {
  BodyPair& pair = pairs[slot];
  const MotionClock& a = clocks[pair.a];
  const MotionClock& b = clocks[pair.b];
  if (pair.ignored) return false;
  if (pair.stale) {
    pair.stale = false;
  } else if (pair.contact == kNone) {
    if (a.ahead + b.ahead < pair.reach) return false;
  } else if (a.now + b.now < pair.reach || isUnchanged(pair)) {
    return true;
  }
  const BodyKind kindA = bodies[pair.a].def.kind, kindB = bodies[pair.b].def.kind;
  if (kindA != BodyKind::Dynamic && kindB != BodyKind::Dynamic) return false;
  // The clocks also count motion that the two share.
  const double approach = approachBound(pair), now = a.now + b.now;
  if (pair.contact == kNone && now + approach < pair.reach) return false;
  const double smallest = smallestExtent(bodies[pair.a], bodies[pair.b]), near = kNearShare * smallest;
  Contact* const old = pair.contact != kNone ? &contacts[pair.contact] : nullptr;
  Contact next;
  ++block.queries;
  const double reach = kContactMargin + std::min(approach, std::max(near, kReachShare * smallest * smallest / approach));
  bool found = queryContact(pair, old, kContactMargin + std::min(approach, near), reach, next);
  // What comes nearer by more than that in this step may turn as well, and hit with something else than what is nearest now.
  if (near < approach && (found ? leastSeparation(next) > kContactMargin : pair.reach < now + approach)) {
    ++block.queries;
    Contact met;
    if (predictContact(pair, old, reach, met)) {
      next = met;
      found = true;
    }
  }
  if (old != nullptr && found) {
    *old = next;
  } else if (old != nullptr || found) {
    block.changed.push_back(slot);  // lost or new
    if (found) block.fresh.push_back(next);
  }
  return found;
}

// Looks at the active pairs from `begin` to `end`.
void World::Impl::updateContactBlock(ContactBlockUpdate& block, int begin, int end) {
  block.clear();
  for (int i = begin; i < end; ++i) {
    const std::uint32_t slot = activePairs[static_cast<std::size_t>(i)];
    if (!updateContact(slot, block)) continue;
    const BodyPair& pair = pairs[slot];
    const Contact& contact = pair.contact != kNone ? contacts[pair.contact] : block.fresh.back();
    const float* belt = contact.surfaceVelocity;
    block.mayBeSqueezed = block.mayBeSqueezed || contact.isDeep || contact.isSqueezed;
    block.active.push_back({pair.contact, pair.a, pair.b, contact.fixedA, contact.fixedB, belt[0] != 0 || belt[1] != 0 || belt[2] != 0,
                            contact.restitution > 0, contact.isDeep, contact.isSqueezed, contact.deepSteps == kStuckSteps});
    block.onlyWatched = block.onlyWatched || !(joinsIslands(pair.a) || joinsIslands(pair.b));
    for (const std::uint32_t body : {pair.a, pair.b})
      if (movesNow[body] == 0 && bodies[body].sleepingIsland != kNone && touches(contact)) block.wakes.push_back(body);
  }
}

// Gives the new contacts their slots and takes those of the lost, in the order of the pairs.
void World::Impl::applyContactBlock(const ContactBlockUpdate& block) {
  report.narrowphaseQueries += block.queries;
  auto fresh = block.fresh.begin();
  std::size_t next = activeContacts.size();
  activeContacts.insert(activeContacts.end(), block.active.begin(), block.active.end());
  for (const std::uint32_t slot : block.changed) {
    BodyPair& pair = pairs[slot];
    if (pair.contact != kNone) {
      freeContact(pair.contact);
      pair.contact = kNone;
      continue;
    }
    pair.contact = newContact();
    contacts[pair.contact] = *fresh++;
    while (activeContacts[next].contact != kNone) ++next;
    activeContacts[next].contact = pair.contact;
  }
  wakeList.insert(wakeList.end(), block.wakes.begin(), block.wakes.end());
}

void World::Impl::updateContacts() {
  // Waking a body makes more pairs active: then all are gone over again, which is cheap for those already done.
  for (;;) {
    updateMoving();
    activeContacts.clear();
    wakeList.clear();
    contactBlocks.resize(static_cast<std::size_t>(pool->threads()));
    for (ContactBlockUpdate& block : contactBlocks) block.clear();
    pool->runBlocks(static_cast<int>(activePairs.size()), kLeastPairs, [this](int block, int begin, int end) {
      updateContactBlock(contactBlocks[static_cast<std::size_t>(block)], begin, end);
    });
    for (const ContactBlockUpdate& block : contactBlocks) applyContactBlock(block);
    if (wakeList.empty()) {
      // What is kinematic and near a sleeper that it does not touch yet is in no island.
      if (std::any_of(contactBlocks.begin(), contactBlocks.end(), [](const ContactBlockUpdate& block) { return block.onlyWatched; }))
        std::erase_if(activeContacts, [this](const ContactRef& ref) { return !(joinsIslands(ref.bodyA) || joinsIslands(ref.bodyB)); });
      removeGhostContacts();
      return;
    }
    for (const std::uint32_t body : wakeList) wake(body);
    // What may happen in this step was looked at: again only what has a contact.
    for (const std::uint32_t i : moving) clocks[i].ahead = clocks[i].now;
  }
}

}  // namespace sunder
