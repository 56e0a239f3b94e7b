// SPDX-License-Identifier: MIT
// What a World tells about its contacts: events after each step, and the contacts themselves on demand.
#include "sunder/physics/contact_events.h"

#include <algorithm>

#include "sunder/physics/world_internal.h"

namespace sunder {

using namespace math;

namespace {

// m. A contact that carries nothing has ended when its points are open by more than this - the penetration that the
// solver leaves alone. It began at less, so that bodies that just touch without force do not come and go by rounding.
constexpr double kOpen = 2e-5;

}  // namespace

bool carriesLoad(const Contact& contact) {
  for (int i = 0; i < contact.pointCount; ++i)
    if (contact.points[i].totalImpulse > 0) return true;
  return false;
}

double World::Impl::leastSeparation(const Contact& contact) const {
  const BodyFrame& a = frames[contact.bodyA];
  const BodyFrame& b = frames[contact.bodyB];
  const Vec3 normal = rotated(a, contact.normal), offset = between(a, b);
  double least = HUGE_VAL;
  for (int i = 0; i < contact.pointCount; ++i) {
    const Vec3 apart = offset + rotated(b, contact.points[i].onB) - rotated(a, contact.points[i].onA);
    least = std::min(least, dot(normal, apart));
  }
  return least;
}

void World::Impl::updateEvents() {
  began.clear();
  ended.swap(endedBetween);
  endedBetween.clear();
  const auto idsOf = [this](const BodyPair& pair) {
    return ContactPair{{pair.a, bodies[pair.a].generation}, {pair.b, bodies[pair.b].generation}};
  };
  const std::size_t endedBefore = ended.size();
  const auto isTouching = [this](const BodyPair& pair) {
    if (pair.contact == kNone) return false;
    const Contact& contact = contacts[pair.contact];
    return carriesLoad(contact) || leastSeparation(contact) <= (pair.touching ? kOpen : 0);
  };
  touchChanged.resize(activePairs.size());
  pool->run(static_cast<int>(activePairs.size()), kLeastPairs, [&](int begin, int end) {
    for (std::size_t i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const BodyPair& pair = pairs[activePairs[i]];
      touchChanged[i] = isTouching(pair) != pair.touching;
    }
  });
  for (std::size_t i = 0; i < activePairs.size(); ++i) {
    if (touchChanged[i] == 0) continue;
    BodyPair& pair = pairs[activePairs[i]];
    pair.touching = !pair.touching;
    (pair.touching ? began : ended).push_back(idsOf(pair));
  }
  if (endedBefore == 0) return;
  // What ended since the last step and began again in this one went on.
  std::sort(ended.begin(), ended.end());
  const auto wentOn = [](const std::vector<ContactPair>& sorted) {
    return [&sorted](const ContactPair& pair) { return std::binary_search(sorted.begin(), sorted.end(), pair); };
  };
  const std::vector<ContactPair> allBegan = began;
  std::erase_if(began, wentOn(ended));
  std::erase_if(ended, wentOn(allBegan));
}

ContactInfo World::Impl::contactInfo(const BodyPair& pair) const {
  const Contact& contact = contacts[pair.contact];
  const BodyFrame& a = frames[pair.a];
  const BodyFrame& b = frames[pair.b];
  ContactInfo info;
  info.a = {pair.a, bodies[pair.a].generation};
  info.b = {pair.b, bodies[pair.b].generation};
  info.touching = pair.touching;
  info.began = pair.touching && std::binary_search(began.begin(), began.end(), ContactPair{info.a, info.b});
  const Vec3 normal = rotated(a, contact.normal), offset = between(a, b);
  store(info.normal, normal);
  info.pointCount = contact.pointCount;
  for (int i = 0; i < contact.pointCount; ++i) {
    const Contact::Point& from = contact.points[i];
    ContactPointInfo& to = info.points[i];
    const Vec3 onA = rotated(a, from.onA), onB = offset + rotated(b, from.onB);
    const Vec3 origin = {a.position[0], a.position[1], a.position[2]};
    store(to.position, origin + 0.5 * (onA + onB));
    to.separation = dot(normal, onB - onA);
    to.normalImpulse = static_cast<double>(from.totalImpulse);
    to.featureId = from.featureId;
    info.normalImpulse += to.normalImpulse;
  }
  const Vec3 friction = {contact.totalFrictionImpulse[0], contact.totalFrictionImpulse[1], contact.totalFrictionImpulse[2]};
  store(info.frictionImpulse, friction);
  // With the normal at the time of the solve: this is what changed the momentum.
  store(info.impulse, info.normalImpulse * Vec3{contact.solvedNormal[0], contact.solvedNormal[1], contact.solvedNormal[2]} + friction);
  info.twistImpulse = static_cast<double>(contact.totalTwistImpulse);
  info.friction = static_cast<double>(contact.friction);
  info.restitution = static_cast<double>(contact.restitution);
  return info;
}

// The pairs of one body are only listed when somebody asks, once per set of pairs.
const PairIndex& World::Impl::pairIndex() const {
  const std::lock_guard<std::mutex> guard(pairIndexMutex);
  PairIndex& index = pairsOf;
  if (index.version == pairsVersion) return index;
  index.start.assign(bodies.size() + 1, 0);
  for (const std::uint32_t slot : pairOrder) {
    ++index.start[pairs[slot].a];
    ++index.start[pairs[slot].b];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& start : index.start) {
    sum += start;
    start = sum;
  }
  index.pairs.resize(2 * pairOrder.size());
  for (std::size_t i = pairOrder.size(); i-- > 0;) {
    const std::uint32_t slot = pairOrder[i];
    index.pairs[--index.start[pairs[slot].a]] = slot;
    index.pairs[--index.start[pairs[slot].b]] = slot;
  }
  index.version = pairsVersion;
  return index;
}

// From position `at` on, the next with a contact, or kNone. Positions count all pairs, or those of one body.
std::uint32_t World::Impl::nextContact(std::uint32_t body, std::uint32_t at) const {
  if (body == kNone) {
    for (; at < pairOrder.size(); ++at)
      if (pairs[pairOrder[at]].contact != kNone) return at;
    return kNone;
  }
  const PairIndex& index = pairIndex();
  if (body + 1 >= index.start.size()) return kNone;
  const std::uint32_t first = index.start[body], count = index.start[body + 1] - first;
  for (; at < count; ++at)
    if (pairs[index.pairs[first + at]].contact != kNone) return at;
  return kNone;
}

std::uint32_t World::nextContact(std::uint32_t body, std::uint32_t at) const { return impl_->nextContact(body, at); }
ContactInfo World::contactAt(std::uint32_t body, std::uint32_t at) const {
  if (body == kNone) return impl_->contactInfo(impl_->pairs[impl_->pairOrder[at]]);
  const PairIndex& index = impl_->pairIndex();
  return impl_->contactInfo(impl_->pairs[index.pairs[index.start[body] + at]]);
}

ContactRange::Iterator ContactRange::begin() const { return {world_, body_, world_->nextContact(body_, 0)}; }
ContactRange::Iterator ContactRange::end() const { return {world_, body_, kNone}; }

ContactInfo ContactRange::Iterator::operator*() const { return world_->contactAt(body_, at_); }
ContactRange::Iterator& ContactRange::Iterator::operator++() {
  at_ = world_->nextContact(body_, at_ + 1);
  return *this;
}
ContactRange::Iterator ContactRange::Iterator::operator++(int) {
  const Iterator old = *this;
  ++*this;
  return old;
}

ContactRange World::contacts() const { return {this, kNone}; }
ContactRange World::contacts(BodyId id) const {
  impl_->checked(id, "contacts");
  return {this, id.index};
}
std::span<const ContactPair> World::beganContacts() const { return impl_->began; }
std::span<const ContactPair> World::endedContacts() const { return impl_->ended; }

Eigen::Vector3d World::contactImpulse(BodyId id) const {
  Vec3 sum = {0, 0, 0};
  for (const ContactInfo& info : contacts(id)) sum = sum + (info.b.index == id.index ? 1.0 : -1.0) * load(info.impulse);
  Eigen::Vector3d result;
  store(result, sum);
  return result;
}

}  // namespace sunder
