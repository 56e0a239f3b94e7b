// SPDX-License-Identifier: MIT
// Snapshot: 8 bytes "sunder" 0x1a 0x0a, version (u32), size of the rest (u64), hash of the rest (u64), then the fields in
// the order of describe() below. One function names the fields for both directions, so that they cannot drift apart.
// What follows from other fields (frames, masses, lists of moving bodies) is not stored. The broadphase is stored as its
// fat boxes: the pairs depend on nothing else. Its trees are built anew, and only change how fast pairs are found.
#include "sunder/physics/snapshot.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

constexpr std::uint8_t kMagic[8] = {'s', 'u', 'n', 'd', 'e', 'r', 0x1a, 0x0a};
constexpr std::size_t kHeadSize = 8 + 4 + 8 + 8;

// FNV-1a on words of eight bytes, with a shift to bring high bits down.
std::uint64_t hashOf(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ull ^ bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && i + k < bytes.size(); ++k) word |= std::uint64_t{bytes[i + k]} << (8 * k);
    hash = (hash ^ word) * 0x100000001b3ull;
    hash ^= hash >> 32;
  }
  return hash;
}

template <std::size_t kSize>
using Bits = std::conditional_t<kSize == 1, std::uint8_t, std::conditional_t<kSize == 2, std::uint16_t, std::conditional_t<kSize == 4, std::uint32_t, std::uint64_t>>>;

class Writer {
 public:
  static constexpr bool kReads = false;
  std::vector<std::uint8_t> bytes;

  template <typename T>
  void number(const T& value) {
    const auto bits = std::bit_cast<Bits<sizeof(T)>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
  template <typename T>
  void size(const std::vector<T>& items) {
    number(static_cast<std::uint64_t>(items.size()));
  }
  void check(bool) {}
};

// After a field that cannot be right everything reads as zero, and `good` is false.
class Reader {
 public:
  static constexpr bool kReads = true;
  std::span<const std::uint8_t> bytes;
  bool good = true;

