// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "sunder/narrowphase/pose.h"

namespace sunder {

// Turns a free rigid body for dt seconds: orientation and angularVelocity (rad/s, world axes) are advanced. The angular
// momentum I w stays the same to rounding; the energy stays within bounds for good: to 2e-4 for boxes whose sides differ by
// up to 2 : 1, to 5e-3 up to 10 : 1. inertia: principal moments in kg m^2 along the body's axes, each > 0. A turn about the
// momentum, as of a ball with the middle moment, and a symmetric splitting of the rest into turns about the other two axes (after
// Fasso 2003, "Comparison of splitting algorithms for the rigid body", J. Comput. Phys. 189), in as many equal parts as keep the
// turns of one part below kMaxTurn. Exact where two moments are equal.
void turnFreely(Quaternion& orientation, Eigen::Vector3d& angularVelocity, const Eigen::Vector3d& inertia, double dt);

// q turned by the rotation vector (rad, world axes), without trigonometric functions: exp(vector) * q, normalized.
Quaternion turned(const Quaternion& q, const Eigen::Vector3d& rotationVector);

}  // namespace sunder
