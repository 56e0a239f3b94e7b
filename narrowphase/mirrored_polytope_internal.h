// SPDX-License-Identifier: MIT
// EPA's hull for boxes deep in each other. The difference A - B of two boxes is its own image in its centre -t, so each
// vertex is added together with its image, and of two faces that are images of one another one is stored: half of the
// faces, and each step of EPA moves both sides. See polytope_internal.h for what a closed surface proves. Not installed.
//
// Face f of the surface is record f / 2, or the image of that when f is odd. Vertex v ^ 1 is the image of v. The image
// turns the order of corners round, so an odd face has those of its record backwards: 2, 1, 0.
#pragma once
#include "sunder/narrowphase/polytope_internal.h"

namespace sunder::math {
namespace {  // internal linkage, as math_internal.h explains

class MirroredPolytope {
 public:
  // From the octahedron of a triangle of vertices and its image.
  MirroredPolytope(const Difference& difference, const Vertex triangle[3]);
  int nearestFace() const;
  // Replaces the faces that w sees, face among them, by a cone to w, and their images likewise. False when the storage is
  // full.
  bool add(int face, const Vertex& w);
  bool holds(const Vertex& w) const { return ids_ >> w.id & 1; }

  double key(int f) const { return keys_[f >> 1]; }
  bool measured(int f) const { return records_[f >> 1].measured; }
  void setMeasured(int f, double key);
  Vec3 normal(int f) const { return f & 1 ? -records_[f >> 1].normal : records_[f >> 1].normal; }
  double planeDistance(int f) const { return records_[f >> 1].distance[f & 1]; }
  int neighbour(int f, int edge) const { return records_[f >> 1].neighbour[recordEdge(f, edge)] ^ (f & 1); }
  int cornerIndex(int f, int k) const { return records_[f >> 1].vertex[f & 1 ? 2 - k : k] ^ (f & 1); }
  const Vertex& corner(int f, int k) const { return vertices_[cornerIndex(f, k)]; }
  int faceCount() const { return 2 * recordCount_; }  // with those that are not in use
  bool inUse(int f) const { return key(f) < std::numeric_limits<double>::infinity(); }

 private:
  using Index = std::uint8_t;
  // A pair of boxes has 64 vertex pairs; a closed triangulation has 2 V - 4 faces, half of them stored.
  static constexpr int kMostVertices = 64, kMostRecords = kMostVertices - 2;
  struct Record {
    Vec3 normal;         // unit, outwards; any for a sliver without a direction
    double distance[2];  // of the plane and of its image from the origin
    Index vertex[3], neighbour[3], neighbourEdge[3];  // across the edge vertex[k], vertex[k + 1], and its index in its record
    bool measured;                                    // key is that of the triangles, not of their planes
  };
  struct HorizonEdge {
    Index to, face, edge;  // the face on the other side, and the edge's index in its record
  };

  // Edge k of a face runs from its corner k to the next; which edge of its record that is.
  static int recordEdge(int f, int k) { return f & 1 ? (k == 2 ? 2 : 1 - k) : k; }
  bool sees(const Vec3& w, int f) const {
    const double along = dot(records_[f >> 1].normal, w);
    return (f & 1 ? -along : along) - planeDistance(f) > -tolerances::kRounding;
  }
  void addPair(const Vertex& w);
  void setFace(int record, int a, int b, int c);
  int collectSeen(int face, const Vec3& w, bool onlyFace);
  // Edge `edge` of the record's own face and edge `otherEdge` of the record of face f are one.
  void link(int record, int edge, int f, int otherEdge) {
    records_[record].neighbour[edge] = static_cast<Index>(f);
    records_[record].neighbourEdge[edge] = static_cast<Index>(otherEdge);
    records_[f >> 1].neighbour[otherEdge] = static_cast<Index>(2 * record + (f & 1));
    records_[f >> 1].neighbourEdge[otherEdge] = static_cast<Index>(edge);
  }

