// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/epa_internal.h"

#include "sunder/narrowphase/mirrored_polytope_internal.h"

namespace sunder::math {
namespace {

// Some direction perpendicular to e: crosses it with the axis it is least along.
Vec3 perpendicular(const Vec3& e) {
  const double x = std::abs(e.x), y = std::abs(e.y), z = std::abs(e.z);
  if (x <= y && x <= z) return {0, e.z, -e.y};
  if (y <= z) return {-e.z, 0, e.x};
  return {e.y, -e.x, 0};
}

Vec3 unit(const Vec3& v) { return (1 / length(v)) * v; }

// Grows GJK's simplex to a tetrahedron, vertex by vertex along what is across it so far. False when A - B is flat to within
// rounding and the depth zero; normal is then a unit direction along which it has no width.
bool complete(const Difference& difference, Simplex& s, Vec3& normal, int& iterations) {
  const auto edge = [&s](int k) { return s.vertex[k].w - s.vertex[0].w; };
  if (s.count == 3 && length(cross(edge(1), edge(2))) <= tolerances::kRounding * length(edge(1))) s.count = 2;
  if (s.count == 2 && samePoint(s.vertex[0].w, s.vertex[1].w)) s.count = 1;
  while (s.count < 4) {
    Vec3 across[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    normal = across[0];
    if (s.count == 2) {
      normal = across[0] = unit(perpendicular(edge(1)));
      across[1] = unit(cross(edge(1), normal));
    }
    if (s.count == 3) normal = across[0] = unit(areaVector(s.vertex[0], s.vertex[1], s.vertex[2]));
    const int before = s.count;
    for (int k = 0; k < 2 * (4 - before) && s.count == before; ++k) {
      const Vec3 direction = k % 2 == 0 ? across[k / 2] : -across[k / 2];
      s.vertex[before] = support(difference, direction);
      ++iterations;
      if (dot(direction, edge(before)) > tolerances::kRounding) ++s.count;
    }
    if (s.count == before) return false;
  }
  return true;
}

template <class Surface>
bool isThin(const Surface& surface, int f) {
  const Vec3 p = surface.corner(f, 0).w, a = surface.corner(f, 1).w - p, b = surface.corner(f, 2).w - p, n = cross(a, b);
  return dot(n, n) <= tolerances::kThin * dot(a, a) * dot(b, b);
}

// The loop of EPA. Every way out leaves face, weight, normal and depth of one direction, and a lower bound; but for a gap of
// more than `gap`, which ends it with normal and depth alone.
template <class Surface>
void expand(const Difference& difference, Surface& surface, double tolerance, double gap, bool pointsWanted, EpaResult& r) {
  double most = std::numeric_limits<double>::infinity();  // that the lower bound may be
  r.depth = most;
  for (;;) {
    const int f = surface.nearestFace();
    const Vec3 normal = surface.normal(f);
    r.lowerBound = surface.key(f) < most ? surface.key(f) : most;
    Vertex w;
    const double depth = reach(difference, normal, w);
    ++r.iterations;
    if (depth < r.depth) {
      r.depth = depth;
      r.normal = normal;
      if (depth < -gap) return;
    }
    const bool exact = depth - r.lowerBound <= tolerance, stuck = surface.holds(w);
    if (!exact && !stuck && surface.add(f, w)) continue;
    // The nearest plane of a convex surface is touched inside its face. Outside, this is the plane of a sliver or of the other half
    // of a flat polygon: rank it by its triangle and go on.
    const bool proven = exact && !pointsWanted && !isThin(surface, f);
    const double distance = proven ? 0 : triangleDistance(surface, f, r.weight), plane = surface.planeDistance(f);
    if ((exact || stuck) && !surface.measured(f) && distance > plane + tolerances::kRounding) {
      surface.setMeasured(f, distance);
      // The origin may be outside by rounding; how far the triangles are from it proves nothing then.
      if (plane <= tolerances::kRounding && plane < most) most = plane;
      continue;
    }
    // Of directions that agree to rounding take that of the face the points come from.
    if (exact) {
      r.depth = depth;
      r.normal = normal;
    }
    r.iterationLimit = !exact && !stuck;
    r.degenerate = stuck && r.depth - r.lowerBound > tolerance;
    for (int k = 0; k < 3; ++k) r.face[k] = surface.corner(f, k);
    return;
  }
}

// The face of A - B across a face axis of a box, on the origin's side: its triangle around the corner there.
void faceTriangle(const Difference& d, int face, Vertex triangle[3]) {
  const bool ofA = face < 3;
  const int axis = face % 3, k1 = axis == 2 ? 0 : axis + 1, k2 = 3 - axis - k1;
  Vec3 n = ofA ? unitAxis(axis) : column(d.c, axis);
  if (dot(n, d.t) < 0) n = -n;
  const Vec3 e1 = ofA ? unitAxis(k1) : column(d.c, k1), e2 = ofA ? unitAxis(k2) : column(d.c, k2);
  // The middle of the face, without what lies in it of the other box.
  const auto sign = [](double x) { return x > tolerances::kRounding ? 1.0 : x < -tolerances::kRounding ? -1.0 : 0.0; };
  const Vec3 along = transposeTimes(d.edgesB, n), of = {sign(n.x) * d.halfA.x, sign(n.y) * d.halfA.y, sign(n.z) * d.halfA.z};
  const Vec3 middle = ofA ? d.edgesB * Vec3{sign(along.x), sign(along.y), sign(along.z)} - d.t : of - d.t;
  // Leaning by less than rounding, the direction finds the corners of the face, be it one of a box or, of parallel boxes, the sum of
  // two.
  const Vec3 s1 = (dot(middle, e1) > 0 ? -tolerances::kRounding : tolerances::kRounding) * e1;
  const Vec3 s2 = (dot(middle, e2) > 0 ? -tolerances::kRounding : tolerances::kRounding) * e2;
  triangle[0] = support(d, n + s1 + s2);
  triangle[1] = support(d, n - s1 + s2);
  triangle[2] = support(d, n + s1 - s2);
}

}  // namespace

void epa(const Difference& difference, const Simplex& simplex, double tolerance, EpaResult& r) {
  r.iterationLimit = r.degenerate = false;
  r.iterations = 0;
  Simplex s = simplex;
  if (!complete(difference, s, r.normal, r.iterations)) {
    NearestPoint nearest{};
    reduce(s, nearest);
    r.depth = r.lowerBound = 0;
    weightsOf(s, nearest.v, r.weight);
    for (int k = 0; k < 3; ++k) r.face[k] = s.vertex[k < s.count ? k : 0];
    Vertex w;  // of the two sides that of the origin, should they be apart by rounding
    if (reach(difference, -r.normal, w) < reach(difference, r.normal, w)) r.normal = -r.normal;
    return;
  }
  Polytope polytope(s);
  expand(difference, polytope, tolerance > tolerances::kRounding ? tolerance : tolerances::kRounding,
         std::numeric_limits<double>::infinity(), true, r);
  if (r.lowerBound > r.depth) r.lowerBound = r.depth;
}

void epaFromFace(const Difference& difference, int face, bool pointsWanted, EpaResult& r) {
  r.iterationLimit = r.degenerate = false;
  r.iterations = 1;
  Vertex triangle[3];
  faceTriangle(difference, face, triangle);
  MirroredPolytope polytope(difference, triangle);
  expand(difference, polytope, tolerances::kRounding, tolerances::kRounding, pointsWanted, r);
  if (r.lowerBound > r.depth) r.lowerBound = r.depth;
}

}  // namespace sunder::math
