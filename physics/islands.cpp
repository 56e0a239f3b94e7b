// SPDX-License-Identifier: MIT
// Islands: what hangs together by contacts. Each step they decide how many substeps a group of bodies gets, and which of
// them may sleep.
#include <algorithm>
#include <iterator>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// A substep carries load along one contact, so an island needs more of them the more it piles on its lightest body.
// Measured (docs/stepping.md): 8 substeps hold a load of 16 times the lightest mass within the promised drift, 16 one of
// 24, 32 one of 400, and 64 one of 1000 on five light cubes. Only small islands get more, since time grows with it.
struct SubstepRule {
  double loadRatio;  // mass of the island / its smallest mass, from which the rule holds
  int contacts;      // largest island it is used for
  int factor;        // of the world's substeps
};
constexpr SubstepRule kSubstepRules[] = {{400, 32, 8}, {24, 96, 4}, {16, 192, 2}};

// The rules are for cubes of 1 m under Earth's gravity in 8 substeps of a step of 1/60 s. A pile of n cubes of edge e on soft
// contacts buckles under its own weight when n^3 exceeds a multiple of stiffness e / (mass g), and the contacts' stiffness is
// that of the substep: n^3 ~ e / (g h^2). So smaller bodies, fewer substeps or more gravity make a rule hold from a smaller
// ratio on: its cube is to be multiplied by this, at most 1.
double slackOf(double radius, double gravity, double substep) {
  constexpr double kRadius = 0.8660254, kSubstep = 1.0 / 480, kGravity = 9.81;
  const double slack = radius * kGravity * kSubstep * kSubstep, needed = kRadius * gravity * substep * substep;
  return slack < needed ? slack / needed : 1;
}

// What is done to it within a step comes from contacts and gravity only.
bool isLeftAlone(const BodyState& body, const BodyForce& f) {
  const bool isForced = f.force[0] != 0 || f.force[1] != 0 || f.force[2] != 0 || f.torque[0] != 0 || f.torque[1] != 0 || f.torque[2] != 0;
  return !isForced && body.def.lockedAxes == kLockNone && body.def.linearDamping == 0 && body.def.angularDamping == 0;
}

}  // namespace

std::uint32_t World::Impl::rootOf(std::uint32_t i) {
  while (islandOf[i] != i) {
    islandOf[i] = islandOf[islandOf[i]];
    i = islandOf[i];
  }
  return i;
}

void World::Impl::buildIslands() {
  islandOf.resize(bodies.size());
  islands.resize(bodies.size());
  for (const std::uint32_t i : moving) {
    islandOf[i] = i;
    islands[i] = {};
  }
  const auto joins = [this](std::uint32_t body) { return movesNow[body] != 0 && bodies[body].mass > 0; };
  for (const std::uint32_t index : activeContacts) {
    const Contact& contact = contacts[index];
    if (!joins(contact.bodyA) || !joins(contact.bodyB)) continue;
    const std::uint32_t a = rootOf(contact.bodyA), b = rootOf(contact.bodyB);
    islandOf[std::max(a, b)] = std::min(a, b);  // a root is the lowest body of its island
  }
  report.islands = 0;
  isolatedIslands = 0;
  for (const std::uint32_t i : moving) {
    const BodyState& body = bodies[i];
    if (!(body.mass > 0)) continue;
    const std::uint32_t root = rootOf(i);
    report.islands += root == i;
    Island& island = islands[root];
    island.mass += body.mass;
    island.isIsolated = island.isIsolated && isLeftAlone(body, forces[i]) && body.def.gravityScale == bodies[root].def.gravityScale;
    if (island.leastMass > 0 && !(body.mass < island.leastMass)) continue;
    island.leastMass = body.mass;
    island.leastRadius = body.radius;
  }
  for (const std::uint32_t index : activeContacts) {
    const Contact& contact = contacts[index];
    Island& island = islands[rootOf(joins(contact.bodyA) ? contact.bodyA : contact.bodyB)];
    isolatedIslands += ++island.contacts == 1 && island.isIsolated;
    const float* belt = contact.surfaceVelocity;
    const bool isInner = joins(contact.bodyA) && joins(contact.bodyB) && !contact.fixedA && !contact.fixedB;
    if (!island.isIsolated || (isInner && belt[0] == 0 && belt[1] == 0 && belt[2] == 0)) continue;
    island.isIsolated = false;
    --isolatedIslands;
  }
}

// Deals the contacts of this step out to the solvers, by the substeps that their islands need.
void World::Impl::groupContacts() {
  for (SolverGroup& group : groups) group.contacts.clear();
  const double gravity = length(load(def.gravity)), substep = lastDt / def.substeps;
  const auto factorOf = [&](const Island& island) {
    if (island.contacts > kSubstepRules[std::size(kSubstepRules) - 1].contacts) return 1;
    const double ratio = island.mass / island.leastMass, slack = slackOf(island.leastRadius, gravity, substep);
    for (const SubstepRule& rule : kSubstepRules)
      if (ratio * ratio * ratio > slack * rule.loadRatio * rule.loadRatio * rule.loadRatio && island.contacts <= rule.contacts) return rule.factor;
    return 1;
  };
  for (const std::uint32_t index : activeContacts) {
    const Contact& contact = contacts[index];
    const bool joinsA = movesNow[contact.bodyA] != 0 && bodies[contact.bodyA].mass > 0;
    const int factor = factorOf(islands[rootOf(joinsA ? contact.bodyA : contact.bodyB)]);
    for (SolverGroup& group : groups)
      if (group.substepFactor == factor) group.contacts.push_back(index);
  }
}

}  // namespace sunder
