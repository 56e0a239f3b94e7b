// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/box_clip_internal.h"

#include "sunder/narrowphase/patch_reduction_internal.h"

namespace sunder::detail {

namespace {

// Sides of the two rectangles within this angle, times longest over shortest side, count as aligned. Inside it, each
// corner of the patch is the crossing of one side across and one side along, and the part of the patch beyond the four
// corners is narrower than 0.01 of the shortest side. Stacks, walls and pyramids live here, at 1e-9 to 1e-3.
constexpr double kAligned = 0.02;
// A corner of the patch within this part of the shortest half side of a vertex carries the vertex's id, though rounding or
// a small slide may have moved the crossing to another pair of sides: boxes of one size on top of each other have all
// four kinds of crossing in one place. Positions are not snapped, only ids, so the room costs nothing; it covers how far
// stacked boxes are off each other in practice (a centimetre or two per metre), and the ids change at its rim, not where
// aligned boxes live.
constexpr double kSameCorner = 0.05;
// A candidate this much deeper (of the shortest half side) than all points kept must be kept: the most a box can sink by
// the reduction.
constexpr double kDeeper = 1e-3;

// Patch of two aligned rectangles: its four corners, each the furthest point of the patch along the diagonal that points
// to it. Signs are turned so that every corner is the one at +x, +y. Returns false when the faces overlap by so narrow a
// strip that the far sides have a say.
bool clipAligned(const FacePair& f, ClipPoint out[4]) {
  const double marginX = 2 * std::fabs(f.e2[0]), marginY = 2 * std::fabs(f.e1[1]);
  const double width1 = f.hp + f.e1[0] - std::fabs(f.c[0]), width2 = f.hq + f.e2[1] - std::fabs(f.c[1]);
  if (width1 <= marginX || width2 <= marginY) return false;

  const double inverse = 1 / (f.e1[0] * f.e2[1] - f.e1[1] * f.e2[0]);
  const double slopeX = (f.e1[2] * f.e2[1] - f.e2[2] * f.e1[1]) * inverse;
  const double slopeY = (f.e1[0] * f.e2[2] - f.e2[0] * f.e1[2]) * inverse;
  const double riseY = f.e1[1] / f.e1[0], riseX = f.e2[0] / f.e2[1];
  const double near = kSameCorner * f.shortest;
  for (int corner = 0; corner < 4; ++corner) {
    // Counterclockwise, so that the points come in the order of the patch's outline.
    const int sx = corner == 0 || corner == 3, sy = corner < 2;
    const double signX = sx ? 1.0 : -1.0, signY = sy ? 1.0 : -1.0, both = signX * signY;
    const double vx = signX * f.c[0] + f.e1[0] + both * f.e2[0];
    const double vy = signY * f.c[1] + f.e2[1] + both * f.e1[1];
    const double yAtSide = vy + both * riseY * (f.hp - vx);  // of the incident side along x, where it meets x = hp
    const double xAtSide = vx + both * riseX * (f.hq - vy);
    // Four ways, told apart without branches: which one it is differs from corner to corner as noise has it.
    const bool incidentInside = (vx <= f.hp) & (vy <= f.hq);
    const bool referenceInside = !incidentInside & (f.hq <= yAtSide) & (f.hp <= xAtSide);
    const bool onSideX = !incidentInside & !referenceInside & (vx > f.hp) & (yAtSide <= f.hq);
    const double x = incidentInside ? vx : (referenceInside | onSideX) ? f.hp : xAtSide;
    const double y = incidentInside ? vy : onSideX ? yAtSide : f.hq;
    const bool atIncident = (std::fabs(x - vx) <= near) & (std::fabs(y - vy) <= near);
    const bool atReference = (f.hp - x <= near) & (f.hq - y <= near);
    ClipPoint& point = out[corner];
    point.x = signX * x;
    point.y = signY * y;
    point.z = f.c[2] + slopeX * (point.x - f.c[0]) + slopeY * (point.y - f.c[1]);
    // B's vertex first, whichever box has the reference face, so that the id does not depend on that. Names, unlike the
    // four ways above, hardly ever change: here branches are right.
    if (atIncident && !(atReference && f.referenceIsB)) {
      point.id = incidentVertexId(f, sx, sy);
    } else if (atReference) {
      point.id = referenceVertexId(f, sx, sy);
    } else {
      const int rv = referenceVertex(f, sx, sy), iv = incidentVertex(f, sx, sy);
      point.id = crossingId(f, edgeAt(rv, onSideX ? f.q : f.p), edgeAt(iv, onSideX ? f.j1 : f.j2));
    }
  }
  return true;
}

// Candidates of the general case. A point that falls on one already there (within rounding) is dropped: vertices come
// first.
struct Candidates {
  ClipPoint points[24];
  int count = 0;
  double same = 0;

