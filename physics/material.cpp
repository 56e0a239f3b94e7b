// SPDX-License-Identifier: MIT
#include "sunder/physics/material.h"

#include <algorithm>
#include <cmath>

namespace sunder {

Material mix(const Material& a, const Material& b) {
  return {std::sqrt(a.friction * b.friction), std::max(a.restitution, b.restitution)};
}

}  // namespace sunder
