// SPDX-License-Identifier: MIT
// GJK's sub-algorithm: the point of a simplex nearest to the origin and the smallest face that holds it. The regions are
// told apart by signed areas and volumes (Montanari, Petrinic and Barbieri, ACM TOG 36(3), 2017) from cross products, not
// by products of dot products, which cancel. Where rounding leaves the regions of a flat simplex undecided, all of its
// faces are tried and the nearest point wins: the answer is then still a point of the simplex.
#pragma once
#include "sunder/narrowphase/support_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder::math {

struct Simplex {
  Vertex vertex[4];
  int count;
};

struct NearestPoint {
  Vec3 v;
  double vv;       // |v|^2
  int count;       // vertices of the face that holds v
  int index[3];
  double weight[3];  // barycentric
};

static inline NearestPoint nearestOnVertex(const Simplex& s, int a) {
  const Vec3 v = s.vertex[a].w;
  return {v, dot(v, v), 1, {a, 0, 0}, {1, 0, 0}};
}

static inline NearestPoint nearestOnEdge(const Simplex& s, int a, int b) {
  const Vec3 p = s.vertex[a].w, e = s.vertex[b].w - p;
  const double along = -dot(p, e), ee = dot(e, e);
  if (!(along > 0)) return nearestOnVertex(s, a);
  if (along >= ee) return nearestOnVertex(s, b);
  const double share = along / ee;
  const Vec3 v = p + share * e;
  return {v, dot(v, v), 2, {a, b, 0}, {1 - share, share, 0}};
}

static inline NearestPoint nearestOnTriangle(const Simplex& s, int a, int b, int c) {
  const Vec3 pa = s.vertex[a].w, pb = s.vertex[b].w, pc = s.vertex[c].w;
  const Vec3 ab = pb - pa, ac = pc - pa, n = cross(ab, ac);
  const double nn = dot(n, n);
  const bool flat = nn <= tolerances::kFlatTriangle * dot(ab, ab) * dot(ac, ac);
  // Areas of the origin's projection with each edge, times |n|.
  const double areaA = dot(n, cross(pb, pc)), areaB = dot(n, cross(pc, pa)), areaC = dot(n, cross(pa, pb));
  if (!flat && areaA > 0 && areaB > 0 && areaC > 0) {
    const double share = dot(n, pa) / nn, sum = areaA + areaB + areaC;
    const Vec3 v = share * n;
    return {v, dot(v, v), 3, {a, b, c}, {areaA / sum, areaB / sum, areaC / sum}};
  }
  NearestPoint best;
  best.vv = -1;
  auto offer = [&best](const NearestPoint& p) {
    if (best.vv < 0 || p.vv < best.vv) best = p;
  };
  if (flat || areaC <= 0) offer(nearestOnEdge(s, a, b));
  if (flat || areaB <= 0) offer(nearestOnEdge(s, a, c));
  if (flat || areaA <= 0) offer(nearestOnEdge(s, b, c));
  return best;
}

// False when the tetrahedron holds the origin. The newest vertex is the last one; the origin lies on the inner side of the
// face opposite to it, or GJK would not have gone there.
static inline bool nearestOnTetrahedron(const Simplex& s, NearestPoint& best) {
  const Vec3 p0 = s.vertex[3].w, p1 = s.vertex[0].w, p2 = s.vertex[1].w, p3 = s.vertex[2].w;
  const Vec3 e1 = p1 - p0, e2 = p2 - p0, e3 = p3 - p0;
  const Vec3 n12 = cross(e1, e2), n23 = cross(e2, e3), n31 = cross(e3, e1);
  const double volume = dot(n12, e3);
  // Flat when the height over the face 0 1 2 is rounding.
  const double flatness = tolerances::kRounding;
  const bool flat = volume * volume <= flatness * flatness * dot(n12, n12);
  best.vv = -1;
  auto offer = [&best](const NearestPoint& p) {
    if (best.vv < 0 || p.vv < best.vv) best = p;
  };
  const double side = volume > 0 ? 1.0 : -1.0;
  if (flat || side * dot(n12, p0) > 0) offer(nearestOnTriangle(s, 3, 0, 1));
  if (flat || side * dot(n23, p0) > 0) offer(nearestOnTriangle(s, 3, 1, 2));
  if (flat || side * dot(n31, p0) > 0) offer(nearestOnTriangle(s, 3, 2, 0));
  if (flat) offer(nearestOnTriangle(s, 0, 1, 2));
  return best.vv >= 0;
}

// Reduces the simplex to the face that holds its point nearest to the origin. False when it holds the origin inside (the
// simplex is then a tetrahedron and is left as it is).
static inline bool reduce(Simplex& s, NearestPoint& nearest) {
  switch (s.count) {
    case 1: nearest = nearestOnVertex(s, 0); break;
    case 2: nearest = nearestOnEdge(s, 1, 0); break;
    case 3: nearest = nearestOnTriangle(s, 2, 0, 1); break;
    default:
      if (!nearestOnTetrahedron(s, nearest)) return false;
  }
  // Keep the old order, so that equal inputs reduce to equal simplices whichever face offered the point.
  for (int i = 1; i < nearest.count; ++i)
    for (int k = i; k > 0 && nearest.index[k] < nearest.index[k - 1]; --k) {
      std::swap(nearest.index[k], nearest.index[k - 1]);
      std::swap(nearest.weight[k], nearest.weight[k - 1]);
    }
  for (int i = 0; i < nearest.count; ++i) {
    if (nearest.index[i] != i) s.vertex[i] = s.vertex[nearest.index[i]];
    nearest.index[i] = i;
  }
  s.count = nearest.count;
  return true;
}

}  // namespace sunder::math
