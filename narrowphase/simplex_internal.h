// SPDX-License-Identifier: MIT
// GJK's sub-algorithm: the point of a simplex nearest to the origin and the smallest face that holds it. The regions are
// told apart by signed areas and volumes (Montanari, Petrinic and Barbieri, ACM TOG 36(3), 2017) from cross products, not
// by products of dot products, which cancel. Where rounding leaves the regions of a flat simplex undecided, all of its
// faces are tried and the nearest point wins: the answer is then still a point of the simplex.
//
// What is flat to a double need not be: the normal of a triangle a thousand million times as long as wide has seven digits, and
// leans by 1e-7 along it. Its corners as they are rounded belong to one convex polytope a few spacings from A - B, though, so
// from them the normal is made in twice the digits, and nothing is lost. Boxes have their closed form and do without.
#pragma once
#include <limits>

#include "sunder/narrowphase/double_double_internal.h"
#include "sunder/narrowphase/support_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder::math {

struct Simplex {
  Vertex vertex[4];
  int count;
};

// Which vertices span the smallest face that holds the point: a bit each.
struct NearestPoint {
  Vec3 v;
  double vv;  // |v|^2
  unsigned face;
};

static inline void offerVertex(const Simplex& s, int a, NearestPoint& best) {
  const Vec3 v = s.vertex[a].w;
  const double vv = dot(v, v);
  if (vv < best.vv) best = {v, vv, 1u << a};
}

static inline void offerEdge(const Simplex& s, int a, int b, NearestPoint& best) {
  const Vec3 p = s.vertex[a].w, e = s.vertex[b].w - p;
  const double along = -dot(p, e), ee = dot(e, e);
  if (!(along > 0)) return offerVertex(s, a, best);
  if (along >= ee) return offerVertex(s, b, best);
  const double perSquare = 1 / ee;
  const Vec3 u = p + (along * perSquare) * e;
  // Rounded in terms of p: where the edge passes by closely, u leans so much that a far end seems nearer than all of the rest.
  const Vec3 v = u - (dot(u, e) * perSquare) * e;
  const double vv = dot(v, v);
  if (vv < best.vv) best = {v, vv, 1u << a | 1u << b};
}

// A triangle in either arithmetic. Areas: of the origin's projection with each edge, named by the corner opposite, times |n|.
template <class Vector>
struct TriangleOfSimplex {
  Vector pa, ab, ac, n = cross(ab, ac);
  decltype(dot(n, n)) nn = dot(n, n), areaA, areaB, areaC;
  TriangleOfSimplex(const Vector& a, const Vector& b, const Vector& c)
      : pa(a), ab(b - a), ac(c - a), areaA(dot(n, cross(b, c))), areaB(dot(n, cross(c, a))), areaC(dot(n, cross(a, b))) {}
  // Squared sine of the angle at a below a limit.
  bool thin(double squaredSine) const {
    return rounded(nn) <= squaredSine * rounded(dot(ab, ab)) * rounded(dot(ac, ac));
  }
};
template <class Vector>
static inline TriangleOfSimplex<Vector> triangleOf(const Vertex& a, const Vertex& b, const Vertex& c) {
  return {as<Vector>(a.w), as<Vector>(b.w), as<Vector>(c.w)};
}

// Normal of twice the triangle's area, counterclockwise.
static inline Vec3 areaVector(const Vertex& a, const Vertex& b, const Vertex& c) {
  const Vec3 ab = b.w - a.w, ac = c.w - a.w, n = cross(ab, ac);
  if (a.id != kNoId || dot(n, n) > tolerances::kThin * dot(ab, ab) * dot(ac, ac)) return n;
  const WideVec3 p = as<WideVec3>(a.w);
  return rounded(cross(as<WideVec3>(b.w) - p, as<WideVec3>(c.w) - p));
}

template <class Vector>
static inline void offerTriangle(const Simplex& s, int a, int b, int c, NearestPoint& best) {
  constexpr bool isWide = std::is_same_v<Vector, WideVec3>;
  const auto t = triangleOf<Vector>(s.vertex[a], s.vertex[b], s.vertex[c]);
  if (!isWide && s.vertex[a].id == kNoId && t.thin(tolerances::kThin)) return offerTriangle<WideVec3>(s, a, b, c, best);
  const bool flat = t.thin(isWide ? tolerances::kFlatWideTriangle : tolerances::kFlatTriangle);
  const double areaA = rounded(t.areaA), areaB = rounded(t.areaB), areaC = rounded(t.areaC);
  if (!flat && areaA > 0 && areaB > 0 && areaC > 0) {
    const Vec3 v = (rounded(dot(t.n, t.pa)) / rounded(t.nn)) * rounded(t.n);
    const double vv = dot(v, v);
    if (vv < best.vv) best = {v, vv, 1u << a | 1u << b | 1u << c};
    return;
  }
  if (flat || areaC <= 0) offerEdge(s, a, b, best);
  if (flat || areaB <= 0) offerEdge(s, a, c, best);
  if (flat || areaA <= 0) offerEdge(s, b, c, best);
}

