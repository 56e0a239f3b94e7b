// SPDX-License-Identifier: MIT
// The pairs of a world, as the broadphase reports their beginning and end. Records stay in their slots while a few pairs
// come and go, and only the lists of slots are changed, at the pairPlaces where they differ; when many have, all records are
// put in order anew, since they are read in that order.
#include <algorithm>
#include <iterator>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

// One event in this many pairs since the records were put in order: time to do it again.
constexpr std::size_t kScatterShare = 4;

}  // namespace

bool World::Impl::isBefore(std::uint32_t slot, std::uint32_t a, std::uint32_t b) const {
  const BodyPair& pair = pairs[slot];
  return pair.a != a ? pair.a < a : pair.b < b;
}

// Where the pair (a, b) is in a list of slots, or belongs; not before `from`, and found the faster the nearer to it.
std::size_t World::Impl::placeIn(const std::vector<std::uint32_t>& list, std::uint32_t a, std::uint32_t b, std::size_t from) const {
  std::size_t step = 1, end = from;
  while (end < list.size() && isBefore(list[end], a, b)) {
    from = end + 1;
    end += step;
    step *= 2;
  }
  end = std::min(end, list.size());
  const auto at = std::partition_point(list.begin() + from, list.begin() + end, [&](std::uint32_t slot) { return isBefore(slot, a, b); });
  return static_cast<std::size_t>(at - list.begin());
}

BodyPair* World::Impl::findPair(std::uint32_t a, std::uint32_t b) {
  const auto at = std::partition_point(pairOrder.begin(), pairOrder.end(), [&](std::uint32_t slot) { return isBefore(slot, a, b); });
  const auto place = static_cast<std::size_t>(at - pairOrder.begin());
  if (place == pairOrder.size()) return nullptr;
  BodyPair& pair = pairs[pairOrder[place]];
  return pair.a == a && pair.b == b ? &pair : nullptr;
}

BodyPair World::Impl::newPair(const ProxyPair& proxies) const {
  BodyPair pair;
  pair.a = proxies.a;
  pair.b = proxies.b;
  const PairRule* rule = findRule(pair.a, pair.b);
  pair.ignored = rule != nullptr && rule->ignored;
  return pair;
}

// A pair that may collide no more: whatever rested on the other wakes.
void World::Impl::endPair(BodyPair& pair) {
  if (pair.touching) endedBetween.push_back({{pair.a, bodies[pair.a].generation}, {pair.b, bodies[pair.b].generation}});
  pair.touching = false;
  if (pair.contact == kNone) return;
  noteUnloaded(pair);
  freeContact(pair.contact);
  pair.contact = kNone;
  wake(pair.a);
  wake(pair.b);
}

// What the broadphase would have reported, had it known `pairs`.
PairEvents World::Impl::comparePairs() const {
  PairEvents events;
  std::vector<ProxyPair> now, before;
  broadphase.pairs(now);
  for (const std::uint32_t slot : pairOrder) before.push_back({pairs[slot].a, pairs[slot].b});
  std::set_difference(now.begin(), now.end(), before.begin(), before.end(), std::back_inserter(events.began));
  std::set_difference(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(events.ended));
  return events;
}

void World::Impl::updatePairs() {
  const PairEvents& reported = broadphase.updatePairs();
  removedProxies.clear();
  movesNow.resize(bodies.size(), 0);
  PairEvents compared;
  if (pairsAreRestored) compared = comparePairs();
  const PairEvents& events = pairsAreRestored ? compared : reported;
  pairsAreRestored = false;
  const std::size_t count = events.began.size() + events.ended.size();
  if (count == 0) return;
  ++pairsVersion;
  scatteredPairs += count;
  activePairsChanged = activePairsChanged || count * kScatterShare > pairOrder.size();
  changePairs(events);
  if (scatteredPairs * kScatterShare > pairOrder.size()) orderPairs();
}

