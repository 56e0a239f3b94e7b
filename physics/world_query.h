// SPDX-License-Identifier: MIT
// Results of the geometric queries of a World. World frame, SI units. Nothing throws: status tells what a result is worth
// (InvalidInput: a number that is not finite, a direction of zero length, an extent <= 0, a quaternion that is no rotation).
#pragma once
#include <Eigen/Core>

#include "sunder/broadphase/proxy_pair.h"
#include "sunder/narrowphase/query_status.h"
#include "sunder/physics/body.h"

namespace sunder {

// Which bodies a query sees: those whose filter accepts the query's, as in a collision (category and mask both ways), and
// not the one named by `ignored`.
struct QueryFilter {
  CollisionFilter filter;
  BodyId ignored;
};

// Where a ray enters a body. A ray that starts inside of one hits it at fraction 0 with a zero normal (startsInside).
struct BodyRayHit {
  BodyId body;
  double fraction = 0;                               // of the translation, 0..1
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // unit, outwards
  bool startsInside = false;
};

// Where a moving box first touches a body. The normal points from the moving box to the body. A box that starts in a body
// hits it at fraction 0 with the normal of the minimum penetration vector (startsInTouch); see narrowphase/shape_cast.h
// for boxes that only touch at the start.
struct BodyCastHit {
  BodyId body;
  double fraction = 0;                               // of the translation, 0..1
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // unit
  bool startsInTouch = false;
};

// The closest hit, or all of them by increasing (fraction, index).
struct RayCastResult {
  QueryStatus status = QueryStatus::InvalidInput;
  bool hit = false;
  BodyRayHit closest;
};
struct BoxCastResult {
  QueryStatus status = QueryStatus::InvalidInput;
  bool hit = false;
  BodyCastHit closest;
};

// The body nearest to a point or a box.
struct NearestResult {
  QueryStatus status = QueryStatus::InvalidInput;
  bool found = false;
  BodyId body;
  double distance = 0;  // metres; 0 for a point inside, minus the depth for a box that overlaps
  Eigen::Vector3d pointOnQuery = Eigen::Vector3d::Zero();  // the point itself, or the closest one of the box
  Eigen::Vector3d pointOnBody = Eigen::Vector3d::Zero();
};

}  // namespace sunder
