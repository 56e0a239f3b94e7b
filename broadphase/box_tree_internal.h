// SPDX-License-Identifier: MIT
// The index of SweepAndPrune: a height-balanced tree of wide nodes (an R-tree, Guttman 1984, with eight children a node
// that one SIMD test visits at once). What it returns depends only on the boxes in it, never on its shape. Not installed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sunder/broadphase/float_box_internal.h"
#include "sunder/broadphase/proxy_pair.h"

namespace sunder {

class BoxTree {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr unsigned kWidth = 8;

  struct Node {
    BoxLanes boxes;
    std::uint32_t child[kWidth];  // nodes, or proxies when level == 0
    std::uint32_t parent = kNone;
    std::uint8_t laneInParent = 0;
    std::uint8_t count = 0;
    std::uint8_t level = 0;  // 0: leaf
    float builtSize = 0;     // half perimeter when the node was made or last gained a box

    unsigned lanes() const { return (1u << count) - 1u; }
  };

  // Where a proxy sits: leaf * kWidth + lane. Kept by the owner, one entry per proxy id, shared by its trees.
  using Places = std::vector<std::uint32_t>;
  static std::uint32_t leafOf(std::uint32_t place) { return place / kWidth; }

  std::size_t size() const { return size_; }
  std::uint32_t root() const { return root_; }
  const Node& node(std::uint32_t index) const { return nodes_[index]; }
  std::size_t nodeCount() const { return nodes_.size(); }
  const double* origin() const { return origin_; }
  FloatBox map(const Aabb& box) const { return toFloat(box, origin_); }
  std::size_t memoryBytes() const { return nodes_.capacity() * sizeof(Node) + freeNodes_.capacity() * 4; }

  // Makes the tree anew from `ids`, in O(n); boxes is indexed by id. The frame's origin moves to the middle of the boxes.
  void build(const std::vector<ProxyId>& ids, const Aabb* boxes, Places& places, std::vector<std::uint64_t>& keys,
             std::vector<std::uint64_t>& scratch);
  void insert(ProxyId id, const FloatBox& box, Places& places);
  void remove(ProxyId id, Places& places);
  // Grows the proxy's box (and the boxes around it) to hold `box` too.
  void extend(std::uint32_t place, const FloatBox& box);
  // Gives the proxy exactly this box. False when the leaf has become much wider than it was made, so that the proxy
  // should rather be removed and inserted again.
  bool replace(std::uint32_t place, const FloatBox& box);
  void clear();

  // Calls visit(id) for every proxy whose mapped box overlaps until it returns false. False when stopped.
  template <class Visit>
  bool visitOverlaps(const FloatBox& box, Visit&& visit) const;

 private:
  std::uint32_t newNode(unsigned level);
  void link(std::uint32_t node, unsigned lane, std::uint32_t child, Places& places);
  void addTo(std::uint32_t node, std::uint32_t child, const FloatBox& box, Places& places);
  std::uint32_t chooseLeaf(const FloatBox& box);
  void split(std::uint32_t node, std::uint32_t child, const FloatBox& box, Places& places);
  void removeLane(std::uint32_t node, unsigned lane, Places& places);
  void refit(std::uint32_t node);
  FloatBox bounds(const Node& node) const;
  void moveOrigin(const Aabb& median);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> freeNodes_;
  std::uint32_t root_ = kNone;
  std::size_t size_ = 0;
  double origin_[3] = {0, 0, 0};
};

// A node has at least two children but for the root's path, so 40 levels hold more proxies than ids exist; each level
// leaves at most seven siblings waiting.
inline constexpr unsigned kTreeStack = 40 * 7 + 8;

template <class Visit>
bool BoxTree::visitOverlaps(const FloatBox& box, Visit&& visit) const {
  if (root_ == kNone) return true;
  std::uint32_t stack[kTreeStack];
  unsigned top = 0;
  stack[top++] = root_;
  while (top > 0) {
    const Node& n = nodes_[stack[--top]];
    unsigned mask = overlapMask(n.boxes, box) & n.lanes();
    for (; mask != 0; mask &= mask - 1) {
      const std::uint32_t child = n.child[__builtin_ctz(mask)];
      if (n.level > 0) {
        stack[top++] = child;
      } else if (!visit(child)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace sunder