// Moves the record of pairOrder[i] to slot i, for all i, in place: along the paths that start at free slots and end beyond
// the last place, then around the circles that are left.
void World::Impl::orderPairs() {
  const std::size_t count = pairOrder.size();
  for (std::size_t to : freePairs)
    while (to < count) {
      const std::uint32_t from = pairOrder[to];
      pairs[to] = pairs[from];
      pairOrder[to] = static_cast<std::uint32_t>(to);
      to = from;
    }
  for (std::size_t first = 0; first < count; ++first) {
    if (pairOrder[first] == first) continue;
    const BodyPair held = pairs[first];
    std::size_t to = first;
    for (std::uint32_t from = pairOrder[to]; from != first; from = pairOrder[to]) {
      pairs[to] = pairs[from];
      pairOrder[to] = static_cast<std::uint32_t>(to);
      to = from;
    }
    pairs[to] = held;
    pairOrder[to] = static_cast<std::uint32_t>(to);
  }
  pairs.resize(count);
  freePairs.clear();
  scatteredPairs = 0;
  activePairsChanged = true;
}

// Changes the lists where pairs end and begin.
void World::Impl::changePairs(const PairEvents& events) {
  endedPairs.clear();
  std::size_t place = 0;
  for (const ProxyPair& pair : events.ended) {
    place = placeIn(pairOrder, pair.a, pair.b, place);
    endedPairs.push_back(pairOrder[place]);
  }
  takeOut(pairOrder, endedPairs);
  if (!activePairsChanged) takeOut(activePairs, endedPairs);
  for (const ProxyPair& pair : events.ended) --pairCounts[pair.a], --pairCounts[pair.b];
  for (const ProxyPair& pair : events.began) ++pairCounts[pair.a], ++pairCounts[pair.b];
  for (const std::uint32_t slot : endedPairs) {
    endPair(pairs[slot]);
    freePairs.push_back(slot);
  }
  beganPairs.clear();
  for (const ProxyPair& pair : events.began) {
    if (freePairs.empty()) {
      freePairs.push_back(static_cast<std::uint32_t>(pairs.size()));
      pairs.emplace_back();
    }
    beganPairs.push_back(freePairs.back());
    freePairs.pop_back();
    pairs[beganPairs.back()] = newPair(pair);
  }
  putIn(pairOrder, beganPairs);
  if (activePairsChanged) return;
  std::erase_if(beganPairs, [this](std::uint32_t slot) { return !isActive(slot); });
  putIn(activePairs, beganPairs);
}

// `slots` in the order of the list; those that are not in it are left out.
void World::Impl::takeOut(std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& slots) const {
  std::size_t to = list.size(), from = list.size(), place = 0;
  for (const std::uint32_t slot : slots) {
    place = placeIn(list, pairs[slot].a, pairs[slot].b, place);
    if (place == list.size() || list[place] != slot) continue;
    to = from == list.size() ? place : static_cast<std::size_t>(std::copy(list.begin() + from, list.begin() + place, list.begin() + to) - list.begin());
    from = place + 1;
    if (from == list.size()) break;
  }
  list.erase(std::copy(list.begin() + from, list.end(), list.begin() + to), list.end());
}

// The same the other way; those that are in the list already are taken out of `slots`.
void World::Impl::putIn(std::vector<std::uint32_t>& list, std::vector<std::uint32_t>& slots) {
  pairPlaces.clear();
  std::size_t left = 0, place = 0;
  for (const std::uint32_t slot : slots) {
    place = placeIn(list, pairs[slot].a, pairs[slot].b, place);
    if (place < list.size() && list[place] == slot) continue;
    pairPlaces.push_back(place);
    slots[left++] = slot;
  }
  slots.resize(left);
  std::size_t from = list.size();
  list.resize(from + left);
  for (; left > 0; --left) {
    std::move_backward(list.begin() + pairPlaces[left - 1], list.begin() + from, list.begin() + from + left);
    from = pairPlaces[left - 1];
    list[from + left - 1] = slots[left - 1];
  }
}

}  // namespace sunder
