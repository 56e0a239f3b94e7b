// SPDX-License-Identifier: MIT
// updatePairs: what began and what ended. No list of pairs is kept. Whether two proxies were a pair follows from their old
// boxes and filters, whether they are one from the new, so it is enough to find, for each changed proxy, the others
// around its old and its new place.
#include <algorithm>
#include <functional>

#include "sunder/broadphase/radix_sort_internal.h"
#include "sunder/broadphase/sweep_and_prune_state_internal.h"

namespace sunder {
namespace {

// Above one in this many proxies replaced in a tree, building it anew is faster than taking them out and in one by one,
// and gives a better tree.
constexpr std::size_t kRebuildShare = 4;

Aabb hullOf(const Aabb& a, const Aabb& b) {
  Aabb result;
  for (int axis = 0; axis < 3; ++axis) {
    result.lower.data()[axis] = std::min(a.lower.data()[axis], b.lower.data()[axis]);
    result.upper.data()[axis] = std::max(a.upper.data()[axis], b.upper.data()[axis]);
  }
  return result;
}

// The parents of leaves whose bounds overlap the box.
template <class Branch>
void collectBranches(const BoxTree& tree, const FloatBox& box, std::vector<Branch>& branches) {
  std::uint32_t stack[kTreeStack];
  unsigned top = 0;
  stack[top++] = tree.root();
  while (top > 0) {
    const std::uint32_t index = stack[--top];
    const BoxTree::Node& node = tree.node(index);
    unsigned mask = overlapMask(node.boxes, box) & node.lanes();
    if (node.level == 1) {
      if (mask != 0) branches.push_back({index, mask});
      continue;
    }
    for (; mask != 0; mask &= mask - 1) stack[top++] = node.child[__builtin_ctz(mask)];
  }
}

template <class Visit>
void visitLeaf(const BoxTree::Node& leaf, const FloatBox& box, Visit&& visit) {
  unsigned mask = overlapMask(leaf.boxes, box) & leaf.lanes();
  for (; mask != 0; mask &= mask - 1) visit(leaf.child[__builtin_ctz(mask)]);
}

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
    const bool now = proxies[c.id].alive;
    if (c.existed && now) {
      c.kind = overlaps(c.oldBox, fat[c.id]) ? Kind::kNear : Kind::kFar;
    } else {
      c.kind = c.existed ? Kind::kGone : now ? Kind::kFresh : Kind::kNothing;
    }
    if (c.kind != Kind::kNear) continue;
    // Near proxies keep their place in the tree during the update, with a box that holds both.
    BoxTree& tree = treeOf(c.id);
    tree.extend(places[c.id], tree.map(fat[c.id]));
  }
}

bool SweepAndPrune::State::reportsFirst(ProxyId p, ProxyId q) const {
  if (proxies[p].isStatic != proxies[q].isStatic) return proxies[q].isStatic;
  return places[p] < places[q];
}

void SweepAndPrune::State::report(const Change& p, ProxyId q, bool endings, bool beginnings) {
  const std::uint32_t changeOfQ = proxies[q].change;
  const CollisionFilter& filterOfP = proxies[p.id].filter;
  const CollisionFilter& filterOfQ = proxies[q].filter;
  bool was, is;
  if (changeOfQ == kNone) {
    was = p.existed && overlaps(p.oldBox, fat[q]) && accepts(p.oldFilter, filterOfQ);
    is = proxies[p.id].alive && overlaps(fat[p.id], fat[q]) && accepts(filterOfP, filterOfQ);
  } else {
    const Change& other = changes[changeOfQ];
    was = p.existed && other.existed && overlaps(p.oldBox, other.oldBox) && accepts(p.oldFilter, other.oldFilter);
    is = proxies[p.id].alive && proxies[q].alive && overlaps(fat[p.id], fat[q]) && accepts(filterOfP, filterOfQ);
  }
  if (was == is) return;
  const ProxyPair pair{std::min(p.id, q), std::max(p.id, q)};
  if (was && endings) {
    growSlowly(events.ended);
    events.ended.push_back(pair);
  }
  if (is && beginnings) {
    growSlowly(events.began);
    events.began.push_back(pair);
  }
}

