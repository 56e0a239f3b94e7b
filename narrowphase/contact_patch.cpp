// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/contact_patch_internal.h"

#include "sunder/narrowphase/patch_reduction_internal.h"
#include "sunder/narrowphase/support_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder::detail {

using math::Vec3;

namespace {

// Of the patch's size: nearer points are one, and a point off a side by less is on it.
constexpr double kSame = 1e-9;
// Of the patch's size: the closest points join the corners of the patch where no corner comes as near as this to them.
constexpr double kWitness = 1e-6;
// Of the patch's size: of more than four points, one this much deeper than those that span the patch is kept. Less would let
// the choice follow the jitter of a stack.
constexpr double kDeeper = 1e-3;

// Of faces that look along the normal equally well to this (a cosine), the first one is taken: a tie must not be broken by
// rounding.
constexpr double kTie = 1e-9;

enum class Made : std::uint32_t { Otherwise, VertexOfA, VertexOfB, Edges };
std::uint32_t idOf(Made made, int ofA, int ofB) {
  return static_cast<std::uint32_t>(made) << 30 | static_cast<std::uint32_t>(ofA) << 15 | static_cast<std::uint32_t>(ofB);
}

// The basis must not jump where normals are in practice, along an axis of A to rounding: not the axis least along n, which
// is noise there.
void perpendiculars(const Vec3& n, Vec3& ex, Vec3& ey) {
  ex = cross(n, std::abs(n.x) < 0.8 ? Vec3{1, 0, 0} : Vec3{0, 1, 0});
  ex = (1 / length(ex)) * ex;
  ey = cross(n, ex);
}

// A feature seen along the normal: its outline, and how high its surface lies over each place.
struct Outline {
  const Feature* feature;
  int count;
  double x[kMostCorners], y[kMostCorners];
  double base, slopeX, slopeY;  // height at corner 0, and its change along x and y
  double turn;                  // 1: counterclockwise, -1: clockwise
  double size;                  // furthest corner from corner 0

  Outline(const Feature& f, const Vec3& n, const Vec3& ex, const Vec3& ey) : feature(&f), count(f.count), size(0) {
    for (int k = 0; k < count; ++k) {
      x[k] = dot(ex, f.corner[k]);
      y[k] = dot(ey, f.corner[k]);
      const double away = std::sqrt((x[k] - x[0]) * (x[k] - x[0]) + (y[k] - y[0]) * (y[k] - y[0]));
      size = away > size ? away : size;
    }
    base = dot(n, f.corner[0]);
    slopeX = slopeY = 0;
    turn = 1;
    if (count == 2) {
      const double dx = x[1] - x[0], dy = y[1] - y[0], rise = dot(n, f.corner[1]) - base;
      const double square = dx * dx + dy * dy;
      slopeX = square > 0 ? rise * (dx / square) : 0;
      slopeY = square > 0 ? rise * (dy / square) : 0;
    } else if (count > 2) {
      const double along = dot(n, f.normal);
      slopeX = -dot(ex, f.normal) / along;
      slopeY = -dot(ey, f.normal) / along;
      turn = along > 0 ? 1 : -1;
    }
  }
  double height(double px, double py) const { return base + slopeX * (px - x[0]) + slopeY * (py - y[0]); }
  int next(int k) const { return k + 1 == count ? 0 : k + 1; }
  int sides() const { return count == 2 ? 1 : count; }

