// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/epa_internal.h"

#include "sunder/narrowphase/mirrored_polytope_internal.h"

namespace sunder::math {
namespace {

using EpaPolytope = Polytope<tolerances::kMaxEpaVertices, std::uint8_t>;

// Some direction perpendicular to e: crosses it with the axis it is least along.
Vec3 perpendicular(const Vec3& e) {
  const double x = std::abs(e.x), y = std::abs(e.y), z = std::abs(e.z);
  if (x <= y && x <= z) return {0, e.z, -e.y};
  if (y <= z) return {-e.z, 0, e.x};
  return {e.y, -e.x, 0};
}

// Grows GJK's simplex to a tetrahedron. What it cannot grow is flat: A - B then has no inside, and the depth is zero.
class Completion {
 public:
  Completion(const Difference& difference, const Simplex& simplex) : difference_(difference), s(simplex) {}

  // False when A - B is flat to within rounding; normal is then a unit direction along which it has no width.
  bool run(const Vec3& axis, Vec3& normal) {
    if (s.count == 4 && height(3, plane()) <= tolerances::kRounding) s.count = 3;
    if (s.count == 3 && length(plane()) == 0) s.count = 2;
    if (s.count == 2 && samePoint(s.vertex[0].w, s.vertex[1].w)) s.count = 1;
    if (s.count == 1 && !fromPoint()) {
      normal = dot(axis, axis) > 0 ? (1 / length(axis)) * axis : Vec3{1, 0, 0};
      return false;
    }
    if (s.count == 2 && !fromEdge(normal)) return false;
    if (s.count == 3) {
      normal = plane();
      for (const double sign : {1.0, -1.0})
        if (grow(sign * normal, [&] { return height(3, normal) > tolerances::kRounding; })) return true;
      return false;
    }
    return true;
  }
  Simplex& simplex() { return s; }
  int iterations = 0;

 private:
  Vec3 plane() const {
    const Vec3 e = s.vertex[1].w - s.vertex[0].w, f = s.vertex[2].w - s.vertex[0].w, n = cross(e, f);
    const double l = length(n);
    // The same measure as fromEdge takes: what that accepts must have a plane.
    return l > tolerances::kRounding * length(e) ? (1 / l) * n : Vec3{0, 0, 0};
  }
  double height(int v, const Vec3& n) const { return std::abs(dot(n, s.vertex[v].w - s.vertex[0].w)); }

