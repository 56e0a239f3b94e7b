// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/collide_boxes.h"

#include "sunder/narrowphase/box_pair_internal.h"

namespace sunder {

using namespace detail;
using math::Vec3;

namespace {

// All in units of the smallest half extent of the pair, so that scale does not matter and a thin plate gets thin
// tolerances. They choose between manifolds that are nearly as good; signedDistance never depends on them.
//
// Last step's face, and on a cold start a face of A, stays while it is within this of the best one. In a stack the top of
// A and the bottom of B differ by angle * extent: up to a relative angle of 0.01 rad the reference face does not move.
constexpr double kKeep = 0.01;
// An edge pair must be better than the best face by this. Where edges really cross, the face axes are worse by a good part
// of the extents; where it is less, the cross product comes from nearly parallel edges and its direction is noise.
constexpr double kEdgeBias = 0.02;
// The chosen manifold must hold a point at most this far above the true signed distance; otherwise the exact axis makes
// the manifold. It bounds how far boxes may sink into each other unnoticed by the preferences above.
constexpr double kUnnoticed = 1e-3;
// The nearest points of two crossing edges lie on one line along the normal; a cached edge pair that has slid past the end
// of an edge misses it by more than this and is given up.
constexpr double kOffTheLine = 1e-6;

void remember(BoxPairCache& cache, const Vec3& direction, int feature, bool negative) {
  cache.axis[0] = static_cast<float>(direction.x);
  cache.axis[1] = static_cast<float>(direction.y);
  cache.axis[2] = static_cast<float>(direction.z);
  cache.feature = static_cast<std::uint8_t>(feature);
  cache.negative = negative ? 1 : 0;
}

// Separation along the cached direction, if there is one; a lower bound of the distance whatever the direction is.
bool isApartAlongCache(const BoxPair& p, const BoxPairCache& cache, double maxDistance, double& separation) {
  const double n[3] = {cache.axis[0], cache.axis[1], cache.axis[2]};
  const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  if (!(square > 0.5 && square < 2)) return false;  // none, or nothing we wrote
  separation = separationTimesLength(p, n) / std::sqrt(square);
  return separation > maxDistance;
}

// The axis to build the manifold on: see the tolerances above.
BoxAxis chooseAxis(const BoxPair& p, const double s[6], const BoxAxis& bestFace, const BoxAxis& bestEdge,
                   const BoxPairCache& cache, double least) {
  const double keep = kKeep * least;
  const int cached = cache.feature - 1;
  BoxAxis face = bestFace;
  if (cached >= 0 && cached < 6 && s[cached] >= bestFace.separation - keep) {
    const double along = centreAlong(p, cached);
    face.index = cached;
    face.separation = s[cached];
    face.negative = along < 0;
    // Centres nearly level along the axis (deep inside): both sides are as good, keep the last one.
    if (face.negative != (cache.negative != 0) && s[cached] - 2 * std::fabs(along) >= bestFace.separation - keep) {
      face.negative = !face.negative;
      face.separation = s[cached] - 2 * std::fabs(along);
    }
  } else if (bestFace.index >= 3) {
    int ofA = 0;
    for (int k = 1; k < 3; ++k) ofA = s[k] > s[ofA] ? k : ofA;
    if (s[ofA] >= bestFace.separation - keep) {
      face.index = ofA;
      face.separation = s[ofA];
      face.negative = p.t[ofA] < 0;
    }
  }
  if (bestEdge.index < 0) return face;

  BoxAxis edge = bestEdge;
  if (cached >= 6 && cached != edge.index && cached <= 14) {
    const double separation = edgeSeparation(p, (cached - 6) / 3, (cached - 6) % 3);
    if (separation >= bestEdge.separation - keep) edge = {cached, centreAlong(p, cached) < 0, separation};
  }
  const double bias = (edge.index == cached ? 0.5 : 1.0) * kEdgeBias * least;
  return edge.separation > bestFace.separation + bias ? edge : face;
}

double deepestSeparation(const ContactManifold& manifold) {
  double deepest = HUGE_VAL;
  for (int i = 0; i < manifold.pointCount; ++i)
    deepest = manifold.points[i].separation < deepest ? manifold.points[i].separation : deepest;
  return deepest;
}

void manifoldAlong(const BoxPair& p, const BoxAxis& axis, double maxDistance, ContactManifold& manifold) {
  manifold.pointCount = 0;
  if (axis.index < 6)
    faceManifold(p, axis, maxDistance, manifold);
  else if (axis.separation <= maxDistance)
    edgeManifold(p, axis, kOffTheLine * smallestHalfExtent(p) + roundingBound(p), manifold);
}

// Boxes that are apart, by no more than maxDistance along any of the axes. Finds the distance, and the manifold if that is
// within maxDistance: the chosen axis if it sees the nearest points, else one point between those. Their direction keeps
// the boxes from meeting where they would, and lets them pass each other as long as any plane does.
void collideApart(const BoxPair& p, const BoxAxis& chosen, const BoxAxis& bestFace, const BoxAxis& best, double maxDistance,
                  double unnoticed, BoxPairCache& cache, BoxCollision& result) {
  manifoldAlong(p, chosen, maxDistance, result.manifold);
  const double nearest = deepestSeparation(result.manifold);
  // Points of a manifold lie on both boxes, so nearest bounds the distance from above and best from below.
  if (nearest <= best.separation + result.errorBound) {
    result.signedDistance = best.separation;
    return remember(cache, math::load(result.manifold.normal), chosen.index + 1, chosen.negative);
  }
  const Closest closest = closestApart(p, bestFace, best);
  result.signedDistance = closest.distance;
  if (closest.distance > maxDistance) {
    result.manifold.pointCount = 0;
    return remember(cache, closest.normal, 0, false);
  }
  BoxAxis used = chosen;
  if (!(nearest <= closest.distance + unnoticed)) {
    if (closest.alongAxis) {
      used = closest.axis;
      manifoldAlong(p, used, maxDistance, result.manifold);
    } else {
      used.index = -1;
      closestManifold(closest, result.manifold);
    }
  }
  remember(cache, math::load(result.manifold.normal), used.index + 1, used.negative);
}

// Boxes that overlap, or touch to rounding.
void collideOverlapping(const BoxPair& p, const BoxAxis& chosen, const BoxAxis& best, double maxDistance, double unnoticed,
                        BoxPairCache& cache, BoxCollision& result) {
  result.signedDistance = best.separation;
  BoxAxis used = chosen;
  manifoldAlong(p, used, maxDistance, result.manifold);
  if (!(deepestSeparation(result.manifold) <= best.separation + unnoticed)) {
    used = best;
    manifoldAlong(p, used, maxDistance, result.manifold);
    if (!(deepestSeparation(result.manifold) <= best.separation + unnoticed)) witnessManifold(p, best, result.manifold);
  }
  remember(cache, math::load(result.manifold.normal), used.index + 1, used.negative);
}

}  // namespace

void collideBoxes(const Box& a, const Box& b, const Pose& poseBInA, double maxDistance, NarrowphaseMethod method,
                  BoxPairCache& cache, BoxCollision& result) {
  // TODO: GjkEpa uses the closed form until narrowphase/gjk.h and epa.h are there.
  static_cast<void>(method);
  result.manifold.pointCount = 0;
  BoxPair p;
  if (!(maxDistance >= 0) || !loadPair(a, b, poseBInA, p)) {
    result.status = QueryStatus::InvalidInput;
    result.signedDistance = 0;
    result.errorBound = 0;
    return;
  }
  result.status = QueryStatus::Converged;
  result.errorBound = roundingBound(p);
  if (cache.feature == 0 && isApartAlongCache(p, cache, maxDistance, result.signedDistance)) return;

  finishPair(p);
  double s[6];
  const BoxAxis face = bestFaceAxis(p, s);
  BoxAxis best = face, edge;
  if (face.separation <= maxDistance) edge = bestEdgeAbove(p, edgeFloor(p, face.separation));
  if (edge.index >= 0) best = edge;
  if (best.separation > maxDistance) {
    result.signedDistance = best.separation;
    return remember(cache, axisVector(p, best), 0, false);
  }

  const double least = smallestHalfExtent(p);
  const BoxAxis chosen = chooseAxis(p, s, face, edge, cache, least);
  // The preferences must not hide more than rounding when the boxes are as thin as that.
  const double unnoticed = kUnnoticed * least > result.errorBound ? kUnnoticed * least : result.errorBound;
  if (best.separation > result.errorBound)
    collideApart(p, chosen, face, best, maxDistance, unnoticed, cache, result);
  else
    collideOverlapping(p, chosen, best, maxDistance, unnoticed, cache, result);
}

}  // namespace sunder
