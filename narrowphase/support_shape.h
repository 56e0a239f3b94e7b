// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sunder/narrowphase/shape.h"

namespace sunder {

// Writes the point of a convex set that lies farthest along direction. Both in the shape's own frame, metres; direction
// is not zero and need not be of unit length. Has to be pure: the same direction gives the same bits, from any thread.
using SupportFunction = void (*)(const void* shape, const Eigen::Vector3d& direction, Eigen::Vector3d& point);

// Any convex shape as the queries see it: a convex core and a radius around it. The radius is taken into account after
// the query on the cores, so that round shapes are as exact as polytopes. Keeps a pointer into the shape it was made
// from, which has to outlive it.
struct SupportShape {
  enum class Kind : std::uint8_t { Box, Point, Segment, Hull, User };

  const void* shape = nullptr;
  SupportFunction support = nullptr;
  double radius = 0;  // metres, >= 0
  double extent = 0;  // metres: about the largest coordinate of the core; only sets the unit of the tolerances
  Kind kind = Kind::User;
};

SupportShape supportShape(const Box& box);
SupportShape supportShape(const Sphere& sphere);
SupportShape supportShape(const Capsule& capsule);
SupportShape supportShape(const ConvexHull& hull);

// A shape of the caller's own. Calls support along the six axis directions to learn its extent.
SupportShape supportShape(const void* shape, SupportFunction support, double radius = 0);

// A rounded box or hull: the set of points nearer than radius to the core.
SupportShape rounded(SupportShape core, double radius);

}  // namespace sunder