  void add(double x, double y, double z, std::uint32_t id) {
    for (int i = 0; i < count; ++i)
      if (std::fabs(points[i].x - x) <= same && std::fabs(points[i].y - y) <= same) return;
    points[count++] = {x, y, z, id};
  }
};

// The part of start + s * along, s in [-1, 1], inside the reference rectangle, and the sides where it begins and ends:
// 0, 1: x = -hp, hp; 2, 3: y = -hq, hq; -1: at the end of the segment. (Liang and Barsky, ACM TOG 3(1), 1984.)
struct Span {
  double low = -1, high = 1;
  int lowSide = -1, highSide = -1;
};
bool clipSegment(const FacePair& f, const double start[3], const double along[3], const double inverse[2], double tolerance,
                 Span& span) {
  const double h[2] = {f.hp, f.hq};
  for (int d = 0; d < 2; ++d) {
    if (along[d] == 0) {
      if (std::fabs(start[d]) > h[d] + tolerance) return false;
      continue;
    }
    const double s0 = (-h[d] - start[d]) * inverse[d], s1 = (h[d] - start[d]) * inverse[d];
    const bool forward = along[d] > 0;
    const double in = forward ? s0 : s1, out = forward ? s1 : s0;
    if (in > span.low) {
      span.low = in;
      span.lowSide = 2 * d + (forward ? 0 : 1);
    }
    if (out < span.high) {
      span.high = out;
      span.highSide = 2 * d + (forward ? 1 : 0);
    }
  }
  return span.low <= span.high;
}

void addCrossing(const FacePair& f, const double start[3], const double along[3], double s, int side, int incidentEdge,
                 double maxDistance, Candidates& candidates) {
  const double z = start[2] + s * along[2];
  if (z > maxDistance) return;
  const int end = side & 1;
  const double x = side < 2 ? (end ? f.hp : -f.hp) : start[0] + s * along[0];
  const double y = side < 2 ? start[1] + s * along[1] : (end ? f.hq : -f.hq);
  const int rv = side < 2 ? referenceVertex(f, end, 0) : referenceVertex(f, 0, end);
  candidates.add(x, y, z, crossingId(f, edgeAt(rv, side < 2 ? f.q : f.p), incidentEdge));
}

// Corners of the intersection of the reference rectangle with the projected incident rectangle, however they lie: the
// vertices of each inside the other and the crossings of their sides.
void clipGeneral(const FacePair& f, double maxDistance, Candidates& candidates) {
  // Room for rounding, so that a vertex on a side is found by at least one of the tests below.
  const double reach = f.hp + f.hq + std::fabs(f.c[0]) + std::fabs(f.c[1]);
  const double tolerance = 0x1p-46 * reach;
  candidates.same = 0x1p-30 * f.shortest > 4 * tolerance ? 0x1p-30 * f.shortest : 4 * tolerance;

  int inside = 0;
  for (int v = 0; v < 4; ++v) {
    const double s1 = v & 1 ? 1.0 : -1.0, s2 = v & 2 ? 1.0 : -1.0;
    const double x = f.c[0] + s1 * f.e1[0] + s2 * f.e2[0], y = f.c[1] + s1 * f.e1[1] + s2 * f.e2[1];
    if (std::fabs(x) > f.hp + tolerance || std::fabs(y) > f.hq + tolerance) continue;
    ++inside;
    const double z = f.c[2] + s1 * f.e1[2] + s2 * f.e2[2];
    if (z <= maxDistance) candidates.add(x, y, z, incidentVertexId(f, v & 1, v >> 1));
  }
  if (inside == 4) return;  // the whole incident face is over the reference face

  inside = 0;
  const double inverse = 1 / (f.e1[0] * f.e2[1] - f.e1[1] * f.e2[0]);  // the incident face looks at us: not near 0
  for (int v = 0; v < 4; ++v) {
    const double x = (v & 1 ? f.hp : -f.hp), y = (v & 2 ? f.hq : -f.hq);
    const double dx = x - f.c[0], dy = y - f.c[1];
    const double a1 = (dx * f.e2[1] - dy * f.e2[0]) * inverse, a2 = (dy * f.e1[0] - dx * f.e1[1]) * inverse;
    if (std::fabs(a1) > 1 || std::fabs(a2) > 1) continue;
    ++inside;
    const double z = f.c[2] + a1 * f.e1[2] + a2 * f.e2[2];
    if (z <= maxDistance) candidates.add(x, y, z, referenceVertexId(f, v & 1, v >> 1));
  }
  if (inside == 4) return;

  const double inverse1[2] = {1 / f.e1[0], 1 / f.e1[1]}, inverse2[2] = {1 / f.e2[0], 1 / f.e2[1]};
  for (int side = 0; side < 4; ++side) {
    const bool alongFirst = side < 2;
    const int positive = side & 1;
    const double* along = alongFirst ? f.e1 : f.e2;
    const double* across = alongFirst ? f.e2 : f.e1;
    const double sign = positive ? 1.0 : -1.0;
    const double start[3] = {f.c[0] + sign * across[0], f.c[1] + sign * across[1], f.c[2] + sign * across[2]};
    Span span;
    if (!clipSegment(f, start, along, alongFirst ? inverse1 : inverse2, tolerance, span)) continue;
    const int edge = alongFirst ? edgeAt(incidentVertex(f, 0, positive), f.j1) : edgeAt(incidentVertex(f, positive, 0), f.j2);
    if (span.lowSide >= 0) addCrossing(f, start, along, span.low, span.lowSide, edge, maxDistance, candidates);
    if (span.highSide >= 0) addCrossing(f, start, along, span.high, span.highSide, edge, maxDistance, candidates);
  }
}

// Reduces to four points that span the patch. Returns how many.
int reduce(const Candidates& candidates, double shortest, ClipPoint out[4]) {
  const ClipPoint* points = candidates.points;
  const int count = candidates.count;
  if (count <= 4) {
    for (int i = 0; i < count; ++i) out[i] = points[i];
    return count;
  }
  double x[24], y[24], z[24];
  for (int i = 0; i < count; ++i) {
    x[i] = points[i].x;
    y[i] = points[i].y;
    z[i] = points[i].z;
  }
  int kept[4];
  const int keptCount = reducePatch(x, y, z, count, kDeeper * shortest, kept);
  for (int k = 0; k < keptCount; ++k) out[k] = points[kept[k]];
  return keptCount;
}

}  // namespace

FacePair makeFacePair(const BoxPair& pair, const BoxAxis& axis) {
  FacePair f;
  f.referenceIsB = axis.index >= 3;
  f.k = f.referenceIsB ? axis.index - 3 : axis.index;
  f.p = kNext[f.k + 1];
  f.q = kNext[f.k + 2];
  f.up = axis.negative == f.referenceIsB ? 1 : 0;  // the face of B that A touches looks against the normal
  const double sigma = f.up ? 1.0 : -1.0;
  const double* h = f.referenceIsB ? pair.hb : pair.ha;
  const double* hi = f.referenceIsB ? pair.ha : pair.hb;
  f.hp = h[f.p];
  f.hq = h[f.q];

  // Axes of the incident box in the frame of the reference face. The strides walk r by row or by column.
  const double* r = &pair.r[0][0];
  const int referenceStride = f.referenceIsB ? 1 : 3, incidentStride = f.referenceIsB ? 3 : 1;
  double g[3][3];
  for (int i = 0; i < 3; ++i) {
    const double* axisInReference = r + i * incidentStride;
    g[i][0] = axisInReference[f.p * referenceStride];
    g[i][1] = axisInReference[f.q * referenceStride];
    g[i][2] = sigma * axisInReference[f.k * referenceStride];
  }
  f.j = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(g[i][2]) > std::fabs(g[f.j][2])) f.j = i;
  f.incidentUp = g[f.j][2] < 0 ? 1 : 0;
  f.j1 = kNext[f.j + 1];
  f.j2 = kNext[f.j + 2];
  if (std::fabs(g[f.j1][0]) < std::fabs(g[f.j2][0])) {
    const int swap = f.j1;
    f.j1 = f.j2;
    f.j2 = swap;
  }
  const bool up1 = g[f.j1][0] >= 0, up2 = g[f.j2][1] >= 0;
  f.corner = int(up1) << f.j1 | int(up2) << f.j2 | f.incidentUp << f.j;
  const double s1 = up1 ? hi[f.j1] : -hi[f.j1], s2 = up2 ? hi[f.j2] : -hi[f.j2];
  const double s = f.incidentUp ? hi[f.j] : -hi[f.j];
  const double* centre = f.referenceIsB ? pair.u : pair.t;
  const double toward = f.referenceIsB ? -1.0 : 1.0;
  f.c[0] = toward * centre[f.p] + s * g[f.j][0];
  f.c[1] = toward * centre[f.q] + s * g[f.j][1];
  f.c[2] = (toward * sigma * centre[f.k] - h[f.k]) + s * g[f.j][2];
  for (int i = 0; i < 3; ++i) {
    f.e1[i] = s1 * g[f.j1][i];
    f.e2[i] = s2 * g[f.j2][i];
  }
  const double sides[4] = {f.hp, f.hq, hi[f.j1], hi[f.j2]};
  double longest = f.hp;
  f.shortest = f.hp;
  for (int i = 1; i < 4; ++i) {
    longest = sides[i] > longest ? sides[i] : longest;
    f.shortest = sides[i] < f.shortest ? sides[i] : f.shortest;
  }
  const double turn1 = std::fabs(g[f.j1][1]), turn2 = std::fabs(g[f.j2][0]);
  f.aligned = (turn1 > turn2 ? turn1 : turn2) * longest <= kAligned * f.shortest;
  return f;
}

int clipFaces(const FacePair& f, double maxDistance, ClipPoint out[4]) {
  if (f.aligned && clipAligned(f, out)) {
    int count = 0;
    for (int i = 0; i < 4; ++i)
      if (out[i].z <= maxDistance) out[count++] = out[i];
    return count;
  }
  Candidates candidates;
  clipGeneral(f, maxDistance, candidates);
  return reduce(candidates, f.shortest, out);
}

bool deepestPoint(const FacePair& f, double deepEnough, ClipPoint& out) {
  const auto deepest = [&out](const ClipPoint points[], int count) {
    out = points[0];
    for (int i = 1; i < count; ++i)
      if (points[i].z < out.z) out = points[i];
  };
  if (f.aligned) {
    ClipPoint corners[4];
    if (clipAligned(f, corners)) {
      deepest(corners, 4);
      if (out.z <= deepEnough) return true;
    }
  }
  Candidates candidates;
  clipGeneral(f, HUGE_VAL, candidates);
  if (candidates.count == 0) return false;
  deepest(candidates.points, candidates.count);
  return true;
}

}  // namespace sunder::detail
