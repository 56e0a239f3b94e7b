// SPDX-License-Identifier: MIT
// The frame of a platform or belt, in which what it carries is solved. Not installed. See carried_islands.cpp.
#pragma once
#include "sunder/physics/body_internal.h"

namespace sunder {

// A body that does not give way at the start of a step: its motion in that step, and how far it differs from that in the last.
struct Carrier {
  math::Vec3 position;                    // m
  math::Vec3 velocity, spin;              // m/s, of what it carries; rad/s
  math::Vec3 velocityChange, spinChange;  // since the last step
};

struct CarriedIsland {
  std::uint32_t carrier = kNone;  // the body that carries it
  double push = 0;                // m/s^2, see pushOn()
};

// Changes of velocity over a step: m/s, rad/s.
struct Inertial {
  math::Vec3 linear, angular;
};

bool isDriveChanged(const BodyState& body);
void endDrive(BodyState& body);
void enterFrame(BodyState& body, const Carrier& carrier);
void leaveFrame(BodyState& body, const Carrier& carrier, double dt);
Inertial inertialChange(const BodyState& body, const Carrier& carrier, const math::Vec3& acceleration, double dt);

}  // namespace sunder
