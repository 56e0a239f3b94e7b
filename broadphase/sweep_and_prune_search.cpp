// SPDX-License-Identifier: MIT
// Finding what began and ended. No list of pairs is kept: whether two proxies were a pair follows from their old boxes and
// filters, whether they are one from the new, so it is enough to find, for each changed proxy, the others around its old
// and its new place.
#include <algorithm>

#include "sunder/broadphase/radix_sort_internal.h"
#include "sunder/broadphase/sweep_and_prune_state_internal.h"

namespace sunder {
namespace {

using State = SweepAndPrune::State;
using Change = State::Change;
using Kind = State::Kind;

Aabb hullOf(const Aabb& a, const Aabb& b) {
  Aabb result;
  for (int axis = 0; axis < 3; ++axis) {
    result.lower.data()[axis] = std::min(a.lower.data()[axis], b.lower.data()[axis]);
    result.upper.data()[axis] = std::max(a.upper.data()[axis], b.upper.data()[axis]);
  }
  return result;
}

std::uint32_t placeOf(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
std::uint32_t leafOf(std::uint64_t key) { return BoxTree::leafOf(placeOf(key)); }

// The parents of leaves whose bounds overlap the box.
void collectBranches(const BoxTree& tree, const FloatBox& box, std::vector<State::Branch>& branches) {
  branches.clear();
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

bool wasPair(const State& s, const Change& p, ProxyId q) {
  if (!p.existed) return false;
  const std::uint32_t change = s.proxies[q].change;
  if (change == State::kNone) return overlaps(p.oldBox, s.fat[q]) && accepts(p.oldFilter, s.proxies[q].filter);
  const Change& other = s.changes[change];
  return other.existed && overlaps(p.oldBox, other.oldBox) && accepts(p.oldFilter, other.oldFilter);
}

bool isPair(const State& s, ProxyId p, ProxyId q) {
  return s.proxies[p].alive && s.proxies[q].alive && overlaps(s.fat[p], s.fat[q]) &&
         accepts(s.proxies[p].filter, s.proxies[q].filter);
}

void append(std::vector<ProxyPair>& pairs, ProxyId p, ProxyId q) {
  growSlowly(pairs);
  pairs.push_back({std::min(p, q), std::max(p, q)});
}

// Around the old places, in the trees as they were: everything that ended; and, as near proxies are searched for around
// both of their places at once, what began between them and with proxies that did not change.
struct OldPlaces {
  State& s;
  static bool concerns(const Change& c) { return c.existed; }
  Aabb box(const Change& c) const { return c.kind == Kind::kNear ? hullOf(c.oldBox, s.fat[c.id]) : c.oldBox; }
  void meet(const Change& p, ProxyId q, bool isSearched) const {
    const bool near = p.kind == Kind::kNear;
    // The most frequent case by far, settled without a look at anything but the box of q.
    if (!isSearched && near && p.sameFilter && overlaps(p.oldBox, s.fat[q]) == overlaps(s.fat[p.id], s.fat[q])) return;
    const bool was = wasPair(s, p, q), is = isPair(s, p.id, q);
    if (was && !is) append(s.events.ended, p.id, q);
    if (is && !was && near && (!isSearched || s.changes[s.proxies[q].change].kind == Kind::kNear)) {
      append(s.events.began, p.id, q);
    }
  }
};

// Around the new places of the inserted and of those that went far, in the trees as they are now: what began with them.
struct NewPlaces {
  State& s;
  static bool concerns(const Change& c) { return c.kind == Kind::kFar || c.kind == Kind::kFresh; }
  const Aabb& box(const Change& c) const { return s.fat[c.id]; }
  void meet(const Change& p, ProxyId q, bool) const {
    if (isPair(s, p.id, q) && !wasPair(s, p, q)) append(s.events.began, p.id, q);
  }
};

template <class Search>
class Searcher {
 public:
  explicit Searcher(State& state) : s_(state), search_{state} {}
  void run() {
    for (unsigned t = 0; t < 2; ++t) s_.listPlaces(t, Search::concerns);
    for (unsigned t = 0; t < 2; ++t) mark(t);
    for (unsigned own = 0; own < 2; ++own) {
      const std::vector<std::uint64_t>& keys = s_.keys[own];
      for (std::size_t first = 0, last; first < keys.size(); first = last) {
        for (last = first + 1; last < keys.size() && leafOf(keys[last]) == leafOf(keys[first]);) ++last;
        // A static proxy meets the movable ones only.
        for (unsigned t = 0; t < 2 - own; ++t) searchGroup(own, t, first, last);
      }
    }
    for (unsigned t = 0; t < 2; ++t) {
      for (const std::uint64_t key : s_.keys[t]) s_.searched[t][leafOf(key)] = 0;
    }
  }

 private:
  const Change& changeOf(std::uint64_t key) const { return s_.changes[static_cast<std::uint32_t>(key)]; }

  void mark(unsigned t) {
    if (s_.searched[t].size() < s_.trees[t].nodeCount()) s_.searched[t].resize(s_.trees[t].nodeCount(), 0);
    for (const std::uint64_t key : s_.keys[t]) {
      s_.searched[t][leafOf(key)] |= static_cast<std::uint8_t>(1u << (placeOf(key) % BoxTree::kWidth));
    }
  }

  // The changes of one leaf, so that the way down the tree is gone once for all of them.
  void searchGroup(unsigned own, unsigned t, std::size_t first, std::size_t last) {
    const BoxTree& tree = s_.trees[t];
    const std::vector<std::uint64_t>& keys = s_.keys[own];
    if (tree.root() == BoxTree::kNone) return;
    const bool onlyLeaf = tree.node(tree.root()).level == 0;
    if (!onlyLeaf) {
      FloatBox around = tree.map(search_.box(changeOf(keys[first])));
      for (std::size_t i = first + 1; i < last; ++i) around = hull(around, tree.map(search_.box(changeOf(keys[i]))));
      collectBranches(tree, around, s_.branches);
      skipLeavesThatReport(own, t, leafOf(keys[first]));
    }
    for (std::size_t i = first; i < last; ++i) {
      const Change& change = changeOf(keys[i]);
      const FloatBox box = tree.map(search_.box(change));
      const std::uint32_t place = placeOf(keys[i]);
      if (onlyLeaf) {
        visitLeaf(own, t, tree.root(), box, change, place);
        continue;
      }
      for (const State::Branch& branch : s_.branches) {
        const BoxTree::Node& parent = tree.node(branch.node);
        unsigned mask = overlapMask(parent.boxes, box) & branch.lanes;
        for (; mask != 0; mask &= mask - 1) visitLeaf(own, t, parent.child[__builtin_ctz(mask)], box, change, place);
      }
    }
  }

  // When two proxies are both searched for, one reports their pair: the movable one, or the one in the earlier place. So
  // a leaf whose proxies are all searched for has nothing to say to those behind it: with everything moving, half of the
  // work.
  void skipLeavesThatReport(unsigned own, unsigned t, std::uint32_t ownLeaf) {
    const BoxTree& tree = s_.trees[t];
    for (State::Branch& branch : s_.branches) {
      const BoxTree::Node& parent = tree.node(branch.node);
      for (unsigned mask = branch.lanes; mask != 0; mask &= mask - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
        const std::uint32_t leaf = parent.child[lane];
        const bool first = t == own ? leaf < ownLeaf : t == 0;
        if (first && s_.searched[t][leaf] == tree.node(leaf).lanes()) branch.lanes &= ~(1u << lane);
      }
    }
  }

  void visitLeaf(unsigned own, unsigned t, std::uint32_t index, const FloatBox& box, const Change& change,
                 std::uint32_t place) {
    const BoxTree::Node& leaf = s_.trees[t].node(index);
    const unsigned searched = s_.searched[t][index];
    unsigned mask = overlapMask(leaf.boxes, box) & leaf.lanes();
    // The other reports: those in earlier places (and the proxy itself), or the movable ones.
    if (t != own) {
      if (t == 0) mask &= ~searched;
    } else if (index <= BoxTree::leafOf(place)) {
      const unsigned earlier = index < BoxTree::leafOf(place) ? 0xffu : (2u << (place % BoxTree::kWidth)) - 1u;
      mask &= ~(searched & earlier);
    }
    for (; mask != 0; mask &= mask - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
      search_.meet(change, leaf.child[lane], ((searched >> lane) & 1u) != 0);
    }
  }

  State& s_;
  Search search_;
};

}  // namespace

// keys[tree] = (place << 32 | change) of the changes concerned, by place.
void SweepAndPrune::State::listPlaces(unsigned tree, bool (*concerns)(const Change&)) {
  std::vector<std::uint64_t>& list = keys[tree];
  list.clear();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const ProxyId id = changes[i].id;
    if (!concerns(changes[i]) || proxies[id].isStatic != (tree == 1)) continue;
    growSlowly(list);
    list.push_back((static_cast<std::uint64_t>(places[id]) << 32) | i);
  }
  radixSort(list, sortSpace, 32);
}

void SweepAndPrune::State::searchOldPlaces() { Searcher<OldPlaces>(*this).run(); }
void SweepAndPrune::State::searchNewPlaces() { Searcher<NewPlaces>(*this).run(); }

}  // namespace sunder
