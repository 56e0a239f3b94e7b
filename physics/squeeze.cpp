// SPDX-License-Identifier: MIT
// What is pushed or squeezed by bodies that do not give way: kinematic ones, or of a higher dominance. docs/stepping.md, "Squeezes".
#include <algorithm>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// Cosine between the normals of two bodies that squeeze what is between them. A wedge of more than 60 degrees lets it out.
constexpr double kOpposed = -0.5;
// How much less room than it needs a body has between the two, in smallest half extents: as if it were deep (Contact::isDeep) in both.
constexpr double kNoRoom = 0.04;
// A wedge of 29 degrees that closes without friction shoots out what is in it with so many times its speed.
constexpr double kMostAmplified = 4;

// The body that a contact does not move, or kNone: never both.
std::uint32_t fixedBodyOf(const ContactRef& contact) { return contact.fixedA ? contact.bodyA : contact.fixedB ? contact.bodyB : kNone; }

}  // namespace

void forgetImpulses(Contact& contact) {
  for (Contact::Point& point : contact.points) point.impulse = point.totalImpulse = 0;
  for (float& impulse : contact.frictionImpulse) impulse = 0;
  for (float& impulse : contact.totalFrictionImpulse) impulse = 0;
  contact.twistImpulse = contact.totalTwistImpulse = contact.reference = 0;
}

// Finds the bodies that are deep in each other and have, between two bodies that do not give way, of which one moves, less room than
// they need. What their contacts ask for excludes each other. The impulses would grow with each substep until they turn over a corner
// and shoot it out; or the contact that is solved last is obeyed, and the body pressed through the other. So what moves goes through
// them, until they are no longer in it.
void World::Impl::findSqueezed() {
  if (std::none_of(contactBlocks.begin(), contactBlocks.end(), [](const ContactBlockUpdate& block) { return block.mayBeSqueezed; })) return;
  std::vector<DeepContact>& deep = deepContacts;
  deep.clear();
  islandOf.resize(bodies.size());
  bool anyMoves = false;
  for (std::uint32_t place = 0; place < activeContacts.size(); ++place) {
    const ContactRef& ref = activeContacts[place];
    const std::uint32_t fixed = fixedBodyOf(ref);
    if (!ref.isDeep && fixed == kNone) continue;
    islandOf[ref.bodyA] = ref.bodyA;
    islandOf[ref.bodyB] = ref.bodyB;
    anyMoves = anyMoves || pusherOf(ref) != kNone;
    deep.push_back({0, place, fixed});
  }
  if (anyMoves) judgeDeepContacts();
  std::erase_if(activeContacts, [](const ContactRef& ref) { return ref.isSqueezed; });
}

void World::Impl::judgeDeepContacts() {
  std::vector<DeepContact>& deep = deepContacts;
  for (const DeepContact& d : deep) {
    if (d.fixed != kNone) continue;
    const std::uint32_t a = rootOf(activeContacts[d.place].bodyA), b = rootOf(activeContacts[d.place].bodyB);
    islandOf[std::max(a, b)] = std::min(a, b);
  }
  for (DeepContact& d : deep) {
    const ContactRef& ref = activeContacts[d.place];
    const Vec3 normal = rotated(frames[ref.bodyA], contacts[ref.contact].normal);
    d.root = rootOf(d.fixed == ref.bodyA ? ref.bodyB : ref.bodyA);
    d.normal = d.fixed == ref.bodyA ? normal : -1.0 * normal;
    if (d.fixed != kNone) d.depth = -leastSeparation(contacts[ref.contact]) / smallestExtent(bodies[ref.bodyA], bodies[ref.bodyB]);
  }
  std::sort(deep.begin(), deep.end(), [](const DeepContact& x, const DeepContact& y) { return x.root != y.root ? x.root < y.root : x.place < y.place; });
  const auto squeeze = [](const DeepContact& x, const DeepContact& y) {
    return y.fixed != kNone && y.fixed != x.fixed && x.depth + y.depth > kNoRoom && dot(x.normal, y.normal) < kOpposed;
  };
  for (std::size_t begin = 0, end = 0; begin < deep.size(); begin = end) {
    while (end < deep.size() && deep[end].root == deep[begin].root) ++end;
    bool isSqueezed = false;
    for (std::size_t i = begin; i < end; ++i) {
      DeepContact& by = deep[i];
      if (pusherOf(activeContacts[by.place]) == kNone) continue;
      for (std::size_t k = begin; k < end && !by.squeezes; ++k) by.squeezes = squeeze(by, deep[k]);
      isSqueezed = isSqueezed || by.squeezes;
    }
    bool isNew = false;  // what they pressed with is out of balance now
    for (std::size_t i = begin; i < end; ++i) {
      const ContactRef& ref = activeContacts[deep[i].place];
      Contact& contact = contacts[ref.contact];
      const bool begins = (deep[i].squeezes || (isSqueezed && ref.isDeep)) && !contact.isSqueezed && pusherOf(ref) != kNone;
      contact.isSqueezed = contact.isSqueezed || begins;
      isNew = isNew || begins;
    }
    for (std::size_t i = begin; i < end; ++i) {
      ContactRef& ref = activeContacts[deep[i].place];
      ref.isSqueezed = contacts[ref.contact].isSqueezed;
      if (isNew) forgetImpulses(contacts[ref.contact]);
    }
  }
}