// Offers nothing when the tetrahedron holds the origin. The newest vertex is the last one; the origin lies on the inner
// side of the face opposite to it, or GJK would not have gone there.
template <class Vector>
static inline void offerTetrahedron(const Simplex& s, NearestPoint& best) {
  const Vector p0 = as<Vector>(s.vertex[3].w);
  const Vector e1 = as<Vector>(s.vertex[0].w) - p0, e2 = as<Vector>(s.vertex[1].w) - p0, e3 = as<Vector>(s.vertex[2].w) - p0;
  const Vector n12 = cross(e1, e2), n23 = cross(e2, e3), n31 = cross(e3, e1);
  const double volume = rounded(dot(n12, e3)), square = rounded(dot(n12, n12));
  if constexpr (std::is_same_v<Vector, Vec3>) {
    if (s.vertex[3].id == kNoId && volume * volume <= tolerances::kThin * dot(e1, e1) * dot(e2, e2) * dot(e3, e3))
      return offerTetrahedron<WideVec3>(s, best);
  }
  // Flat when the height over a face is rounding.
  const bool flat = volume * volume <= tolerances::kRounding * tolerances::kRounding * square;
  const double side = volume > 0 ? 1.0 : -1.0;
  if (flat || side * rounded(dot(n12, p0)) > 0) offerTriangle<Vec3>(s, 3, 0, 1, best);
  if (flat || side * rounded(dot(n23, p0)) > 0) offerTriangle<Vec3>(s, 3, 1, 2, best);
  if (flat || side * rounded(dot(n31, p0)) > 0) offerTriangle<Vec3>(s, 3, 2, 0, best);
  if (flat) offerTriangle<Vec3>(s, 0, 1, 2, best);
}

// Reduces the simplex to the face that holds its point nearest to the origin. False when it holds the origin inside (the
// simplex is then a tetrahedron and is left as it is).
static inline bool reduce(Simplex& s, NearestPoint& nearest) {
  NearestPoint best{{0, 0, 0}, std::numeric_limits<double>::infinity(), 0};
  switch (s.count) {
    case 1: offerVertex(s, 0, best); break;
    case 2: offerEdge(s, 1, 0, best); break;
    case 3: offerTriangle<Vec3>(s, 2, 0, 1, best); break;
    default: offerTetrahedron<Vec3>(s, best);
  }
  if (best.face == 0) return false;
  nearest = best;
  int kept = 0;
  for (int i = 0; i < s.count; ++i) {
    if (!(best.face >> i & 1)) continue;
    if (kept != i) s.vertex[kept] = s.vertex[i];
    ++kept;
  }
  s.count = kept;
  return true;
}

// Weights of the vertices of a reduced simplex (1 to 3 of them) whose sum is the nearest point v.
static inline void weightsOf(const Simplex& s, const Vec3& v, double weight[3]) {
  const int last = s.count - 1;
  const Vec3 p = s.vertex[last].w, q = v - p;  // from the corner that `reduce` started from
  weight[0] = weight[1] = weight[2] = 0;
  if (s.count == 2) {
    const Vec3 e = s.vertex[0].w - p;
    weight[0] = dot(q, e) / dot(e, e);
  } else if (s.count == 3) {
    const Vec3 e = s.vertex[0].w - p, f = s.vertex[1].w - p, n = cross(e, f);
    const double nn = dot(n, n);
    if (s.vertex[0].id == kNoId && nn <= tolerances::kThin * dot(e, e) * dot(f, f)) {
      const auto t = triangleOf<WideVec3>(s.vertex[0], s.vertex[1], s.vertex[2]);
      if (t.nn.high > 0) {
        weight[0] = t.areaA.high / t.nn.high;
        weight[1] = t.areaB.high / t.nn.high;
      }
    } else if (nn > 0) {
      weight[0] = dot(n, cross(q, f)) / nn;
      weight[1] = dot(n, cross(e, q)) / nn;
    }
  }
  weight[last] = 1 - weight[0] - weight[1];
}

}  // namespace sunder::math
