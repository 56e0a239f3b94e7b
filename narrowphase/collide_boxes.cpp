// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/collide_boxes.h"

#include "sunder/narrowphase/box_pair_internal.h"
#include "sunder/narrowphase/proximity_internal.h"

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

// What is known about the pair when the manifold is to be built.
struct Found {
  BoxAxis face, edge;  // of the largest separation; edge.index -1: no edge axis is better than the faces
  BoxAxis best;        // of both
  double s[6];         // separations of the face axes
  double distance;     // Euclidean distance of boxes that are apart, -1: not known yet
};

// GJK on long sticks that cross at 1e-6 rad ends with bounds this many roundings apart, or more. Then the axes, whose error
// does not grow with the condition of the simplex, are asked.
constexpr double kOpenBounds = 256;
// Points of a face manifold lie on the other face to within this many roundings (the tolerance of box_clip.cpp), along each of its
// sides: near contact the distance may be larger than their separation by sqrt(2) times that. From the square of this on,
// what is left of it is below one rounding.
constexpr double kOffTheFace = 16;

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

// Boxes deep inside each other, their centres nearly level along the axis: either side is as good, so the last one is kept
// if that costs no more than `room`.
void keepSide(const BoxPair& p, const BoxPairCache& cache, double room, BoxAxis& axis) {
  if (axis.index != cache.feature - 1 || axis.negative == (cache.negative != 0)) return;
  double along = std::fabs(centreAlong(p, axis.index));
  if (axis.index >= 6) along /= edgeAxisLength(p, (axis.index - 6) / 3, (axis.index - 6) % 3);
  if (2 * along > room) return;
  axis.negative = !axis.negative;
  axis.separation -= 2 * along;
}

// The axis to build the manifold on: see the tolerances above.
BoxAxis chooseAxis(const BoxPair& p, const Found& found, const BoxPairCache& cache, double least) {
  const double keep = kKeep * least, floor = found.face.separation - keep;
  const int cached = cache.feature - 1;
  BoxAxis face = found.face;
  if (cached >= 0 && cached < 6 && found.s[cached] >= floor) {
    face = {cached, centreAlong(p, cached) < 0, found.s[cached]};
    keepSide(p, cache, found.s[cached] - floor, face);
  } else if (face.index >= 3) {
    int ofA = 0;
    for (int k = 1; k < 3; ++k) ofA = found.s[k] > found.s[ofA] ? k : ofA;
    if (found.s[ofA] >= floor) face = {ofA, p.t[ofA] < 0, found.s[ofA]};
  }
  if (found.edge.index < 0) return face;

  BoxAxis edge = found.edge;
  if (cached >= 6 && cached != edge.index && cached <= 14) {
    const double separation = edgeSeparation(p, (cached - 6) / 3, (cached - 6) % 3);
    if (separation >= edge.separation - keep) edge = {cached, centreAlong(p, cached) < 0, separation};
  }
  keepSide(p, cache, keep, edge);
  const double bias = (edge.index == cached ? 0.5 : 1.0) * kEdgeBias * least;
  return edge.separation > found.face.separation + bias ? edge : face;
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
    edgeManifold(p, axis, kOffTheLine * smallestHalfExtent(p) + roundingBound(p), maxDistance, manifold);
}

math::Difference differenceOf(const BoxPair& p) {
  const math::Mat3 columns = {{p.r[0][0], p.r[1][0], p.r[2][0]}, {p.r[0][1], p.r[1][1], p.r[2][1]}, {p.r[0][2], p.r[1][2], p.r[2][2]}};
  return math::boxDifference({p.ha[0], p.ha[1], p.ha[2]}, {p.hb[0], p.hb[1], p.hb[2]}, columns, {p.t[0], p.t[1], p.t[2]});
}

