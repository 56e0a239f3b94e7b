// SPDX-License-Identifier: MIT
// Islands: what hangs together by contacts. Each step they decide how many substeps a group of bodies gets, and which of
// them may sleep.
#include <algorithm>
#include <iterator>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// A substep carries load along one contact, so an island needs more of them the more a body carries of its own weight.
// Measured (docs/stepping.md): 8 substeps hold a load of 16 weights within the promised drift, 12 one of 21, 16 one of 24, 32 one
// of 400, and 64 one of 1000 on five light cubes. Only small islands get more, since time grows with it.
struct SubstepRule {
  double loadRatio;  // from which the rule holds
  int contacts;      // largest island it is used for
  double factor;     // of the world's substeps, one of kSubstepFactors
  double lessFactor; // the next smaller one
};
constexpr SubstepRule kSubstepRules[] = {{400, 32, 8, 4}, {24, 96, 4, 2}, {21, 192, 2, 1.5}, {16, 192, 1.5, 1}};
constexpr int kMostRuledContacts = 192;
// An island that has more substeps keeps them down to this share of the ratio: each change of the substep changes how far loads
// sink in, and a ratio near a rule's, changing a little in every step, would make a pile hum.
constexpr double kKeepShare = 0.9;

// Substeps of an island were made by a rule's factor if they were no longer than this of what it gives; factors differ by 1.5 and more.
constexpr double kLikelySame = 0.8;

// Pushed sideways with an acceleration a, n cubes on soft contacts lean at the top by a h^2 n^4 / 1.2 (m), docs/stepping.md, (28). From a
// third of a millimetre on they hum, the higher ones sooner. Here without the 1.2.
constexpr double kMostLean = 1e-4;

// Of the radius of a cube its half edge has this share.
constexpr double kCubeShare = 0.57735027;

// The rules are for cubes of 1 m under Earth's gravity in 8 substeps of a step of 1/60 s. A pile of n cubes of edge e on soft
// contacts buckles under its own weight when n^3 exceeds a multiple of stiffness e / (mass g), and the contacts' stiffness is
// that of the substep: n^3 ~ e / (g h^2). So smaller bodies, fewer substeps or more gravity make a rule hold from a smaller
// ratio on: its cube is to be multiplied by this, at most 1.
double slackOf(double radius, double gravity, double substep) {
  constexpr double kRadius = 0.5 / kCubeShare, kSubstep = 1.0 / 480, kGravity = 9.81;
  const double slack = radius * kGravity * kSubstep * kSubstep, needed = kRadius * gravity * substep * substep;
  return slack < needed ? slack / needed : 1;
}

// Hits in islands of up to so many contacts, in which something may close faster than this, m/s, are swept until they have gone
// through (ContactSolverSettings::hitSweeps). The sweeps know no friction: with the slower hits of a stack that is built with
// gaps of millimetres its cubes would drift by 5 mm.
constexpr int kMostSweptContacts = 96;
constexpr double kSweptHitSpeed = 0.75;

// In a heap of any size a light body may be pressed between heavy ones, on one corner, and rattle there, deep inside one of
// them; twice the substeps free it. But thousands of bodies are not to take twice the time for one: of 5000 there nearly
// always is one while they settle.
constexpr int kMostStuckContacts = 4096;

// Something takes momentum from it.
bool isHeld(const BodyState& body) { return body.def.linearDamping != 0 || body.def.angularDamping != 0 || body.def.lockedAxes != kLockNone; }

}  // namespace

std::uint32_t World::Impl::rootOf(std::uint32_t i) {
  while (islandOf[i] != i) {
    islandOf[i] = islandOf[islandOf[i]];
    i = islandOf[i];
  }
  return i;
}

// What is done to it within a step comes from contacts and gravity, and perhaps damping and locks, only.
bool World::Impl::isUnforced(std::uint32_t index) const {
  const BodyForce& f = forces[index];
  const bool isForced = f.force[0] != 0 || f.force[1] != 0 || f.force[2] != 0 || f.torque[0] != 0 || f.torque[1] != 0 || f.torque[2] != 0;
  return !isForced;
}

