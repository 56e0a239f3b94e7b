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

void edgeManifold(const BoxPair& pair, const BoxAxis& axis, double lateral, ContactManifold& manifold) {
  const Witness w = closestOnEdges(pair, axis);
  const Vec3 normal = axisVector(pair, axis);
  onePoint(normal, w.onA, axis.separation, edgesId(w.edgeA, w.edgeB), manifold);
  if (math::length(w.onB - w.onA - axis.separation * normal) > lateral) manifold.pointCount = 0;
}

void closestManifold(const Closest& closest, ContactManifold& manifold) {
  onePoint(closest.normal, closest.onA, closest.distance, closest.featureId, manifold);
}

std::uint32_t nearestVertexId(bool ofB, int vertex) { return vertexId(ofB, vertex, 6); }
std::uint32_t edgePairId(int edgeA, int edgeB) { return edgesId(edgeA, edgeB); }

void witnessManifold(const BoxPair& pair, const BoxAxis& axis, ContactManifold& manifold) {
  if (axis.index >= 6) return edgeManifold(pair, axis, HUGE_VAL, manifold);
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
    if (edge.separation > -1e308 && edge.separation <= maxDistance) detail::edgeManifold(pair, edge, HUGE_VAL, manifold);
  }
  return manifold;
}

}  // namespace sunder