// The distance of boxes that are apart, by GJK: from last time's simplex, or along the axis of the largest separation. Returns
// false when it is more than maxDistance; result and cache are done then. Where rounding keeps GJK from closing its bounds,
// found.distance stays -1: closestApart() is as exact.
bool findDistance(const BoxPair& p, double maxDistance, BoxPairCache& cache, BoxCollision& result, Found& found) {
  QueryCache query;
  const Vec3 axis = axisVector(p, found.best);
  query.axis[0] = static_cast<float>(axis.x);
  query.axis[1] = static_cast<float>(axis.y);
  query.axis[2] = static_cast<float>(axis.z);
  query.vertexCount = cache.vertexCount;
  for (int k = 0; k < 4; ++k) query.vertices[k] = cache.vertices[k];
  math::CoreProximity r;
  math::boxProximity(differenceOf(p), maxDistance, false, &query, r);
  result.iterations += r.iterations;
  const double gap = r.beyond ? 0 : r.upperBound - r.lowerBound;
  if (r.status != QueryStatus::Converged || !(gap <= kOpenBounds * result.errorBound)) return true;
  if (gap > result.errorBound) result.errorBound = gap;
  cache.vertexCount = query.vertexCount;
  for (int k = 0; k < 4; ++k) cache.vertices[k] = query.vertices[k];
  found.distance = r.signedDistance;
  if (r.signedDistance <= maxDistance) return true;
  result.signedDistance = r.signedDistance;
  result.manifold.pointCount = 0;
  remember(cache, r.normal, 0, false);
  return false;
}

// The manifold holds the nearest points, at a distance that an axis proves to be the least.
bool isCertain(const BoxPair& p, const BoxAxis& best, const BoxAxis& chosen, double maxDistance, BoxPairCache& cache,
               BoxCollision& result) {
  manifoldAlong(p, chosen, maxDistance, result.manifold);
  // Points of a manifold lie on both boxes, so they bound the distance from above and best from below.
  if (!(deepestSeparation(result.manifold) <= best.separation + result.errorBound)) return false;
  result.signedDistance = best.separation;
  if (best.separation < kOffTheFace * kOffTheFace * result.errorBound) result.errorBound *= 1.5 * kOffTheFace;
  remember(cache, math::load(result.manifold.normal), chosen.index + 1, chosen.negative);
  return true;
}

// Boxes that are apart, by no more than maxDistance along any of the axes. Finds the distance, and the manifold if that is
// within maxDistance: the chosen axis if it sees the nearest points, else one point between those. Their direction keeps
// the boxes from meeting where they would, and lets them pass each other as long as any plane does.
void collideApart(const BoxPair& p, Found& found, const BoxAxis& chosen, double maxDistance, double unnoticed,
                  NarrowphaseMethod method, BoxPairCache& cache, BoxCollision& result) {
  cache.face = 0;
  if (isCertain(p, found.best, chosen, maxDistance, cache, result)) return;
  if (method == NarrowphaseMethod::GjkEpa && !findDistance(p, maxDistance, cache, result, found)) return;
  const double nearest = deepestSeparation(result.manifold);
  result.signedDistance = found.distance;
  if (found.distance >= 0 && nearest <= found.distance + unnoticed)
    return remember(cache, math::load(result.manifold.normal), chosen.index + 1, chosen.negative);
  const bool facesSeen = chosen.index == found.face.index;
  const Closest closest = closestApart(p, found.face, found.best, facesSeen);
  if (found.distance < 0) result.signedDistance = facesSeen && nearest < closest.distance ? nearest : closest.distance;
  if (result.signedDistance > maxDistance) {
    result.manifold.pointCount = 0;
    return remember(cache, closest.normal, 0, false);
  }
  BoxAxis used = chosen;
  if (!(nearest <= result.signedDistance + unnoticed)) {
    if (closest.alongAxis) {
      used = closest.axis;
      manifoldAlong(p, used, used.index < 6 ? HUGE_VAL : std::fmax(maxDistance, used.separation), result.manifold);
    } else {
      used.index = -1;
      closestManifold(closest, result.manifold);
    }
  }
  remember(cache, math::load(result.manifold.normal), used.index + 1, used.negative);
}

