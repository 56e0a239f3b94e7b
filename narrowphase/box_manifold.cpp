// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/box_manifold.h"

#include "sunder/narrowphase/box_clip_internal.h"

namespace sunder::detail {

using math::Vec3;

namespace {

// Back from the frame of the reference face to the frame of A.
void emit(const BoxPair& pair, const FacePair& f, const Vec3& normal, const ClipPoint& point, ContactPoint& out) {
  const double hk = f.referenceIsB ? pair.hb[f.k] : pair.ha[f.k];
  const double height = f.up ? hk : -hk;
  double onReference[3];
  if (f.referenceIsB) {
    for (int i = 0; i < 3; ++i)
      onReference[i] = pair.t[i] + (point.x * pair.r[i][f.p] + point.y * pair.r[i][f.q] + height * pair.r[i][f.k]);
  } else {
    onReference[f.p] = point.x;
    onReference[f.q] = point.y;
    onReference[f.k] = height;
  }
  const Vec3 reference = {onReference[0], onReference[1], onReference[2]};
  // The normal points away from a reference face of A and into one of B.
  const Vec3 onA = f.referenceIsB ? reference - point.z * normal : reference;
  const Vec3 onB = f.referenceIsB ? reference : reference + point.z * normal;
  math::store(out.pointOnA, onA);
  math::store(out.pointOnB, onB);
  out.separation = point.z;
  out.featureId = point.id;
}

void onePoint(const Vec3& normal, const Vec3& onA, double separation, std::uint32_t id, ContactManifold& manifold) {
  math::store(manifold.normal, normal);
  manifold.pointCount = 1;
  ContactPoint& point = manifold.points[0];
  math::store(point.pointOnA, onA);
  math::store(point.pointOnB, onA + separation * normal);
  point.separation = separation;
  point.featureId = id;
}

// A box and its edge of the pair that makes a manifold, in the frame of A.
struct EdgeSide {
  const double* half;
  Vec3 axes[3];
  Vec3 center;
  Vec3 witness;  // on the edge
  int axis, edge;  // as in Witness
  bool isB;
};

// Edges deeper in each other than this share of the smallest half extent get no second point: boxes that were put inside each other
// turn out of each other about the one.
constexpr double kDeepEdges = 0.5;
// Nearer than this share of the pair's smallest half extent to the crossing of two edges, another point adds nothing.
constexpr double kNearCrossing = 1e-3;

// The edge of `walker` runs over a face of `stayer`, in at the stayer's edge, which it crosses. Adds the point where it leaves the
// face again, or ends: the next place to touch when the boxes turn about the crossing. `out` is the normal, out of the stayer.
void addExit(const EdgeSide& walker, const EdgeSide& stayer, const Vec3& out, double least, double maxDistance,
             ContactManifold& manifold) {
  const int f = stayer.axis, f1 = kNext[f + 1], f2 = kNext[f + 2];
  const bool isFirst = std::fabs(math::dot(out, stayer.axes[f1])) > std::fabs(math::dot(out, stayer.axes[f2]));
  const int k = isFirst ? f1 : f2, p = isFirst ? f2 : f1;  // axes of the stayer: across the face, from its edge inwards
  const bool upK = (stayer.edge >> (isFirst ? 0 : 1) & 1) != 0, upP = (stayer.edge >> (isFirst ? 1 : 0) & 1) != 0;
  // By which the separation grows along the edge; what is left of the edge is its projection onto the face.
  const Vec3& along = walker.axes[walker.axis];
  const double growth = math::dot(along, stayer.axes[k]) / math::dot(out, stayer.axes[k]);
  const Vec3 flat = along - growth * out;
  const double inwards = math::dot(flat, stayer.axes[p]), sideways = math::dot(flat, stayer.axes[f]);
  const double way = (inwards > 0) == upP ? -1 : 1;
  double walk = walker.half[walker.axis] - way * math::dot(walker.witness - walker.center, along);
  int end = -1;  // the axis of the stayer at whose side the face ends; -1: the edge ends first
  if (std::fabs(inwards) * walk > 2 * stayer.half[p]) {
    walk = 2 * stayer.half[p] / std::fabs(inwards);
    end = p;
  }
  const double slope = way * sideways, place = math::dot(stayer.witness - stayer.center, stayer.axes[f]);
  const double room = stayer.half[f] - (slope > 0 ? place : -place);
  if (std::fabs(slope) * walk > room) {
    walk = room / std::fabs(slope);
    end = f;
  }
  const double separation = manifold.points[0].separation + way * walk * growth;
  if (!(separation <= maxDistance) || walk < kNearCrossing * least) return;
  const Vec3 onWalker = walker.witness + (way * walk) * along, onStayer = onWalker - separation * out;
  ContactPoint& point = manifold.points[manifold.pointCount++];
  math::store(point.pointOnA, walker.isB ? onStayer : onWalker);
  math::store(point.pointOnB, walker.isB ? onWalker : onStayer);
  point.separation = separation;
  if (end < 0) {
    const int e = walker.axis, vertex = (way > 0) << e | (walker.edge & 1) << kNext[e + 1] | (walker.edge >> 1) % 2 << kNext[e + 2];
    point.featureId = vertexId(walker.isB, vertex, faceIndex(k, upK));
    return;
  }
  const int left = end == p ? edgeAt(upK << k | !upP << p, f) : edgeAt(upK << k | (slope > 0) << f, p);
  point.featureId = walker.isB ? edgesId(left, walker.edge) : edgesId(walker.edge, left);
}

}  // namespace

void faceManifold(const BoxPair& pair, const BoxAxis& axis, double maxDistance, ContactManifold& manifold) {
  const FacePair f = makeFacePair(pair, axis);
  const Vec3 normal = axisVector(pair, axis);
  math::store(manifold.normal, normal);
  ClipPoint points[4];
  const int count = clipFaces(f, maxDistance, points);
  for (int i = 0; i < count; ++i) emit(pair, f, normal, points[i], manifold.points[i]);
  manifold.pointCount = count;
}

void edgeManifold(const BoxPair& pair, const BoxAxis& axis, double lateral, double maxDistance, ContactManifold& manifold) {
  const Witness w = closestOnEdges(pair, axis);
  const Vec3 normal = axisVector(pair, axis);
  onePoint(normal, w.onA, axis.separation, edgesId(w.edgeA, w.edgeB), manifold);
  if (math::length(w.onB - w.onA - axis.separation * normal) > lateral) manifold.pointCount = 0;
  const double least = smallestHalfExtent(pair);
  if (manifold.pointCount == 0 || axis.separation > maxDistance || axis.separation < -kDeepEdges * least) return;
  const double(&r)[3][3] = pair.r;
  const EdgeSide a = {pair.ha, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}, w.onA, (axis.index - 6) / 3, w.edgeA, false};
  const EdgeSide b = {pair.hb,
                      {{r[0][0], r[1][0], r[2][0]}, {r[0][1], r[1][1], r[2][1]}, {r[0][2], r[1][2], r[2][2]}},
                      {pair.t[0], pair.t[1], pair.t[2]}, w.onB, (axis.index - 6) % 3, w.edgeB, true};
  addExit(a, b, -normal, least, maxDistance, manifold);
  addExit(b, a, normal, least, maxDistance, manifold);
}

