// SPDX-License-Identifier: MIT
#pragma once
#include "sunder/narrowphase/simplex_internal.h"

namespace sunder::math {

struct EpaResult {
  bool iterationLimit;  // storage full before the bounds met
  bool degenerate;      // rounding stopped the progress before the bounds met
  int iterations;       // support evaluations
  Vec3 normal;          // unit, from A to B
  double depth;         // reach along normal: an upper bound of the depth. Below 0: -depth is a gap that proves them apart
  double lowerBound;    // of the depth
  Vertex face[3];       // the face that holds the nearest point; equal vertices when it is less than a triangle
  double weight[3];     // of the nearest point on it
};

// Nearest boundary point of A - B to the origin inside (van den Bergen, GDC 2001). simplex: what GJK ended with, 1 to 4
// vertices; completed to a tetrahedron first. tolerance: gap between the bounds, in the unit of the difference, at which
// curved shapes are done.
void epa(const Difference& difference, const Simplex& simplex, double tolerance, EpaResult& result);

// The same for two boxes, without GJK and whether the origin is inside or not, on a surface that uses the symmetry of their
// difference: from the face across face axis `face`, 0..2 of A, 3..5 of B. Best from the nearest of these six, which most
// likely is the answer or beside it. Without pointsWanted there are no weights, and no face to go with them is looked for: the
// first plane that is proven ends it. A gap of more than rounding ends it, too, with normal and depth alone.
void epaFromFace(const Difference& difference, int face, bool pointsWanted, EpaResult& result);

}  // namespace sunder::math