// Boxes that overlap, or touch to rounding.
void collideOverlapping(const BoxPair& p, const BoxAxis& best, const BoxAxis& chosen, double maxDistance, double unnoticed,
                        BoxPairCache& cache, BoxCollision& result) {
  result.signedDistance = best.separation;
  // Should they be apart by that rounding, the distance is at most sqrt(3) times the largest separation (box_proximity.cpp).
  if (best.separation > -result.errorBound) result.errorBound *= 2;
  cache.face = static_cast<std::uint8_t>(best.index + 1);
  BoxAxis used = chosen;
  manifoldAlong(p, used, maxDistance, result.manifold);
  if (!(deepestSeparation(result.manifold) <= best.separation + unnoticed)) {
    used = best;
    manifoldAlong(p, used, maxDistance, result.manifold);
    if (!(deepestSeparation(result.manifold) <= best.separation + unnoticed)) witnessManifold(p, best, result.manifold);
  }
  remember(cache, math::load(result.manifold.normal), used.index + 1, used.negative);
}

// The fifteen axes.
void findByAxes(const BoxPair& p, Found& found) {
  found.edge = bestEdgeAbove(p, edgeFloor(p, found.face.separation));
  found.best = found.edge.index >= 0 ? found.edge : found.face;
}

// A face axis and a point of its manifold prove the distance together: GJK from last time's axis, or the best face axis, with
// the bounds met at the first step. Then no axis has a larger separation, but for rounding, and chooseAxis() would prefer no edge.
bool isApartAlongFace(const BoxPair& p, const Found& found, double least, double maxDistance, BoxPairCache& cache,
                      BoxCollision& result) {
  if (cache.feature > 6 || found.face.separation <= result.errorBound) return false;
  if (0.5 * kEdgeBias * least <= 4 * result.errorBound) return false;
  result.iterations = 1;
  return isCertain(p, found.face, chooseAxis(p, found, cache, least), maxDistance, cache, result);
}

// EPA on a new pair that no face axis keeps apart. A pair that had a manifold last time has EPA's face: what EPA would have to
// show is that none of the others has come nearer, and there are fifteen directions of faces; looking at each is that
// certificate. Touching to rounding counts: boxes at rest on each other are in that state, and EPA could tell no more.
void findByEpa(const BoxPair& p, const BoxPairCache& cache, BoxCollision& result, Found& found) {
  if (cache.face > 0 || cache.feature > 0 || found.face.separation > result.errorBound) return findByAxes(p, found);
  math::EpaResult epa;
  if (!math::boxDepth(differenceOf(p), p, found.face, found.s, false, found.best, epa)) findByAxes(p, found);
  else if (found.best.index >= 6) found.edge = found.best;
  result.iterations += epa.iterations;
}

}  // namespace

void collideBoxes(const Box& a, const Box& b, const Pose& poseBInA, double maxDistance, NarrowphaseMethod method,
                  BoxPairCache& cache, BoxCollision& result) {
  result.manifold.pointCount = 0;
  result.iterations = 0;
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
  Found found;
  found.face = found.best = bestFaceAxis(p, found.s);
  found.edge.index = -1;
  found.distance = -1;
  const double least = smallestHalfExtent(p);
  if (found.face.separation <= maxDistance) {
    if (method == NarrowphaseMethod::ClosedForm) {
      findByAxes(p, found);
    } else {
      if (isApartAlongFace(p, found, least, maxDistance, cache, result)) return;
      findByEpa(p, cache, result, found);
    }
  }
  if (found.best.separation > maxDistance) {
    result.signedDistance = found.best.separation;
    return remember(cache, axisVector(p, found.best), 0, false);
  }
  const BoxAxis chosen = chooseAxis(p, found, cache, least);
  keepSide(p, cache, result.errorBound, found.best);
  // The preferences must not hide more than rounding when the boxes are as thin as that.
  const double unnoticed = kUnnoticed * least > result.errorBound ? kUnnoticed * least : result.errorBound;
  if (found.best.separation > result.errorBound)
    collideApart(p, found, chosen, maxDistance, unnoticed, method, cache, result);
  else
    collideOverlapping(p, found.best, chosen, maxDistance, unnoticed, cache, result);
}

}  // namespace sunder