  bool holds(double px, double py, double tolerance) const {
    for (int k = 0; k < sides(); ++k) {
      const double dx = x[next(k)] - x[k], dy = y[next(k)] - y[k], l = std::sqrt(dx * dx + dy * dy);
      const double off = turn * (dx * (py - y[k]) - dy * (px - x[k]));  // l times the distance on the inner side
      if (count > 2 ? off < -tolerance * l : std::abs(off) > tolerance * l) return false;
      if (count == 2) {
        const double along = dx * (px - x[0]) + dy * (py - y[0]);
        if (along < -tolerance * l || along > (l + tolerance) * l) return false;
      }
    }
    return true;
  }
  // The corner nearer than `near`, -1: none; and how near it is.
  int cornerAt(double px, double py, double near, double& off) const {
    for (int k = 0; k < count; ++k) {
      off = std::sqrt((px - x[k]) * (px - x[k]) + (py - y[k]) * (py - y[k]));
      if (off <= near) return k;
    }
    return -1;
  }
  double shortestSide() const {
    double least = HUGE_VAL;
    for (int k = 0; k < sides(); ++k) {
      const double dx = x[next(k)] - x[k], dy = y[next(k)] - y[k], l = std::sqrt(dx * dx + dy * dy);
      least = l < least ? l : least;
    }
    return least;
  }
};

// Corners of the common patch as they are found. One place has one point, and one id as well: the one nearest to the corner
// that gave the name, since crossings of nearly parallel sides wander. Should the deepest be lost so, the witness is added.
struct Candidates {
  static constexpr int kMost = 4 * kMostCorners + 1;
  PatchPoint points[kMost];
  double x[kMost], y[kMost], z[kMost], off[kMost];  // off: how far from that corner
  int count = 0;
  double same = 0, maxDistance = 0;

  void add(double px, double py, const PatchPoint& p, double fromCorner = 0) {
    if (!(p.separation <= maxDistance)) return;
    for (int i = 0; i < count; ++i) {
      const bool sameName = p.id == points[i].id;
      if (!sameName && !(std::abs(x[i] - px) <= same && std::abs(y[i] - py) <= same)) continue;
      if (sameName && fromCorner < off[i]) put(i, px, py, p, fromCorner);
      return;
    }
    if (count < kMost) put(count++, px, py, p, fromCorner);
  }
  // The order in which they were found changes with rounding, and the reduction leaves ties to the order. Vertices come
  // before crossings, which wander along nearly parallel sides.
  void sortById() {
    for (int i = 1; i < count; ++i) {
      const PatchPoint p = points[i];
      const double px = x[i], py = y[i], fromCorner = off[i];
      int k = i;
      for (; k > 0 && points[k - 1].id > p.id; --k) put(k, x[k - 1], y[k - 1], points[k - 1], off[k - 1]);
      put(k, px, py, p, fromCorner);
    }
  }
  void put(int i, double px, double py, const PatchPoint& p, double fromCorner) {
    points[i] = p;
    off[i] = fromCorner;
    x[i] = px;
    y[i] = py;
    z[i] = p.separation;
  }
};

void addCorners(const Outline& of, const Outline& over, bool ofB, double near, const Vec3& n, Candidates& candidates) {
  for (int k = 0; k < of.count; ++k) {
    const double x = of.x[k], y = of.y[k];
    if (!over.holds(x, y, candidates.same)) continue;
    const double separation = (ofB ? 1.0 : -1.0) * (dot(n, of.feature->corner[k]) - over.height(x, y));
    const Vec3 corner = of.feature->corner[k];
    if (ofB) {
      candidates.add(x, y, {corner - separation * n, corner, separation, idOf(Made::VertexOfB, over.feature->face, of.feature->vertex[k])});
      continue;
    }
    // B's corner first, so that two of one size on top of each other do not change names with rounding.
    double off = 0;
    const int atB = over.cornerAt(x, y, near, off);
    const std::uint32_t id = atB >= 0 ? idOf(Made::VertexOfB, of.feature->face, over.feature->vertex[atB])
                                      : idOf(Made::VertexOfA, of.feature->vertex[k], over.feature->face);
    candidates.add(x, y, {corner, corner + separation * n, separation, id}, atB >= 0 ? off : 0);
  }
}

void addCrossings(const Outline& a, const Outline& b, double near, const Vec3& n, const Vec3& ex, const Vec3& ey,
                  Candidates& candidates) {
  for (int i = 0; i < a.sides(); ++i)
    for (int j = 0; j < b.sides(); ++j) {
      const double ax = a.x[a.next(i)] - a.x[i], ay = a.y[a.next(i)] - a.y[i];
      const double bx = b.x[b.next(j)] - b.x[j], by = b.y[b.next(j)] - b.y[j];
      const double across = ax * by - ay * bx, wx = b.x[j] - a.x[i], wy = b.y[j] - a.y[i];
      const double ofA = wx * by - wy * bx, ofB = wx * ay - wy * ax;  // start of either off the other's line, times its length
      // Parallel, or on one line but for rounding: the corners on each other's sides are the ends of what they share.
      const double square = candidates.same * candidates.same, ofEnd = ofA - across, ofOtherEnd = ofB - across;
      if (across == 0) continue;
      if (ofA * ofA <= square * (bx * bx + by * by) && ofEnd * ofEnd <= square * (bx * bx + by * by)) continue;
      if (ofB * ofB <= square * (ax * ax + ay * ay) && ofOtherEnd * ofOtherEnd <= square * (ax * ax + ay * ay)) continue;
      const double s = ofA / across, t = ofB / across;
      if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) continue;
      const double x = a.x[i] + s * ax, y = a.y[i] + s * ay;
      const double heightA = a.height(x, y), separation = b.height(x, y) - heightA;
      double offB = 0, offA = 0;
      const int atB = b.cornerAt(x, y, near, offB), atA = a.cornerAt(x, y, near, offA);
      const std::uint32_t id = atB >= 0   ? idOf(Made::VertexOfB, a.feature->face, b.feature->vertex[atB])
                               : atA >= 0 ? idOf(Made::VertexOfA, a.feature->vertex[atA], b.feature->face)
                                          : idOf(Made::Edges, a.feature->edge[i], b.feature->edge[j]);
      const Vec3 onA = x * ex + y * ey + heightA * n;
      candidates.add(x, y, {onA, onA + separation * n, separation, id}, atB >= 0 ? offB : atA >= 0 ? offA : 0);
    }
}

