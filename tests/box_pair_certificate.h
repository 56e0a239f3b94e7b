// SPDX-License-Identifier: MIT
// Proves an answer on a pair of boxes right without the full referee, some fifty times as fast: duality gives bounds of
// the true signed distance from the answer itself. Any two points of the boxes bound a distance from above, the gap along
// any direction bounds the signed distance from below, and of boxes that overlap the largest gap over the fifteen
// directions is minus the depth (Gottschalk, Lin and Manocha, SIGGRAPH 1996, section 5). All in long double. What cannot
// be proven this way is not wrong yet: the referee decides.
#pragma once
#include <sunder/narrowphase/query.h>

#include "box_pair_check.h"

namespace sunder::families {

namespace certificate {

using Real = long double;
using Vector = referee::Vector<Real>;

// Both boxes in coordinates along the axes of A, from A's centre.
struct Pair {
  Real ha[3], hb[3], t[3], r[3][3];  // r[i][j] = (axis i of A) . (axis j of B)
};

inline Pair load(const BoxPairCase& c) {
  const referee::PlacedBox<Real> a(c.a, c.poseA, c.poseA.position), b(c.b, c.poseB, c.poseA.position);
  Pair p;
  for (int i = 0; i < 3; ++i) {
    p.ha[i] = a.half[i];
    p.hb[i] = b.half[i];
    p.t[i] = referee::dot(a.axis[i], b.centre);
    for (int j = 0; j < 3; ++j) p.r[i][j] = referee::dot(a.axis[i], b.axis[j]);
  }
  return p;
}

// Gap along n, which points from A to B, for B moved by `moved`; all along the axes of A, n of any length.
inline Real gapAlong(const Pair& p, const Vector& n, const Vector& moved = {0, 0, 0}) {
  Real gap = 0, square = 0;
  for (int k = 0; k < 3; ++k) {
    gap += n[k] * (p.t[k] + moved[k]) - referee::magnitude(n[k]) * p.ha[k];
    gap -= referee::magnitude(n[0] * p.r[0][k] + n[1] * p.r[1][k] + n[2] * p.r[2][k]) * p.hb[k];
    square += n[k] * n[k];
  }
  return gap / std::sqrt(square);
}

// The largest gap over the fifteen directions. An edge axis e_i x b_j has no component along e_i and is made of two
// entries of r: exactly perpendicular to both edges, and every product below carries its small factor, so that nearly
// parallel edges lose no digits.
inline Real largestGap(const Pair& p) {
  Real best = -std::numeric_limits<Real>::infinity();
  const auto consider = [&](const Vector& n, Real t) {
    const Real gap = gapAlong(p, t < 0 ? Vector{-n[0], -n[1], -n[2]} : n);
    best = gap > best ? gap : best;
  };
  for (int k = 0; k < 3; ++k) {
    Vector n{0, 0, 0};
    n[k] = 1;
    consider(n, p.t[k]);
    const Vector m{p.r[0][k], p.r[1][k], p.r[2][k]};
    consider(m, m[0] * p.t[0] + m[1] * p.t[1] + m[2] * p.t[2]);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const Real x = p.r[i1][j], y = p.r[i2][j], length = std::sqrt(x * x + y * y);
      if (!(length > 1e-17L)) continue;  // parallel to the last bit: the face axes cover it
      const Real reachB = p.hb[j1] * referee::magnitude(x * p.r[i2][j1] - y * p.r[i1][j1]) +
                          p.hb[j2] * referee::magnitude(x * p.r[i2][j2] - y * p.r[i1][j2]);
      const Real gap = (referee::magnitude(p.t[i2] * x - p.t[i1] * y) - p.ha[i1] * referee::magnitude(y) -
                        p.ha[i2] * referee::magnitude(x) - reachB) / length;
      best = gap > best ? gap : best;
    }
  return best;
}

inline Vector fromDouble(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }

// Distance of two points, the first brought into A, the second, given along the axes of A, into B moved by `moved`.
inline Real distanceBetween(const Pair& p, const Vector& onA, const Vector& onB, const Vector& moved) {
  Vector difference = moved;
  for (int k = 0; k < 3; ++k) difference[k] += p.t[k] - referee::clamped(onA[k], p.ha[k]);
  for (int j = 0; j < 3; ++j) {
    Real local = 0;
    for (int k = 0; k < 3; ++k) local += p.r[k][j] * (onB[k] - p.t[k]);
    local = referee::clamped(local, p.hb[j]);
    for (int k = 0; k < 3; ++k) difference[k] += local * p.r[k][j];
  }
  return std::sqrt(referee::dot(difference, difference));
}

}  // namespace certificate

// Bounds of the true signed distance, from the answer's own normal and points.
struct CertifiedBounds {
  long double lower, upper;
};
inline CertifiedBounds certifiedBounds(const certificate::Pair& p, const Proximity& r) {
  using namespace certificate;
  if (r.signedDistance > 0)
    return {gapAlong(p, fromDouble(r.normal)), distanceBetween(p, fromDouble(r.pointOnA), fromDouble(r.pointOnB), {0, 0, 0})};
  const Real gap = largestGap(p);
  // A positive gap proves them apart: of their distance only the lower bound is known then.
  return {gap, gap > 0 ? std::numeric_limits<Real>::infinity() : gap};
}

// True: every law that faultOf (box_pair_check.h) asks for is proven. `exact` becomes the middle of the bounds.
inline bool isCertified(const BoxPairCase& c, const certificate::Pair& p, const Proximity& r, double& exact) {
  using namespace certificate;
  if (r.status != QueryStatus::Converged || !(std::abs(r.normal.norm() - 1) < 1e-12)) return false;
  const Real allowed = allowedError(c);
  const CertifiedBounds bounds = certifiedBounds(p, r);
  const Real middle = 0.5L * (bounds.lower + bounds.upper), half = 0.5L * (bounds.upper - bounds.lower);
  exact = static_cast<double>(middle);
  if (!(referee::magnitude(r.signedDistance - middle) + referee::magnitude(half) <= allowed)) return false;
  if (!(r.lowerBound <= bounds.lower + allowed && bounds.upper - allowed <= r.upperBound)) return false;
  // Moved by the answer the pair just touches: no gap above 2 allowed, no depth above that. B's position is rounded as a
  // caller's would be.
  const Eigen::Vector3d before = c.poseB.position;
  const Eigen::Vector3d after = before - r.signedDistance * (c.poseA.orientation.normalized() * r.normal);
  const referee::PlacedBox<Real> a(c.a, c.poseA, c.poseA.position);
  const Vector world{Real(after[0]) - before[0], Real(after[1]) - before[1], Real(after[2]) - before[2]};
  const Vector moved{referee::dot(a.axis[0], world), referee::dot(a.axis[1], world), referee::dot(a.axis[2], world)};
  if (!(gapAlong(p, fromDouble(r.normal), moved) >= -2 * allowed)) return false;
  if (r.signedDistance > 0) {
    if (!(distanceBetween(p, fromDouble(r.pointOnA), fromDouble(r.pointOnB), moved) <= 2 * allowed)) return false;
  } else if (!(bounds.upper + std::sqrt(referee::dot(moved, moved)) <= 2 * allowed)) {
    return false;  // the signed distance changes by no more than the way moved
  }
  return witnessesFault(c, r, static_cast<double>(allowed)).empty();
}

}  // namespace sunder::families
