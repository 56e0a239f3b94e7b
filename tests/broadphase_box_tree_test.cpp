// SPDX-License-Identifier: MIT
// The tree after any sequence of changes, against a plain list of boxes.
#include <cmath>
#include <limits>
#include <random>

#include "box_tree_check.h"

namespace {

using namespace sunder;
using test::expectTreeHolds;

class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned bound) { return static_cast<unsigned>(engine_() % bound); }
  // Multiples of 1/8: boxes often touch exactly or are equal.
  float lattice(unsigned bound) { return static_cast<float>(below(8 * bound + 1)) / 8; }
  FloatBox box(unsigned spread) {
    FloatBox b;
    const float size = below(20) == 0 ? 16.0f : 1.0f;
    for (int axis = 0; axis < 3; ++axis) {
      b.lower[axis] = lattice(spread);
      b.upper[axis] = b.lower[axis] + size * lattice(2);
    }
    if (below(200) == 0) b.upper[below(3)] = std::numeric_limits<float>::infinity();
    return b;
  }

 private:
  std::mt19937 engine_;
};

float sizeOf(const FloatBox& b) {
  float sum = 0;
  for (int axis = 0; axis < 3; ++axis) sum += b.upper[axis] - b.lower[axis];
  return sum;
}

FloatBox grown(const FloatBox& box, float by) {
  FloatBox result = box;
  for (int axis = 0; axis < 3; ++axis) {
    result.lower[axis] -= by;
    result.upper[axis] += by;
  }
  return result;
}

// A tree, its places, and the list that it has to agree with.
struct Both {
  BoxTree tree;
  BoxTree::Places places;
  std::map<ProxyId, FloatBox> list;

  void insert(ProxyId id, const FloatBox& box) {
    if (places.size() <= id) places.resize(id + 1, BoxTree::kNone);
    tree.insert(id, box, places);
    list[id] = box;
  }
  void remove(ProxyId id) {
    tree.remove(id, places);
    list.erase(id);
    EXPECT_EQ(places[id], BoxTree::kNone);
  }
  ProxyId any(Numbers& numbers) const { return std::next(list.begin(), numbers.below(static_cast<unsigned>(list.size())))->first; }
};

TEST(BoxTree, IsEmptyAtFirstAndAgain) {
  Both both;
  EXPECT_EQ(both.tree.size(), 0u);
  EXPECT_TRUE(test::overlapsInTree(both.tree, {{-1, -1, -1}, {1, 1, 1}}).empty());
  for (ProxyId id = 0; id < 100; ++id) both.insert(id, {{0, 0, 0}, {1, 1, 1}});
  for (ProxyId id = 100; id-- > 0;) both.remove(id);
  expectTreeHolds(both.tree, both.places, {});
  EXPECT_EQ(both.tree.root(), BoxTree::kNone);
  both.insert(3, {{0, 0, 0}, {1, 1, 1}});
  expectTreeHolds(both.tree, both.places, both.list);
  both.tree.clear();
  EXPECT_EQ(both.tree.size(), 0u);
  EXPECT_TRUE(test::overlapsInTree(both.tree, {{0, 0, 0}, {1, 1, 1}}).empty());
}

TEST(BoxTree, HoldsWhatWasPutIntoItThroughAnyChanges) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    Numbers numbers(seed);
    const unsigned most = 1 + numbers.below(800), spread = 2 + numbers.below(40);
    Both both;
    for (int step = 0; step < 4000; ++step) {
      const ProxyId id = numbers.below(most);
      if (both.list.count(id) == 0) {
        both.insert(id, numbers.box(spread));
      } else if (numbers.below(3) != 0) {
        both.remove(id);
      } else {
        const FloatBox box = numbers.box(spread);
        both.tree.replace(both.places[id], box);
        both.list[id] = box;
      }
      // Grow and shrink by turns, so that leaves become sparse and full again.
      if (step % 1000 > 700 && !both.list.empty()) both.remove(both.any(numbers));
      if (both.list.empty()) both.insert(0, numbers.box(spread));
      if (step % 50 != 0) continue;
      expectTreeHolds(both.tree, both.places, both.list);
      const FloatBox question = numbers.box(spread);
      EXPECT_EQ(test::overlapsInTree(both.tree, question), test::overlapsInList(both.list, question));
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
  }
}

