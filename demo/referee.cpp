// SPDX-License-Identifier: MIT
#include "sunder/demo/referee.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace sunder::demo {
namespace {

struct Vec {
  double x, y, z;
};
double dot(const Vec& a, const Vec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A box as the test needs it: centre, axes and half extents in the world, and bounds.
struct Oriented {
  Vec center;
  std::array<Vec, 3> axes;
  std::array<double, 3> half;
  std::array<double, 3> lower, upper;
  bool movable = false;
  bool finite = true;
};

Oriented orient(const RefereeBox& source) {
  const Quaternion& q = source.pose.orientation;
  const double w = q.w(), x = q.x(), y = q.y(), z = q.z();
  const Eigen::Vector3d& p = source.pose.position;
  const Eigen::Vector3d& h = source.box.halfExtents;
  Oriented o{{p[0], p[1], p[2]},
             {{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
               {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
               {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}},
             {h[0], h[1], h[2]},
             {},
             {},
             source.movable,
             true};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto component = [i](const Vec& v) { return i == 0 ? v.x : i == 1 ? v.y : v.z; };
    double reach = 0;
    for (std::size_t k = 0; k < 3; ++k) reach += o.half[k] * std::abs(component(o.axes[k]));
    o.lower[i] = component(o.center) - reach;
    o.upper[i] = component(o.center) + reach;
    o.finite = o.finite && std::isfinite(o.lower[i]) && std::isfinite(o.upper[i]);
  }
  return o;
}

double separation(const Oriented& a, const Oriented& b) {
  const Vec d = {b.center.x - a.center.x, b.center.y - a.center.y, b.center.z - a.center.z};
  double best = -INFINITY;
  const auto extent = [](const Oriented& o, const Vec& axis) {
    return o.half[0] * std::abs(dot(o.axes[0], axis)) + o.half[1] * std::abs(dot(o.axes[1], axis)) +
           o.half[2] * std::abs(dot(o.axes[2], axis));
  };
  const auto test = [&](const Vec& axis, double length) {
    best = std::max(best, (std::abs(dot(d, axis)) - extent(a, axis) - extent(b, axis)) / length);
  };
  for (const Vec& axis : a.axes) test(axis, 1);
  for (const Vec& axis : b.axes) test(axis, 1);
  for (const Vec& u : a.axes)
    for (const Vec& v : b.axes) {
      const Vec axis = cross(u, v);
      const double length = std::sqrt(dot(axis, axis));
      // Edges parallel to 1e-7: their axis is rounding, and a face axis is within 1e-7 of an extent of the answer.
      if (length > 1e-7) test(axis, length);
    }
  return best;
}

bool boundsOverlap(const Oriented& a, const Oriented& b) {
  for (std::size_t i = 0; i < 3; ++i)
    if (a.lower[i] > b.upper[i] || b.lower[i] > a.upper[i]) return false;
  return true;
}

// Calls found(i, j) for all pairs with overlapping bounds: sorts along x, then looks ahead. Boxes much wider than the
// others (the ground) would make that quadratic, so they are compared with all boxes instead.
template <typename Found>
void forEachPair(const std::vector<Oriented>& boxes, const Found& found) {
  std::vector<int> small, large;
  std::vector<double> widths;
  const auto width = [&](int i) {
    return boxes[static_cast<std::size_t>(i)].upper[0] - boxes[static_cast<std::size_t>(i)].lower[0];
  };
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i)
    if (boxes[static_cast<std::size_t>(i)].finite) widths.push_back(width(i));
  if (widths.empty()) return;
  std::nth_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2), widths.end());
  const double limit = 8 * widths[widths.size() / 2];
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i)
    if (boxes[static_cast<std::size_t>(i)].finite) (width(i) > limit ? large : small).push_back(i);

  const auto at = [&](int i) -> const Oriented& { return boxes[static_cast<std::size_t>(i)]; };
  const auto consider = [&](int i, int j) {
    if ((at(i).movable || at(j).movable) && boundsOverlap(at(i), at(j))) found(std::min(i, j), std::max(i, j));
  };
  for (std::size_t k = 0; k < large.size(); ++k) {
    for (std::size_t m = k + 1; m < large.size(); ++m) consider(large[k], large[m]);
    for (const int j : small) consider(large[k], j);
  }
  std::sort(small.begin(), small.end(),
            [&](int i, int j) { return at(i).lower[0] != at(j).lower[0] ? at(i).lower[0] < at(j).lower[0] : i < j; });
  for (std::size_t k = 0; k < small.size(); ++k)
    for (std::size_t m = k + 1; m < small.size() && at(small[m]).lower[0] <= at(small[k]).upper[0]; ++m)
      consider(small[k], small[m]);
}

}  // namespace

double separation(const RefereeBox& a, const RefereeBox& b) {
  return separation(orient(a), orient(b));
}

Overlaps measureOverlaps(const std::vector<RefereeBox>& boxes) {
  std::vector<Oriented> oriented;
  oriented.reserve(boxes.size());
  for (const RefereeBox& box : boxes) oriented.push_back(orient(box));
  Overlaps result;
  double sum = 0;
  forEachPair(oriented, [&](int i, int j) {
    const double gap = separation(oriented[static_cast<std::size_t>(i)], oriented[static_cast<std::size_t>(j)]);
    if (gap >= 0) return;
    ++result.overlapping;
    sum -= gap;
    if (-gap > result.deepest) {
      result.deepest = -gap;
      result.deepestA = i;
      result.deepestB = j;
    }
  });
  if (result.overlapping > 0) result.mean = sum / result.overlapping;
  return result;
}

}  // namespace sunder::demo
