// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace sunder {

// A box centred at the origin of its frame, its faces at +-halfExtents along the axes. Metres, every extent > 0.
struct Box {
  Eigen::Vector3d halfExtents = Eigen::Vector3d(0.5, 0.5, 0.5);
};

}  // namespace sunder