void closestManifold(const Closest& closest, ContactManifold& manifold) {
  onePoint(closest.normal, closest.onA, closest.distance, closest.featureId, manifold);
}

std::uint32_t nearestVertexId(bool ofB, int vertex) { return vertexId(ofB, vertex, 6); }
std::uint32_t edgePairId(int edgeA, int edgeB) { return edgesId(edgeA, edgeB); }

void witnessManifold(const BoxPair& pair, const BoxAxis& axis, ContactManifold& manifold) {
  if (axis.index >= 6) return edgeManifold(pair, axis, HUGE_VAL, -HUGE_VAL, manifold);  // without exits
  const FacePair f = makeFacePair(pair, axis);
  math::store(manifold.normal, axisVector(pair, axis));
  manifold.pointCount = 1;
  ClipPoint point;
  if (deepestPoint(f, axis.separation + roundingBound(pair), point)) {
    emit(pair, f, math::load(manifold.normal), point, manifold.points[0]);
    return;
  }
  // The faces touch along a side only, and rounding took that away: the supporting vertex, moved onto the face.
  const int s1 = f.e1[2] < 0, s2 = f.e2[2] < 0;
  const auto clamp = [](double v, double h) { return v < -h ? -h : v > h ? h : v; };
  point.x = clamp(f.c[0] + (s1 ? 1.0 : -1.0) * f.e1[0] + (s2 ? 1.0 : -1.0) * f.e2[0], f.hp);
  point.y = clamp(f.c[1] + (s1 ? 1.0 : -1.0) * f.e1[1] + (s2 ? 1.0 : -1.0) * f.e2[1], f.hq);
  point.z = axis.separation;
  point.id = incidentVertexId(f, s1, s2);
  emit(pair, f, math::load(manifold.normal), point, manifold.points[0]);
}

Vec3 penetrationWitness(const BoxPair& pair, const BoxAxis& axis) {
  ContactManifold manifold;
  witnessManifold(pair, axis, manifold);
  return math::load(manifold.points[0].pointOnA);
}

}  // namespace sunder::detail

namespace sunder {

std::uint32_t encodeBoxFeature(const BoxFeature& feature) {
  return static_cast<std::uint32_t>(feature.kind) << 16 | static_cast<std::uint32_t>(feature.first) << 8 | feature.second;
}

BoxFeature decodeBoxFeature(std::uint32_t featureId) {
  const std::uint32_t kind = featureId >> 16;
  if (kind < 1 || kind > 3) return {};
  return {static_cast<BoxFeatureKind>(kind), static_cast<std::uint8_t>(featureId >> 8), static_cast<std::uint8_t>(featureId)};
}

ContactManifold boxAxisManifold(const Box& a, const Box& b, const Pose& poseBInA, const BoxAxis& axis, double maxDistance) {
  ContactManifold manifold;
  detail::BoxPair pair;
  if (axis.index < 0 || axis.index > 14 || !detail::loadPair(a, b, poseBInA, pair)) return manifold;
  detail::finishPair(pair);
  if (axis.index < 6) {
    detail::faceManifold(pair, axis, maxDistance, manifold);
  } else {
    BoxAxis edge = axis;
    edge.separation = detail::edgeSeparation(pair, (axis.index - 6) / 3, (axis.index - 6) % 3);
    if (edge.separation > -1e308 && edge.separation <= maxDistance) detail::edgeManifold(pair, edge, HUGE_VAL, maxDistance, manifold);
  }
  return manifold;
}

}  // namespace sunder
