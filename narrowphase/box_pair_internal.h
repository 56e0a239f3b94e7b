// SPDX-License-Identifier: MIT
// What the box-box sources share: the pair in the frame of A, and the 15 axes over it. Not installed.
#pragma once
#include <cmath>

#include "sunder/narrowphase/box_sat.h"
#include "sunder/narrowphase/contact_manifold.h"
#include "sunder/narrowphase/math_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder::detail {

// Two boxes in the frame of A. Nothing here knows where the pair is in the world, so scale and place do not matter.
struct BoxPair {
  double ha[3], hb[3];  // half extents
  double t[3];          // centre of B, along the axes of A
  double u[3];          // the same vector along the axes of B
  double r[3][3];       // r[i][j] = (axis i of A) . (axis j of B)
  double m[3][3];       // |r|
};

// First half of the loading: all but u and m. False: invalid input.
static inline bool loadPair(const Box& a, const Box& b, const Pose& poseBInA, BoxPair& p) {
  using tolerances::kSmallestLength, tolerances::kLargestLength;
  const double* half[2] = {a.halfExtents.data(), b.halfExtents.data()};
  const double* position = poseBInA.position.data();
  const double* q = poseBInA.orientation.coeffs().data();  // x y z w
  bool good = true;
  for (int k = 0; k < 3; ++k) {
    p.ha[k] = half[0][k];
    p.hb[k] = half[1][k];
    p.t[k] = position[k];
    // The comparisons are false for NaN.
    good &= (p.ha[k] >= kSmallestLength) & (p.ha[k] <= kLargestLength) & (p.hb[k] >= kSmallestLength) & (p.hb[k] <= kLargestLength);
    good &= std::fabs(p.t[k]) <= kLargestLength;
  }
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double norm = (w * w + x * x) + (y * y + z * z);
  // Further off than float arithmetic may leave it, it was not meant as a rotation (the same limit as usableRotation).
  good &= (norm > 1 - 1e-6) & (norm < 1 + 1e-6);
  if (!good) return false;
  const double s = 2 / norm;
  const double sx = s * x, sy = s * y, sz = s * z;
  const double xx = sx * x, yy = sy * y, zz = sz * z, xy = sx * y, xz = sx * z, yz = sy * z;
  const double wx = sx * w, wy = sy * w, wz = sz * w;
  p.r[0][0] = 1 - (yy + zz);
  p.r[1][0] = xy + wz;
  p.r[2][0] = xz - wy;
  p.r[0][1] = xy - wz;
  p.r[1][1] = 1 - (xx + zz);
  p.r[2][1] = yz + wx;
  p.r[0][2] = xz + wy;
  p.r[1][2] = yz - wx;
  p.r[2][2] = 1 - (xx + yy);
  return true;
}

// Second half of the loading.
static inline void finishPair(BoxPair& p) {
  for (int j = 0; j < 3; ++j) {
    p.u[j] = p.r[0][j] * p.t[0] + p.r[1][j] * p.t[1] + p.r[2][j] * p.t[2];
    for (int i = 0; i < 3; ++i) p.m[i][j] = std::fabs(p.r[i][j]);
  }
}

// Separation along the direction n (frame of A, any length > 0), times that length.
static inline double separationTimesLength(const BoxPair& p, const double n[3]) {
  double distance = n[0] * p.t[0] + n[1] * p.t[1] + n[2] * p.t[2];
  double reach = 0;
  for (int k = 0; k < 3; ++k) {
    reach += p.ha[k] * std::fabs(n[k]);
    reach += p.hb[k] * std::fabs(n[0] * p.r[0][k] + n[1] * p.r[1][k] + n[2] * p.r[2][k]);
  }
  return std::fabs(distance) - reach;
}

// What rounding can do to a separation: each of the sums behind it has a dozen terms, all bounded by these lengths.
// Measured against the referee (tests/referee.h) the error stays below a third of this.
static inline double roundingBound(const BoxPair& p) {
  const double size = p.ha[0] + p.ha[1] + p.ha[2] + p.hb[0] + p.hb[1] + p.hb[2];
  return 0x1p-50 * (size + std::fabs(p.t[0]) + std::fabs(p.t[1]) + std::fabs(p.t[2]));
}

