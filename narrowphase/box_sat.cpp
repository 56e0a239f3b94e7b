// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/box_sat.h"

#include <limits>

#include "sunder/narrowphase/box_pair_internal.h"

namespace sunder::detail {

using math::Vec3;

namespace {

constexpr int kNext[5] = {0, 1, 2, 0, 1};

// Edges whose sine is below this are parallel to rounding: a rotation matrix in double is orthogonal to about 4e-16. An
// exactly parallel pair needs no cross product (the face axes of both boxes cover its zonotope), and turning the edges
// by 1e-15 moves a separation by less than 1e-15 of the extents, below the rounding of the separation itself.
constexpr double kParallelSineSquared = 1e-30;

// The cheap projection uses axis . b_j1 = r(i, j2), which holds up to the rounding of r, absolute 4e-16: relative to an
// axis of sine 1/8 that is 3e-15. Below it, only a separation that might win is computed again the exact way.
constexpr double kCheapSineSquared = 1.0 / 64;

Vec3 columnOfB(const BoxPair& p, int j) { return {p.r[0][j], p.r[1][j], p.r[2][j]}; }

}  // namespace

double centreAlong(const BoxPair& p, int index) {
  if (index < 3) return p.t[index];
  if (index < 6) return p.u[index - 3];
  const int i = (index - 6) / 3, j = (index - 6) % 3, i1 = kNext[i + 1], i2 = kNext[i + 2];
  return p.t[i2] * p.r[i1][j] - p.t[i1] * p.r[i2][j];
}

double edgeAxisLength(const BoxPair& p, int i, int j) {
  const double x = p.r[kNext[i + 1]][j], y = p.r[kNext[i + 2]][j];
  return std::sqrt(x * x + y * y);
}

double edgeSeparation(const BoxPair& p, int i, int j) {
  const int i1 = kNext[i + 1], i2 = kNext[i + 2], j1 = kNext[j + 1], j2 = kNext[j + 2];
  // The axis is -y along i1 and x along i2: exactly perpendicular to both edges as they are stored, so that whatever
  // rounding did to its direction, the projections below are right for the direction it has.
  const double x = p.r[i1][j], y = p.r[i2][j];
  const double square = x * x + y * y;
  if (square < kParallelSineSquared) return -std::numeric_limits<double>::infinity();
  const double distance = std::fabs(p.t[i2] * x - p.t[i1] * y);
  const double reachA = p.ha[i1] * std::fabs(y) + p.ha[i2] * std::fabs(x);
  const double reachB = p.hb[j1] * std::fabs(x * p.r[i2][j1] - y * p.r[i1][j1]) +
                        p.hb[j2] * std::fabs(x * p.r[i2][j2] - y * p.r[i1][j2]);
  return (distance - (reachA + reachB)) / std::sqrt(square);
}

BoxAxis bestFaceAxis(const BoxPair& p, double s[6]) {
  faceSeparations(p, s);
  BoxAxis best;
  best.index = 0;
  for (int k = 1; k < 6; ++k)
    if (s[k] > s[best.index]) best.index = k;
  best.separation = s[best.index];
  best.negative = centreAlong(p, best.index) < 0;
  return best;
}

BoxAxis bestEdgeAbove(const BoxPair& p, double floor) {
  BoxAxis best;
  best.separation = floor;
  const double slack = 0x1p-50 * (p.hb[0] + p.hb[1] + p.hb[2]);
  // s / sine > floor, compared as signed squares so that the loop needs no root and no division.
  double floorSquare = floor * std::fabs(floor);
  for (int i = 0; i < 3; ++i) {
    const int i1 = kNext[i + 1], i2 = kNext[i + 2];
    for (int j = 0; j < 3; ++j) {
      const int j1 = kNext[j + 1], j2 = kNext[j + 2];
      const double x = p.r[i1][j], y = p.r[i2][j];
      const double square = x * x + y * y;
      const double distance = std::fabs(p.t[i2] * x - p.t[i1] * y);
      const double reach = (p.ha[i1] * p.m[i2][j] + p.ha[i2] * p.m[i1][j]) + (p.hb[j1] * p.m[i][j2] + p.hb[j2] * p.m[i][j1]);
      const double s = (distance - reach) + (square < kCheapSineSquared ? slack : 0);
      if (s * std::fabs(s) > floorSquare * square) [[unlikely]] {
        const double exact = edgeSeparation(p, i, j);
        if (exact > best.separation) {
          best.separation = exact;
          best.index = 6 + 3 * i + j;
          floorSquare = exact * std::fabs(exact);
        }
      }
    }
  }
  if (best.index >= 0) best.negative = centreAlong(p, best.index) < 0;
  return best;
}

Vec3 axisVector(const BoxPair& p, const BoxAxis& axis) {
  const double sign = axis.negative ? -1.0 : 1.0;
  double v[3] = {0, 0, 0};
  if (axis.index < 3) {
    v[axis.index] = sign;
  } else if (axis.index < 6) {
    for (int k = 0; k < 3; ++k) v[k] = sign * p.r[k][axis.index - 3];
  } else {
    const int i = (axis.index - 6) / 3, j = (axis.index - 6) % 3, i1 = kNext[i + 1], i2 = kNext[i + 2];
    const double x = p.r[i1][j], y = p.r[i2][j];
    const double scale = sign / std::sqrt(x * x + y * y);
    v[i1] = -scale * y;
    v[i2] = scale * x;
  }
  return {v[0], v[1], v[2]};
}

Witness closestOnEdges(const BoxPair& p, const BoxAxis& axis) {
  const int i = (axis.index - 6) / 3, j = (axis.index - 6) % 3;
  const int i1 = kNext[i + 1], i2 = kNext[i + 2], j1 = kNext[j + 1], j2 = kNext[j + 2];
  const Vec3 n = axisVector(p, axis);
  double pa[3] = {0, 0, 0};
  const bool up1 = component(n, i1) >= 0, up2 = component(n, i2) >= 0;
  pa[i1] = up1 ? p.ha[i1] : -p.ha[i1];
  pa[i2] = up2 ? p.ha[i2] : -p.ha[i2];
  const Vec3 b = columnOfB(p, j), b1 = columnOfB(p, j1), b2 = columnOfB(p, j2);
  const bool upB1 = math::dot(n, b1) <= 0, upB2 = math::dot(n, b2) <= 0;
  const Vec3 pb = Vec3{p.t[0], p.t[1], p.t[2]} + (upB1 ? p.hb[j1] : -p.hb[j1]) * b1 + (upB2 ? p.hb[j2] : -p.hb[j2]) * b2;

  // Nearest points of the lines pa + x a_i and pb + y b_j. In the plane across the axis they cross where the offset along
  // axis x a_i vanishes; written with the components of the axis this keeps its digits when the edges are nearly parallel,
  // which the usual 1 - (a_i . b_j)^2 does not. Then clamped to the edges one after the other.
  const Vec3 w = pb - Vec3{pa[0], pa[1], pa[2]};
  const double c = p.r[i][j], x1 = p.r[i1][j], x2 = p.r[i2][j];
  const auto clamp = [](double v, double h) { return v < -h ? -h : v > h ? h : v; };
  double y = clamp(-(component(w, i1) * x1 + component(w, i2) * x2) / (x1 * x1 + x2 * x2), p.hb[j]);
  const double x = clamp(component(w, i) + c * y, p.ha[i]);
  if (x == p.ha[i] || x == -p.ha[i]) y = clamp(c * x - math::dot(w, b), p.hb[j]);
  pa[i] = x;
  return {{pa[0], pa[1], pa[2]}, pb + y * b, 4 * i + int(up1) + 2 * int(up2), 4 * j + int(upB1) + 2 * int(upB2)};
}

namespace {

// A vertex of one box (centre c and scaled axes e in the frame of the other box, half extents h) seen from the other.
struct Offset {
  Vec3 vertex, nearest, over;  // over = vertex - nearest
};
Offset vertexOffset(const double c[3], const double e[3][3], const double h[3], int vertex) {
  double v[3], over[3];
  for (int k = 0; k < 3; ++k) {
    v[k] = c[k] + (((vertex & 1) ? e[0][k] : -e[0][k]) + ((vertex & 2) ? e[1][k] : -e[1][k]) + ((vertex & 4) ? e[2][k] : -e[2][k]));
    const double out = std::fabs(v[k]) - h[k];
    over[k] = out > 0 ? (v[k] < 0 ? -out : out) : 0;
  }
  return {{v[0], v[1], v[2]}, {v[0] - over[0], v[1] - over[1], v[2] - over[2]}, {over[0], over[1], over[2]}};
}

// The vertex nearest to the other box, as sign bits. Returns its squared distance.
double nearestVertex(const double c[3], const double e[3][3], const double h[3], int& vertex) {
  double square[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    // The same sums in the same order as in vertexOffset.
    const double plus = e[0][k] + e[1][k], minus = e[0][k] - e[1][k];
    const double sums[8] = {-plus - e[2][k], minus - e[2][k], -minus - e[2][k], plus - e[2][k],
                            -plus + e[2][k], minus + e[2][k], -minus + e[2][k], plus + e[2][k]};
    for (int v = 0; v < 8; ++v) {
      const double out = std::fabs(c[k] + sums[v]) - h[k], over = out > 0 ? out : 0;
      square[v] += over * over;
    }
  }
  vertex = 0;
  for (int v = 1; v < 8; ++v) vertex = square[v] < square[vertex] ? v : vertex;
  return square[vertex];
}

}  // namespace

// The nearest points of two boxes are a vertex and a point of the other box, or inner points of two crossing edges. In the
// second case the direction is the cross product of the edges, and so the axis of the largest separation: if that is an
// edge axis, its two supporting edges; if it is the normal of a face (both edges then lie in faces that look at each
// other), the crossing is a corner of the clipped faces.
Closest closestApart(const BoxPair& p, const BoxAxis& bestFace, const BoxAxis& best, bool facesSeen) {
  double eb[3][3], ea[3][3], minusU[3];
  for (int j = 0; j < 3; ++j) {
    minusU[j] = -p.u[j];
    for (int k = 0; k < 3; ++k) {
      eb[j][k] = p.hb[j] * p.r[k][j];
      ea[j][k] = p.ha[j] * p.r[j][k];
    }
  }
  int vertexB = 0, vertexA = 0;
  const double squareB = nearestVertex(p.t, eb, p.ha, vertexB);
  const double squareA = nearestVertex(minusU, ea, p.hb, vertexA);
  Closest result{};
  if (squareB <= squareA) {
    const Offset o = vertexOffset(p.t, eb, p.ha, vertexB);
    result.distance = math::length(o.over);
    result.normal = (1 / result.distance) * o.over;
    result.onB = o.vertex;
    result.onA = o.nearest;
    result.featureId = nearestVertexId(true, vertexB);
  } else {
    const Offset o = vertexOffset(minusU, ea, p.hb, vertexA);
    result.distance = math::length(o.over);
    const Vec3 b0 = columnOfB(p, 0), b1 = columnOfB(p, 1), b2 = columnOfB(p, 2);
    const Vec3 over = o.over.x * b0 + o.over.y * b1 + o.over.z * b2;
    result.normal = (-1 / math::length(over)) * over;
    result.onA = {vertexA & 1 ? p.ha[0] : -p.ha[0], vertexA & 2 ? p.ha[1] : -p.ha[1], vertexA & 4 ? p.ha[2] : -p.ha[2]};
    result.onB = Vec3{p.t[0], p.t[1], p.t[2]} + o.nearest.x * b0 + o.nearest.y * b1 + o.nearest.z * b2;
    result.featureId = nearestVertexId(false, vertexA);
  }
  if (best.index >= 6) {
    const Witness w = closestOnEdges(p, best);
    const Vec3 n = axisVector(p, best);
    // Off the line along the axis the points are ends of edges, and one of the vertices above is the answer.
    const double lateral = math::length((w.onB - w.onA) - best.separation * n);
    if (best.separation <= result.distance && lateral <= 4 * roundingBound(p))
      result = {best.separation, n, w.onA, w.onB, edgePairId(w.edgeA, w.edgeB), true, best};
  }
  // Faces that look at each other are apart along their normal, and no nearer than that.
  if (facesSeen || bestFace.separation <= 0 || bestFace.separation >= result.distance) return result;
  ContactManifold faces;
  faceManifold(p, bestFace, result.distance, faces);
  for (int i = 0; i < faces.pointCount; ++i) {
    const ContactPoint& point = faces.points[i];
    if (point.separation < result.distance)
      result = {point.separation, math::load(faces.normal), math::load(point.pointOnA), math::load(point.pointOnB),
                point.featureId, true, bestFace};
  }
  return result;
}

}  // namespace sunder::detail

