// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/shape.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "sunder/narrowphase/polytope_internal.h"

namespace sunder {
namespace {

using namespace math;

using HullPolytope = Polytope<tolerances::kMaxHullVertices, std::uint16_t>;

std::string bad(const char* field, double value, const char* wanted) {
  return std::string(field) + " is " + std::to_string(value) + ", must be " + wanted;
}

bool positive(double x) { return isFinite(x) && x > 0; }

// The point farthest from what `distance` measures; ties go to the first one.
template <class Distance>
std::size_t farthest(const std::vector<Vec3>& points, Distance&& distance) {
  std::size_t best = 0;
  double most = distance(points[0]);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double d = distance(points[i]);
    if (d > most) {
      most = d;
      best = i;
    }
  }
  return best;
}

Vertex vertexAt(const Vec3& p) { return {p, kNoId, p}; }

// Four points that span a volume. False when the cloud is flat.
bool firstTetrahedron(const std::vector<Vec3>& points, std::size_t corner[4]) {
  const double flat = tolerances::kHullThickness;
  corner[0] = farthest(points, [](const Vec3& p) { return p.x; });
  const Vec3 p0 = points[corner[0]];
  corner[1] = farthest(points, [&](const Vec3& p) { return length(p - p0); });
  const Vec3 e = points[corner[1]] - p0;
  if (length(e) <= flat) return false;
  const Vec3 direction = (1 / length(e)) * e;
  corner[2] = farthest(points, [&](const Vec3& p) { return length(cross(direction, p - p0)); });
  const Vec3 n = cross(direction, points[corner[2]] - p0);
  if (length(n) <= flat) return false;
  const Vec3 normal = (1 / length(n)) * n;
  corner[3] = farthest(points, [&](const Vec3& p) { return std::abs(dot(normal, p - p0)); });
  return std::abs(dot(normal, points[corner[3]] - p0)) > flat;
}

// The point that stands out most over one face of the hull so far, and that face.
bool mostOutside(const std::vector<Vec3>& points, const HullPolytope& hull, std::size_t& point, int& face) {
  double most = tolerances::kHullThickness;
  bool found = false;
  for (int f = 0; f < hull.faceCount(); ++f) {
    if (!hull.inUse(f) || dot(hull.face(f).normal, hull.face(f).normal) == 0) continue;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double height = dot(hull.face(f).normal, points[i]) - hull.face(f).distance;
      if (height <= most || hull.holds(vertexAt(points[i]))) continue;
      most = height;
      point = i;
      face = f;
      found = true;
    }
  }
  return found;
}

// The convex polygon of points in the plane across n, counterclockwise around n; points on its sides are left out
// (Andrew, Inf. Process. Lett. 9(5), 1979).
std::vector<int> outline(const HullPolytope& hull, std::vector<int> points, const Vec3& n) {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  const Vec3 u = cross(n, x <= y && x <= z ? Vec3{1, 0, 0} : y <= z ? Vec3{0, 1, 0} : Vec3{0, 0, 1}), v = cross(n, u);
  const auto along = [&](const Vec3& axis, int i) { return dot(axis, hull.vertex(i).w); };
  std::sort(points.begin(), points.end(), [&](int i, int j) {
    const double iu = along(u, i), ju = along(u, j), iv = along(v, i), jv = along(v, j);
    return iu != ju ? iu < ju : iv != jv ? iv < jv : i < j;
  });
  std::vector<int> loop;
  for (const bool upper : {false, true}) {
    const std::size_t start = loop.size();
    for (const int p : points) {
      while (loop.size() >= start + 2) {
        const int a = loop[loop.size() - 2], b = loop.back();
        const double turn = (along(u, b) - along(u, a)) * (along(v, p) - along(v, a)) -
                            (along(v, b) - along(v, a)) * (along(u, p) - along(u, a));
        if (turn > 0) break;
        loop.pop_back();
      }
      loop.push_back(p);
    }
    loop.pop_back();
    if (!upper) std::reverse(points.begin(), points.end());
  }
  return loop;
}

// The triangles of the hull joined to polygons, the largest triangle of each giving the plane: a sliver's is noise.
struct Polygon {
  Vec3 normal;
  std::vector<int> loop;
};
std::vector<Polygon> polygonsOf(const HullPolytope& hull) {
  std::vector<int> triangles;
  std::vector<bool> onHull(static_cast<std::size_t>(hull.vertexCount()), false);
  const auto area = [&](int f) {
    const auto& v = hull.face(f).vertex;
    return length(cross(hull.vertex(v[1]).w - hull.vertex(v[0]).w, hull.vertex(v[2]).w - hull.vertex(v[0]).w));
  };
  for (int f = 0; f < hull.faceCount(); ++f) {
    if (!hull.inUse(f)) continue;
    for (const std::uint16_t v : hull.face(f).vertex) onHull[v] = true;
    if (dot(hull.face(f).normal, hull.face(f).normal) > 0) triangles.push_back(f);
  }
  std::stable_sort(triangles.begin(), triangles.end(), [&](int f, int g) { return area(f) > area(g); });
  std::vector<Polygon> polygons;
  std::vector<bool> done(static_cast<std::size_t>(hull.faceCount()), false);
  for (const int f : triangles) {
    if (done[static_cast<std::size_t>(f)]) continue;
    const Vec3 n = hull.face(f).normal;
    std::vector<int> corners;
    std::vector<bool> inPlane(onHull.size(), false);
    for (int v = 0; v < hull.vertexCount(); ++v) {
      if (!onHull[static_cast<std::size_t>(v)]) continue;
      if (std::abs(dot(n, hull.vertex(v).w) - hull.face(f).distance) > tolerances::kHullFlatness) continue;
      inPlane[static_cast<std::size_t>(v)] = true;
      corners.push_back(v);
    }
    for (const int g : triangles) {
      const auto& v = hull.face(g).vertex;
      if (inPlane[v[0]] && inPlane[v[1]] && inPlane[v[2]]) done[static_cast<std::size_t>(g)] = true;
    }
    polygons.push_back({n, outline(hull, corners, n)});
  }
  return polygons;
}

}  // namespace

