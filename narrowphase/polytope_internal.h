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

#include "sunder/narrowphase/support_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder::math {

template <class Index>
struct PolytopeFace {
  Vec3 normal;      // unit, outwards; zero for a sliver without a direction
  double distance;  // of the face's plane from the origin
  Index vertex[3];
  Index neighbour[3];             // across the edge vertex[k], vertex[k + 1]
  std::uint8_t neighbourEdge[3];  // that edge's index there
  bool measured;                  // key is the distance of the triangle, not of its plane
};

// Index holds twice the vertices.
template <int kMostVertices, class Index>
class Polytope {
 public:
  using Face = PolytopeFace<Index>;
  // Starts from a tetrahedron (vertices given in any orientation).
  void start(const Vertex& a, const Vertex& b, const Vertex& c, const Vertex& d);
  // The face with the smallest key; -1 when every key is infinite.
  int nearestFace() const;
  // Replaces the faces that w sees, face among them, by a cone to w. False when the storage is full.
  bool add(int face, const Vertex& w);
  bool holds(const Vec3& w) const;
  int vertexCount() const { return vertexCount_; }
  int faceCount() const { return faceCount_; }
  bool inUse(int f) const { return keys_[f] < std::numeric_limits<double>::infinity(); }
  // Distance of the origin from the triangle, and the nearest point's weights on its vertices.
  double triangleDistance(int face, double weight[3]) const;

  const Face& face(int f) const { return faces_[f]; }
  const Vertex& vertex(int v) const { return vertices_[v]; }
  double key(int f) const { return keys_[f]; }
  void setMeasured(int f, double key) {
    keys_[f] = key;
    faces_[f].measured = true;
  }

 private:
  static constexpr int kMostFaces = 2 * kMostVertices;  // a closed triangulation has 2 V - 4
  struct HorizonEdge {
    Index to, face;
    std::uint8_t edge;
  };

  int takeFace() { return spareCount_ > 0 ? spare_[--spareCount_] : faceCount_++; }
  void setFace(int f, int a, int b, int c);
  void link(int f, int edge, int g, int otherEdge) {
    faces_[f].neighbour[edge] = static_cast<Index>(g);
    faces_[f].neighbourEdge[edge] = static_cast<std::uint8_t>(otherEdge);
    faces_[g].neighbour[otherEdge] = static_cast<Index>(f);
    faces_[g].neighbourEdge[otherEdge] = static_cast<std::uint8_t>(edge);
  }
  bool sees(const Vec3& w, const Face& f) const {
    return f.distance == kNoPlane || dot(f.normal, w) - f.distance > -tolerances::kRounding;
  }
  int collectSeen(int face, const Vec3& w);
  int collectHorizon(int seenCount);

  static constexpr double kNoPlane = std::numeric_limits<double>::max();

  Vertex vertices_[kMostVertices];
  Face faces_[kMostFaces];
  double keys_[kMostFaces];  // infinite: face not in use
  Index spare_[kMostFaces], seen_[kMostFaces];
  Index stamp_[kMostFaces];  // == round_: in the region being replaced
  HorizonEdge horizon_[kMostVertices];        // by start vertex
  Index horizonStamp_[kMostVertices];  // == round_: that vertex starts a horizon edge
  Index round_;
  int vertexCount_, faceCount_, spareCount_, horizonStart_;
};

template <int kMostVertices, class Index>
inline void Polytope<kMostVertices, Index>::setFace(int f, int a, int b, int c) {
  Face& face = faces_[f];
  face.vertex[0] = static_cast<Index>(a);
  face.vertex[1] = static_cast<Index>(b);
  face.vertex[2] = static_cast<Index>(c);
  const Vec3 p = vertices_[a].w, n = cross(vertices_[b].w - p, vertices_[c].w - p);
  const double length = math::length(n);
  stamp_[f] = static_cast<Index>(round_ - 1);
  face.measured = false;
  if (length > tolerances::kRounding * tolerances::kRounding) {
    face.normal = (1.0 / length) * n;
    face.distance = dot(face.normal, p);
    keys_[f] = face.distance;
  } else {
    // A sliver goes with the first neighbour that is replaced; until then it is ranked by its edges.
    face.normal = {0, 0, 0};
    face.distance = kNoPlane;
    double weight[3];
    keys_[f] = triangleDistance(f, weight);
    face.measured = true;
  }
}

