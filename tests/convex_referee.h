// SPDX-License-Identifier: MIT
// The judge of every answer on points, segments, boxes and convex hulls, with a radius or without: slow, from first
// principles, in extended precision, sharing no code with the library. Depth: the smallest overlap along any face normal
// of either core and any cross product of an edge of each, which are all the face normals their Minkowski difference can
// have (Schneider and Eberly, "Geometric Tools for Computer Graphics", 2003, 11.11). Distance: the nearest of all pairs of
// vertex and triangle, and of edges.
#pragma once
#include <sunder/narrowphase/pose.h>

#include <utility>
#include <vector>

#include "referee.h"

namespace sunder::referee {

// A core and its features. `triangles` holds every triangle of vertices whose plane has all others on one side: more than
// a triangulation where faces have more than three corners, and never fewer. One vertex: a point; two: a segment.
template <class T>
struct Core {
  std::vector<Vector<T>> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::pair<int, int>> edges;
  T radius = 0;
};

template <class T>
T lengthOf(const Vector<T>& v) {
  return root(dot(v, v));
}

template <class T>
Core<T> makeCore(const std::vector<Eigen::Vector3d>& points, double radius) {
  Core<T> core;
  core.radius = T(radius);
  T size = 0;
  for (const Eigen::Vector3d& p : points) core.vertices.push_back({T(p[0]), T(p[1]), T(p[2])});
  const int n = static_cast<int>(points.size());
  const auto& v = core.vertices;
  for (const auto& p : v) size = std::max(size, lengthOf(plus(p, T(-1), v[0])));
  if (n == 2) core.edges.push_back({0, 1});
  std::vector<bool> isEdge(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), false);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      for (int k = j + 1; k < n; ++k) {
        Vector<T> normal = cross(plus(v[j], T(-1), v[i]), plus(v[k], T(-1), v[i]));
        const T length = lengthOf(normal);
        if (!(length > 0)) continue;
        normal = {normal[0] / length, normal[1] / length, normal[2] / length};
        // Corners of a face given in double are off its plane by their rounding, and a hull keeps corners that stand out by
        // 1e-12. A triangle too many is a direction or a chord too many, which does no harm.
        T most = 0, least = 0;
        for (const auto& p : v) {
          const T height = dot(normal, plus(p, T(-1), v[i]));
          most = std::max(most, height);
          least = std::min(least, height);
        }
        if (std::min(most, -least) > T(1e-11L) * size) continue;
        core.triangles.push_back({i, j, k});
        for (const auto& [a, b] : {std::pair(i, j), std::pair(i, k), std::pair(j, k)})
          if (!isEdge[static_cast<std::size_t>(a * n + b)]) {
            isEdge[static_cast<std::size_t>(a * n + b)] = true;
            core.edges.push_back({a, b});
          }
      }
  return core;
}

// The core moved by the pose; positions are taken from `origin`.
template <class T>
Core<T> placed(Core<T> core, const Pose& pose, const Eigen::Vector3d& origin = Eigen::Vector3d::Zero()) {
  const PlacedBox<T> frame(Box(), pose, origin);
  for (auto& p : core.vertices) {
    Vector<T> moved = frame.centre;
    for (int k = 0; k < 3; ++k) moved = plus(moved, p[k], frame.axis[k]);
    p = moved;
  }
  return core;
}

// Gap along the unit vector n.
template <class T>
T coreGapAlong(const Core<T>& a, const Core<T>& b, const Vector<T>& n) {
  T reachA = dot(n, a.vertices[0]), reachB = dot(n, b.vertices[0]);
  for (const auto& p : a.vertices) reachA = std::max(reachA, dot(n, p));
  for (const auto& p : b.vertices) reachB = std::min(reachB, dot(n, p));
  return reachB - reachA - (a.radius + b.radius);
}

