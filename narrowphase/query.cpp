// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/query.h"

#include "sunder/narrowphase/proximity_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder {
namespace {

using namespace math;

bool valid(const QueryOptions& options) {
  return options.maxDistance == options.maxDistance && isFinite(options.tolerance) && options.tolerance >= 0;
}

// The bounds are those of the iteration; what rounding does to each of the sums behind them comes on top.
void toResult(const CoreProximity& core, double radiusA, double radiusB, double rounding, Proximity& r) {
  const double radius = radiusA + radiusB;
  r.status = core.status;
  r.beyondMaxDistance = core.beyond;
  r.signedDistance = core.signedDistance - radius;
  r.lowerBound = core.lowerBound - radius - rounding;
  r.upperBound = core.upperBound - radius + rounding;
  r.iterations = core.iterations;
  store(r.normal, core.normal);
  if (core.beyond) return;
  store(r.pointOnA, core.pointOnA + radiusA * core.normal);
  store(r.pointOnB, core.pointOnB - radiusB * core.normal);
}

// Metres: the lengths that are added up in a query on the pair.
double sizeOf(const SupportShape& a, const SupportShape& b, const Pose& poseBInA) {
  return (a.extent + b.extent + largest(load(poseBInA.position))) + (a.radius + b.radius);
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
  // Not finite: a user's support function did not answer with points.
  if (core.status == QueryStatus::InvalidInput || !isFinite(core.signedDistance) || !isFinite(core.normal) || !isFinite(core.pointOnA))
    return result;
  toResult(core, a.radius, b.radius, tolerances::kRounding * sizeOf(a, b, poseBInA), result);
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

Proximity distance(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, const QueryOptions& options,
                   QueryCache* cache) {
  Proximity r = proximity(a, b, poseBInA, options, false, cache);
  if (r.status == QueryStatus::InvalidInput || r.signedDistance > 0) {
    if (r.lowerBound < 0) r.lowerBound = 0;
    return r;
  }
  Proximity zero;
  zero.status = r.status;
  zero.iterations = r.iterations;
  return zero;
}

Penetration penetration(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                        const QueryOptions& options, QueryCache* cache) {
  const Proximity r = proximity(a, b, poseBInA, options, true, cache);
  Penetration p;
  p.status = r.status;
  p.iterations = r.iterations;
  if (r.status == QueryStatus::InvalidInput) return p;
  p.overlap = !r.beyondMaxDistance && r.signedDistance <= 0;
  p.separation = r.signedDistance;
  p.normal = r.normal;
  p.pointOnA = r.pointOnA;
  p.pointOnB = r.pointOnB;
  if (!p.overlap) return p;
  p.depth = -r.signedDistance;
  p.lowerBound = r.upperBound < 0 ? -r.upperBound : 0;
  p.upperBound = -r.lowerBound;
  return p;
}

Intersection intersects(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                        const QueryOptions& options, QueryCache* cache) {
  Intersection result;
  QueryOptions decide = options;
  // Nothing beyond contact is wanted. With a radius the pair is apart only when the cores are further apart than that.
  decide.maxDistance = 0;
  const Proximity r = proximity(a, b, poseBInA, decide, false, cache);
  result.status = r.status;
  result.iterations = r.iterations;
  if (r.status == QueryStatus::InvalidInput) return result;
  const bool curved = a.kind == SupportShape::Kind::User || b.kind == SupportShape::Kind::User;
  const double undecided = curved && options.tolerance > tolerances::kTouching ? options.tolerance : tolerances::kTouching;
  result.errorBound = (undecided + tolerances::kRounding) * sizeOf(a, b, poseBInA);
  result.overlap = !r.beyondMaxDistance && r.signedDistance <= 0;
  if (!result.overlap) result.separatingAxis = r.normal;
  return result;
}

SeparatingPlane separatingPlane(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                                const QueryOptions& options, QueryCache* cache) {
  const Proximity r = proximity(a, b, poseBInA, options, false, cache);
  SeparatingPlane plane;
  plane.status = r.status;
  plane.iterations = r.iterations;
  if (r.status == QueryStatus::InvalidInput || !(r.signedDistance > 0)) return plane;
  // Closest points are only as good as the rounding of the query; the plane is promised to separate, so ask the shapes.
  const double gap = gapAlong(a, b, poseBInA, r.normal);
  const double offset = dot(load(r.normal), corePoint(a, load(r.normal))) + a.radius + 0.5 * gap;
  if (!(gap > 0) || !isFinite(offset)) return plane;
  plane.found = true;
  plane.gap = gap;
  plane.normal = r.normal;
  plane.offset = offset;
  return plane;
}

double gapAlong(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, const Eigen::Vector3d& direction) {
  Difference d;
  Vec3 n = load(direction);
  if (!isFinite(n) || largest(n) == 0 || !makeDifference(a, b, poseBInA, d)) return 0;
  // So that no square leaves the range, nor the inverse of a denormal.
  if (largest(n) < 1) n = 0x1p1000 * n;
  n = (1 / largest(n)) * n;
  n = (1 / length(n)) * n;
  Vertex w;
  return -d.unit * reach(d, n, w) - (a.radius + b.radius);
}

bool isSeparating(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                  const Eigen::Vector3d& direction) {
  return gapAlong(a, b, poseBInA, direction) > 0;
}

int signedDistances(const SupportShape* shapesA, const SupportShape* shapesB, const Pose* posesBInA, int count,
                    const QueryOptions& options, QueryCache* caches, Proximity* results) {
  int flagged = 0;
  for (int i = 0; i < count; ++i) {
    results[i] = proximity(shapesA[i], shapesB[i], posesBInA[i], options, true, caches ? caches + i : nullptr);
    if (results[i].status != QueryStatus::Converged) ++flagged;
  }
  return flagged;
}

}  // namespace sunder
