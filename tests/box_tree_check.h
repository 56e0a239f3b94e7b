// SPDX-License-Identifier: MIT
// What must hold of every BoxTree, whatever was done to it, and a plain list that knows the answers.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sunder/broadphase/box_tree_internal.h>

namespace sunder::test {

inline bool sameBox(const FloatBox& a, const FloatBox& b) { return contains(a, b) && contains(b, a); }

// Walks the tree and checks each node against its children. `loose`: extend() was called, so boxes may be larger than what
// is in them. Returns what it found in the leaves.
class BoxTreeCheck {
 public:
  BoxTreeCheck(const BoxTree& tree, const BoxTree::Places& places, bool loose) : tree_(tree), places_(places), loose_(loose) {
    if (tree.root() == BoxTree::kNone) return;
    EXPECT_EQ(tree.node(tree.root()).parent, BoxTree::kNone);
    visit(tree.root(), tree.node(tree.root()).level);
  }
  const std::map<ProxyId, FloatBox>& found() const { return found_; }
  std::size_t nodes() const { return nodes_; }

 private:
  FloatBox visit(std::uint32_t index, unsigned level) {
    const BoxTree::Node& node = tree_.node(index);
    ++nodes_;
    EXPECT_EQ(node.level, level);
    EXPECT_GE(node.count, 1u);
    EXPECT_LE(node.count, BoxTree::kWidth);
    FloatBox all = node.boxes.get(0);
    for (unsigned lane = 0; lane < node.count; ++lane) {
      const FloatBox box = node.boxes.get(lane);
      all = hull(all, box);
      const std::uint32_t child = node.child[lane];
      if (level == 0) {
        EXPECT_TRUE(found_.emplace(child, box).second) << "proxy " << child << " is there twice";
        EXPECT_EQ(places_[child], index * BoxTree::kWidth + lane);
        continue;
      }
      EXPECT_EQ(tree_.node(child).parent, index);
      EXPECT_EQ(tree_.node(child).laneInParent, lane);
      const FloatBox below = visit(child, level - 1);
      EXPECT_TRUE(contains(box, below)) << "a box sticks out of its parent";
      EXPECT_TRUE(loose_ || sameBox(box, below)) << "a node is larger than what is in it";
    }
    return all;
  }

  const BoxTree& tree_;
  const BoxTree::Places& places_;
  bool loose_;
  std::map<ProxyId, FloatBox> found_;
  std::size_t nodes_ = 0;
};

// The tree holds exactly these boxes, each where `places` says.
inline void expectTreeHolds(const BoxTree& tree, const BoxTree::Places& places, const std::map<ProxyId, FloatBox>& boxes, bool loose = false) {
  const BoxTreeCheck check(tree, places, loose);
  EXPECT_EQ(tree.size(), boxes.size());
  ASSERT_EQ(check.found().size(), boxes.size());
  for (const auto& [id, box] : boxes) {
    const auto found = check.found().find(id);
    ASSERT_NE(found, check.found().end()) << "proxy " << id << " is lost";
    EXPECT_TRUE(contains(found->second, box)) << "proxy " << id;
    EXPECT_TRUE(loose || sameBox(found->second, box)) << "proxy " << id;
  }
}

// The tree's answer to one question, in order; and that of the list.
inline std::vector<ProxyId> overlapsInTree(const BoxTree& tree, const FloatBox& box) {
  std::vector<ProxyId> ids;
  EXPECT_TRUE(tree.visitOverlaps(box, [&](ProxyId id) {
    ids.push_back(id);
    return true;
  }));
  std::sort(ids.begin(), ids.end());
  return ids;
}
inline std::vector<ProxyId> overlapsInList(const std::map<ProxyId, FloatBox>& boxes, const FloatBox& box) {
  std::vector<ProxyId> ids;
  for (const auto& [id, other] : boxes) {
    bool apart = false;
    for (int axis = 0; axis < 3; ++axis) apart |= other.upper[axis] < box.lower[axis] || box.upper[axis] < other.lower[axis];
    if (!apart) ids.push_back(id);
  }
  return ids;
}

}  // namespace sunder::test
