// SPDX-License-Identifier: MIT
// Building a whole BoxTree at once: the boxes are radix-sorted along a Morton curve (Morton 1966) and packed in that order.
#include <algorithm>
#include <bit>
#include <cmath>

#include "sunder/broadphase/box_tree_internal.h"
#include "sunder/broadphase/radix_sort_internal.h"

namespace sunder {
namespace {

// Full leaves: the next insertion splits one, but a whole build is what follows large changes, and after it most boxes
// only move a little.
constexpr std::size_t kFill = BoxTree::kWidth;

// Infinite and enormous coordinates are only clamped for the order in which boxes are packed.
double clamped(double x) { return std::min(std::max(x, -1e300), 1e300); }
double centre(const Aabb& box, int axis) {
  return 0.5 * clamped(box.lower.data()[axis]) + 0.5 * clamped(box.upper.data()[axis]);
}
double largestExtent(const Aabb& box) {
  double extent = 0;
  for (int axis = 0; axis < 3; ++axis) {
    extent = std::max(extent, clamped(box.upper.data()[axis]) - clamped(box.lower.data()[axis]));
  }
  return extent;
}
// Binary exponent of x >= 0, biased.
int exponentOf(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52); }
// Boxes within four powers of two of the largest are of the same class, 0; the classes below are as wide.
int sizeClass(int largestExponent, int exponent) { return std::min((largestExponent - exponent) / 4, 3); }

// Spreads the low ten bits of x to every third bit.
std::uint32_t spread(std::uint32_t x) {
  x = (x | (x << 16)) & 0x030000ffu;
  x = (x | (x << 8)) & 0x0300f00fu;
  x = (x | (x << 4)) & 0x030c30c3u;
  return (x | (x << 2)) & 0x09249249u;
}

struct Sorter {
  const Aabb* boxes;
  std::uint64_t* scratch;

  // Orders keys[0, count), whose low 32 bits are ids: first by size class, then along the curve over their own bounds.
  // Boxes in one cell of the curve are ordered again by the curve over that cell, so clusters at any scale are resolved.
  void sort(std::uint64_t* keys, std::size_t count) const {
    double lower[3], upper[3], range = 0;
    findBounds(keys, count, lower, upper);
    int largest = 0, smallest = 0x7ff;
    for (int axis = 0; axis < 3; ++axis) range = std::max(range, upper[axis] - lower[axis]);
    for (std::size_t i = 0; i < count; ++i) {
      const int exponent = exponentOf(largestExtent(boxes[static_cast<ProxyId>(keys[i])]));
      largest = std::max(largest, exponent);
      smallest = std::min(smallest, exponent);
    }
    if (!(range > 0) && sizeClass(largest, smallest) == 0) return;
    const double scale = range > 0 ? 1023.0 / range : 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const ProxyId id = static_cast<ProxyId>(keys[i]);
      std::uint32_t code = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double cell = (centre(boxes[id], axis) - lower[axis]) * scale;  // NaN where a tiny range made the scale infinite
        code |= spread(static_cast<std::uint32_t>(cell > 0 ? std::min(cell, 1023.0) : 0.0)) << axis;
      }
      const int c = sizeClass(largest, exponentOf(largestExtent(boxes[id])));
      keys[i] = (static_cast<std::uint64_t>(c) << 62) | (static_cast<std::uint64_t>(code) << 32) | id;
    }
    radixSort(keys, scratch, count, 32);
    for (std::size_t first = 0, last; first < count; first = last) {
      for (last = first + 1; last < count && keys[last] >> 32 == keys[first] >> 32;) ++last;
      // All in one cell: the range did not resolve them (an underflow of the scale); leave them as they are.
      if (last - first > kFill && last - first < count) sort(keys + first, last - first);
    }
  }
  void findBounds(const std::uint64_t* keys, std::size_t count, double lower[3], double upper[3]) const {
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis] = 1e300;
      upper[axis] = -1e300;
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const double c = centre(boxes[static_cast<ProxyId>(keys[i])], axis);
        lower[axis] = std::min(lower[axis], c);
        upper[axis] = std::max(upper[axis], c);
      }
    }
  }
};

}  // namespace

// Floats are finest near their zero, so it goes to the median box along the curve: a middle of the bounds could lie
// in the void between an outlier and everything else. Past 1e30 m, floats have nothing to gain.
void BoxTree::moveOrigin(const Aabb& median) {
  for (int axis = 0; axis < 3; ++axis) {
    const double c = centre(median, axis);
    origin_[axis] = std::abs(c) < 1e30 ? c : 0.0;
  }
}

void BoxTree::build(const std::vector<ProxyId>& ids, const Aabb* boxes, Places& places,
                    std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& scratch) {
  clear();
  if (ids.empty()) return;
  keys.clear();
  keys.reserve(ids.size());
  keys.insert(keys.end(), ids.begin(), ids.end());
  if (scratch.size() < keys.size()) scratch.resize(keys.size());
  Sorter{boxes, scratch.data()}.sort(keys.data(), keys.size());
  moveOrigin(boxes[static_cast<ProxyId>(keys[keys.size() / 2])]);
  size_ = ids.size();
  // Exactly what the levels take: n / 8 leaves, and a seventh of them above.
  std::size_t nodeCount = 1;
  for (std::size_t level = (ids.size() + kFill - 1) / kFill; level > 1; level = (level + kWidth - 1) / kWidth) {
    nodeCount += level;
  }
  nodes_.reserve(nodeCount);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % kFill == 0) newNode(0);
    const ProxyId id = static_cast<ProxyId>(keys[i]);
    Node& leaf = nodes_.back();
    leaf.boxes.set(leaf.count, map(boxes[id]));
    link(static_cast<std::uint32_t>(nodes_.size() - 1), leaf.count, id, places);
    ++leaf.count;
  }
  std::uint32_t first = 0;
  for (unsigned level = 1; nodes_.size() - first > 1; ++level) {
    const std::uint32_t last = static_cast<std::uint32_t>(nodes_.size());
    for (std::uint32_t below = first; below < last; ++below) {
      if ((below - first) % kWidth == 0) newNode(level);
      const std::uint32_t index = static_cast<std::uint32_t>(nodes_.size() - 1);
      const FloatBox box = bounds(nodes_[below]);
      nodes_[below].builtSize = halfPerimeter(box);
      const unsigned lane = nodes_[index].count++;
      nodes_[index].boxes.set(lane, box);
      link(index, lane, below, places);
    }
    first = last;
  }
  root_ = static_cast<std::uint32_t>(nodes_.size() - 1);
}

}  // namespace sunder
