// SPDX-License-Identifier: MIT
#pragma once
#include "sunder/narrowphase/box_pair_internal.h"
#include "sunder/narrowphase/epa_internal.h"
#include "sunder/narrowphase/gjk_internal.h"
#include "sunder/narrowphase/query.h"

namespace sunder::math {

// Signed distance of two cores (no radius), in metres and in the frame of A. See Proximity in query.h.
struct CoreProximity {
  QueryStatus status;
  bool beyond;
  double signedDistance, lowerBound, upperBound;
  Vec3 normal, pointOnA, pointOnB;
  int iterations;
  // Boxes that overlap: the face of A - B that is nearest, 0..2 face axis of A, 3..5 of B, 6 + 3 i + j edge i of A with
  // edge j of B. -1: none (apart, or other shapes).
  int boxFeature;
};

// maxDistance in metres. With depthWanted false a pair that overlaps comes back with signedDistance 0 and no points.
void coreProximity(const Difference& difference, double maxDistance, double tolerance, bool depthWanted,
                   QueryCache* cache, CoreProximity& result);

// The same for two boxes, exact to rounding; the difference as boxDifference(halfA, halfB, c, t) makes it, with the axes
// of B as the columns of c and B's centre t, both in the frame of A.
void boxProximity(const Difference& difference, double maxDistance, bool depthWanted, QueryCache* cache, CoreProximity& result);

// Its part for boxes that no face axis keeps apart: EPA from the nearest face across one, `face` with all six separations as
// bestFaceAxis() found them. nearest: the axis of the largest separation. False when the boxes are apart by more than
// rounding, along epa.normal. Without pointsWanted epa says nothing about the nearest point.
bool boxDepth(const Difference& difference, const detail::BoxPair& pair, const BoxAxis& face, const double separations[6],
              bool pointsWanted, BoxAxis& nearest, EpaResult& epa);

// Shared by both: GJK's closest points in metres. Converged when the bounds meet to within tolerance or rounding.
void fromGjk(const Difference& difference, const GjkResult& gjk, double tolerance, CoreProximity& result);
// EPA's nearest face in metres, along normal (unit) with the given depth, after GJK had found the origin inside or touching;
// without GJK (null) for boxes only.
void fromEpa(const Difference& difference, const GjkResult* gjk, const EpaResult& epa, const Vec3& normal, double depth,
             CoreProximity& result);

// False when poseBInA is no rigid frame of finite numbers. Shapes are checked too.
bool makeDifference(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, Difference& difference);

}  // namespace sunder::math