  template <typename T>
  void number(T& value) {
    check(bytes.size() >= sizeof(T));
    Bits<sizeof(T)> bits = 0;
    if (good) {
      for (std::size_t i = 0; i < sizeof(T); ++i) bits = static_cast<Bits<sizeof(T)>>(bits | (Bits<sizeof(T)>{bytes[i]} << (8 * i)));
      bytes = bytes.subspan(sizeof(T));
    }
    if constexpr (std::is_same_v<T, bool>) {
      check(bits <= 1);
      value = bits == 1;
    } else {
      value = std::bit_cast<T>(bits);
    }
  }
  // An item takes at least a byte: no more can follow than there are bytes.
  template <typename T>
  void size(std::vector<T>& items) {
    std::uint64_t count = 0;
    number(count);
    check(count <= bytes.size());
    items.clear();
    if (good) items.resize(static_cast<std::size_t>(count));
  }
  void check(bool condition) { good = good && condition; }
};

template <typename Archive, typename... Ts>
void numbers(Archive& ar, Ts&... values) {
  (ar.number(values), ...);
}
template <typename Archive, typename T>
void vector3(Archive& ar, T& v) {
  for (int i = 0; i < 3; ++i) ar.number(v.data()[i]);
}
template <typename Archive, typename T>
void describePose(Archive& ar, T& pose) {
  vector3(ar, pose.position);
  for (int i = 0; i < 4; ++i) ar.number(pose.orientation.coeffs().data()[i]);
}
template <typename Archive, typename T>
void list(Archive& ar, T& items) {
  ar.size(items);
  for (auto& item : items) ar.number(item);
}

template <typename Archive, typename T>
void describeSettings(Archive& ar, T& def) {
  vector3(ar, def.gravity);
  numbers(ar, def.substeps, def.threads, def.sleep, def.sleepSpeed, def.sleepTime, def.continuous, def.narrowphase);
  ar.check(def.substeps >= 1 && def.substeps <= 64 && def.threads >= 1 && def.threads <= 256);
  ar.check(def.narrowphase == NarrowphaseMethod::GjkEpa || def.narrowphase == NarrowphaseMethod::ClosedForm);
}

template <typename Archive, typename T>
void describeBody(Archive& ar, T& body) {
  auto& def = body.def;
  numbers(ar, body.alive, body.generation);
  if (!body.alive) return;
  ar.number(def.kind);
  vector3(ar, def.halfExtents);
  describePose(ar, def.pose);
  vector3(ar, def.linearVelocity);
  vector3(ar, def.angularVelocity);
  numbers(ar, def.density, def.mass, def.friction, def.restitution, def.linearDamping, def.angularDamping, def.gravityScale);
  numbers(ar, def.lockedAxes, def.dominance, def.allowSleep, def.continuous, def.filter.category, def.filter.mask);
  vector3(ar, def.surfaceVelocity);
  describePose(ar, body.pose);
  describePose(ar, body.previousPose);
  vector3(ar, body.linearVelocity);
  vector3(ar, body.angularVelocity);
  vector3(ar, body.lastVelocity);
  vector3(ar, body.lastSpin);
  numbers(ar, body.swayTime, body.unrestTime, body.stillTime, body.sleepingIsland, body.frozen, body.held, body.isNew);
  if constexpr (Archive::kReads) {
    ar.check(def.kind == BodyKind::Static || def.kind == BodyKind::Kinematic || def.kind == BodyKind::Dynamic);
    if (ar.good) ar.check(validate(def).empty() && validatePose(body.pose).empty());
  }
}

template <typename Archive, typename T>
void describePair(Archive& ar, T& pair, std::size_t bodyCount, std::size_t contactCount) {
  numbers(ar, pair.a, pair.b, pair.contact, pair.reach, pair.stale, pair.ignored, pair.touching);
  auto& cache = pair.cache;
  for (int i = 0; i < 3; ++i) ar.number(cache.axis[i]);
  numbers(ar, cache.feature, cache.negative, cache.vertexCount, cache.face);
  for (int i = 0; i < 4; ++i) ar.number(cache.vertices[i]);
  ar.check(pair.a < pair.b && pair.b < bodyCount && (pair.contact == kNone || pair.contact < contactCount));
}

template <typename Archive, typename T>
void describeContact(Archive& ar, T& c, std::size_t bodyCount) {
  numbers(ar, c.bodyA, c.bodyB, c.pointCount, c.fixedA, c.fixedB, c.startedInside, c.isDeep, c.isSqueezed, c.isNew, c.deepSteps, c.friction, c.restitution);
  for (int i = 0; i < 3; ++i) numbers(ar, c.surfaceVelocity[i], c.frictionImpulse[i], c.totalFrictionImpulse[i], c.solvedNormal[i], c.normal[i], c.position[i]);
  numbers(ar, c.twistImpulse, c.totalTwistImpulse, c.substep, c.reference);
  for (int i = 0; i < 4; ++i) ar.number(c.orientation[i]);
  ar.check(c.pointCount <= 4 && c.bodyA < bodyCount && c.bodyB < bodyCount);
  for (int i = 0; i < 4; ++i) {
    auto& point = c.points[i];
    for (int k = 0; k < 3; ++k) numbers(ar, point.onA[k], point.onB[k]);
    numbers(ar, point.impulse, point.totalImpulse, point.featureId);
  }
}

template <typename Archive, typename T>
void describeEvents(Archive& ar, T& events) {
  ar.size(events);
  for (auto& pair : events) numbers(ar, pair.a.index, pair.a.generation, pair.b.index, pair.b.generation);
}

template <typename Archive, typename T>
void indices(Archive& ar, T& items, std::size_t count) {
  list(ar, items);
  for (const std::uint32_t index : items) ar.check(index < count);
}

// Everything of a world but its broadphase. World: World::Impl, const when written.
template <typename Archive, typename W>
void describe(Archive& ar, W& w) {
  describeSettings(ar, w.def);
  numbers(ar, w.lastDt, w.softDt, w.longDt);
  ar.size(w.bodies);
  const std::size_t bodyCount = w.bodies.size();
  for (auto& body : w.bodies) describeBody(ar, body);
  if constexpr (Archive::kReads) {
    w.clocks.resize(bodyCount);
    w.changed.resize(bodyCount);
    w.forces.resize(bodyCount);
    w.trends.resize(bodyCount);
  }
  for (std::size_t i = 0; i < bodyCount; ++i) numbers(ar, w.clocks[i].now, w.changed[i]);
  for (auto& trend : w.trends) {
    for (int k = 0; k < 3; ++k) numbers(ar, trend.from[k], trend.moved[k], trend.velocity[k]);
    numbers(ar, trend.elapsed, trend.growing);
  }
  indices(ar, w.forced, bodyCount);
  for (const std::uint32_t i : w.forced)
    if (i < bodyCount)
      for (int k = 0; k < 3; ++k) numbers(ar, w.forces[i].force[k], w.forces[i].torque[k]);
  ar.size(w.contacts);
  for (auto& contact : w.contacts) describeContact(ar, contact, bodyCount);
  indices(ar, w.freeContacts, w.contacts.size());
  ar.size(w.pairOrder);
  if constexpr (Archive::kReads) {
    w.pairs.resize(w.pairOrder.size());
    for (std::uint32_t i = 0; i < w.pairOrder.size(); ++i) w.pairOrder[i] = i;
  }
  for (const std::uint32_t slot : w.pairOrder) describePair(ar, w.pairs[slot], bodyCount, w.contacts.size());
  ar.size(w.sleepingIslands);
  for (auto& island : w.sleepingIslands) indices(ar, island, bodyCount);
  indices(ar, w.freeIslands, w.sleepingIslands.size());
  for (const auto& body : w.bodies) ar.check(body.sleepingIsland == kNone || body.sleepingIsland < w.sleepingIslands.size());
  indices(ar, w.disturbed, bodyCount);
  ar.size(w.pairRules);
  for (auto& rule : w.pairRules) numbers(ar, rule.a, rule.b, rule.ignored, rule.hasMaterial, rule.material.friction, rule.material.restitution);
  describeEvents(ar, w.began);
  describeEvents(ar, w.ended);
  describeEvents(ar, w.endedBetween);
  indices(ar, w.removedProxies, bodyCount);
}

template <typename Archive, typename T>
void describeBox(Archive& ar, T& box) {
  vector3(ar, box.lower);
  vector3(ar, box.upper);
  for (int k = 0; k < 3; ++k) ar.check(box.lower.data()[k] <= box.upper.data()[k]);
}

// A broadphase with the same fat boxes, numbers and free numbers as the one that was saved.
void restoreBroadphase(World::Impl& w, const std::vector<Aabb>& fat) {
  w.broadphase = SweepAndPrune(BroadphaseSettings{0, 0});
  const Aabb nowhere = {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0, 0, 0)};
  for (std::size_t i = 0; i < w.bodies.size(); ++i) {
    const BodyState& body = w.bodies[i];
    if (body.alive)
      w.broadphase.insert(fat[i], body.def.kind == BodyKind::Static, body.def.filter);
    else
      w.broadphase.insert(nowhere, true, CollisionFilter{0, 0});
  }
  const auto isPending = [&](std::uint32_t i) {
    return std::find(w.removedProxies.begin(), w.removedProxies.end(), i) != w.removedProxies.end();
  };
  for (std::uint32_t i = 0; i < w.bodies.size(); ++i)
    if (!w.bodies[i].alive && !isPending(i)) w.broadphase.remove(i);
  w.broadphase.updatePairs();  // what began is known already
  for (const std::uint32_t i : w.removedProxies)
    if (w.broadphase.contains(i) && !w.bodies[i].alive) w.broadphase.remove(i);
  w.broadphase.setSettings({});
}

