// SPDX-License-Identifier: MIT
// What is slow enough to fall asleep gets the loads that hold it where it is: the pile may sway or hum, and its loads with it, and sleepers
// go on with the loads that they have. Where there are none it slides or falls, however slowly, and stays awake.
#include <algorithm>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// What a substep does to a body at rest may be at most this share of what gravity does to it: the weight that it reports is exact to
// that. Loads of ten weights are rounded to a hundredth of it.
constexpr double kRestShare = 1e-4;
// ... or, where nothing has a weight, of the speed that counts as still.
constexpr double kStillShare = 1e-6;
// Islands are tried one after the other until so many blocks of contacts were visited, a step's time of some thousand bodies; the others
// have to wait for the next step.
constexpr int kMostVisits = 20000;

// Impulses of a substep `solved` was found with, in the units of the contact and of the whole step.
void takeImpulses(Contact& contact, const Contact& solved, double dt) {
  const float scale = contact.substep / solved.substep, all = static_cast<float>(dt / static_cast<double>(solved.substep));
  for (int i = 0; i < contact.pointCount; ++i) {
    contact.points[i].impulse = scale * solved.points[i].impulse;
    contact.points[i].totalImpulse = all * solved.points[i].impulse;
  }
  for (int k = 0; k < 3; ++k) {
    contact.frictionImpulse[k] = scale * solved.frictionImpulse[k];
    contact.totalFrictionImpulse[k] = all * solved.frictionImpulse[k];
    contact.solvedNormal[k] = solved.solvedNormal[k];
  }
  contact.twistImpulse = scale * solved.twistImpulse;
  contact.totalTwistImpulse = all * solved.twistImpulse;
}

}  // namespace

// Islands that are marked as kUnheld: no longer, if their contacts can hold them.
void World::Impl::holdAtRest(double dt) {
  RestLoads& rest = restLoads;
  rest.bodies.clear();
  rest.contacts.clear();
  for (const std::uint32_t i : moving)
    if (joinsIslands(i) && restless[rootOf(i)] == kUnheld) rest.bodies.push_back({rootOf(i), i});
  if (rest.bodies.empty()) return;
  std::sort(rest.bodies.begin(), rest.bodies.end());
  for (const ContactRef& contact : activeContacts) {
    const std::uint32_t root = rootOf(contact);
    if (restless[root] == kUnheld) rest.contacts.push_back({root, static_cast<std::uint32_t>(rest.contacts.size()), contact});
  }
  std::sort(rest.contacts.begin(), rest.contacts.end());
  const std::span bodiesOf(rest.bodies);
  const std::span contactsOf(rest.contacts);
  int visits = 0;
  for (std::size_t begin = 0, end = 0, first = 0, last = 0; begin < bodiesOf.size() && visits < kMostVisits; begin = end, first = last) {
    const std::uint32_t root = bodiesOf[begin].root;
    while (end < bodiesOf.size() && bodiesOf[end].root == root) ++end;
    while (last < contactsOf.size() && contactsOf[last].root == root) ++last;
    visits += solveAtRest(bodiesOf.subspan(begin, end - begin), contactsOf.subspan(first, last - first), dt);
  }
}

// One of them. Returns what it has cost, in visits of a block.
int World::Impl::solveAtRest(std::span<const RestLoads::Member> island, std::span<const IslandContact> of, double dt) {
  RestLoads& rest = restLoads;
  rest.solver.resize(island.size() + 1);
  rest.radius.assign(1, 0);
  for (const RestLoads::Member& member : island) {
    BodyState& body = bodies[member.index];
    solverBody[member.index] = static_cast<std::uint32_t>(rest.radius.size());
    rest.radius.push_back(static_cast<float>(body.radius));
    const Eigen::Vector3d linear = body.linearVelocity, angular = body.angularVelocity;
    body.linearVelocity.setZero();
    body.angularVelocity.setZero();
    fillSolverBody(rest.solver, member.index, dt, def.substeps, nullptr);
    body.linearVelocity = linear;
    body.angularVelocity = angular;
  }
  rest.refs.clear();
  rest.copies.clear();
  for (const IslandContact& contact : of) {
    rest.refs.push_back(contact.contact);
    rest.refs.back().contact = static_cast<std::uint32_t>(rest.copies.size());
    rest.copies.push_back(contacts[contact.contact.contact]);
  }
  const ContactSolverSettings settings = {def.substeps, dt, def.substeps, dt, 0, true};
  const double weight = kRestShare * length(load(def.gravity)) * dt / def.substeps;
  const float tolerance = static_cast<float>(std::max(weight, kStillShare * def.sleepSpeed));
  const int visits = rest.solver.solveAtRest(rest.copies, rest.refs, solverBody, frames, settings, rest.radius, tolerance, *pool);
  const bool holds = rest.solver.largestSpeed(rest.radius) <= tolerance;
  for (const RestLoads::Member& member : island) {
    solverBody[member.index] = 0;
    if (!holds) bodies[member.index].stillTime = 0;  // it is tried again after that time
  }
  if (!holds) return visits;
  restless[island.front().root] = 0;
  for (std::size_t k = 0; k < of.size(); ++k) takeImpulses(contacts[of[k].contact.contact], rest.copies[k], dt);
  return visits;
}

}  // namespace sunder