static inline double smallestHalfExtent(const BoxPair& p) {
  double least = p.ha[0];
  for (int k = 1; k < 3; ++k) least = p.ha[k] < least ? p.ha[k] : least;
  for (int k = 0; k < 3; ++k) least = p.hb[k] < least ? p.hb[k] : least;
  return least;
}

// Separations along the six face axes.
static inline void faceSeparations(const BoxPair& p, double s[6]) {
  for (int k = 0; k < 3; ++k) {
    s[k] = std::fabs(p.t[k]) - (p.ha[k] + (p.m[k][0] * p.hb[0] + p.m[k][1] * p.hb[1] + p.m[k][2] * p.hb[2]));
    s[3 + k] = std::fabs(p.u[k]) - (p.hb[k] + (p.m[0][k] * p.ha[0] + p.m[1][k] * p.ha[1] + p.m[2][k] * p.ha[2]));
  }
}

// The face axis of the largest separation, and all six separations.
BoxAxis bestFaceAxis(const BoxPair& p, double s[6]);

// The centre of B along the axis, not normalised: its sign is the sign of the direction from A to B.
double centreAlong(const BoxPair& p, int index);

// The length of edge axis (i, j) before it is made a unit vector: the sine of the angle between the edges.
double edgeAxisLength(const BoxPair& p, int i, int j);

// Separation along edge axis (i, j), accurate however parallel the edges are; minus infinity when they are parallel to
// rounding (then the axis is noise and the other axes cover it).
double edgeSeparation(const BoxPair& p, int i, int j);

// An edge axis counts as better than a face axis from here on: the same separation but for rounding is the same depth, and
// the face is the steadier one.
static inline double edgeFloor(const BoxPair& p, double faceSeparation) { return faceSeparation + 0.25 * roundingBound(p); }

// The edge axis of the largest separation if that is above `floor`, else index -1.
BoxAxis bestEdgeAbove(const BoxPair& p, double floor);

// Unit vector of the axis, from A to B as axis.negative says.
math::Vec3 axisVector(const BoxPair& p, const BoxAxis& axis);

struct Witness {
  math::Vec3 onA, onB;
  int edgeA, edgeB;  // 4 * axis + sign bits of the next two axes, low bit first
};

// Nearest points of the two edges that support the boxes along an edge axis.
Witness closestOnEdges(const BoxPair& p, const BoxAxis& axis);

// The Euclidean distance of boxes that are apart (the largest separation, that of best, is above roundingBound), with the
// points that attain it. bestFace is the face axis of the largest separation; facesSeen: its clipped faces are known to
// hold no nearer point than the vertices and edges do.
struct Closest {
  double distance;
  math::Vec3 normal, onA, onB;
  std::uint32_t featureId;
  bool alongAxis;  // the normal is that of `axis`: two edges, or two faces over each other
  BoxAxis axis;
};
Closest closestApart(const BoxPair& p, const BoxAxis& bestFace, const BoxAxis& best,
                     bool facesSeen = false);

// Manifold with a face axis as its normal: the face of the other box that looks at it, clipped. Points with separations
// up to maxDistance; none when the faces do not lie over each other.
void faceManifold(const BoxPair& p, const BoxAxis& axis, double maxDistance, ContactManifold& manifold);

// The point between the two supporting edges of an edge axis; none when their nearest points are ends of edges, off the
// line along the axis by more than `lateral` (metres). An edge nearly lies on a face of the other box, next to the other edge: where
// it leaves that face there is another point, if its separation is not above maxDistance.
void edgeManifold(const BoxPair& p, const BoxAxis& axis, double lateral, double maxDistance, ContactManifold& manifold);

// One point between the nearest points of boxes that are apart.
void closestManifold(const Closest& closest, ContactManifold& manifold);

// featureId of a vertex against whatever is nearest of the other box.
std::uint32_t nearestVertexId(bool ofB, int vertex);
std::uint32_t edgePairId(int edgeA, int edgeB);

// A point of A's surface that, moved by axis.separation along the normal, lies on the surface of B, for the axis of the
// largest separation of an overlapping pair.
math::Vec3 penetrationWitness(const BoxPair& p, const BoxAxis& axis);

// The one point of penetrationWitness as a manifold.
void witnessManifold(const BoxPair& p, const BoxAxis& axis, ContactManifold& manifold);

}  // namespace sunder::detail
