// SPDX-License-Identifier: MIT
#pragma once
#include "sunder/narrowphase/query_status.h"
#include "sunder/narrowphase/support_shape.h"

namespace sunder {

// The points origin + fraction * direction, 0 <= fraction <= maxFraction (infinity: no end), in the frame of the shape. direction
// needs no unit length, but not zero either (coordinates up to 1e100); with the end minus the origin, fraction runs from 0 to 1.
struct Ray {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  Eigen::Vector3d direction = Eigen::Vector3d::UnitX();
  double maxFraction = 1;
};

// A ray that starts inside of the shape or on its surface and goes inwards hits at fraction 0 with a zero normal
// (startsInside): there is no surface it came through. One that starts on the surface and leaves does not hit.
struct RayHit {
  QueryStatus status = QueryStatus::InvalidInput;
  bool hit = false;
  bool startsInside = false;
  double fraction = 0;                               // of direction
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // unit, outwards, frame of the shape
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   // origin + fraction * direction
  int iterations = 0;                                // 0: closed form
};

// Closed form (slabs, Kay and Kajiya, SIGGRAPH 1986): the normal is exactly that of a face, up to its very edges. Where the
// ray enters through an edge or corner, the face of the later axis of x, y, z is reported.
RayHit rayCast(const Box& box, const Ray& ray);
RayHit rayCast(const Sphere& sphere, const Ray& ray);

// Any convex shape, by GJK (van den Bergen, "Ray Casting against General Convex Objects", 2004): the ray is cut at the
// separating plane of its current point until that point touches.
RayHit rayCast(const SupportShape& shape, const Ray& ray);

}  // namespace sunder
