// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/query.h"

#include "sunder/narrowphase/proximity_internal.h"

namespace sunder {
namespace {

using namespace math;

bool valid(const QueryOptions& options) {
  return options.maxDistance == options.maxDistance && isFinite(options.tolerance) && options.tolerance >= 0;
}

void toResult(const CoreProximity& core, double radiusA, double radiusB, Proximity& r) {
  const double radius = radiusA + radiusB;
  r.status = core.status;
  r.beyondMaxDistance = core.beyond;
  r.signedDistance = core.signedDistance - radius;
  r.lowerBound = core.lowerBound - radius;
  r.upperBound = core.upperBound - radius;
  r.iterations = core.iterations;
  store(r.normal, core.normal);
  if (core.beyond) return;
  store(r.pointOnA, core.pointOnA + radiusA * core.normal);
  store(r.pointOnB, core.pointOnB - radiusB * core.normal);
}

Proximity proximity(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, const QueryOptions& options,
                    bool depthWanted, QueryCache* cache) {
  Proximity result;
  Difference d;
  if (!valid(options) || !makeDifference(a, b, poseBInA, d)) return result;
  const double radius = a.radius + b.radius;
  CoreProximity core;
  if (d.boxes) {
    boxProximity(d, options.maxDistance + radius, depthWanted || radius > 0, cache, core);
  } else {
    const bool curved = a.kind == SupportShape::Kind::User || b.kind == SupportShape::Kind::User;
    coreProximity(d, options.maxDistance + radius, curved ? options.tolerance : 0, depthWanted || radius > 0, cache, core);
  }
  if (core.status == QueryStatus::InvalidInput) return result;
  toResult(core, a.radius, b.radius, result);
  return result;
}

}  // namespace

Proximity signedDistance(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                         const QueryOptions& options, QueryCache* cache) {
  return proximity(a, b, poseBInA, options, true, cache);
}

Proximity signedDistance(const Box& a, const Box& b, const Pose& poseBInA, const QueryOptions& options,
                         QueryCache* cache) {
  return proximity(supportShape(a), supportShape(b), poseBInA, options, true, cache);
}

}  // namespace sunder