// extend() may leave boxes too large but never too small, and replace() makes them exact again.
TEST(BoxTree, ExtendHoldsOldAndNewUntilReplaced) {
  Numbers numbers(5);
  Both both;
  for (ProxyId id = 0; id < 300; ++id) both.insert(id, numbers.box(20));
  for (int round = 0; round < 20; ++round) {
    std::map<ProxyId, FloatBox> wide = both.list;
    for (int i = 0; i < 40; ++i) {
      const ProxyId id = both.any(numbers);
      const FloatBox next = numbers.box(20);
      both.tree.extend(both.places[id], next);
      wide[id] = hull(wide[id], next);
      both.list[id] = next;
    }
    expectTreeHolds(both.tree, both.places, wide, true);
    for (const auto& [id, box] : wide) EXPECT_EQ(test::overlapsInTree(both.tree, box), test::overlapsInList(wide, box));
    for (const auto& [id, box] : both.list) both.tree.replace(both.places[id], box);
    expectTreeHolds(both.tree, both.places, both.list);
  }
}

// The answer tells when a leaf has outgrown what it was made for by a fifth, which is when a box should go elsewhere.
TEST(BoxTree, ReplaceSaysWhenALeafHasBecomeLoose) {
  Both both;
  for (ProxyId id = 0; id < 200; ++id) {
    const float x = static_cast<float>(id);
    both.insert(id, {{x, 0, 0}, {x + 0.5f, 0.5f, 0.5f}});
  }
  for (const ProxyId id : {0u, 57u, 120u, 199u}) {
    const FloatBox home = both.list[id];
    const float made = both.tree.node(BoxTree::leafOf(both.places[id])).builtSize;
    for (const float away : {0.0f, 0.05f, 0.5f, 2.0f, 50.0f}) {
      FloatBox box = home;
      box.lower[1] += away;
      box.upper[1] += away;
      const bool stays = both.tree.replace(both.places[id], box);
      const BoxTree::Node& leaf = both.tree.node(BoxTree::leafOf(both.places[id]));
      FloatBox all = leaf.boxes.get(0);
      for (unsigned lane = 1; lane < leaf.count; ++lane) all = hull(all, leaf.boxes.get(lane));
      EXPECT_EQ(stays, sizeOf(all) <= 1.2f * made) << id << " by " << away;
    }
    EXPECT_TRUE(both.tree.replace(both.places[id], home));
  }
  // A single leaf has nowhere to go to.
  Both single;
  single.insert(0, {{0, 0, 0}, {1, 1, 1}});
  EXPECT_TRUE(single.tree.replace(single.places[0], {{1e6f, 0, 0}, {1e6f, 1, 1}}));
}

TEST(BoxTree, AVisitorStopsTheWalk) {
  Both both;
  for (ProxyId id = 0; id < 500; ++id) both.insert(id, {{0, 0, 0}, {1, 1, 1}});
  for (const int enough : {1, 7, 64, 499}) {
    int seen = 0;
    EXPECT_FALSE(both.tree.visitOverlaps({{0, 0, 0}, {1, 1, 1}}, [&](ProxyId) { return ++seen < enough; }));
    EXPECT_EQ(seen, enough);
  }
}

// Nodes of the tree that went are used again: what comes and goes for ever needs no more memory than what is there. A tree
// of n boxes has at least n / 8 leaves; no leaf but the last stays with two or fewer, so at most n / 3 of them.
TEST(BoxTree, NodesAreUsedAgain) {
  Numbers numbers(9);
  Both both;
  for (ProxyId id = 0; id < 400; ++id) both.insert(id, numbers.box(30));
  std::size_t most = 0;
  for (int step = 0; step < 20000; ++step) {
    const ProxyId id = both.any(numbers);
    both.remove(id);
    both.insert(id, numbers.box(30));
    most = std::max(most, both.tree.nodeCount());
  }
  EXPECT_LT(most, 400u / 3 * 3 / 2);
  const test::BoxTreeCheck check(both.tree, both.places, false);
  EXPECT_GE(check.nodes(), 400u / 8);
  EXPECT_LE(both.tree.memoryBytes(), 2 * most * (sizeof(BoxTree::Node) + 4));
}

// Boxes that are alike, in rows, or infinite leave the choice of a place to ties: the tree stays flat all the same.
TEST(BoxTree, StaysBalancedForBoxesThatAreHardToTellApart) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const FloatBox everything = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
  for (int kind = 0; kind < 4; ++kind) {
    Both both;
    for (ProxyId id = 0; id < 3000; ++id) {
      const float x = static_cast<float>(id);
      const FloatBox boxes[] = {{{0, 0, 0}, {1, 1, 1}}, {{x, 0, 0}, {x, 0, 0}}, everything, {{-x, -x, -x}, {x, x, x}}};
      both.insert(id, boxes[kind]);
    }
    expectTreeHolds(both.tree, both.places, both.list);
    // Each node but the root has three children or more: 3^7 < 3000 < 3^8.
    EXPECT_LE(both.tree.node(both.tree.root()).level, 7u) << kind;
    const FloatBox question = grown({{5, 0, 0}, {5, 0, 0}}, 0.25f);
    EXPECT_EQ(test::overlapsInTree(both.tree, question), test::overlapsInList(both.list, question));
  }
}

}  // namespace
