// SPDX-License-Identifier: MIT
// The course of updatePairs.
#include <algorithm>
#include <functional>

#include "sunder/broadphase/radix_sort_internal.h"
#include "sunder/broadphase/sweep_and_prune_state_internal.h"

namespace sunder {
namespace {

// Above one in this many proxies replaced in a tree, building it anew is faster than taking them out and in one by one,
// and gives a better tree.
constexpr std::size_t kRebuildShare = 4;

}  // namespace

void SweepAndPrune::State::update() {
  classify();
  searchOldPlaces();
  applyChanges();
  searchNewPlaces();
  finish();
}

void SweepAndPrune::State::classify() {
  for (Change& c : changes) {
    const Proxy& proxy = proxies[c.id];
    c.sameFilter = c.oldFilter == proxy.filter;
    if (c.existed && proxy.alive) {
      c.kind = overlaps(c.oldBox, fat[c.id]) ? Kind::kNear : Kind::kFar;
    } else {
      c.kind = c.existed ? Kind::kGone : proxy.alive ? Kind::kFresh : Kind::kNothing;
    }
  }
  for (unsigned t = 0; t < 2; ++t) {
    listPlaces(t, [](const Change& c) { return c.kind == Kind::kNear; });
    // Near proxies keep their place in the tree during the update, with a box that holds both.
    for (const std::uint64_t key : keys[t]) {
      const Change& c = changes[static_cast<std::uint32_t>(key)];
      trees[t].extend(places[c.id], trees[t].map(fat[c.id]));
    }
  }
}

void SweepAndPrune::State::applyChanges() {
  for (unsigned t = 0; t < 2; ++t) {
    const bool isStatic = t == 1;
    const auto replaced = static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(), [&](const Change& c) {
      return proxies[c.id].isStatic == isStatic && c.kind != Kind::kNear && c.kind != Kind::kNothing;
    }));
    if (replaced * kRebuildShare > trees[t].size()) {
      rebuild(t);
    } else {
      applyOneByOne(t);
    }
  }
}

void SweepAndPrune::State::rebuild(unsigned tree) {
  ids.clear();
  for (std::size_t id = 0; id < proxies.size(); ++id) {
    if (!proxies[id].alive || proxies[id].isStatic != (tree == 1)) continue;
    growSlowly(ids);
    ids.push_back(static_cast<ProxyId>(id));
  }
  trees[tree].build(ids, fat.data(), places, keys[tree], sortSpace);
}

// In the order of the old places, which searchOldPlaces() left in `keys`: neighbours in the tree are neighbours in memory.
void SweepAndPrune::State::applyOneByOne(unsigned t) {
  BoxTree& tree = trees[t];
  for (const std::uint64_t key : keys[t]) {
    const Change& c = changes[static_cast<std::uint32_t>(key)];
    const FloatBox box = tree.map(fat[c.id]);
    if (c.kind == Kind::kNear && tree.replace(places[c.id], box)) continue;
    tree.remove(c.id, places);
    if (c.kind != Kind::kGone) tree.insert(c.id, box, places);
  }
  for (const Change& c : changes) {
    if (c.kind == Kind::kFresh && proxies[c.id].isStatic == (t == 1)) tree.insert(c.id, tree.map(fat[c.id]), places);
  }
}

void SweepAndPrune::State::finish() {
  for (const Change& c : changes) {
    proxies[c.id].change = kNone;
    if (proxies[c.id].alive) continue;
    places[c.id] = kNone;
    growSlowly(freeIds);
    freeIds.push_back(c.id);
    std::push_heap(freeIds.begin(), freeIds.end(), std::greater<>());
  }
  changes.clear();
  radixSort(events.began, pairSpace);
  radixSort(events.ended, pairSpace);
  pairCount += events.began.size();
  pairCount -= events.ended.size();
}

}  // namespace sunder