  const Difference& difference_;
  Vertex vertices_[kMostVertices];
  Record records_[kMostRecords];
  double keys_[kMostRecords];  // the smaller one of a face and its image; infinite: not in use
  Index spare_[kMostRecords], seen_[kMostRecords];
  Index stamp_[kMostRecords], stamped_[kMostRecords];  // == round_: the second, a face or its image, is in the region to replace
  HorizonEdge horizon_[kMostVertices];                 // by start vertex
  Index horizonStamp_[kMostVertices];                  // == round_: that vertex starts a horizon edge ...
  Index newRecord_[kMostVertices];                     // ... above which this one was put
  Index round_ = 1;
  std::uint64_t ids_ = 0;
  int vertexCount_ = 0, recordCount_ = 4, spareCount_ = 0, seenCount_ = 0, horizonStart_ = 0;
};

inline void MirroredPolytope::addPair(const Vertex& w) {
  vertices_[vertexCount_] = w;
  vertices_[vertexCount_ + 1] = boxVertex(difference_, w.id ^ 63);
  horizonStamp_[vertexCount_] = horizonStamp_[vertexCount_ + 1] = 0;
  ids_ |= 1ull << w.id | 1ull << (w.id ^ 63);
  vertexCount_ += 2;
}

inline void MirroredPolytope::setFace(int record, int a, int b, int c) {
  Record& r = records_[record];
  r.vertex[0] = static_cast<Index>(a);
  r.vertex[1] = static_cast<Index>(b);
  r.vertex[2] = static_cast<Index>(c);
  const Vec3 p = vertices_[a].w, n = cross(vertices_[b].w - p, vertices_[c].w - p);
  const double l = length(n);
  r.measured = false;
  if (l > tolerances::kRounding * tolerances::kRounding) {
    const double perLength = 1.0 / l;  // times the distance, not the distance of the unit normal: nothing waits for it as long
    r.normal = perLength * n;
    r.distance[0] = perLength * dot(n, p);
    r.distance[1] = r.distance[0] + 2 * perLength * dot(n, difference_.t);
    keys_[record] = r.distance[0] < r.distance[1] ? r.distance[0] : r.distance[1];
  } else {
    // A sliver goes with the first neighbour that is replaced; until then it is ranked by its edges.
    r.normal = {1, 0, 0};
    r.distance[0] = r.distance[1] = kNoPlane;
    double weight[3];
    setMeasured(2 * record, triangleDistance(*this, 2 * record, weight));
  }
}

inline MirroredPolytope::MirroredPolytope(const Difference& difference, const Vertex triangle[3]) : difference_(difference) {
  for (int k = 0; k < 3; ++k) addPair(triangle[k]);
  const Vec3 a = vertices_[0].w - vertices_[1].w, b = vertices_[2].w - vertices_[3].w, c = vertices_[4].w - vertices_[5].w;
  const int inwards = dot(cross(a, b), c) < 0 ? 1 : 0;
  // Record r has the image of the second corner where bit 0 is set, of the third where bit 1 is; the first is its own.
  const auto turned = [inwards](int r) { return inwards ^ (r & 1) ^ (r >> 1); };
  const auto edgeAcross = [&](int r, int corner) { return corner == 0 ? 1 : (corner == 1) == (turned(r) != 0) ? 0 : 2; };
  for (int r = 0; r < 4; ++r) {
    const int v1 = 2 + (r & 1), v2 = 4 + (r >> 1);
    setFace(r, 0, turned(r) ? v2 : v1, turned(r) ? v1 : v2);
    stamp_[r] = 0;
    link(r, edgeAcross(r, 1), 2 * (r ^ 1), edgeAcross(r ^ 1, 1));
    link(r, edgeAcross(r, 2), 2 * (r ^ 2), edgeAcross(r ^ 2, 2));
    link(r, edgeAcross(r, 0), 2 * (r ^ 3) + 1, edgeAcross(r ^ 3, 0));
  }
}

inline int MirroredPolytope::nearestFace() const {
  const int f = 2 * smallestKey(keys_, recordCount_);
  double weight[3];
  const bool image = measured(f) ? triangleDistance(*this, f + 1, weight) < triangleDistance(*this, f, weight)
                                 : planeDistance(f + 1) < planeDistance(f);
  return image ? f + 1 : f;
}

inline void MirroredPolytope::setMeasured(int f, double distance) {
  double weight[3];
  const double image = triangleDistance(*this, f ^ 1, weight);
  keys_[f >> 1] = distance < image ? distance : image;
  records_[f >> 1].measured = true;
}

// The faces that w sees and that hang together with face, and their border, as Polytope finds them. No face is taken
// together with its image.
inline int MirroredPolytope::collectSeen(int face, const Vec3& w, bool onlyFace) {
  seenCount_ = 1;
  seen_[0] = stamped_[face >> 1] = static_cast<Index>(face);
  stamp_[face >> 1] = round_;
  int edges = 0;
  bool simple = true;
  for (int i = 0; i < seenCount_; ++i) {
    const int f = seen_[i];
    for (int k = 0; k < 3; ++k) {
      const int g = neighbour(f, k);
      const bool known = stamp_[g >> 1] == round_;
      if (known && stamped_[g >> 1] == g) continue;
      if (!known && !onlyFace && sees(w, g)) {
        stamp_[g >> 1] = round_;
        seen_[seenCount_++] = stamped_[g >> 1] = static_cast<Index>(g);
        continue;
      }
      const int from = cornerIndex(f, k);
      simple &= horizonStamp_[from] != round_;
      horizonStamp_[from] = round_;
      horizon_[from] = {static_cast<Index>(cornerIndex(f, k == 2 ? 0 : k + 1)), static_cast<Index>(g),
                        records_[f >> 1].neighbourEdge[recordEdge(f, k)]};
      horizonStart_ = from;
      ++edges;
    }
  }
  return simple && isOneLoop(horizon_, horizonStamp_, round_, horizonStart_, edges, seenCount_) ? edges : 0;
}

inline bool MirroredPolytope::add(int face, const Vertex& w) {
  if (vertexCount_ == kMostVertices) return false;
  ++round_;
  int edges = collectSeen(face, w.w, false);
  if (edges == 0) {
    ++round_;
    edges = collectSeen(face, w.w, true);
  }
  const int apex = vertexCount_;
  addPair(w);
  for (int i = 0; i < seenCount_; ++i) {
    keys_[seen_[i] >> 1] = std::numeric_limits<double>::infinity();
    spare_[spareCount_++] = static_cast<Index>(seen_[i] >> 1);
  }
  std::uint64_t made = 0;  // start vertices of the edges that have their new face
  int first = -1, last = -1, from = horizonStart_;
  for (int i = 0; i < edges; ++i) {
    const HorizonEdge e = horizon_[from];
    if (spareCount_ == 0) stamp_[recordCount_] = 0;
    const int r = spareCount_ > 0 ? spare_[--spareCount_] : recordCount_++;
    setFace(r, from, e.to, apex);
    newRecord_[from] = static_cast<Index>(r);
    made |= 1ull << from;
    // Where the face on the other side is the image of one that goes, the image of the new face above that one's edge, which is
    // the image of this edge, comes in its place. The stamps are still those of the faces before.
    if (stamp_[e.face >> 1] != round_)
      link(r, 0, e.face, e.edge);
    else if (made >> (from ^ 1) & 1)
      link(r, 0, 2 * newRecord_[from ^ 1] + 1, 0);
    if (last >= 0) link(r, 2, 2 * last, 1);
    else first = r;
    last = r;
    from = e.to;
  }
  link(first, 2, 2 * last, 1);
  return true;
}

}  // namespace
}  // namespace sunder::math
