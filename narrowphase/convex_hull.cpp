// SPDX-License-Identifier: MIT
// The convex hull of a point cloud, in two parts. Which points are corners is a matter of tolerance: those that GJK finds further
// than that from the hull of the others. What triangles they make is decided without rounding, so that the surface is closed and
// convex and each plane is right, slivers included. Triangles that lie in one plane to within a tolerance make a face.
#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "sunder/narrowphase/exact_sum_internal.h"
#include "sunder/narrowphase/gjk_internal.h"
#include "sunder/narrowphase/shape.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder {
namespace {

using namespace math;

// The point farthest from what `distance` measures; ties go to the first one.
template <class Distance>
int farthest(const std::vector<Vec3>& points, Distance&& distance) {
  int best = 0;
  double most = distance(points[0]);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double d = distance(points[i]);
    if (d > most) {
      most = d;
      best = static_cast<int>(i);
    }
  }
  return best;
}

// A triangle of the surface, counterclockwise seen from outside. The coordinates are multiples of 2^-51 below 1 (see `centred`),
// so their differences are exact, and so is all that is made of those here.
class Triangle {
 public:
  Triangle(const std::vector<Vec3>& points, int a, int b, int c) : corner{a, b, c}, origin_(points[static_cast<std::size_t>(a)]) {
    const Vec3 e = points[static_cast<std::size_t>(b)] - origin_, f = points[static_cast<std::size_t>(c)] - origin_;
    const double p[3] = {e.x, e.y, e.z}, q[3] = {f.x, f.y, f.z};
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      exact_[k].addProduct(p[i], q[j]);
      exact_[k].addProduct(-p[j], q[i]);
    }
    normal = {exact_[0].value(), exact_[1].value(), exact_[2].value()};
  }
  // A number of the sign of p's height over the plane.
  double side(const Vec3& p) const {
    const Vec3 g = p - origin_;
    const double height = dot(normal, g);
    const double rounding = 8 * tolerances::kEpsilon * (std::abs(normal.x * g.x) + std::abs(normal.y * g.y) + std::abs(normal.z * g.z));
    if (std::abs(height) > rounding) return height;
    ExactSum exact;
    exact.addProduct(exact_[0], g.x);
    exact.addProduct(exact_[1], g.y);
    exact.addProduct(exact_[2], g.z);
    return exact.value();
  }

  std::array<int, 3> corner;
  Vec3 normal;  // of twice the triangle's area, outwards

 private:
  ExactSum exact_[3];
  Vec3 origin_;
};

// The four triangles of a tetrahedron; flat ones come out any way round.
std::vector<Triangle> tetrahedron(const std::vector<Vec3>& points, std::array<int, 4> corner) {
  const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) { return Triangle(points, corner[a], corner[b], corner[c]); };
  if (triangle(0, 1, 2).side(points[static_cast<std::size_t>(corner[3])]) > 0) std::swap(corner[1], corner[2]);
  return {triangle(0, 1, 2), triangle(0, 3, 1), triangle(0, 2, 3), triangle(1, 3, 2)};
}

// Some of the points, as a shape to GJK.
struct Subset {
  const std::vector<Vec3>* points;
  std::vector<int> chosen;
  int without = -1;  // one of those chosen that does not count
};

void subsetSupport(const void* shape, const Eigen::Vector3d& direction, Eigen::Vector3d& point) {
  const Subset& s = *static_cast<const Subset*>(shape);
  const Vec3 n = load(direction);
  const Vec3* best = nullptr;
  double most = 0;
  for (const int i : s.chosen) {
    if (i == s.without) continue;
    const Vec3& p = (*s.points)[static_cast<std::size_t>(i)];
    const double along = dot(n, p);
    if (best && along <= most) continue;
    best = &p;
    most = along;
  }
  store(point, *best);
}

// Whether p is further than that from the hull of the subset; `direction` leads there. Where points lie almost in a line GJK may
// be wrong about its tetrahedron holding p, so that is checked.
bool standsOut(const Subset& subset, const Vec3& p, double tolerance, Vec3& direction) {
  const Sphere point;
  const SupportShape hull{&subset, subsetSupport, 0, 1, SupportShape::Kind::User}, other = supportShape(point);
  const Difference d{false, {}, {}, {}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, p, 1, 1, &hull, &other};
  GjkResult g;
  g.simplex.count = 0;
  gjk(d, dot(p, p) > 0 ? p : Vec3{1, 0, 0}, tolerance, 0, g);
  direction = g.axis;
  if (g.outcome == GjkOutcome::Beyond) return true;
  if (g.outcome != GjkOutcome::Inside) return g.nearest.vv > tolerance * tolerance;
  const Vertex* v = g.simplex.vertex;
  bool holds = true;
  for (const Triangle& t : tetrahedron({v[0].a, v[1].a, v[2].a, v[3].a}, {0, 1, 2, 3})) {
    if (dot(t.normal, t.normal) > 0 && t.side(p) <= 0) continue;
    Simplex side{{v[t.corner[0]], v[t.corner[1]], v[t.corner[2]], {}}, 3};
    NearestPoint nearest{};
    reduce(side, nearest);
    if (nearest.vv <= tolerance * tolerance) return false;
    holds = false;
  }
  return !holds;
}