// Whether one of two bodies squeezes the other, and so is let through by it.
bool World::Impl::letsThrough(std::uint32_t a, std::uint32_t b) {
  const BodyDef &defA = bodies[a].def, &defB = bodies[b].def;
  if (defA.kind == BodyKind::Static || defB.kind == BodyKind::Static || (defA.kind == defB.kind && defA.dominance == defB.dominance)) return false;
  const BodyPair* pair = findPair(std::min(a, b), std::max(a, b));
  return pair != nullptr && pair->contact != kNone && contacts[pair->contact].isSqueezed;
}

// The body of a contact that moves and does not give way, or kNone.
std::uint32_t World::Impl::pusherOf(const ContactRef& contact) const {
  const std::uint32_t fixed = fixedBodyOf(contact);
  return fixed != kNone && movesNow[fixed] != 0 ? fixed : kNone;
}

void World::Impl::notePush(Island& island, const ContactRef& contact, std::uint32_t pusher) const {
  const std::uint32_t other = pusher == contact.bodyA ? contact.bodyB : contact.bodyA;
  const double arm = length(between(frames[pusher], frames[other])) + bodies[other].radius;
  const double speed = length(load(bodies[pusher].linearVelocity)) + arm * length(load(bodies[pusher].angularVelocity));
  island.pushSpeed = std::max(island.pushSpeed, speed);
  const Contact& full = contacts[contact.contact];
  if (!carriesLoad(full)) island.pushRestitution = std::max<double>(island.pushRestitution, full.restitution);
}

// m/s, of a body at the end of the step if nothing touches it.
double World::Impl::speedAhead(std::uint32_t index) const {
  const BodyState& body = bodies[index];
  return std::max(length(load(body.linearVelocity)) + lastDt * length(freeAcceleration(index)), body.radius * length(load(body.angularVelocity)));
}

// What the solver found for a body in an island with a contact of notePush(), where energy knows no limit: (26). Runs on several threads at
// once, so unlike rootOf() it shortens no paths.
void World::Impl::limitPushed(std::uint32_t index, SolverBody& solved, double dt) const {
  std::uint32_t root = index;
  while (islandOf[root] != root) root = islandOf[root];
  const Island& island = islands[root];
  const double push = island.pushSpeed, radius = bodies[index].radius;
  if (!(push > 0)) return;
  const double most = std::max({island.fastest, kMostAmplified * push, push + island.pushRestitution * (push + island.fastest)});
  const auto limit = [](float* vector, double size) {
    const double before = length({vector[0], vector[1], vector[2]});
    if (!(before > size)) return;
    for (int k = 0; k < 3; ++k) vector[k] = static_cast<float>(size / before * vector[k]);
  };
  limit(solved.velocity, most);
  limit(solved.velocity + 3, most / radius);
  limit(solved.displacement, dt * (most + kMaxPushSpeed));
  limit(solved.displacement + 3, dt * (most + kMaxPushSpeed) / radius);
}

}  // namespace sunder
