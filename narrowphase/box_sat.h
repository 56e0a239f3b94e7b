// SPDX-License-Identifier: MIT
// The separating axis test of two oriented boxes, closed form. The Minkowski difference of two boxes is a zonotope whose
// face normals are the three axes of each box and the nine cross products of their edges: the largest separation over
// these 15 axes is minus the penetration depth when the boxes overlap, and proves them apart when it is positive
// (Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996, section 5).
#pragma once
#include <Eigen/Core>

#include "sunder/narrowphase/pose.h"
#include "sunder/narrowphase/query_status.h"
#include "sunder/narrowphase/shape.h"

namespace sunder {

// One of the 15 axes: 0..2 face axes of A, 3..5 face axes of B, 6 + 3 i + j the cross product of edge i of A and edge j
// of B. With `negative`, the direction from A to B is minus the axis.
struct BoxAxis {
  int index = -1;
  bool negative = false;
  double separation = 0;  // metres along the unit axis; negative when the projections overlap
};

struct BoxSatResult {
  QueryStatus status = QueryStatus::InvalidInput;
  double signedDistance = 0;  // metres: Euclidean distance when apart, -depth when overlapping
  double lowerBound = 0;      // lowerBound <= true signed distance <= upperBound, rounding included
  double upperBound = 0;
  // Unit, from A to B: translating B by -signedDistance * normal leaves the pair just touching. All in the frame of A.
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  Eigen::Vector3d pointOnA = Eigen::Vector3d::Zero();  // pointOnB = pointOnA + signedDistance * normal
  Eigen::Vector3d pointOnB = Eigen::Vector3d::Zero();
  BoxAxis axis;  // the axis of the largest separation
};

// All 15 axes, the exact distance of boxes that are apart, and witness points. Never throws; the same limits of the
// input as collideBoxes.
BoxSatResult boxSat(const Box& a, const Box& b, const Pose& poseBInA);

}  // namespace sunder