void World::Impl::buildIslands() {
  islandOf.resize(bodies.size());
  islands.resize(bodies.size());
  for (const std::uint32_t i : moving) {
    islandOf[i] = i;
    if (pairCounts[i] != 0) islands[i] = {};
  }
  for (const ContactRef& contact : activeContacts) {
    if (!joinsIslands(contact.bodyA) || !joinsIslands(contact.bodyB)) continue;
    const std::uint32_t a = rootOf(contact.bodyA), b = rootOf(contact.bodyB);
    islandOf[std::max(a, b)] = std::min(a, b);  // a root is the lowest body of its island
  }
  mayHavePushed = mayHaveCarried = false;
  for (const ContactRef& contact : activeContacts) {
    Island& island = islands[rootOf(contact)];
    if (island.contacts < kMostRuledContacts) {
      const Contact& full = contacts[contact.contact];
      if (island.contacts < kMostSweptContacts && !island.mayHit) island.mayHit = mayHit(full);
      addLoad(island, full);
    }
    const bool joinsBoth = joinsIslands(contact.bodyA) && joinsIslands(contact.bodyB);
    const bool isInner = joinsBoth && !contact.fixedA && !contact.fixedB && !contact.isBelt;
    const bool isAtRest = !joinsBoth && movesNow[joinsIslands(contact.bodyA) ? contact.bodyB : contact.bodyA] == 0 && !contact.isBelt;
    island.isIsolated = isInner && (island.contacts == 0 || island.isIsolated);
    island.isClosed = (isInner || isAtRest) && (island.contacts == 0 || island.isClosed);
    island.isStuck = island.isStuck || contact.isStuck;
    island.bounces = island.bounces || contact.bounces;
    mayHaveCarried = mayHaveCarried || contact.isBelt;
    const std::uint32_t pusher = pusherOf(contact);
    if (pusher != kNone) {
      notePush(island, contact, pusher);
      mayHavePushed = mayHaveCarried = true;
    }
    ++island.contacts;
  }
  report.islands = 0;
  mayHaveIsolated = mayHaveClosed = false;
  const double gravity = length(load(def.gravity));
  const Vec3 down = gravity > 0 ? (1 / gravity) * load(def.gravity) : Vec3{0, 0, 0};
  for (const std::uint32_t i : moving) {
    if (!joinsIslands(i)) continue;
    const std::uint32_t root = rootOf(i);
    report.islands += root == i;
    if (pairCounts[i] == 0 || islands[root].contacts == 0) continue;
    const BodyState& body = bodies[i];
    Island& island = islands[root];
    island.mass += body.mass;
    if (island.pushSpeed > 0) island.fastest = std::max(island.fastest, speedAhead(i));
    island.isUnforced = island.isUnforced && isUnforced(i);
    island.isIsolated = island.isIsolated && island.isUnforced && !isHeld(body) && body.def.gravityScale == bodies[root].def.gravityScale;
    mayHaveIsolated = mayHaveIsolated || island.isIsolated;
    mayHaveClosed = mayHaveClosed || island.isLimited();
    if (island.contacts <= kMostRuledContacts) {
      const double height = -dot(down, load(body.pose.position));
      island.top = std::max(island.top, height);
      island.bottom = std::min(island.bottom, height);
    }
    if (island.leastMass > 0 && !(body.mass < island.leastMass)) continue;
    island.leastMass = body.mass;
    island.leastRadius = body.radius;
  }
}

// A contact that carries nothing, of bodies that may close fast.
bool World::Impl::mayHit(const Contact& contact) const {
  for (int i = 0; i < contact.pointCount; ++i)
    if (contact.points[i].impulse > 0) return false;
  const BodyState& a = bodies[contact.bodyA];
  const BodyState& b = bodies[contact.bodyB];
  const Vec3 normal = rotated(frames[contact.bodyA], contact.normal), relative = load(b.linearVelocity) - load(a.linearVelocity);
  const double turning = a.radius * length(load(a.angularVelocity)) + b.radius * length(load(b.angularVelocity));
  return turning + lastDt * length(load(def.gravity)) - dot(normal, relative) > kSweptHitSpeed;
}

// Adds what a contact tells about loads: what its lighter body carries now, and may carry when the other lies on it.
void World::Impl::addLoad(Island& island, const Contact& contact) const {
  const double a = bodies[contact.bodyA].mass, b = bodies[contact.bodyB].mass;
  const double lighter = a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
  island.massRatio = std::max(island.massRatio, std::max(a, b) / lighter);
  if (!contact.fixedA) island.greatestMass = std::max(island.greatestMass, a);
  if (!contact.fixedB) island.greatestMass = std::max(island.greatestMass, b);
  if (!(a > 0 && b > 0)) {
    island.support = std::max(island.support, std::fabs(dot(load(def.gravity), rotated(frames[contact.bodyA], contact.normal))));
  }
  if (!(contact.substep > 0)) return;  // new: it carries nothing yet
  double impulse = 0;
  for (int i = 0; i < contact.pointCount; ++i) impulse += contact.points[i].impulse;
  island.loadPerMass = std::max(island.loadPerMass, impulse / (contact.substep * lighter));
  island.leastSubstep = std::min(island.leastSubstep, static_cast<double>(contact.substep));
}

