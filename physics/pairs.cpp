// SPDX-License-Identifier: MIT
// The pairs of a world, as the broadphase reports their beginning and end. Records stay in their slots while a few pairs
// come and go, and only the lists of slots are changed, at the pairPlaces where they differ; when many have, all records are
// put in order anew, since they are read in that order.
#include <algorithm>
#include <iterator>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

// One event in this many pairs, or this many since the last time: the records are put in order.
constexpr std::size_t kMergeShare = 8;
constexpr std::size_t kScatterShare = 2;

}  // namespace

bool World::Impl::isBefore(std::uint32_t slot, std::uint32_t a, std::uint32_t b) const {
  const BodyPair& pair = pairs[slot];
  return pair.a != a ? pair.a < a : pair.b < b;
}

// Where the pair (a, b) is in a list of slots, or belongs.
std::size_t World::Impl::placeIn(const std::vector<std::uint32_t>& list, std::uint32_t a, std::uint32_t b) const {
  const auto at = std::partition_point(list.begin(), list.end(), [&](std::uint32_t slot) { return isBefore(slot, a, b); });
  return static_cast<std::size_t>(at - list.begin());
}

BodyPair* World::Impl::findPair(std::uint32_t a, std::uint32_t b) {
  const std::size_t place = placeIn(pairOrder, a, b);
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
  if (count * kMergeShare > pairOrder.size() || scatteredPairs * kScatterShare > pairOrder.size())
    mergePairs(events);
  else
    changePairs(events);
}

// All records in order, from the first slot on.
void World::Impl::mergePairs(const PairEvents& events) {
  mergedPairs.clear();
  auto next = events.began.begin();
  auto last = events.ended.begin();
  for (const std::uint32_t slot : pairOrder) {
    BodyPair& pair = pairs[slot];
    for (; next != events.began.end() && *next < ProxyPair{pair.a, pair.b}; ++next) mergedPairs.push_back(newPair(*next));
    if (last != events.ended.end() && last->a == pair.a && last->b == pair.b) {
      ++last;
      endPair(pair);
      continue;
    }
    mergedPairs.push_back(pair);
  }
  for (; next != events.began.end(); ++next) mergedPairs.push_back(newPair(*next));
  pairs.swap(mergedPairs);
  pairOrder.resize(pairs.size());
  for (std::uint32_t i = 0; i < pairOrder.size(); ++i) pairOrder[i] = i;
  freePairs.clear();
  scatteredPairs = 0;
  activePairsChanged = true;
}

// Changes the lists where pairs end and begin.
void World::Impl::changePairs(const PairEvents& events) {
  endedPairs.clear();
  for (const ProxyPair& pair : events.ended) endedPairs.push_back(pairOrder[placeIn(pairOrder, pair.a, pair.b)]);
  takeOut(pairOrder, endedPairs);
  if (!activePairsChanged) takeOut(activePairs, endedPairs);
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
  std::size_t to = list.size(), from = list.size();
  for (const std::uint32_t slot : slots) {
    const std::size_t place = placeIn(list, pairs[slot].a, pairs[slot].b);
    if (place == list.size() || list[place] != slot) continue;
    to = to == list.size() ? place : static_cast<std::size_t>(std::copy(list.begin() + from, list.begin() + place, list.begin() + to) - list.begin());
    from = place + 1;
  }
  list.erase(std::copy(list.begin() + from, list.end(), list.begin() + to), list.end());
}

// The same the other way; those that are in the list already are taken out of `slots`.
void World::Impl::putIn(std::vector<std::uint32_t>& list, std::vector<std::uint32_t>& slots) {
  std::erase_if(slots, [&](std::uint32_t slot) {
    const std::size_t place = placeIn(list, pairs[slot].a, pairs[slot].b);
    return place < list.size() && list[place] == slot;
  });
  std::size_t from = list.size(), left = slots.size();
  pairPlaces.resize(left);
  for (std::size_t i = 0; i < left; ++i) pairPlaces[i] = placeIn(list, pairs[slots[i]].a, pairs[slots[i]].b);
  list.resize(from + left);
  for (; left > 0; --left) {
    std::move_backward(list.begin() + pairPlaces[left - 1], list.begin() + from, list.begin() + from + left);
    from = pairPlaces[left - 1];
    list[from + left - 1] = slots[left - 1];
  }
}

}  // namespace sunder
