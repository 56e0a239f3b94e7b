// SPDX-License-Identifier: MIT
// What SweepAndPrune and its referee BruteForce share: how proxies are described and how their fat boxes are made.
#pragma once
#include "sunder/broadphase/aabb.h"
#include "sunder/broadphase/proxy_pair.h"

namespace sunder {

// A proxy's fat box is its tight box grown by `margin` (metres) on all sides and by `lookahead` times the predicted
// displacement on the side it moves to. Pairs are pairs of fat boxes, and a proxy costs next to nothing as long as its
// tight box stays inside and does not become slower or smaller by much. Wider boxes mean fewer updates but more pairs that do not touch.
struct BroadphaseSettings {
  double margin = 0.03;    // finite, >= 0
  double lookahead = 2.0;  // updates; finite, >= 0
};

// One proxy of a batch insertion.
struct ProxyDef {
  Aabb box;  // tight, world frame, metres
  bool isStatic = false;
  CollisionFilter filter;
};

// What move() did. It never throws on bad input, as it runs inside a step: it says so and changes nothing.
enum class MoveStatus : std::uint8_t {
  kInside,        // the fat box still serves: nothing to do
  kLeft,          // a new fat box was made; the next updatePairs() looks at this proxy
  kInvalidInput,  // NaN, lower > upper, or a displacement that is not finite
  kUnknownProxy,  // no such proxy, or it was removed
};

}  // namespace sunder
