// SPDX-License-Identifier: MIT
// How the surfaces of two bodies make one contact.
#pragma once

namespace sunder {

// What a contact is made of: friction coefficient (>= 0, the same in every direction: |friction| <= friction * load) and
// restitution (0..1, outgoing over incoming normal speed of a hit).
struct Material {
  double friction = 0.5;
  double restitution = 0;
  bool operator==(const Material&) const = default;
};

// The material of a contact between bodies with materials a and b, unless World::setPairMaterial says otherwise:
// friction sqrt(a b), so that a frictionless body slides on everything and two equal ones keep their value; restitution
// max(a, b), so that a rubber ball bounces on any floor. Symmetric in a and b.
Material mix(const Material& a, const Material& b);

}  // namespace sunder