void completeBodies(World::Impl& w) {
  w.frames.resize(w.bodies.size());
  for (std::size_t i = 0; i < w.bodies.size(); ++i) {
    BodyState& body = w.bodies[i];
    if (!body.alive) continue;
    ++w.aliveCount;
    updateMass(body);
    w.frames[i] = frameOf(body.pose);
    w.noteMotion(static_cast<std::uint32_t>(i));
    if (body.swayTime > 0) w.drives.push_back(static_cast<std::uint32_t>(i));
  }
}

}  // namespace

std::string inspectSnapshot(std::span<const std::uint8_t> bytes, SnapshotInfo& info) {
  if (bytes.size() < kHeadSize || !std::equal(std::begin(kMagic), std::end(kMagic), bytes.begin())) return "snapshot: these bytes are no snapshot of a world";
  Reader head{bytes.subspan(sizeof kMagic)};
  numbers(head, info.version, info.size, info.hash);
  if (info.version != kSnapshotVersion)
    return "snapshot: version is " + std::to_string(info.version) + ", must be " + std::to_string(kSnapshotVersion);
  const auto payload = bytes.subspan(kHeadSize);
  if (info.size != payload.size())
    return "snapshot: " + std::to_string(payload.size()) + " bytes follow the head, must be " + std::to_string(info.size);
  if (info.hash != hashOf(payload)) return "snapshot: the bytes were altered, their hash differs from the one in the head";
  return {};
}

std::vector<std::uint8_t> World::save() const {
  const Impl& w = *impl_;
  Writer payload;
  describe(payload, w);
  for (std::uint32_t i = 0; i < w.bodies.size(); ++i)
    if (w.bodies[i].alive) describeBox(payload, w.broadphase.fatAabb(i));
  Writer out;
  out.bytes.reserve(kHeadSize + payload.bytes.size());
  out.bytes.assign(std::begin(kMagic), std::end(kMagic));
  out.number(kSnapshotVersion);
  out.number(static_cast<std::uint64_t>(payload.bytes.size()));
  out.number(hashOf(payload.bytes));
  out.bytes.insert(out.bytes.end(), payload.bytes.begin(), payload.bytes.end());
  return std::move(out.bytes);
}

void World::restore(std::span<const std::uint8_t> bytes) {
  SnapshotInfo info;
  const std::string reason = inspectSnapshot(bytes, info);
  require(reason.empty(), reason);
  World next;
  Impl& w = *next.impl_;
  Reader reader{bytes.subspan(kHeadSize)};
  describe(reader, w);
  std::vector<Aabb> fat(w.bodies.size());
  for (std::size_t i = 0; i < w.bodies.size() && reader.good; ++i)
    if (w.bodies[i].alive) describeBox(reader, fat[i]);
  require(reader.good && reader.bytes.empty(), "snapshot: a field is out of its range");
  completeBodies(w);
  restoreBroadphase(w, fat);
  w.pairsAreRestored = true;
  w.pairCounts.assign(w.bodies.size(), 0);
  for (const BodyPair& pair : w.pairs) ++w.pairCounts[pair.a], ++w.pairCounts[pair.b];
  *this = std::move(next);
}

}  // namespace sunder
