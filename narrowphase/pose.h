// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>

namespace sunder {

// Not Eigen::Quaterniond: its alignment, and with it the layout of every struct that holds one, changes with the user's
// -march flags. This one is 32 bytes aligned to 8 everywhere. Stored x, y, z, w (Eigen's order); files write w, x, y, z.
using Quaternion = Eigen::Quaternion<double, Eigen::DontAlign>;

// A rigid frame: maps a local point p to position + orientation * p. Metres; orientation is a unit quaternion.
struct Pose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Quaternion orientation = Quaternion(1, 0, 0, 0);
};

static_assert(sizeof(Pose) == 56 && alignof(Pose) == 8, "Pose must not depend on compiler flags");

// The pose of b seen from a: a^-1 * b. The difference of the positions is taken in world coordinates first, so that far
// from the origin only the input's own rounding is left.
Pose relativePose(const Pose& a, const Pose& b);

}  // namespace sunder
