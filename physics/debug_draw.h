// SPDX-License-Identifier: MIT
// What World::debugDraw() calls. Nothing is drawn here: derive from it and pass lines and boxes to a renderer.
#pragma once
#include <Eigen/Core>

#include "sunder/broadphase/aabb.h"
#include "sunder/physics/body.h"

namespace sunder {

// What the colour of something should tell.
enum class DebugColor { Static, Kinematic, Awake, Asleep, Frozen, Contact, Normal, Friction, Bounds };

// What to draw.
struct DebugDrawOptions {
  bool bodies = true;
  bool contacts = true;     // points, normals, friction
  bool bounds = false;      // the fat boxes of the broadphase
  double forceScale = 0.01; // metres of line per newton, for the mean forces of the last step
};

class DebugDraw {
 public:
  virtual ~DebugDraw() = default;
  // World frame, metres.
  virtual void box(const Pose& pose, const Eigen::Vector3d& halfExtents, DebugColor color) = 0;
  virtual void line(const Eigen::Vector3d& from, const Eigen::Vector3d& to, DebugColor color) = 0;
  virtual void point(const Eigen::Vector3d& position, DebugColor color) = 0;
  virtual void bounds(const Aabb& box, DebugColor color) = 0;
};

}  // namespace sunder
