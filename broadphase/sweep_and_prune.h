// SPDX-License-Identifier: MIT
#pragma once
#include "sunder/broadphase/aabb.h"
#include "sunder/broadphase/proxy_pair.h"

namespace sunder {

// INTERFACE SKETCH - the broadphase's author replaces this file.
class SweepAndPrune {
 public:
  // Throws std::invalid_argument on NaN or lower > upper.
  ProxyId insert(const Aabb& box, bool isStatic, const CollisionFilter& filter = {});
  void move(ProxyId id, const Aabb& box);
  void remove(ProxyId id);
  // Finds the pairs that began and ended since the last call.
  const PairEvents& updatePairs();
};

}  // namespace sunder
