// SPDX-License-Identifier: MIT
// One face of a box clipped to a face of another: what lies between box_clip.cpp and box_manifold.cpp. Not installed.
#pragma once
#include <cstdint>

#include "sunder/narrowphase/box_pair_internal.h"

namespace sunder::detail {

struct ClipPoint {
  double x, y, z;  // along the sides of the reference face, and height above it
  std::uint32_t id;
};

// The reference face and the face that looks at it, in the frame of the reference face: x, y along its sides (axes p, q of
// the reference box), z outwards with 0 on the face.
struct FacePair {
  bool referenceIsB;
  int k, p, q;      // axes of the reference box: across, along the sides
  int up;           // 1: the reference face is on the positive side of k
  double hp, hq;    // half sides of the reference face
  int j, j1, j2;    // axes of the incident box: across; of e1, which runs more along x than e2 does
  int incidentUp;   // 1: the incident face is on the positive side of j
  int corner;       // vertex of the incident box at c + e1 + e2
  double c[3];      // centre of the incident face
  double e1[3], e2[3];  // from there to the middle of its sides; e1[0] >= 0, e2[1] >= 0
  double shortest;  // of the four half sides
  bool aligned;
};

static constexpr int kNext[5] = {0, 1, 2, 0, 1};  // kNext[k + 1], kNext[k + 2]: the other two axes, cyclic

static inline std::uint32_t vertexId(bool ofB, int vertex, int face) {
  return (ofB ? 0x20000u : 0x10000u) | static_cast<std::uint32_t>(vertex << 8 | face);
}
static inline std::uint32_t edgesId(int edgeA, int edgeB) { return 0x30000u | static_cast<std::uint32_t>(edgeA << 8 | edgeB); }

// The edge along `axis` that ends in the vertex.
static inline int edgeAt(int vertex, int axis) {
  return 4 * axis + (vertex >> kNext[axis + 1] & 1) + 2 * (vertex >> kNext[axis + 2] & 1);
}
static inline int faceIndex(int axis, int up) { return 2 * axis + up; }

static inline int referenceVertex(const FacePair& f, int sx, int sy) { return sx << f.p | sy << f.q | f.up << f.k; }
static inline int incidentVertex(const FacePair& f, int s1, int s2) { return f.corner ^ (1 - s1) << f.j1 ^ (1 - s2) << f.j2; }
static inline std::uint32_t referenceVertexId(const FacePair& f, int sx, int sy) {
  return vertexId(f.referenceIsB, referenceVertex(f, sx, sy), faceIndex(f.j, f.incidentUp));
}
static inline std::uint32_t incidentVertexId(const FacePair& f, int s1, int s2) {
  return vertexId(!f.referenceIsB, incidentVertex(f, s1, s2), faceIndex(f.k, f.up));
}
static inline std::uint32_t crossingId(const FacePair& f, int referenceEdge, int incidentEdge) {
  return f.referenceIsB ? edgesId(incidentEdge, referenceEdge) : edgesId(referenceEdge, incidentEdge);
}

FacePair makeFacePair(const BoxPair& pair, const BoxAxis& axis);

// Up to four corners of the patch where the incident face lies over the reference face, with z <= maxDistance.
int clipFaces(const FacePair& f, double maxDistance, ClipPoint out[4]);

// The deepest corner of the patch: of all of them, since the four that clipFaces keeps span the patch and may leave out a
// deeper one. One at deepEnough or below needs no further search. False when the faces do not lie over each other.
bool deepestPoint(const FacePair& f, double deepEnough, ClipPoint& out);

}  // namespace sunder::detail
