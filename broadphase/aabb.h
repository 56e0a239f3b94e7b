// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace sunder {

// An axis-aligned box, closed: two that only touch overlap. Infinite bounds are allowed.
struct Aabb {
  Eigen::Vector3d lower;
  Eigen::Vector3d upper;
};
static_assert(sizeof(Aabb) == 48 && alignof(Aabb) == 8, "Aabb must not depend on compiler flags");

// Comparisons only: exact, and so the same with any flags.
inline bool overlaps(const Aabb& a, const Aabb& b) {
  return a.lower[0] <= b.upper[0] && b.lower[0] <= a.upper[0] && a.lower[1] <= b.upper[1] &&
         b.lower[1] <= a.upper[1] && a.lower[2] <= b.upper[2] && b.lower[2] <= a.upper[2];
}
inline bool contains(const Aabb& outer, const Aabb& inner) {
  return outer.lower[0] <= inner.lower[0] && inner.upper[0] <= outer.upper[0] && outer.lower[1] <= inner.lower[1] &&
         inner.upper[1] <= outer.upper[1] && outer.lower[2] <= inner.lower[2] && inner.upper[2] <= outer.upper[2];
}

}  // namespace sunder
