// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/collide.h"

#include "sunder/narrowphase/collide_boxes.h"
#include "sunder/narrowphase/contact_patch_internal.h"
#include "sunder/narrowphase/support_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder {
namespace {

using namespace math;

bool isPlainBox(const SupportShape& s) { return s.kind == SupportShape::Kind::Box && s.radius == 0; }

// Two boxes have a manifold made for stacks, with a memory of its own.
void collidePlainBoxes(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, double maxDistance, QueryCache* cache,
                       Collision& result) {
  BoxPairCache memory;
  if (cache) {
    for (int k = 0; k < 3; ++k) memory.axis[k] = cache->axis[k];
    for (int k = 0; k < 4; ++k) memory.vertices[k] = cache->vertices[k];
    memory.vertexCount = cache->vertexCount;
    memory.face = cache->face;
    memory.feature = cache->feature;
    memory.negative = cache->negative;
  }
  collideBoxes(*static_cast<const Box*>(a.shape), *static_cast<const Box*>(b.shape), poseBInA, maxDistance,
               NarrowphaseMethod::GjkEpa, memory, result);
  if (!cache) return;
  for (int k = 0; k < 3; ++k) cache->axis[k] = memory.axis[k];
  for (int k = 0; k < 4; ++k) cache->vertices[k] = memory.vertices[k];
  cache->vertexCount = memory.vertexCount;
  cache->face = memory.face;
  cache->feature = memory.feature;
  cache->negative = memory.negative;
}

// The feature of B, brought into the frame of A.
void place(const Mat3& rotation, const Vec3& position, detail::Feature& f) {
  for (int k = 0; k < f.count; ++k) f.corner[k] = position + rotation * f.corner[k];
  f.normal = rotation * f.normal;
}

void collideAny(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, const QueryOptions& options, QueryCache* cache,
                Collision& result) {
  const Proximity r = signedDistance(a, b, poseBInA, options, cache);
  result.status = r.status;
  result.iterations = r.iterations;
  result.signedDistance = r.signedDistance;
  result.manifold.normal = r.normal;
  if (r.status == QueryStatus::InvalidInput || r.beyondMaxDistance) return;
  const double above = r.upperBound - r.signedDistance, below = r.signedDistance - r.lowerBound;
  result.errorBound = above > below ? above : below;
  if (r.signedDistance > options.maxDistance) return;

  const Vec3 n = load(r.normal), position = load(poseBInA.position);
  const Mat3 rotation = toMatrixScaled(load(poseBInA.orientation));
  const double radius = a.radius + b.radius;
  detail::PatchPoint points[4];
  const detail::PatchPoint witness = {load(r.pointOnA) - a.radius * n, load(r.pointOnB) + b.radius * n, r.signedDistance + radius, 0};
  // The witness points are as far off the surfaces as the answer is off, and rounded with the pair's size.
  const double rounding = result.errorBound + tolerances::kRounding * (a.extent + b.extent + largest(position));
  detail::Feature featureA, featureB;
  detail::supportingFeature(a, n, witness.onA, rounding + tolerances::kOnFace * a.extent, featureA);
  detail::supportingFeature(b, -transposeTimes(rotation, n), transposeTimes(rotation, witness.onB - position),
                            rounding + tolerances::kOnFace * b.extent, featureB);
  place(rotation, position, featureB);
  ContactManifold& manifold = result.manifold;
  manifold.pointCount =
      detail::contactPatch(featureA, featureB, n, witness, a.radius, b.radius, options.maxDistance + radius, points);
  for (int i = 0; i < manifold.pointCount; ++i) {
    ContactPoint& point = manifold.points[i];
    store(point.pointOnA, points[i].onA + a.radius * n);
    store(point.pointOnB, points[i].onB - b.radius * n);
    point.separation = points[i].separation - radius;
    point.featureId = points[i].id;
  }
}

}  // namespace

Collision collide(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, const QueryOptions& options,
                  QueryCache* cache) {
  Collision result;
  if (!(options.maxDistance >= 0)) return result;
  if (isPlainBox(a) && isPlainBox(b))
    collidePlainBoxes(a, b, poseBInA, options.maxDistance, cache, result);
  else
    collideAny(a, b, poseBInA, options, cache, result);
  return result;
}

int collide(const SupportShape* shapesA, const SupportShape* shapesB, const Pose* posesBInA, int count,
            const QueryOptions& options, QueryCache* caches, Collision* results) {
  int flagged = 0;
  for (int i = 0; i < count; ++i) {
    results[i] = collide(shapesA[i], shapesB[i], posesBInA[i], options, caches ? caches + i : nullptr);
    if (results[i].status != QueryStatus::Converged) ++flagged;
  }
  return flagged;
}

}  // namespace sunder