namespace sunder {

BoxSatResult boxSat(const Box& a, const Box& b, const Pose& poseBInA) {
  using namespace detail;
  using math::Vec3;
  BoxSatResult result;
  BoxPair p;
  if (!loadPair(a, b, poseBInA, p)) return result;
  finishPair(p);
  result.status = QueryStatus::Converged;
  double s[6];
  const BoxAxis face = bestFaceAxis(p, s);
  BoxAxis best = bestEdgeAbove(p, edgeFloor(p, face.separation));
  if (best.index < 0) best = face;
  result.axis = best;

  const double rounding = roundingBound(p);
  Vec3 normal = axisVector(p, best), onA, onB;
  double distance = best.separation;
  if (distance > rounding) {
    const Closest closest = closestApart(p, face, best, false);
    onA = closest.onA;
    onB = closest.onB;
    distance = closest.distance;
    normal = closest.normal;
  } else {
    // Touching to rounding, or overlapping: the distance is at most sqrt(3) times the largest separation, since the
    // nearest vertex of the difference sees one of the axes around it at no more than that slant.
    onA = penetrationWitness(p, best);
    onB = onA + distance * normal;
  }
  result.signedDistance = distance;
  result.lowerBound = distance - rounding;
  result.upperBound = distance + rounding;
  math::store(result.normal, normal);
  math::store(result.pointOnA, onA);
  math::store(result.pointOnB, onB);
  return result;
}

}  // namespace sunder
