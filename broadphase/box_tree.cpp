// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sunder/broadphase/box_tree_internal.h"
#include "sunder/broadphase/radix_sort_internal.h"

namespace sunder {
namespace {

// A leaf may grow to this multiple of the size it was made with before boxes that move are taken out of it. Lower means
// more reinsertions when neighbours move together, higher means looser leaves.
constexpr float kLooseLeaf = 1.2f;
// A leaf this empty is dissolved, so that trees do not thin out under removals.
constexpr unsigned kSparseLeaf = 2;
// Each half of a split node keeps at least this many of the nine children.
constexpr unsigned kMinSplit = 3;

struct Choice {
  float cost;
  float area;
};

// How much the area of `box` grows when it takes in `added`.
Choice enlargement(const FloatBox& box, const FloatBox& added) {
  const float area = halfArea(box);
  return {halfArea(hull(box, added)) - area, area};
}

// The children of a full node and the one that is too many.
struct Entries {
  static constexpr unsigned kWidth = BoxTree::kWidth;

  FloatBox box[kWidth + 1];
  std::uint32_t child[kWidth + 1];
  unsigned order[kWidth + 1];

  // By the centre along one axis; ties by place, so the order is total.
  void sortAlong(int axis) {
    float centre[kWidth + 1];
    for (unsigned i = 0; i <= kWidth; ++i) {
      order[i] = i;
      centre[i] = box[i].lower[axis] + box[i].upper[axis];
    }
    for (unsigned i = 1; i <= kWidth; ++i) {
      const unsigned moving = order[i];
      unsigned j = i;
      for (; j > 0 && centre[moving] < centre[order[j - 1]]; --j) order[j] = order[j - 1];
      order[j] = moving;
    }
  }
  // The cheapest place to cut the present order: the sum of both halves' areas.
  float bestCut(unsigned& cut) const {
    FloatBox tail[kWidth + 1];
    tail[kWidth] = box[order[kWidth]];
    for (unsigned i = kWidth; i-- > 0;) tail[i] = hull(tail[i + 1], box[order[i]]);
    FloatBox head = box[order[0]];
    float best = 0;
    cut = 0;
    for (unsigned i = 1; i <= kWidth + 1 - kMinSplit; ++i) {
      const float cost = halfArea(head) + halfArea(tail[i]);
      // The first admissible cut stands even when infinite boxes make every cost NaN.
      if (i >= kMinSplit && (cut == 0 || cost < best)) {
        best = cost;
        cut = i;
      }
      head = hull(head, box[order[i]]);
    }
    return best;
  }
};

}  // namespace

std::uint32_t BoxTree::newNode(unsigned level) {
  std::uint32_t index;
  if (freeNodes_.empty()) {
    index = static_cast<std::uint32_t>(nodes_.size());
    growSlowly(nodes_);
    nodes_.emplace_back();
  } else {
    index = freeNodes_.back();
    freeNodes_.pop_back();
  }
  Node& n = nodes_[index];
  n.parent = kNone;
  n.laneInParent = 0;
  n.count = 0;
  n.level = static_cast<std::uint8_t>(level);
  n.builtSize = 0;
  return index;
}

void BoxTree::clear() {
  nodes_.clear();
  freeNodes_.clear();
  root_ = kNone;
  size_ = 0;
}

FloatBox BoxTree::bounds(const Node& n) const {
  FloatBox result = n.boxes.get(0);
  for (int axis = 0; axis < 3; ++axis) {
    for (unsigned lane = 1; lane < n.count; ++lane) {
      result.lower[axis] = std::min(result.lower[axis], n.boxes.lower[axis][lane]);
      result.upper[axis] = std::max(result.upper[axis], n.boxes.upper[axis][lane]);
    }
  }
  return result;
}

void BoxTree::link(std::uint32_t node, unsigned lane, std::uint32_t child, Places& places) {
  nodes_[node].child[lane] = child;
  if (nodes_[node].level == 0) {
    places[child] = node * kWidth + lane;
  } else {
    nodes_[child].parent = node;
    nodes_[child].laneInParent = static_cast<std::uint8_t>(lane);
  }
}

void BoxTree::addTo(std::uint32_t node, std::uint32_t child, const FloatBox& box, Places& places) {
  if (nodes_[node].count == kWidth) {
    split(node, child, box, places);
    return;
  }
  const unsigned lane = nodes_[node].count++;
  nodes_[node].boxes.set(lane, box);
  link(node, lane, child, places);
  nodes_[node].builtSize = halfPerimeter(bounds(nodes_[node]));
}

std::uint32_t BoxTree::chooseLeaf(const FloatBox& box) {
  std::uint32_t index = root_;
  while (nodes_[index].level > 0) {
    Node& n = nodes_[index];
    unsigned best = 0;
    Choice least = enlargement(n.boxes.get(0), box);
    for (unsigned lane = 1; lane < n.count; ++lane) {
      const Choice c = enlargement(n.boxes.get(lane), box);
      if (c.cost < least.cost || (c.cost == least.cost && c.area < least.area)) {
        least = c;
        best = lane;
      }
    }
    n.boxes.set(best, hull(n.boxes.get(best), box));
    index = n.child[best];
  }
  return index;
}

void BoxTree::insert(ProxyId id, const FloatBox& box, Places& places) {
  if (root_ == kNone) root_ = newNode(0);
  ++size_;
  addTo(chooseLeaf(box), id, box, places);
}

void BoxTree::split(std::uint32_t node, std::uint32_t child, const FloatBox& box, Places& places) {
  Entries all;
  for (unsigned lane = 0; lane < kWidth; ++lane) {
    all.box[lane] = nodes_[node].boxes.get(lane);
    all.child[lane] = nodes_[node].child[lane];
  }
  all.box[kWidth] = box;
  all.child[kWidth] = child;

  int bestAxis = 0;
  unsigned bestCut = 0;
  float best = 0;
  for (int axis = 0; axis < 3; ++axis) {
    unsigned cut = 0;
    all.sortAlong(axis);
    const float cost = all.bestCut(cut);
    if (axis == 0 || cost < best) {
      best = cost;
      bestAxis = axis;
      bestCut = cut;
    }
  }
  all.sortAlong(bestAxis);

  const std::uint32_t sibling = newNode(nodes_[node].level);
  nodes_[node].count = 0;
  for (unsigned i = 0; i <= kWidth; ++i) {
    const std::uint32_t target = i < bestCut ? node : sibling;
    const unsigned lane = nodes_[target].count++;
    nodes_[target].boxes.set(lane, all.box[all.order[i]]);
    link(target, lane, all.child[all.order[i]], places);
  }
  const FloatBox nodeBounds = bounds(nodes_[node]), siblingBounds = bounds(nodes_[sibling]);
  nodes_[node].builtSize = halfPerimeter(nodeBounds);
  nodes_[sibling].builtSize = halfPerimeter(siblingBounds);

  if (node == root_) {
    root_ = newNode(nodes_[node].level + 1u);
    addTo(root_, node, nodeBounds, places);
    addTo(root_, sibling, siblingBounds, places);
    return;
  }
  const std::uint32_t parent = nodes_[node].parent;
  nodes_[parent].boxes.set(nodes_[node].laneInParent, nodeBounds);
  addTo(parent, sibling, siblingBounds, places);
}

void BoxTree::refit(std::uint32_t node) {
  while (nodes_[node].parent != kNone) {
    Node& parent = nodes_[nodes_[node].parent];
    const FloatBox now = bounds(nodes_[node]), before = parent.boxes.get(nodes_[node].laneInParent);
    if (contains(now, before) && contains(before, now)) return;
    parent.boxes.set(nodes_[node].laneInParent, now);
    node = nodes_[node].parent;
  }
}

void BoxTree::removeLane(std::uint32_t node, unsigned lane, Places& places) {
  const unsigned last = --nodes_[node].count;
  if (lane != last) {
    nodes_[node].boxes.set(lane, nodes_[node].boxes.get(last));
    link(node, lane, nodes_[node].child[last], places);
  }
  if (last == 0) {
    const std::uint32_t parent = nodes_[node].parent;
    const unsigned laneInParent = nodes_[node].laneInParent;
    freeNodes_.push_back(node);
    if (parent == kNone) {
      root_ = kNone;
    } else {
      removeLane(parent, laneInParent, places);
    }
    return;
  }
  refit(node);
  while (nodes_[root_].level > 0 && nodes_[root_].count == 1) {
    freeNodes_.push_back(root_);
    nodes_[root_].count = 0;
    root_ = nodes_[root_].child[0];
    nodes_[root_].parent = kNone;
  }
}

void BoxTree::remove(ProxyId id, Places& places) {
  const std::uint32_t leaf = leafOf(places[id]);
  --size_;
  removeLane(leaf, places[id] % kWidth, places);
  places[id] = kNone;
  const unsigned left = nodes_[leaf].count;
  if (left == 0 || left > kSparseLeaf || leaf == root_) return;
  ProxyId ids[kSparseLeaf];
  FloatBox boxes[kSparseLeaf];
  for (unsigned i = 0; i < left; ++i) {
    ids[i] = nodes_[leaf].child[i];
    boxes[i] = nodes_[leaf].boxes.get(i);
  }
  for (unsigned i = left; i-- > 0;) removeLane(leaf, i, places);
  size_ -= left;
  for (unsigned i = 0; i < left; ++i) insert(ids[i], boxes[i], places);
}

void BoxTree::extend(std::uint32_t place, const FloatBox& box) {
  std::uint32_t node = place / kWidth;
  unsigned lane = place % kWidth;
  while (true) {
    Node& n = nodes_[node];
    const FloatBox present = n.boxes.get(lane);
    if (contains(present, box)) return;
    n.boxes.set(lane, hull(present, box));
    if (n.parent == kNone) return;
    lane = n.laneInParent;
    node = n.parent;
  }
}

bool BoxTree::replace(std::uint32_t place, const FloatBox& box) {
  const std::uint32_t leaf = leafOf(place);
  nodes_[leaf].boxes.set(place % kWidth, box);
  refit(leaf);
  if (leaf == root_) return true;
  return !(halfPerimeter(bounds(nodes_[leaf])) > kLooseLeaf * nodes_[leaf].builtSize);
}

}  // namespace sunder