// Of the world's substeps. `push`: m/s^2, what presses the island sideways, or carries it.
double World::Impl::substepFactorOf(const Island& island, double push) const {
  const double otherwise = island.isStuck && island.contacts <= kMostStuckContacts ? 2 : 1;
  if (island.contacts > kMostRuledContacts) return otherwise;
  // Loads that came just now are not known: a tower may get them from as many bodies as it is high. But nothing carries more
  // than all that there is.
  const double gravity = length(load(def.gravity));
  const double tower = (island.top - island.bottom) / (2 * kCubeShare * island.leastRadius) + 1;
  double ratio = std::max(tower, island.massRatio);
  if (island.loadPerMass > ratio * gravity) ratio = gravity > 0 ? island.loadPerMass / gravity : HUGE_VAL;
  ratio = std::min(ratio, island.mass / island.leastMass);
  const double substep = std::max(lastDt, softDt) / def.substeps, slack = slackOf(island.leastRadius, gravity, substep);
  // On a slope gravity pushes it, too.
  if (island.support >= 0) push = std::max(push, std::sqrt(std::max(gravity * gravity - island.support * island.support, 0.0)));
  // A pebble on top does not make many cubes of a few: of n bodies on each other there are n contacts, and slender ones count twice.
  const double cubes = std::min(tower, 2.0 * island.contacts), lean = push * substep * substep * cubes * cubes * cubes * cubes;
  for (const SubstepRule& rule : kSubstepRules) {
    if (lean > kMostLean * rule.lessFactor * rule.lessFactor && island.contacts <= rule.contacts) return rule.factor;
    const double least = rule.loadRatio * (softDt > kLikelySame * rule.factor * def.substeps * island.leastSubstep ? kKeepShare : 1);
    if (ratio * ratio * ratio > slack * least * least * least && island.contacts <= rule.contacts) return rule.factor;
  }
  return otherwise;
}

// Deals the contacts of this step out to the solvers: by the substeps that their islands need, and small islands in which
// something may hit by themselves.
void World::Impl::groupContacts() {
  for (SolverGroup& group : groups) group.contacts.clear();
  for (SolverGroup& group : carriedGroups) group.contacts.clear();
  hitContacts.clear();
  for (const ContactRef& contact : activeContacts) {
    const std::uint32_t root = rootOf(contact);
    Island& island = islands[root];
    if (island.mayHit && island.contacts <= kMostSweptContacts) {
      hitContacts.push_back({root, static_cast<std::uint32_t>(hitContacts.size()), contact});
      continue;
    }
    if (island.substepFactor == 0) island.substepFactor = substepFactorOf(island, pushOn(root));
    for (SolverGroup& group : isCarriedIsland(root) ? carriedGroups : groups)
      if (group.substepFactor == island.substepFactor) group.contacts.push_back(contact);
  }
  std::sort(hitContacts.begin(), hitContacts.end());
}

void World::Impl::solveIslands(double dt) {
  for (SolverGroup& group : groups) solveGroup(group, dt);
  for (SolverGroup& group : carriedGroups) solveGroup(group, dt);
  for (std::size_t begin = 0, end = 0; begin < hitContacts.size(); begin = end) {
    const std::uint32_t root = hitContacts[begin].root;
    hitGroup.contacts.clear();
    for (; end < hitContacts.size() && hitContacts[end].root == root; ++end) hitGroup.contacts.push_back(hitContacts[end].contact);
    const Island& island = islands[root];
    hitGroup.substepFactor = substepFactorOf(island, pushOn(root));
    // Conjugate directions need some multiple of the root of the masses' ratio, but in chains and where points open and close more.
    hitGroup.hitSweeps = static_cast<int>(std::min(8 + 4 * island.greatestMass / island.leastMass, 20000.0 / island.contacts));
    hitGroup.isClosed = island.isClosed;
    hitGroup.isCarried = isCarriedIsland(root);
    solveGroup(hitGroup, dt);
  }
}

}  // namespace sunder
