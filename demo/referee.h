// SPDX-License-Identifier: MIT
#pragma once
#include <sunder/narrowphase/pose.h>
#include <sunder/narrowphase/shape.h>

#include <vector>

namespace sunder::demo {

struct RefereeBox {
  Box box;
  Pose pose;
  bool movable = false;  // pairs of immovable boxes are not looked at
};

struct Overlaps {
  double deepest = 0;                // metres, >= 0
  double mean = 0;                   // metres, over the overlapping pairs; 0 when there is none
  int overlapping = 0;               // pairs
  int deepestA = -1, deepestB = -1;  // indices of the deepest pair, or -1
};

// Exact signed distance bound of two boxes, by the 15 axes of the separating axis test (Gottschalk, "OBBTree", 1996):
// -depth when they overlap, and a value >= 0, at most the distance, when they do not. Written apart from the library's
// own narrowphase, which it judges.
double separation(const RefereeBox& a, const RefereeBox& b);

// All overlaps among the boxes. Boxes with a pose that is not finite are left out.
Overlaps measureOverlaps(const std::vector<RefereeBox>& boxes);

}  // namespace sunder::demo
