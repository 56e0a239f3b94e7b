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

// The loop of EPA. Every way out leaves face, weight, normal and depth of one direction, and a lower bound.
template <class Surface>
void expand(const Difference& difference, Surface& surface, double tolerance, EpaResult& r) {
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
    }
    const bool exact = depth - r.lowerBound <= tolerance, stuck = surface.holds(w);
    if (!exact && !stuck && surface.add(f, w)) continue;
    // The nearest plane of a convex surface is touched inside its face. Outside, this is the plane of a sliver or of the other half
    // of a flat polygon: rank it by its triangle and go on.
    const double distance = triangleDistance(surface, f, r.weight), plane = surface.planeDistance(f);
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

// Of the faces of A - B across a face axis of a box, the nearest one: its triangle around the corner on the origin's side. Most
// likely the nearest face of all or the one beside it.
void nearestQuad(const Difference& d, Vertex triangle[3]) {
  double depth[6];
  Vec3 ofB{0, 0, 0};  // half the width of B along the axes of A
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = column(d.c, k), edge = column(d.edgesB, k);
    depth[3 + k] = component(d.halfB, k) + std::abs(axis.x) * d.halfA.x + std::abs(axis.y) * d.halfA.y + std::abs(axis.z) * d.halfA.z -
                   std::abs(dot(axis, d.t));
    ofB = ofB + Vec3{std::abs(edge.x), std::abs(edge.y), std::abs(edge.z)};
  }
  for (int k = 0; k < 3; ++k) depth[k] = component(d.halfA, k) + component(ofB, k) - std::abs(component(d.t, k));
  const int best = smallestKey(depth, 6), axis = best % 3, first = best - axis;
  const Vec3 n = first == 0 ? unitAxis(axis) : column(d.c, axis);
  std::uint32_t id = boxSupportId(d, dot(n, d.t) < 0 ? -n : n);
  const std::uint32_t sideways[2] = {1u << (first + (axis + 1) % 3), 1u << (first + (axis + 2) % 3)};
  for (const std::uint32_t bit : sideways) {
    const Vec3 p = boxVertex(d, id | bit).w, q = boxVertex(d, id & ~bit).w;
    id = dot(p, p) < dot(q, q) ? id | bit : id & ~bit;
  }
  triangle[0] = boxVertex(d, id);
  triangle[1] = boxVertex(d, id ^ sideways[0]);
  triangle[2] = boxVertex(d, id ^ sideways[1]);
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
  expand(difference, polytope, tolerance > tolerances::kRounding ? tolerance : tolerances::kRounding, r);
  if (r.lowerBound > r.depth) r.lowerBound = r.depth;
}

void epaFromCentre(const Difference& difference, EpaResult& r) {
  r.iterationLimit = r.degenerate = false;
  r.iterations = 1;
  Vertex triangle[3];
  nearestQuad(difference, triangle);
  MirroredPolytope polytope(difference, triangle);
  expand(difference, polytope, tolerances::kRounding, r);
  if (r.lowerBound > r.depth) r.lowerBound = r.depth;
}

}  // namespace sunder::math
