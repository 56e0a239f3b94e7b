// SPDX-License-Identifier: MIT
// EPA's hull: a closed triangulated surface around the origin, grown one vertex at a time. Storage is bounded; the
// surface is closed after every step whatever rounding does, because the region replaced is checked to be a disc (its
// border one simple loop) and falls back to the single face under the new vertex, which always is one.
//
// Why that is enough: the vertices are points of A - B, and a closed surface around the origin made of triangles no
// nearer than L shows that the ball of radius L lies in their convex hull, convex or not. So the smallest key is a lower
// bound of the depth that rounding in the choice of the region cannot spoil.
#pragma once
#include <limits>

#include "sunder/narrowphase/simplex_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder::math {
namespace {  // internal linkage, as math_internal.h explains

inline constexpr double kNoPlane = -std::numeric_limits<double>::max();  // of a sliver: every point sees it

// Distance of the origin from the triangle, and the nearest point's weights on its corners.
template <class Surface>
inline double triangleDistance(const Surface& surface, int f, double weight[3]) {
  Simplex s{{surface.corner(f, 0), surface.corner(f, 1), surface.corner(f, 2), {}}, 3};
  NearestPoint nearest{};
  reduce(s, nearest);
  double kept[3];
  weightsOf(s, nearest.v, kept);
  for (int k = 0, next = 0; k < 3; ++k) weight[k] = nearest.face >> k & 1 ? kept[next++] : 0;
  return std::sqrt(nearest.vv);
}

// The first of the smallest of two keys or more. Two chains of conditional moves: the order of the keys is a coin toss to a
// branch.
inline int smallestKey(const double* keys, int count) {
  int best = 0, other = 1;
  double least = keys[0], otherLeast = keys[1];
  for (int f = 2; f < count; ++f) {
    std::swap(best, other);
    std::swap(least, otherLeast);
    const bool less = keys[f] < least;
    least = less ? keys[f] : least;
    best = less ? f : best;
  }
  return otherLeast < least || (otherLeast == least && other < best) ? other : best;
}

// Whether the border of a region that hangs together, no vertex of which starts two edges, is one loop: the region is a
// disc then. No edges: the region is the whole surface.
template <class Edge, class Index>
inline bool isOneLoop(const Edge* byStart, const Index* stamp, Index round, int start, int edges, int faces) {
  if (edges == 0) return false;
  if (edges == faces + 2) return true;  // a tree of triangles: no need to look
  int length = 0, v = start;
  do {
    v = byStart[v].to;
    ++length;
  } while (v != start && length < edges && stamp[v] == round);
  return v == start && length == edges;
}

class Polytope {
 public:
  using Index = std::uint8_t;  // holds twice the vertices
  struct Face {
    Vec3 normal;      // unit, outwards; any for a sliver without a direction
    double distance;  // of the face's plane from the origin
    Index vertex[3];
    Index neighbour[3];      // across the edge vertex[k], vertex[k + 1]
    Index neighbourEdge[3];  // that edge's index there
    bool measured;           // key is the distance of the triangle, not of its plane
  };
  explicit Polytope(const Simplex& tetrahedron);  // its vertices in any orientation
  // The face with the smallest key.
  int nearestFace() const { return smallestKey(keys_, faceCount_); }
  // Replaces the faces that w sees, face among them, by a cone to w. False when the storage is full.
  bool add(int face, const Vertex& w);
  bool holds(const Vertex& w) const;
  int vertexCount() const { return vertexCount_; }
  int faceCount() const { return faceCount_; }
  bool inUse(int f) const { return keys_[f] < std::numeric_limits<double>::infinity(); }

  const Face& face(int f) const { return faces_[f]; }
  const Vertex& vertex(int v) const { return vertices_[v]; }
  // These are what the loop of EPA asks of a surface.
  double key(int f) const { return keys_[f]; }
  bool measured(int f) const { return faces_[f].measured; }
  const Vec3& normal(int f) const { return faces_[f].normal; }
  double planeDistance(int f) const { return faces_[f].distance; }
  int neighbour(int f, int edge) const { return faces_[f].neighbour[edge]; }
  const Vertex& corner(int f, int k) const { return vertices_[faces_[f].vertex[k]]; }
  void setMeasured(int f, double key) {
    keys_[f] = key;
    faces_[f].measured = true;
  }

 private:
  static constexpr int kMostVertices = tolerances::kMaxEpaVertices;
  static constexpr int kMostFaces = 2 * kMostVertices;  // a closed triangulation has 2 V - 4
  struct HorizonEdge {
    Index to, face, edge;
  };

  int takeFace() { return spareCount_ > 0 ? spare_[--spareCount_] : faceCount_++; }
  void setFace(int f, int a, int b, int c);
  void link(int f, int edge, int g, int otherEdge) {
    faces_[f].neighbour[edge] = static_cast<Index>(g);
    faces_[f].neighbourEdge[edge] = static_cast<Index>(otherEdge);
    faces_[g].neighbour[otherEdge] = static_cast<Index>(f);
    faces_[g].neighbourEdge[otherEdge] = static_cast<Index>(edge);
  }
  bool sees(const Vec3& w, const Face& f) const {
    return dot(f.normal, w) - f.distance > -tolerances::kRounding;
  }
  int collectSeen(int face, const Vec3& w, bool onlyFace);

