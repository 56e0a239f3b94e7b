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

// Which of the two gives the patch its frame, its names and the order of its points must not depend on which is called A, or
// collide(B, A) would keep other points than collide(A, B). Two shapes differ in kind or size; of two alike the normal or the
// centre of the other looks different from each, by the thousandth that jitter must not decide over. `n` and `t`: the
// normal from A to B and B's position, in the frame of A.
bool secondLeads(const SupportShape& a, const SupportShape& b, const Mat3& rotation, const Vec3& n, const Vec3& t) {
  constexpr double kTie = 1e-3;
  if (a.kind != b.kind) return a.kind > b.kind;
  if (a.extent != b.extent) return a.extent < b.extent;
  if (a.radius != b.radius) return a.radius < b.radius;
  // No two axes look the same to it: shapes mostly touch along one.
  const auto lean = [](const Vec3& v) { return v.x + 0.7 * v.y + 0.43 * v.z; };
  const double byNormal = lean(n) + lean(transposeTimes(rotation, n));
  if (std::abs(byNormal) > kTie) return byNormal < 0;
  return lean(t) + lean(transposeTimes(rotation, t)) < -kTie * a.extent;
}

// The patch of two shapes in the frame of the first. The witness points are those of the cores; n is the normal from the
// first to the second. Returns how many points.
int patchOf(const SupportShape& first, const SupportShape& second, const Mat3& rotation, const Vec3& position, const Vec3& n,
            const detail::PatchPoint& witness, double rounding, double maxDistance, detail::PatchPoint points[4]) {
  detail::Feature one, other;
  detail::supportingFeature(first, n, witness.onA, rounding + tolerances::kOnFace * first.extent, one);
  detail::supportingFeature(second, -transposeTimes(rotation, n), transposeTimes(rotation, witness.onB - position),
                            rounding + tolerances::kOnFace * second.extent, other);
  for (int k = 0; k < other.count; ++k) other.corner[k] = position + rotation * other.corner[k];
  other.normal = rotation * other.normal;
  return detail::contactPatch(one, other, n, witness, first.radius, second.radius, maxDistance, points);
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
  const Vec3 onA = load(r.pointOnA) - a.radius * n, onB = load(r.pointOnB) + b.radius * n;
  detail::PatchPoint points[4];
  // The witness points are as far off the surfaces as the answer is off, and rounded with the pair's size.
  const double rounding = result.errorBound + tolerances::kRounding * (a.extent + b.extent + largest(position));
  ContactManifold& manifold = result.manifold;
  const double gap = r.signedDistance + radius, most = options.maxDistance + radius;
  if (secondLeads(a, b, rotation, n, position)) {
    const auto inB = [&](const Vec3& p) { return transposeTimes(rotation, p - position); };
    const auto inA = [&](const Vec3& p) { return position + rotation * p; };
    const Mat3 identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, back = transposeTimes(rotation, identity);
    manifold.pointCount = patchOf(b, a, back, inB({0, 0, 0}), -transposeTimes(rotation, n), {inB(onB), inB(onA), gap, 0}, rounding,
                                  most, points);
    for (int i = 0; i < manifold.pointCount; ++i)
      points[i] = {inA(points[i].onB), inA(points[i].onA), points[i].separation, detail::idFromTheOtherSide(points[i].id)};
  } else {
    manifold.pointCount = patchOf(a, b, rotation, position, n, {onA, onB, gap, 0}, rounding, most, points);
  }
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