// Two segments side by side, not quite parallel and not quite over each other: the ends that have the other segment beside
// them. The point lies halfway between the axes as seen along the normal, on both round surfaces there: with the offset o
// from an axis, sqrt(r^2 - o^2) high instead of r.
void addEnds(const Outline& of, const Outline& beside, bool ofB, double radiusA, double radiusB, const Vec3& n, const Vec3& ex,
             const Vec3& ey, Candidates& candidates) {
  const double dx = beside.x[1] - beside.x[0], dy = beside.y[1] - beside.y[0], square = dx * dx + dy * dy;
  const double most = radiusA < radiusB ? radiusA : radiusB;
  for (int k = 0; k < 2; ++k) {
    const double t = (dx * (of.x[k] - beside.x[0]) + dy * (of.y[k] - beside.y[0])) / square;
    if (!(t >= -kSame && t <= 1 + kSame)) continue;  // an end over an end counts for both
    const double x = beside.x[0] + t * dx, y = beside.y[0] + t * dy;
    const double offset = 0.5 * std::sqrt((x - of.x[k]) * (x - of.x[k]) + (y - of.y[k]) * (y - of.y[k]));
    if (offset > 0.5 * most && offset > candidates.same) continue;
    const double lowerA = radiusA > offset ? radiusA - std::sqrt(radiusA * radiusA - offset * offset) : 0;
    const double lowerB = radiusB > offset ? radiusB - std::sqrt(radiusB * radiusB - offset * offset) : 0;
    const double end = dot(n, of.feature->corner[k]), other = beside.height(x, y);
    const double heightA = (ofB ? other : end) - lowerA, heightB = (ofB ? end : other) + lowerB;
    const double mx = 0.5 * (x + of.x[k]), my = 0.5 * (y + of.y[k]);
    const Vec3 middle = mx * ex + my * ey;
    const int name = of.feature->vertex[k];
    candidates.add(mx, my, {middle + heightA * n, middle + heightB * n, heightB - heightA,
                            idOf(ofB ? Made::VertexOfB : Made::VertexOfA, ofB ? 0 : name, ofB ? name : 0)});
  }
}