template <class T>
T pointTriangleSquared(const Vector<T>& p, const Vector<T>& a, const Vector<T>& b, const Vector<T>& c) {
  const Vector<T> ab = plus(b, T(-1), a), ac = plus(c, T(-1), a), ap = plus(p, T(-1), a), n = cross(ab, ac);
  const T nn = dot(n, n), u = dot(n, cross(ab, ap)), w = dot(n, cross(ap, ac));
  if (!(u >= 0 && w >= 0 && u + w <= nn)) return -1;  // then an edge is nearer, and the edges are looked at by themselves
  const T height = dot(n, ap);
  return height * height / nn;
}

template <class T>
T edgeEdgeSquared(const Vector<T>& a0, const Vector<T>& a1, const Vector<T>& b0, const Vector<T>& b1) {
  const auto half = [](const Vector<T>& p, const Vector<T>& q, Vector<T>& middle, Vector<T>& direction) {
    const Vector<T> d = plus(q, T(-1), p);
    const T length = lengthOf(d);
    middle = plus(p, T(0.5L), d);
    direction = length > 0 ? Vector<T>{d[0] / length, d[1] / length, d[2] / length} : Vector<T>{1, 0, 0};
    return length / 2;
  };
  Vector<T> p, u, q, v, between;
  const T hu = half(a0, a1, p, u), hv = half(b0, b1, q, v);
  return segmentDistanceSquared(p, u, hu, q, v, hv, between);
}

// The signed distance of two cores, their radii taken off.
template <class T>
T exactSignedDistance(const Core<T>& a, const Core<T>& b) {
  const auto direction = [](const Core<T>& c, const std::pair<int, int>& e) {
    return plus(c.vertices[static_cast<std::size_t>(e.second)], T(-1), c.vertices[static_cast<std::size_t>(e.first)]);
  };
  const T radius = a.radius + b.radius;
  const bool flat = a.vertices.size() < 3 && b.vertices.size() < 3;  // no volume: the depth is 0
  T gap = -1;
  bool any = false;
  const auto consider = [&](const Vector<T>& axis) {
    const T length = lengthOf(axis);
    if (!(length > 0)) return;
    for (const T sign : {T(1), T(-1)}) {
      const T s = sign / length, g = coreGapAlong(a, b, {s * axis[0], s * axis[1], s * axis[2]}) + radius;
      if (!any || g > gap) gap = g;
      any = true;
    }
  };
  for (const Core<T>* c : {&a, &b})
    for (const auto& t : c->triangles) {
      const auto& v = c->vertices;
      const auto &p = v[static_cast<std::size_t>(t[0])], &q = v[static_cast<std::size_t>(t[1])], &r = v[static_cast<std::size_t>(t[2])];
      consider(cross(plus(q, T(-1), p), plus(r, T(-1), p)));
    }
  for (const auto& e : a.edges)
    for (const auto& f : b.edges) consider(cross(direction(a, e), direction(b, f)));
  if (any && gap <= 0 && !flat) return gap - radius;

  T best = -1;
  const auto look = [&](T square) { best = square >= 0 && (best < 0 || square < best) ? square : best; };
  for (const auto& p : a.vertices)
    for (const auto& q : b.vertices) {
      const Vector<T> d = plus(q, T(-1), p);
      look(dot(d, d));
    }
  for (const bool swap : {false, true}) {
    const Core<T>&c = swap ? b : a, &d = swap ? a : b;
    for (const auto& p : c.vertices) {
      for (const auto& t : d.triangles)
        look(pointTriangleSquared(p, d.vertices[static_cast<std::size_t>(t[0])], d.vertices[static_cast<std::size_t>(t[1])],
                                  d.vertices[static_cast<std::size_t>(t[2])]));
      for (const auto& e : d.edges)
        look(edgeEdgeSquared(p, p, d.vertices[static_cast<std::size_t>(e.first)], d.vertices[static_cast<std::size_t>(e.second)]));
    }
  }
  for (const auto& e : a.edges)
    for (const auto& f : b.edges)
      look(edgeEdgeSquared(a.vertices[static_cast<std::size_t>(e.first)], a.vertices[static_cast<std::size_t>(e.second)],
                           b.vertices[static_cast<std::size_t>(f.first)], b.vertices[static_cast<std::size_t>(f.second)]));
  return root(best) - radius;
}

}  // namespace sunder::referee
