// SPDX-License-Identifier: MIT
// Which bodies move, and which pairs have to be looked at for that. Both lists are kept from step to step and changed only
// where a body began or ceased to move, so that what sleeps costs nothing.
#include <algorithm>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// One body in this many pairs or more: going over all pairs is faster than looking up those of each body.
constexpr std::size_t kLookUpShare = 32;

// Puts the ascending `added` into the ascending `list`, each once.
void mergeInto(std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& added) {
  std::size_t from = list.size(), next = added.size();
  list.resize(from + next);
  std::size_t to = list.size();
  while (next > 0) list[--to] = from > 0 && list[from - 1] > added[next - 1] ? list[--from] : added[--next];
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void sortOnce(std::vector<std::uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

bool World::Impl::isMoving(std::uint32_t body) const {
  const BodyState& state = bodies[body];
  if (!state.alive || state.frozen || state.sleepingIsland != kNone) return false;
  if (state.def.kind == BodyKind::Dynamic) return true;
  if (state.def.kind == BodyKind::Static) return false;
  const Vec3 v = load(state.linearVelocity), w = load(state.angularVelocity);
  return dot(v, v) > 0 || dot(w, w) > 0;
}

void World::Impl::noteMotion(std::uint32_t body) { noted.push_back(body); }

// New bodies, new velocities, another reach.
void World::Impl::moveNotedProxies(double dt) {
  sortOnce(noted);
  for (const std::uint32_t i : noted)
    if (isMoving(i)) moveProxy(i, dt);
  if (dt == lastTimeStep) return;
  for (const std::uint32_t i : moving)
    if (isMoving(i)) moveProxy(i, dt);
  lastTimeStep = dt;
}

void World::Impl::updateMoving() {
  movesNow.resize(bodies.size(), 0);
  started.clear();
  bool stopped = false;
  sortOnce(noted);
  for (const std::uint32_t i : noted) {
    // The clocks of all bodies are read, also of those at rest.
    clocks[i].ahead = clocks[i].now;
    if (bodies[i].alive && bodies[i].def.kind != BodyKind::Dynamic && isDriveChanged(bodies[i])) noteDrive(i);
    const bool moves = isMoving(i), moved = movesNow[i] != 0;
    movesNow[i] = !moves ? 0 : bodies[i].mass > 0 ? 2 : 1;
    if (moves == moved) continue;
    if (moves) {
      started.push_back(i);
      newBodyStarted = newBodyStarted || bodies[i].isNew;
    } else {
      stopped = true;
      if (i < solverBody.size()) solverBody[i] = 0;  // it takes no part
    }
  }
  noted.clear();
  if (stopped) std::erase_if(moving, [this](std::uint32_t i) { return movesNow[i] == 0; });
  if (!started.empty()) mergeInto(moving, started);
  if (stopped || !started.empty() || activePairsChanged) updateActivePairs(stopped);
}

// The slots of all pairs of some bodies, by (a, b); of many bodies, simply all slots.
void World::Impl::collectPairs(const std::vector<std::uint32_t>& of, std::vector<std::uint32_t>& slots) {
  slots.clear();
  if (of.size() * kLookUpShare > pairOrder.size()) {
    slots = pairOrder;
    return;
  }
  // The pairs of a body are those whose fat boxes overlap its own.
  for (const std::uint32_t i : of) {
    if (!bodies[i].alive) continue;
    broadphase.visitOverlaps(broadphase.fatAabb(i), [&](ProxyId other) {
      const BodyPair* pair = other == i ? nullptr : findPair(std::min(i, other), std::max(i, other));
      if (pair != nullptr) slots.push_back(static_cast<std::uint32_t>(pair - pairs.data()));
      return true;
    });
  }
  std::sort(slots.begin(), slots.end(), [this](std::uint32_t x, std::uint32_t y) { return isBefore(x, pairs[y].a, pairs[y].b); });
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
}

// After `started` bodies began to move, and some stopped.
void World::Impl::updateActivePairs(bool stopped) {
  const bool rebuild = activePairsChanged || started.size() * kLookUpShare > pairOrder.size();
  activePairsChanged = false;
  if (rebuild) {
    activePairs.clear();
    for (const std::uint32_t slot : pairOrder)
      if (isActive(slot)) activePairs.push_back(slot);
    return;
  }
  if (stopped) std::erase_if(activePairs, [this](std::uint32_t slot) { return !isActive(slot); });
  collectPairs(started, startedPairs);
  putIn(activePairs, startedPairs);
}

}  // namespace sunder