// Of the ends of two segments, the two that are furthest apart.
void keepExtremes(const Outline& a, Candidates& c) {
  const double dx = a.x[1] - a.x[0], dy = a.y[1] - a.y[0];
  int first = 0, last = 0;
  for (int i = 1; i < c.count; ++i) {
    const double along = dx * c.x[i] + dy * c.y[i];
    if (along < dx * c.x[first] + dy * c.y[first]) first = i;
    if (along > dx * c.x[last] + dy * c.y[last]) last = i;
  }
  if (first == last) {
    c.put(0, c.x[first], c.y[first], c.points[first], 0);
    c.count = c.count > 0 ? 1 : 0;
    return;
  }
  const int low = first < last ? first : last, high = first < last ? last : first;
  c.put(0, c.x[low], c.y[low], c.points[low], 0);
  c.put(1, c.x[high], c.y[high], c.points[high], 0);
  c.count = 2;
}

// A face of a box: axis k, side s. Counterclockwise seen from outside.
void boxFace(const Vec3& half, int k, int s, Feature& f) {
  static constexpr int kNext[5] = {0, 1, 2, 0, 1};
  const int p = kNext[k + 1], q = kNext[k + 2];
  const int along[4] = {0, 1, 1, 0}, across[4] = {0, 0, 1, 1};
  f.count = 4;
  f.face = static_cast<std::uint16_t>(2 * k + s);
  const double up = s ? 1 : -1;
  f.normal = {k == 0 ? up : 0, k == 1 ? up : 0, k == 2 ? up : 0};
  for (int i = 0; i < 4; ++i) {
    const int c = s ? i : 3 - i, vertex = s << k | along[c] << p | across[c] << q;
    f.corner[i] = math::boxCorner(half, static_cast<std::uint32_t>(vertex));
    f.vertex[i] = static_cast<std::uint16_t>(vertex);
  }
  for (int i = 0; i < 4; ++i) {
    const int vertex = f.vertex[i], axis = (vertex ^ f.vertex[(i + 1) % 4]) >> p & 1 ? p : q;
    f.edge[i] = static_cast<std::uint16_t>(4 * axis + (vertex >> kNext[axis + 1] & 1) + 2 * (vertex >> kNext[axis + 2] & 1));
  }
}

void hullFace(const ConvexHull& hull, std::size_t index, Feature& f) {
  const ConvexHull::Face& face = hull.faces()[index];
  f.count = face.count < kMostCorners ? static_cast<int>(face.count) : kMostCorners;
  f.face = static_cast<std::uint16_t>(index);
  f.normal = math::load(face.normal);
  for (int k = 0; k < f.count; ++k) {
    const std::uint32_t at = face.first + static_cast<std::uint32_t>(k) * face.count / static_cast<std::uint32_t>(f.count);
    f.vertex[k] = hull.loop()[at].vertex;
    f.edge[k] = hull.loop()[at].edge;
    f.corner[k] = math::load(hull.vertices()[f.vertex[k]]);
  }
}

}  // namespace

std::uint32_t idFromTheOtherSide(std::uint32_t id) {
  const auto made = static_cast<Made>(id >> 30);
  const Made turned = made == Made::VertexOfA ? Made::VertexOfB : made == Made::VertexOfB ? Made::VertexOfA : made;
  return idOf(turned, static_cast<int>(id & 0x7fff), static_cast<int>(id >> 15 & 0x7fff));
}