// The corners, in the order given. Every point is asked whether it stands out from those chosen so far, and if it does, the
// farthest one that way joins them (Clarkson, FOCS 1994): as many runs of GJK as there are points and corners. Those chosen early
// that do not stand out from the others in the end go again. More than kMaxHullVertices: there are too many.
std::vector<int> cornersOf(const std::vector<Vec3>& points, double tolerance) {
  Subset s{&points, {farthest(points, [](const Vec3& p) { return p.x; })}};
  std::vector<bool> known(points.size(), false);
  known[static_cast<std::size_t>(s.chosen[0])] = true;
  Vec3 way;
  for (std::size_t i = 0; i < points.size(); ++i)
    while (!known[i] && standsOut(s, points[i], tolerance, way)) {
      const int far = farthest(points, [&](const Vec3& p) { return dot(way, p); });
      s.chosen.push_back(known[static_cast<std::size_t>(far)] ? static_cast<int>(i) : far);
      known[static_cast<std::size_t>(s.chosen.back())] = true;
      if (s.chosen.size() > 2 * tolerances::kMaxHullVertices) return s.chosen;
    }
  std::sort(s.chosen.begin(), s.chosen.end());
  for (std::size_t k = s.chosen.size(); k-- > 0 && s.chosen.size() > 1;) {
    s.without = s.chosen[k];
    if (!standsOut(s, points[static_cast<std::size_t>(s.without)], tolerance, way)) s.chosen.erase(s.chosen.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return s.chosen;
}

// Four points that span a volume. False when the cloud is flat.
bool firstTetrahedron(const std::vector<Vec3>& points, double flat, std::array<int, 4>& corner) {
  corner[0] = farthest(points, [](const Vec3& p) { return p.x; });
  const Vec3 origin = points[static_cast<std::size_t>(corner[0])];
  corner[1] = farthest(points, [&](const Vec3& p) { return length(p - origin); });
  const Vec3 e = points[static_cast<std::size_t>(corner[1])] - origin;
  corner[2] = farthest(points, [&](const Vec3& p) { return length(cross(e, p - origin)); });
  const Triangle t(points, corner[0], corner[1], corner[2]);
  if (!(length(t.normal) > flat * length(e))) return false;
  corner[3] = farthest(points, [&](const Vec3& p) { return std::abs(t.side(p)); });
  return std::abs(t.side(points[static_cast<std::size_t>(corner[3])])) > flat * length(t.normal);
}

// The surface of the hull, one point after the other: the triangles that it sees give way to those from their border to the
// point. In a plane counts as above: then no new triangle lies in the plane of an old one beside it.
std::vector<Triangle> triangulate(const std::vector<Vec3>& points, const std::array<int, 4>& first) {
  std::vector<Triangle> surface = tetrahedron(points, first);
  std::vector<std::pair<int, int>> sides;  // of the triangles that are seen
  for (int w = 0; w < static_cast<int>(points.size()); ++w) {
    if (std::find(first.begin(), first.end(), w) != first.end()) continue;
    const auto seen = std::stable_partition(surface.begin(), surface.end(), [&](const Triangle& t) {
      return t.side(points[static_cast<std::size_t>(w)]) < 0;
    });
    sides.clear();
    for (auto t = seen; t != surface.end(); ++t)
      for (std::size_t k = 0; k < 3; ++k) sides.emplace_back(t->corner[k], t->corner[(k + 1) % 3]);
    surface.erase(seen, surface.end());
    std::sort(sides.begin(), sides.end());
    for (const auto& [from, to] : sides)
      if (!std::binary_search(sides.begin(), sides.end(), std::pair(to, from))) surface.emplace_back(points, from, to, w);
  }
  return surface;
}

// The convex polygon of points in the plane across n, counterclockwise around n; points on its sides are left out
// (Andrew, Inf. Process. Lett. 9(5), 1979).
std::vector<int> outline(const std::vector<Vec3>& all, std::vector<int> points, const Vec3& n) {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  const Vec3 u = cross(n, x <= y && x <= z ? Vec3{1, 0, 0} : y <= z ? Vec3{0, 1, 0} : Vec3{0, 0, 1}), v = cross(n, u);
  const auto along = [&](const Vec3& axis, int i) { return dot(axis, all[static_cast<std::size_t>(i)]); };
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

struct Polygon {
  Vec3 normal;
  std::vector<int> loop;
};

// The triangles joined to polygons, from the largest one on: each gives the plane for those that lie in it and look the same
// way, or a plate thinner than the tolerance would be one face.
std::vector<Polygon> polygonsOf(const std::vector<Vec3>& points, std::vector<Triangle> surface, double flatness) {
  std::stable_sort(surface.begin(), surface.end(), [](const Triangle& s, const Triangle& t) { return length(s.normal) > length(t.normal); });
  std::vector<Polygon> polygons;
  std::vector<bool> done(surface.size(), false), inPlane(points.size()), corner(points.size());
  for (std::size_t f = 0; f < surface.size(); ++f) {
    if (done[f]) continue;
    const Vec3 n = (1 / length(surface[f].normal)) * surface[f].normal, p = points[static_cast<std::size_t>(surface[f].corner[0])];
    for (std::size_t i = 0; i < points.size(); ++i) inPlane[i] = std::abs(dot(n, points[i] - p)) <= flatness;
    corner.assign(points.size(), false);
    for (std::size_t g = 0; g < surface.size(); ++g) {
      const Triangle& t = surface[g];
      bool joins = dot(n, t.normal) > 0.5 * length(t.normal);
      for (const int i : t.corner) joins = joins && inPlane[static_cast<std::size_t>(i)];
      if (g != f && !joins) continue;
      done[g] = true;
      for (const int i : t.corner) corner[static_cast<std::size_t>(i)] = true;
    }
    std::vector<int> corners;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (corner[i]) corners.push_back(static_cast<int>(i));
    polygons.push_back({n, outline(points, corners, n)});
  }
  return polygons;
}

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(std::string("ConvexHull: points ") + why); }

// The points around the middle of their box and in a unit between half of its size and all of it, as multiples of 2^-51: half a
// rounding of the size. Neither place nor scale matters to the tolerances then. Far from the origin nothing is lost, since there
// the coordinates are multiples of more than that.
std::vector<Vec3> centred(const std::vector<Eigen::Vector3d>& points, double& inverseUnit) {
  Vec3 low = load(points[0]), high = low;
  for (const Eigen::Vector3d& q : points) {
    const Vec3 p = load(q);
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  Difference unit;
  setUnit(unit, largest(high - low));
  inverseUnit = unit.inverseUnit;
  const Vec3 middle = 0.5 * (low + high), grid = {3, 3, 3};
  std::vector<Vec3> cloud(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) cloud[i] = (inverseUnit * (load(points[i]) - middle) + grid) - grid;
  return cloud;
}

}  // namespace

ConvexHull::ConvexHull(const std::vector<Eigen::Vector3d>& points) {
  if (points.size() < 4) refuse(std::string("has ") + std::to_string(points.size()) + " entries, must have >= 4");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double coordinate = largest(load(points[i]));
    if (!isFinite(load(points[i])) || coordinate > tolerances::kLargestLength)
      refuse(std::string("[") + std::to_string(i) + "] is not finite or beyond 1e100");
    extent_ = std::max(extent_, coordinate);
  }
  double inverseUnit = 1;
  const std::vector<Vec3> cloud = centred(points, inverseUnit);
  // Far from the origin of the frame the rounding of the coordinates themselves makes rows of points crooked.
  const double tolerance = std::max(tolerances::kHullThickness, tolerances::kHullNoise * (inverseUnit * extent_));
  const std::vector<int> chosen = cornersOf(cloud, tolerance);
  if (chosen.size() > tolerances::kMaxHullVertices) refuse(std::string("has more than ") + std::to_string(tolerances::kMaxHullVertices) + " corners");
  std::vector<Vec3> corners;
  for (const int i : chosen) corners.push_back(cloud[static_cast<std::size_t>(i)]);
  std::array<int, 4> first;
  if (extent_ < tolerances::kSmallestLength || !firstTetrahedron(corners, tolerance, first))
    refuse("lie in one plane to within rounding, must span a volume");
  const std::vector<Triangle> surface = triangulate(corners, first);

  // Of the points kept for want of a proof some lie inside.
  std::vector<int> vertexOf(corners.size(), -1);
  for (const Triangle& t : surface)
    for (const int i : t.corner) vertexOf[static_cast<std::size_t>(i)] = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (vertexOf[i] < 0) continue;
    vertexOf[i] = static_cast<int>(vertices_.size());
    vertices_.push_back(points[static_cast<std::size_t>(chosen[i])]);
  }
  std::map<std::pair<int, int>, std::uint16_t> edges;
  for (const Polygon& polygon : polygonsOf(corners, surface, tolerances::kHullFlatness * tolerance)) {
    Face face;
    store(face.normal, polygon.normal);
    face.first = static_cast<std::uint32_t>(loop_.size());
    face.count = static_cast<std::uint32_t>(polygon.loop.size());
    for (std::size_t k = 0; k < polygon.loop.size(); ++k) {
      const int from = vertexOf[static_cast<std::size_t>(polygon.loop[k])];
      const int to = vertexOf[static_cast<std::size_t>(polygon.loop[(k + 1) % polygon.loop.size()])];
      const auto edge = edges.emplace(std::minmax(from, to), static_cast<std::uint16_t>(edges.size())).first;
      loop_.push_back({static_cast<std::uint16_t>(from), edge->second});
    }
    faces_.push_back(face);
  }
}

}  // namespace sunder
