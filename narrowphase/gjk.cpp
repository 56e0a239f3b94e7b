// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/gjk_internal.h"

#include <limits>

namespace sunder::math {
namespace {

// A vertex may come back by rounding although its face was left: it cannot help a second time.
bool holds(const Simplex& s, const Vec3& w) {
  for (int i = 0; i < s.count; ++i)
    if (samePoint(s.vertex[i].w, w)) return true;
  return false;
}

}  // namespace

void gjk(const Difference& difference, const Vec3& axis, double maxDistance, double tolerance, GjkResult& r) {
  using namespace tolerances;
  Simplex& s = r.simplex;
  r.iterationLimit = false;
  r.lowerBound = -std::numeric_limits<double>::infinity();
  r.axis = axis;
  r.nearest = {{0, 0, 0}, std::numeric_limits<double>::infinity(), 0};
  int level = 0;  // steps without a gain
  bool started = false;  // axis is minus the nearest point
  if (s.count > 0) {
    if (!reduce(s, r.nearest)) {
      r.outcome = GjkOutcome::Inside;
      r.iterations = 0;
      return;
    }
    // A cached face of a pair that overlaps points outwards as well as inwards: look at the side the origin is on.
    r.axis = -r.nearest.v;
    started = true;
  }
  for (r.iterations = 0; r.iterations < kMaxGjkIterations;) {
    if (started && r.nearest.vv <= kTouching * kTouching) {
      r.outcome = GjkOutcome::Touching;
      return;
    }
    s.vertex[s.count] = support(difference, r.axis);
    ++r.iterations;
    const Vec3 w = s.vertex[s.count].w;
    const double along = dot(r.axis, w);  // |axis| times the reach
    // |axis|^2, and its length only where a bound is made of it.
    const double nn = started ? r.nearest.vv : dot(r.axis, r.axis);
    if (along < 0) {
      const double gap = -along / std::sqrt(nn);
      if (gap > r.lowerBound) r.lowerBound = gap;
      if (gap > maxDistance && gap > kTouching) {
        r.outcome = GjkOutcome::Beyond;
        return;
      }
    }
    const double gain = nn + along;  // |axis| times the gap between the bounds
    if (started && (gain <= kNoProgress * nn || gain * gain <= tolerance * tolerance * nn || holds(s, w))) {
      r.outcome = GjkOutcome::Apart;
      return;
    }
    const double before = r.nearest.vv;
    ++s.count;
    NearestPoint nearest;
    if (!reduce(s, nearest)) {
      r.outcome = GjkOutcome::Inside;
      return;
    }
    r.nearest = nearest;
    r.axis = -nearest.v;
    // In exact arithmetic the distance falls with every vertex. Close to contact a turn of the axis that still matters to far
    // vertices may change it by less than rounding: go on for a few steps, but not for ever round a circle.
    if (started && !(nearest.vv < before) && ++level > kMaxLevelSteps) {
      r.outcome = nearest.vv <= kTouching * kTouching ? GjkOutcome::Touching : GjkOutcome::Apart;
      return;
    }
    started = true;
  }
  r.iterationLimit = true;
  r.outcome = GjkOutcome::Apart;
}

}  // namespace sunder::math
