// SPDX-License-Identifier: MIT
// The arithmetic that SweepAndPrune and BruteForce must do alike, bit for bit: fat boxes, casts, distances. Functions with
// internal linkage, so that no user's flags can replace them. Not installed.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "sunder/broadphase/box_cast.h"
#include "sunder/broadphase/proxy.h"

namespace sunder {

static inline bool isFinite(const Eigen::Vector3d& v) {
  const double* p = v.data();
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

// False also for NaN. Infinite bounds are fine: a half space, or everything.
static inline bool isValid(const Aabb& box) {
  const double* l = box.lower.data();
  const double* u = box.upper.data();
  return l[0] <= u[0] && l[1] <= u[1] && l[2] <= u[2];
}

static inline void requireValid(const Aabb& box) {
  for (int axis = 0; axis < 3; ++axis) {
    const double l = box.lower.data()[axis], u = box.upper.data()[axis];
    if (!(l <= u)) {
      throw std::invalid_argument("broadphase box: lower[" + std::to_string(axis) + "] = " + std::to_string(l) +
                                  " is not <= upper[" + std::to_string(axis) + "] = " + std::to_string(u));
    }
  }
}

static inline void requireFinite(const Eigen::Vector3d& v, const char* field) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(v.data()[axis])) {
      throw std::invalid_argument(std::string("broadphase: ") + field + "[" + std::to_string(axis) +
                                  "] = " + std::to_string(v.data()[axis]) + " is not finite");
    }
  }
}

static inline void requireValid(const BroadphaseSettings& settings) {
  if (!(std::isfinite(settings.margin) && settings.margin >= 0)) {
    throw std::invalid_argument("BroadphaseSettings: margin = " + std::to_string(settings.margin) +
                                " is not finite and >= 0");
  }
  if (!(std::isfinite(settings.lookahead) && settings.lookahead >= 0)) {
    throw std::invalid_argument("BroadphaseSettings: lookahead = " + std::to_string(settings.lookahead) +
                                " is not finite and >= 0");
  }
}

// Rounding is monotone, so the result always contains the tight box, even where the margin is lost in the last place.
// What is added is kept finite: infinity - infinity would be no bound.
static inline Aabb fatten(const Aabb& tight, const Eigen::Vector3d& displacement, const BroadphaseSettings& settings) {
  constexpr double kMost = std::numeric_limits<double>::max();
  Aabb fat;
  for (int axis = 0; axis < 3; ++axis) {
    const double ahead = settings.lookahead * displacement.data()[axis];
    fat.lower.data()[axis] = tight.lower.data()[axis] - std::min(kMost, settings.margin + std::max(0.0, -ahead));
    fat.upper.data()[axis] = tight.upper.data()[axis] + std::min(kMost, settings.margin + std::max(0.0, ahead));
  }
  return fat;
}

// Whether the fat box of a proxy may stay when its tight box is now `tight`. Not when that left it; and not when it reaches
// further than one made now by more than two margins and the lookahead: then it was made for a faster motion or a larger
// box, and would hold pairs that are far apart for as long as the proxy rests. (At constant speed it is further by no more
// than the lookahead behind, and by a margin.) Infinite bounds differ by NaN or not at all.
static inline bool mayServe(const Aabb& fat, const Aabb& tight, const Eigen::Vector3d& displacement, const BroadphaseSettings& settings) {
  if (!contains(fat, tight)) return false;
  const Aabb now = fatten(tight, displacement, settings);
  for (int axis = 0; axis < 3; ++axis) {
    const double slack = 2 * settings.margin + settings.lookahead * std::fabs(displacement.data()[axis]);
    if (now.lower.data()[axis] - fat.lower.data()[axis] > slack || fat.upper.data()[axis] - now.upper.data()[axis] > slack) return false;
  }
  return true;
}

static inline bool isValid(const BoxCast& cast) {
  return isFinite(cast.box.lower) && isFinite(cast.box.upper) && isFinite(cast.displacement) && isValid(cast.box);
}

// Slab test (Kay and Kajiya 1986) of the moving box's lower corner against the Minkowski difference with `target`.
// True when they touch at a fraction in [0, maxFraction]; `fraction` is then the first. No 0/0 and no inf - inf can
// arise: the cast is finite and an axis without motion is decided by comparison.
static inline bool castBox(const BoxCast& cast, const Aabb& target, double maxFraction, double& fraction) {
  double enter = 0, exit = maxFraction;
  for (int axis = 0; axis < 3; ++axis) {
    const double lower = cast.box.lower.data()[axis], upper = cast.box.upper.data()[axis];
    const double targetLower = target.lower.data()[axis], targetUpper = target.upper.data()[axis];
    const double d = cast.displacement.data()[axis];
    if (d == 0) {
      if (lower > targetUpper || targetLower > upper) return false;
      continue;
    }
    const double t1 = (targetLower - upper) / d, t2 = (targetUpper - lower) / d;
    enter = std::max(enter, d > 0 ? t1 : t2);
    exit = std::min(exit, d > 0 ? t2 : t1);
  }
  fraction = enter;
  return enter <= exit;
}

static inline double squaredDistance(const Eigen::Vector3d& point, const Aabb& box) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double p = point.data()[axis];
    const double gap = std::max(0.0, std::max(box.lower.data()[axis] - p, p - box.upper.data()[axis]));
    sum += gap * gap;
  }
  return sum;
}

static inline bool sooner(const CastHit& a, const CastHit& b) {
  return a.fraction != b.fraction ? a.fraction < b.fraction : a.id < b.id;
}
static inline bool nearer(const NearHit& a, const NearHit& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
}

}  // namespace sunder