std::string validate(const Box& box) {
  const double* h = box.halfExtents.data();
  for (int k = 0; k < 3; ++k)
    if (!positive(h[k])) return bad(k == 0 ? "halfExtents.x" : k == 1 ? "halfExtents.y" : "halfExtents.z", h[k], "> 0");
  return {};
}

std::string validate(const Sphere& sphere) {
  return positive(sphere.radius) ? std::string() : bad("radius", sphere.radius, "> 0");
}

std::string validate(const Capsule& capsule) {
  if (!positive(capsule.halfLength)) return bad("halfLength", capsule.halfLength, "> 0");
  return positive(capsule.radius) ? std::string() : bad("radius", capsule.radius, "> 0");
}

ConvexHull::ConvexHull(const std::vector<Eigen::Vector3d>& points) {
  if (points.size() < 4)
    throw std::invalid_argument("ConvexHull: points has " + std::to_string(points.size()) + " entries, must have >= 4");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!isFinite(load(points[i])))
      throw std::invalid_argument("ConvexHull: points[" + std::to_string(i) + "] is not finite");
    extent_ = std::max(extent_, largest(load(points[i])));
  }
  // Around the middle and in a unit of the size, so that neither place nor scale matters to the tolerances.
  Vec3 low = load(points[0]), high = low;
  for (const Eigen::Vector3d& q : points) {
    const Vec3 p = load(q);
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  Difference unit;
  setUnit(unit, largest(high - low));
  const Vec3 middle = 0.5 * (low + high);
  std::vector<Vec3> cloud(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) cloud[i] = unit.inverseUnit * (load(points[i]) - middle);

  std::size_t corner[4];
  if (!firstTetrahedron(cloud, corner))
    throw std::invalid_argument("ConvexHull: points lie in one plane, must span a volume");
  const auto hull = std::make_unique<HullPolytope>();
  hull->start(vertexAt(cloud[corner[0]]), vertexAt(cloud[corner[1]]),
              vertexAt(cloud[corner[2]]), vertexAt(cloud[corner[3]]));
  for (std::size_t point = 0; true;) {
    int face = 0;
    if (!mostOutside(cloud, *hull, point, face)) break;
    if (!hull->add(face, vertexAt(cloud[point])))
      throw std::invalid_argument("ConvexHull: points has more than " + std::to_string(tolerances::kMaxHullVertices) +
                                  " corners");
  }
  // The corners in the caller's order; of equal points the first.
  std::vector<bool> taken(static_cast<std::size_t>(hull->vertexCount()), true);
  for (int f = 0; f < hull->faceCount(); ++f)
    if (hull->inUse(f))
      for (const std::uint16_t v : hull->face(f).vertex) taken[v] = false;
  std::vector<std::uint16_t> vertexOf(taken.size(), 0);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int v = 0; v < hull->vertexCount(); ++v)
      if (!taken[static_cast<std::size_t>(v)] && samePoint(hull->vertex(v).w, cloud[i])) {
        taken[static_cast<std::size_t>(v)] = true;
        vertexOf[static_cast<std::size_t>(v)] = static_cast<std::uint16_t>(vertices_.size());
        vertices_.push_back(points[i]);
        break;
      }
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint16_t> edges;
  for (const Polygon& polygon : polygonsOf(*hull)) {
    Face face;
    store(face.normal, polygon.normal);
    face.first = static_cast<std::uint32_t>(loop_.size());
    face.count = static_cast<std::uint32_t>(polygon.loop.size());
    for (std::size_t k = 0; k < polygon.loop.size(); ++k) {
      const std::uint16_t from = vertexOf[static_cast<std::size_t>(polygon.loop[k])];
      const std::uint16_t to = vertexOf[static_cast<std::size_t>(polygon.loop[(k + 1) % polygon.loop.size()])];
      const auto edge = edges.emplace(std::minmax(from, to), static_cast<std::uint16_t>(edges.size())).first;
      loop_.push_back({from, edge->second});
    }
    faces_.push_back(face);
  }
}

}  // namespace sunder