// `keys` holds (place << 32 | change), sorted: the changes of one leaf are searched for together, so the way down the
// trees is gone once for all of them.
template <class BoxOf, class Handler>
void SweepAndPrune::State::searchGroups(unsigned own, BoxOf&& boxOf, Handler&& handler) {
  const auto leafOf = [&](std::size_t i) { return BoxTree::leafOf(static_cast<std::uint32_t>(keys[i] >> 32)); };
  const auto changeOf = [&](std::size_t i) -> const Change& { return changes[static_cast<std::uint32_t>(keys[i])]; };
  markWholeLeaves(own);
  for (std::size_t first = 0, last; first < keys.size(); first = last) {
    Aabb around = boxOf(changeOf(first));
    for (last = first + 1; last < keys.size() && leafOf(last) == leafOf(first); ++last) {
      around = hullOf(around, boxOf(changeOf(last)));
    }
    // A static proxy meets the movable ones only.
    for (unsigned t = 0; t < 2 - own; ++t) {
      const BoxTree& tree = trees[t];
      if (tree.root() == kNone) continue;
      const bool onlyLeaf = tree.node(tree.root()).level == 0;
      branches.clear();
      if (!onlyLeaf) collectBranches(tree, tree.map(around), branches);
      if (t == own) skipWholeLeaves(tree, leafOf(first));
      for (std::size_t i = first; i < last; ++i) {
        const Change& change = changeOf(i);
        const FloatBox box = tree.map(boxOf(change));
        const auto meet = [&](ProxyId other) {
          if (other != change.id) handler(change, other);
        };
        if (onlyLeaf) visitLeaf(tree.node(tree.root()), box, meet);
        for (const Branch& branch : branches) {
          const BoxTree::Node& parent = tree.node(branch.node);
          unsigned mask = overlapMask(parent.boxes, box) & branch.lanes;
          for (; mask != 0; mask &= mask - 1) visitLeaf(tree.node(parent.child[__builtin_ctz(mask)]), box, meet);
        }
      }
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) wholeLeaf[leafOf(i)] = 0;
}

// Of two changed proxies of one tree, the one in the earlier place reports (see reportsFirst). So a leaf all of whose
// proxies are searched for has nothing to say to the leaves behind it: with everything moving, half of the work.
void SweepAndPrune::State::markWholeLeaves(unsigned own) {
  if (wholeLeaf.size() < trees[own].nodeCount()) wholeLeaf.resize(trees[own].nodeCount(), 0);
  std::uint32_t leaf = kNone;
  unsigned count = 0;
  for (const std::uint64_t key : keys) {
    const std::uint32_t next = BoxTree::leafOf(static_cast<std::uint32_t>(key >> 32));
    count = next == leaf ? count + 1 : 1;
    leaf = next;
    wholeLeaf[leaf] = count == trees[own].node(leaf).count;
  }
}

void SweepAndPrune::State::skipWholeLeaves(const BoxTree& tree, std::uint32_t ownLeaf) {
  for (Branch& branch : branches) {
    const BoxTree::Node& parent = tree.node(branch.node);
    for (unsigned mask = branch.lanes; mask != 0; mask &= mask - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
      const std::uint32_t leaf = parent.child[lane];
      if (leaf < ownLeaf && wholeLeaf[leaf] != 0) branch.lanes &= ~(1u << lane);
    }
  }
}

// Finds what ended, and of near proxies also what began between them and with proxies that did not change.
void SweepAndPrune::State::searchOldPlaces() {
  for (unsigned tree = 0; tree < 2; ++tree) {
    keys.clear();
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const ProxyId id = changes[i].id;
      if (!changes[i].existed || proxies[id].isStatic != (tree == 1)) continue;
      growSlowly(keys);
      keys.push_back((static_cast<std::uint64_t>(places[id]) << 32) | i);
    }
    radixSort(keys, sortSpace, 32);
    searchGroups(
        tree, [this](const Change& c) { return c.kind == Kind::kNear ? hullOf(c.oldBox, fat[c.id]) : c.oldBox; },
        [this](const Change& p, ProxyId q) {
          const std::uint32_t change = proxies[q].change;
          if (change != kNone && !reportsFirst(p.id, q)) return;
          const bool bothNear =
              p.kind == Kind::kNear && (change == kNone || changes[change].kind == Kind::kNear);
          report(p, q, true, bothNear);
        });
  }
}

void SweepAndPrune::State::applyChanges() {
  std::size_t moved[2] = {0, 0};
  for (const Change& c : changes) {
    if (c.kind != Kind::kNear) ++moved[proxies[c.id].isStatic ? 1 : 0];
  }
  for (unsigned t = 0; t < 2; ++t) {
    if (moved[t] * kRebuildShare <= trees[t].size()) continue;
    ids.clear();
    for (std::size_t id = 0; id < proxies.size(); ++id) {
      if (proxies[id].alive && proxies[id].isStatic == (t == 1)) ids.push_back(static_cast<ProxyId>(id));
    }
    trees[t].build(ids, fat.data(), places, keys, sortSpace);
    moved[t] = kNone;
  }
  for (const Change& c : changes) {
    BoxTree& tree = treeOf(c.id);
    if (moved[proxies[c.id].isStatic ? 1 : 0] == kNone || c.kind == Kind::kNothing) continue;
    if (c.kind == Kind::kNear && tree.replace(places[c.id], tree.map(fat[c.id]))) continue;
    if (c.existed) tree.remove(c.id, places);
    if (proxies[c.id].alive) tree.insert(c.id, tree.map(fat[c.id]), places);
  }
}

// Finds what began with proxies that were inserted or went far.
void SweepAndPrune::State::searchNewPlaces() {
  const auto isNew = [](const Change& c) { return c.kind == Kind::kFar || c.kind == Kind::kFresh; };
  for (unsigned tree = 0; tree < 2; ++tree) {
    keys.clear();
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const ProxyId id = changes[i].id;
      if (!isNew(changes[i]) || proxies[id].isStatic != (tree == 1)) continue;
      growSlowly(keys);
      keys.push_back((static_cast<std::uint64_t>(places[id]) << 32) | i);
    }
    radixSort(keys, sortSpace, 32);
    searchGroups(
        tree, [this](const Change& c) { return fat[c.id]; },
        [this, isNew](const Change& p, ProxyId q) {
          const std::uint32_t change = proxies[q].change;
          if (change != kNone && isNew(changes[change]) && !reportsFirst(p.id, q)) return;
          report(p, q, false, true);
        });
  }
}

void SweepAndPrune::State::finish() {
  for (const Change& c : changes) {
    proxies[c.id].change = kNone;
    if (proxies[c.id].alive) continue;
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