  template <class Apart>
  bool grow(const Vec3& direction, Apart&& apart) {
    s.vertex[s.count] = support(difference_, direction);
    ++iterations;
    if (!apart()) return false;
    ++s.count;
    return true;
  }
  bool fromPoint() {
    for (const Vec3& d : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
      for (const double sign : {1.0, -1.0})
        if (grow(sign * d, [&] { return length(s.vertex[1].w - s.vertex[0].w) > tolerances::kRounding; })) return true;
    return false;
  }
  bool fromEdge(Vec3& normal) {
    const Vec3 edge = s.vertex[1].w - s.vertex[0].w, e = (1 / length(edge)) * edge;
    normal = perpendicular(e);
    normal = (1 / length(normal)) * normal;
    for (const Vec3& d : {normal, cross(e, normal)})
      for (const double sign : {1.0, -1.0})
        if (grow(sign * d, [&] {
              return length(cross(e, s.vertex[2].w - s.vertex[0].w)) > tolerances::kRounding;
            }))
          return true;
    return false;
  }

  const Difference& difference_;
  Simplex s;
};

// The origin's projection may fall on the other half of a flat polygon, past the edge by rounding: go there. Then weights
// below zero are rounding, too.
template <class Surface>
void keepFace(const Surface& surface, int f, EpaResult& r) {
  bool inside = false;
  for (int step = 0; step < 8 && planeWeights(surface, f, r.weight); ++step) {
    int edge = -1;  // the one most violated: opposite to vertex k is the edge k + 1
    for (int k = 0; k < 3; ++k)
      if (r.weight[k] < 0 && (edge < 0 || r.weight[k] < r.weight[(edge + 2) % 3])) edge = (k + 1) % 3;
    inside = edge < 0;
    if (inside) break;
    const int g = surface.neighbour(f, edge);
    if (!(std::abs(surface.planeDistance(g) - surface.planeDistance(f)) <= tolerances::kRounding)) break;
    f = g;
  }
  if (!inside) triangleDistance(surface, f, r.weight);
  double sum = 0;
  for (double& w : r.weight) sum += w = w > 0 ? w : 0;
  for (double& w : r.weight) w /= sum;
  for (int k = 0; k < 3; ++k) r.face[k] = surface.corner(f, k);
}

// The loop of EPA. Every way out leaves face, weight, normal and depth of one direction, and a lower bound.
template <class Surface>
void expand(const Difference& difference, Surface& surface, double tolerance, EpaResult& r) {
  r.depth = std::numeric_limits<double>::infinity();
  const int started = r.iterations;
  for (;;) {
    const int f = surface.nearestFace();
    const Vec3 normal = surface.normal(f);
    r.lowerBound = surface.key(f);
    // A sliver without a direction is the nearest face only when its neighbours are as near: rounding, and depth is known.
    const bool sliver = surface.isSliver(f);
    Vertex w;
    if (sliver && r.iterations == started) {  // all faces are: there is no depth yet to fall back on
      r.normal = {1, 0, 0};
      r.depth = reach(difference, r.normal, w);
    }
    const double depth = sliver ? r.depth : reach(difference, normal, w);
    ++r.iterations;
    if (depth < r.depth) {
      r.depth = depth;
      r.normal = normal;
    }
    const bool apart = depth < -tolerances::kRounding;  // this plane proves it
    const bool exact = depth - r.lowerBound <= tolerance;
    const bool stuck = sliver || surface.holds(w);
    if (!apart && (exact || stuck) && !surface.measured(f) && surface.planeDistance(f) > tolerances::kRounding) {
      // The nearest plane of a convex surface is touched inside its face. Outside, this is the plane of a sliver or of the
      // other half of a flat polygon: rank it by its triangle and go on.
      double weight[3];
      const double distance = triangleDistance(surface, f, weight);
      if (distance > surface.planeDistance(f) + tolerances::kRounding) {
        surface.setMeasured(f, distance);
        continue;
      }
    }
    if (apart || exact || stuck) {
      // Of directions that agree to rounding take that of the face the points come from.
      if (exact && !sliver) {
        r.depth = depth;
        r.normal = normal;
      }
      r.degenerate = !apart && r.depth - r.lowerBound > tolerance;
      return keepFace(surface, f, r);
    }
    if (!surface.add(f, w)) {
      r.iterationLimit = true;
      return keepFace(surface, f, r);
    }
  }
}

}  // namespace

void epa(const Difference& difference, const Simplex& simplex, const Vec3& axis, double tolerance, EpaResult& r) {
  r.iterationLimit = r.degenerate = false;
  Completion completion(difference, simplex);
  const bool solid = completion.run(axis, r.normal);
  const Simplex& s = completion.simplex();
  r.iterations = completion.iterations;
  if (!solid) {
    NearestPoint nearest{};
    Simplex reduced = s;
    reduce(reduced, nearest);
    r.depth = r.lowerBound = 0;
    weightsOf(reduced, nearest.v, r.weight);
    for (int k = 0; k < 3; ++k) r.face[k] = reduced.vertex[k < reduced.count ? k : 0];
    if (dot(axis, r.normal) < 0) r.normal = -r.normal;
    return;
  }
  EpaPolytope polytope;
  polytope.start(s.vertex[0], s.vertex[1], s.vertex[2], s.vertex[3]);
  expand(difference, polytope, tolerance > tolerances::kRounding ? tolerance : tolerances::kRounding, r);
  if (r.lowerBound > r.depth) r.lowerBound = r.depth;
}

void epaFromCentre(const Difference& difference, EpaResult& r) {
  r.iterationLimit = r.degenerate = false;
  r.iterations = 3;
  // Corners of A that span it, the fourth one and their images being the others.
  const Vertex octahedron[3] = {support(difference, {1, 1, 1}), support(difference, {1, -1, -1}), support(difference, {-1, 1, -1})};
  MirroredPolytope polytope(difference, octahedron);
  expand(difference, polytope, tolerances::kRounding, r);
  if (r.lowerBound > r.depth) r.lowerBound = r.depth;
}

}  // namespace sunder::math