template <int kMostVertices, class Index>
inline void Polytope<kMostVertices, Index>::start(const Vertex& a, const Vertex& b, const Vertex& c, const Vertex& d) {
  vertices_[0] = a;
  vertices_[1] = b;
  vertices_[2] = c;
  vertices_[3] = d;
  vertexCount_ = faceCount_ = 4;
  spareCount_ = 0;
  round_ = 1;
  for (Index& s : horizonStamp_) s = 0;
  if (dot(cross(b.w - a.w, c.w - a.w), d.w - a.w) > 0) std::swap(vertices_[1], vertices_[2]);
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

template <int kMostVertices, class Index>
inline int Polytope<kMostVertices, Index>::nearestFace() const {
  int best = 0;
  for (int f = 1; f < faceCount_; ++f)
    if (keys_[f] < keys_[best]) best = f;
  return keys_[best] < std::numeric_limits<double>::infinity() ? best : -1;
}

template <int kMostVertices, class Index>
inline bool Polytope<kMostVertices, Index>::holds(const Vec3& w) const {
  for (int v = 0; v < vertexCount_; ++v)
    if (samePoint(vertices_[v].w, w)) return true;
  return false;
}

// The faces that w sees and that hang together with face, face first.
template <int kMostVertices, class Index>
inline int Polytope<kMostVertices, Index>::collectSeen(int face, const Vec3& w) {
  int count = 1;
  seen_[0] = static_cast<Index>(face);
  stamp_[face] = round_;
  for (int i = 0; i < count; ++i) {
    const Face& f = faces_[seen_[i]];
    for (int k = 0; k < 3; ++k) {
      const int g = f.neighbour[k];
      if (stamp_[g] == round_ || !sees(w, faces_[g])) continue;
      stamp_[g] = round_;
      seen_[count++] = static_cast<Index>(g);
    }
  }
  return count;
}

// The border of the seen faces as a loop, by start vertex. 0 when it is not one simple loop.
template <int kMostVertices, class Index>
inline int Polytope<kMostVertices, Index>::collectHorizon(int seenCount) {
  int count = 0;
  for (int i = 0; i < seenCount; ++i) {
    const Face& f = faces_[seen_[i]];
    for (int k = 0; k < 3; ++k) {
      const int g = f.neighbour[k];
      if (stamp_[g] == round_) continue;
      const int from = f.vertex[k];
      if (horizonStamp_[from] == round_) return 0;
      horizonStamp_[from] = round_;
      horizon_[from] = {f.vertex[k == 2 ? 0 : k + 1], static_cast<Index>(g), f.neighbourEdge[k]};
      horizonStart_ = from;
      ++count;
    }
  }
  int length = 0;
  for (int v = horizonStart_; length < count;) {
    if (horizonStamp_[v] != round_) return 0;
    v = horizon_[v].to;
    ++length;
    if (v == horizonStart_) break;
  }
  return length == count && count >= 3 ? count : 0;
}

template <int kMostVertices, class Index>
inline bool Polytope<kMostVertices, Index>::add(int face, const Vertex& w) {
  if (vertexCount_ == kMostVertices) return false;
  // Index has room for two rounds a vertex: the second where the region has to be given up.
  ++round_;
  int seenCount = collectSeen(face, w.w);
  int edges = collectHorizon(seenCount);
  if (edges == 0) {
    ++round_;
    seen_[0] = static_cast<Index>(face);
    stamp_[face] = round_;
    seenCount = 1;
    edges = collectHorizon(1);
  }
  const int apex = vertexCount_++;
  vertices_[apex] = w;
  horizonStamp_[apex] = static_cast<Index>(round_ - 1);
  for (int i = 0; i < seenCount; ++i) {
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

// The origin's nearest point on the triangle: on the plane where it falls inside, else on the nearest edge.
template <int kMostVertices, class Index>
inline double Polytope<kMostVertices, Index>::triangleDistance(int f, double weight[3]) const {
  const Face& face = faces_[f];
  const Vec3 p[3] = {vertices_[face.vertex[0]].w, vertices_[face.vertex[1]].w, vertices_[face.vertex[2]].w};
  if (face.distance != kNoPlane) {
    double area[3];
    for (int k = 0; k < 3; ++k) area[k] = dot(face.normal, cross(p[(k + 1) % 3], p[(k + 2) % 3]));
    const double sum = area[0] + area[1] + area[2];
    // A point outside by this share of the triangle's height is inside to rounding.
    const double outside = -1e-9 * sum;
    if (sum > 0 && area[0] >= outside && area[1] >= outside && area[2] >= outside) {
      for (int k = 0; k < 3; ++k) weight[k] = area[k] / sum;
      return std::abs(face.distance);
    }
  }
  double best = -1;
  for (int k = 0; k < 3; ++k) {
    const int next = k == 2 ? 0 : k + 1;
    const Vec3 e = p[next] - p[k];
    const double along = -dot(p[k], e), ee = dot(e, e);
    double share = 0;
    if (along > 0) share = along >= ee ? 1 : along / ee;
    const Vec3 v = p[k] + share * e;
    const double vv = dot(v, v);
    if (best >= 0 && vv >= best) continue;
    best = vv;
    weight[0] = weight[1] = weight[2] = 0;
    weight[k] = 1 - share;
    weight[next] = share;
  }
  return std::sqrt(best);
}

}  // namespace sunder::math
