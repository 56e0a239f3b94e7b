// SPDX-License-Identifier: MIT
#pragma once

namespace sunder {

// What the contact kernels read and write of a body: one cache line. Float, since both parts are relative quantities:
// velocities, and the displacement since the start of the step, of which the pose (double) is updated once at the end.
struct alignas(64) SolverBody {
  float velocity[8] = {};      // linear x y z (m/s), angular x y z (rad/s, world axes), 0, 0
  float displacement[8] = {};  // since the start of the step: position (m), rotation vector (rad, world axes), 0, 0
};

// What the contacts of a body did to its velocity in a substep, which starts the next one. As SolverBody::velocity.
struct alignas(32) SolverWarmStart {
  float v[8] = {};
};

// Inverse mass and inverse inertia in world axes, constant over one step. Zero for a body that contacts do not move.
struct alignas(32) SolverMass {
  float inverseInertia[6] = {};  // xx, xy, xz, yy, yz, zz
  float inverseMass = 0;
  float unused = 0;
};

// Where a body is, in the form that the solver and the contact update read.
struct BodyFrame {
  double position[3] = {0, 0, 0};
  double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // columns: the body's axes in world coordinates
};

}  // namespace sunder
