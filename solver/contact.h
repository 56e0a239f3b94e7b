// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace sunder {

// A contact between two bodies, kept for as long as they touch: the manifold as points fixed to the bodies, and the
// impulses that start the next solve.
struct Contact {
  std::uint32_t bodyA = 0;  // indices into the caller's bodies
  std::uint32_t bodyB = 0;
  std::uint8_t pointCount = 0;
  // A body that this contact must not move (dominance, static, kinematic).
  bool fixedA = false;
  bool fixedB = false;
  // The bodies were put inside each other: they are moved apart without ever getting a velocity from it.
  bool startedInside = false;
  bool isDeep = false;      // further inside each other than loads press them
  bool isSqueezed = false;  // one of them moves, does not give way and leaves the other no room: it is let through
  bool isNew = true;  // was in no step yet; its impulses, if any, are a guess
  std::uint8_t deepSteps = 0;  // for so many steps the bodies have been moving far inside each other
  float friction = 0;
  float restitution = 0;
  float surfaceVelocity[3] = {0, 0, 0};  // m/s, world: wanted tangential velocity of B against A
  float frictionImpulse[3] = {0, 0, 0};  // N s over one substep, world axes, on B
  float twistImpulse = 0;                // N m s over one substep, about the normal, on B
  float totalFrictionImpulse[3] = {0, 0, 0};  // N s over the last step, world axes, on B
  float solvedNormal[3] = {0, 0, 0};          // world, unit, A to B: that of the last step's impulses
  float totalTwistImpulse = 0;                // N m s over the last step, about the normal, on B
  float substep = 0;                     // s: the length that the impulses were found with
  float reference = 0;                   // N s over one substep: the load that the contact has settled to
  double normal[3] = {0, 0, 0};          // unit, from A to B, in the frame of A
  double position[3] = {0, 0, 0};        // pose of B seen from A when the manifold was made
  double orientation[4] = {1, 0, 0, 0};
  struct Point {
    double onA[3] = {0, 0, 0};  // in the frame of A
    double onB[3] = {0, 0, 0};  // in the frame of B
    float impulse = 0;          // N s over one substep, along the normal, >= 0
    float totalImpulse = 0;     // N s over the last step
    std::uint32_t featureId = 0;
  } points[4];
};

// A contact of this step in a list, with what the stages that go over all contacts one after the other want of it: a look at
// the contact itself costs a line of the cache, and on another core takes it away from the thread that works on it.
struct ContactRef {
  std::uint32_t contact = 0;  // its place
  std::uint32_t bodyA = 0, bodyB = 0;
  bool fixedA = false, fixedB = false;
  bool isBelt = false;   // has a surface velocity
  bool bounces = false;  // has a restitution
  bool isDeep = false, isSqueezed = false;  // as in Contact
  bool isStuck = false;  // for long, the bodies have been moving far inside each other
};

}  // namespace sunder