  Vertex vertices_[kMostVertices];
  Face faces_[kMostFaces];
  double keys_[kMostFaces];  // infinite: face not in use
  Index spare_[kMostFaces], seen_[kMostFaces];
  Index stamp_[kMostFaces];  // == round_: in the region being replaced
  HorizonEdge horizon_[kMostVertices];        // by start vertex
  Index horizonStamp_[kMostVertices];  // == round_: that vertex starts a horizon edge
  Index round_ = 1;
  std::uint64_t ids_ = 0;  // of the vertices that have one
  int vertexCount_ = 4, faceCount_ = 4, spareCount_ = 0, seenCount_, horizonStart_;
};

inline void Polytope::setFace(int f, int a, int b, int c) {
  Face& face = faces_[f];
  face.vertex[0] = static_cast<Index>(a);
  face.vertex[1] = static_cast<Index>(b);
  face.vertex[2] = static_cast<Index>(c);
  const Vec3 p = vertices_[a].w, n = areaVector(vertices_[a], vertices_[b], vertices_[c]);
  const double length = math::length(n);
  stamp_[f] = static_cast<Index>(round_ - 1);
  face.measured = false;
  if (length > tolerances::kRounding * tolerances::kRounding) {
    face.normal = (1.0 / length) * n;
    face.distance = dot(face.normal, p);
    keys_[f] = face.distance;
  } else {
    // A sliver goes with the first neighbour that is replaced; until then it is ranked by its edges.
    face.normal = {1, 0, 0};
    face.distance = kNoPlane;
    double weight[3];
    setMeasured(f, triangleDistance(*this, f, weight));
  }
}

inline Polytope::Polytope(const Simplex& tetrahedron) {
  for (int v = 0; v < 4; ++v) {
    vertices_[v] = tetrahedron.vertex[v];
    if (vertices_[v].id != kNoId) ids_ |= 1ull << vertices_[v].id;
  }
  for (Index& s : horizonStamp_) s = 0;
  if (dot(areaVector(vertices_[0], vertices_[1], vertices_[2]), vertices_[3].w - vertices_[0].w) > 0) std::swap(vertices_[1], vertices_[2]);
  setFace(0, 0, 1, 2);
  setFace(1, 0, 3, 1);
  setFace(2, 0, 2, 3);
  setFace(3, 1, 3, 2);
  link(0, 0, 1, 2);
  link(0, 1, 3, 2);
  link(0, 2, 2, 0);
  link(1, 0, 2, 2);
  link(1, 1, 3, 0);
  link(2, 1, 3, 1);
}

inline bool Polytope::holds(const Vertex& w) const {
  if (w.id != kNoId) return ids_ >> w.id & 1;
  for (int v = 0; v < vertexCount_; ++v)
    if (samePoint(vertices_[v].w, w.w)) return true;
  return false;
}

// The faces that w sees and that hang together with face, face first, and their border by start vertex. Returns the number
// of border edges, 0 when the border is not one simple loop.
inline int Polytope::collectSeen(int face, const Vec3& w, bool onlyFace) {
  seenCount_ = 1;
  seen_[0] = static_cast<Index>(face);
  stamp_[face] = round_;
  int edges = 0;
  bool simple = true;
  for (int i = 0; i < seenCount_; ++i) {
    const Face& f = faces_[seen_[i]];
    for (int k = 0; k < 3; ++k) {
      const Index g = f.neighbour[k];
      if (stamp_[g] == round_) continue;
      if (!onlyFace && sees(w, faces_[g])) {
        stamp_[g] = round_;
        seen_[seenCount_++] = g;
        continue;
      }
      const Index from = f.vertex[k];
      simple &= horizonStamp_[from] != round_;
      horizonStamp_[from] = round_;
      horizon_[from] = {f.vertex[k == 2 ? 0 : k + 1], g, f.neighbourEdge[k]};
      horizonStart_ = from;
      ++edges;
    }
  }
  return simple && isOneLoop(horizon_, horizonStamp_, round_, horizonStart_, edges, seenCount_) ? edges : 0;
}

inline bool Polytope::add(int face, const Vertex& w) {
  if (vertexCount_ == kMostVertices) return false;
  // Index has room for two rounds a vertex: the second where the region has to be given up.
  ++round_;
  int edges = collectSeen(face, w.w, false);
  if (edges == 0) {
    ++round_;
    edges = collectSeen(face, w.w, true);
  }
  const int apex = vertexCount_++;
  vertices_[apex] = w;
  if (w.id != kNoId) ids_ |= 1ull << w.id;
  horizonStamp_[apex] = static_cast<Index>(round_ - 1);
  for (int i = 0; i < seenCount_; ++i) {
    keys_[seen_[i]] = std::numeric_limits<double>::infinity();
    spare_[spareCount_++] = seen_[i];
  }
  int first = -1, last = -1, from = horizonStart_;
  for (int i = 0; i < edges; ++i) {
    const HorizonEdge e = horizon_[from];
    const int f = takeFace();
    setFace(f, from, e.to, apex);
    link(f, 0, e.face, e.edge);
    if (last >= 0) link(f, 2, last, 1);
    else first = f;
    last = f;
    from = e.to;
  }
  link(first, 2, last, 1);
  return true;
}

}  // namespace
}  // namespace sunder::math
