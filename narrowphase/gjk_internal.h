// SPDX-License-Identifier: MIT
#pragma once
#include "sunder/narrowphase/simplex_internal.h"

namespace sunder::math {

enum class GjkOutcome {
  Apart,     // nearest holds the closest points
  Beyond,    // proven further apart than asked for: lowerBound and the axis say so
  Inside,    // the simplex is a tetrahedron that holds the origin
  Touching,  // the origin lies on the simplex, within rounding
};

struct GjkResult {
  GjkOutcome outcome;
  bool iterationLimit;
  int iterations;     // support evaluations
  Vec3 axis;          // from A to B, not of unit length: minus the nearest point, or the axis that proved the gap
  double lowerBound;  // of the signed distance; -infinity when nothing is proven
  NearestPoint nearest;
  Simplex simplex;
};

// Nearest point of A - B to the origin (Gilbert, Johnson and Keerthi, IEEE J. Robotics Automat. 4(2), 1988). axis: first
// direction, from A to B, any but zero. Starts from result.simplex when its count is not 0 (a cached one): any vertices of
// A - B do. Stops early when the pair is proven further apart than maxDistance (in the unit of the difference); with a
// maxDistance below 0 it stops as soon as a separating axis is known. tolerance: gap between the bounds of the distance at
// which curved shapes are done; 0 for polytopes.
void gjk(const Difference& difference, const Vec3& axis, double maxDistance, double tolerance, GjkResult& result);

}  // namespace sunder::math