void supportingFeature(const SupportShape& shape, const Vec3& direction, const Vec3& witness, double tolerance, Feature& f) {
  double best = tolerances::kSteepFace;
  f.count = 0;
  f.face = 0;
  f.normal = {0, 0, 0};
  switch (shape.kind) {
    case SupportShape::Kind::Point:
      f.count = 1;
      f.corner[0] = {0, 0, 0};
      f.vertex[0] = 0;
      return;
    case SupportShape::Kind::Segment: {
      const double h = static_cast<const Capsule*>(shape.shape)->halfLength;
      f.count = 2;
      f.corner[0] = {0, 0, -h};
      f.corner[1] = {0, 0, h};
      f.vertex[0] = f.edge[0] = 0;
      f.vertex[1] = 1;
      return;
    }
    case SupportShape::Kind::Box: {
      const Vec3 half = math::load(static_cast<const Box*>(shape.shape)->halfExtents);
      int side = -1;
      for (int k = 0; k < 3; ++k) {
        const double n = math::component(direction, k), h = math::component(half, k), w = math::component(witness, k);
        if (!(std::abs(n) > best + kTie) || std::abs(n > 0 ? w - h : w + h) > tolerance) continue;
        best = std::abs(n);
        side = 2 * k + (n > 0 ? 1 : 0);
      }
      if (side >= 0) boxFace(half, side / 2, side % 2, f);
      return;
    }
    case SupportShape::Kind::Hull: {
      const ConvexHull& hull = *static_cast<const ConvexHull*>(shape.shape);
      std::size_t found = hull.faces().size();
      for (std::size_t i = 0; i < hull.faces().size(); ++i) {
        const Vec3 n = math::load(hull.faces()[i].normal), p = math::load(hull.vertices()[hull.loop()[hull.faces()[i].first].vertex]);
        if (!(dot(n, direction) > best + kTie) || std::abs(dot(n, witness - p)) > tolerance) continue;
        best = dot(n, direction);
        found = i;
      }
      if (found < hull.faces().size()) hullFace(hull, found, f);
      return;
    }
    case SupportShape::Kind::User: return;
  }
}

int contactPatch(const Feature& featureA, const Feature& featureB, const Vec3& n, const PatchPoint& witness, double radiusA,
                 double radiusB, double maxDistance, PatchPoint points[4]) {
  points[0] = witness;
  points[0].id = idOf(Made::VertexOfA, 0, 0);
  if (featureA.count == 1 || featureB.count == 1) return 1;
  points[0].id = idOf(Made::Otherwise, 0, 1);
  if (featureA.count == 0 || featureB.count == 0) return 1;
  Vec3 ex, ey;
  perpendiculars(n, ex, ey);
  const Outline a(featureA, n, ex, ey), b(featureB, n, ex, ey);
  const double size = a.size < b.size ? a.size : b.size;
  if (!(size > 0)) return 1;  // a segment seen end on
  Candidates c;
  c.same = kSame * size;
  c.maxDistance = maxDistance;
  if (a.count == 2 && b.count == 2) {
    addEnds(a, b, false, radiusA, radiusB, n, ex, ey, c);
    addEnds(b, a, true, radiusA, radiusB, n, ex, ey, c);
    keepExtremes(a, c);
  } else {
    const double sideA = a.shortestSide(), sideB = b.shortestSide();
    const double near = tolerances::kSameCorner * (sideA < sideB ? sideA : sideB);
    addCorners(b, a, true, near, n, c);
    addCorners(a, b, false, near, n, c);
    addCrossings(a, b, near, n, ex, ey, c);
  }
  double deepest = HUGE_VAL;
  for (int i = 0; i < c.count; ++i) deepest = c.z[i] < deepest ? c.z[i] : deepest;
  if (!(deepest <= witness.separation + kWitness * size)) c.add(dot(ex, witness.onA), dot(ey, witness.onA), points[0]);
  c.sortById();
  if (c.count <= 4) {
    for (int i = 0; i < c.count; ++i) points[i] = c.points[i];
    return c.count > 0 ? c.count : 1;
  }
  int kept[4];
  const int count = reducePatch(c.x, c.y, c.z, c.count, kDeeper * size, kept);
  for (int i = 0; i < count; ++i) points[i] = c.points[kept[i]];
  return count;
}

}  // namespace sunder::detail
