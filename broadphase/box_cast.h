// SPDX-License-Identifier: MIT
// Inputs and results of the broadphase's geometric queries. All of them see fat boxes: a hit is a candidate for an exact
// test, a miss is final.
#pragma once
#include "sunder/broadphase/aabb.h"
#include "sunder/broadphase/proxy_pair.h"

namespace sunder {

// A box that moves from its place by `displacement` (metres, world frame), without turning; a ray is a box of size zero.
// Both must be finite. Fractions along it run from 0 at the start to 1 at the end.
struct BoxCast {
  Aabb box;
  Eigen::Vector3d displacement;
};

inline BoxCast rayCast(const Eigen::Vector3d& origin, const Eigen::Vector3d& displacement) {
  return {{origin, origin}, displacement};
}

// The first contact of a cast with a proxy's fat box; fraction 0 when they overlap at the start.
struct CastHit {
  ProxyId id = 0;
  double fraction = 0;
  bool operator==(const CastHit&) const = default;
};

// A proxy near a point; `distance` in metres from the point to the fat box, 0 inside.
struct NearHit {
  ProxyId id = 0;
  double distance = 0;
  bool operator==(const NearHit&) const = default;
};

}  // namespace sunder
