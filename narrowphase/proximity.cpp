// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/proximity_internal.h"

namespace sunder::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Nothing is as good as a length; the comparisons are false for NaN.
bool usableLength(double x) {
  return x == 0 || (x >= tolerances::kSmallestLength && x <= tolerances::kLargestLength);
}

bool usable(const SupportShape& s) { return s.support != nullptr && usableLength(s.radius) && usableLength(s.extent); }

}  // namespace

bool makeDifference(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, Difference& d) {
  const Vec3 t = load(poseBInA.position);
  const Quat q = load(poseBInA.orientation);
  if (!usable(a) || !usable(b) || !(largest(t) <= tolerances::kLargestLength) || !isFinite(t)) return false;
  if (!usableRotation(q)) return false;
  // A shape may have changed since its SupportShape was made.
  for (const SupportShape* s : {&a, &b}) {
    if (s->kind != SupportShape::Kind::Box) continue;
    const Vec3 half = load(static_cast<const Box*>(s->shape)->halfExtents);
    if (!(half.x > 0 && half.y > 0 && half.z > 0)) return false;
    if (!(usableLength(half.x) && usableLength(half.y) && usableLength(half.z))) return false;
  }
  if (a.kind == SupportShape::Kind::Box && b.kind == SupportShape::Kind::Box) {
    const Vec3 halfA = load(static_cast<const Box*>(a.shape)->halfExtents);
    const Vec3 halfB = load(static_cast<const Box*>(b.shape)->halfExtents);
    d = boxDifference(halfA, halfB, toMatrixScaled(q), t);
    return true;
  }
  d.boxes = false;
  setUnit(d, a.extent + b.extent + largest(t));
  d.c = toMatrixScaled(q);
  d.t = d.inverseUnit * t;
  d.shapeA = &a;
  d.shapeB = &b;
  return true;
}

void fromGjk(const Difference& d, const GjkResult& g, double tolerance, CoreProximity& r) {
  const double distance = std::sqrt(g.nearest.vv);
  r.normal = (1 / distance) * g.axis;
  r.signedDistance = d.unit * distance;
  Vec3 a{0, 0, 0}, w{0, 0, 0};
  double weight[3];
  weightsOf(g.simplex, g.nearest.v, weight);
  for (int i = 0; i < g.simplex.count; ++i) {
    a = a + weight[i] * math::pointOnA(d, g.simplex.vertex[i]);
    w = w + weight[i] * g.simplex.vertex[i].w;
  }
  // The foot of the perpendicular on a thin triangle's plane is rounded in proportion to its length over its width; a point made
  // of its corners lies in A - B.
  const double found = length(w), upper = found > distance ? found : distance;
  r.upperBound = d.unit * upper;
  const double lower = d.unit * g.lowerBound;
  r.lowerBound = lower < r.signedDistance ? lower : r.signedDistance;
  r.pointOnA = d.unit * a;
  r.pointOnB = r.pointOnA + r.signedDistance * r.normal;
  const bool met = upper - g.lowerBound <= (tolerance > tolerances::kCertificate ? tolerance : tolerances::kCertificate);
  r.status = met ? QueryStatus::Converged : g.iterationLimit ? QueryStatus::IterationLimit : QueryStatus::Degenerate;
}

void fromEpa(const Difference& d, const GjkResult* g, const EpaResult& e, const Vec3& normal, double depth, CoreProximity& r) {
  r.normal = normal;
  r.signedDistance = -d.unit * depth;
  r.lowerBound = r.signedDistance;
  double upper = -d.unit * e.lowerBound;
  // Where what is taken for touching may be apart, the gap along EPA's plane may be less than the distance: a corner over a
  // corner. The point that GJK found on A - B bounds that. Of boxes the nearest corner of A - B sees one of the faces around
  // it at a slant of sqrt(3) at most, since their normals lie in one octant.
  if (g != nullptr && depth < tolerances::kRounding && g->outcome == GjkOutcome::Touching) {
    const double found = d.unit * std::sqrt(g->nearest.vv);
    upper = found > upper ? found : upper;
  } else if (g == nullptr && upper > 0) {
    upper *= 2;
  }
  r.upperBound = upper > r.lowerBound ? upper : r.lowerBound;
  Vec3 a{0, 0, 0};
  for (int k = 0; k < 3; ++k) a = a + e.weight[k] * math::pointOnA(d, e.face[k]);
  r.pointOnA = d.unit * a;
  r.pointOnB = r.pointOnA + r.signedDistance * r.normal;
}

void coreProximity(const Difference& d, double maxDistance, double tolerance, bool depthWanted, QueryCache* cache,
                   CoreProximity& r) {
  Vec3 axis = d.t;
  if (cache) axis = {cache->axis[0], cache->axis[1], cache->axis[2]};
  if (!isFinite(axis) || dot(axis, axis) == 0) axis = d.t;
  if (dot(axis, axis) == 0) axis = {1, 0, 0};
  r.beyond = false;
  r.boxFeature = -1;
  GjkResult g;
  g.simplex.count = 0;
  gjk(d, axis, d.inverseUnit * maxDistance, tolerance, g);
  r.iterations = g.iterations;
  if (!isFinite(g.axis)) {  // a user's support function returned NaN
    r = {QueryStatus::InvalidInput, false, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, g.iterations, -1};
    return;
  }
  if (g.outcome == GjkOutcome::Beyond) {
    r.beyond = true;
    r.status = QueryStatus::Converged;
    r.normal = (1 / length(g.axis)) * g.axis;
    r.signedDistance = r.lowerBound = d.unit * g.lowerBound;
    r.upperBound = kInfinity;
    r.pointOnA = r.pointOnB = {0, 0, 0};
  } else if (g.outcome == GjkOutcome::Apart) {
    fromGjk(d, g, tolerance, r);
  } else if (depthWanted) {
    EpaResult e;
    epa(d, g.simplex, tolerance, e);
    r.iterations += e.iterations;
    fromEpa(d, &g, e, e.normal, e.depth, r);
    const double met = 2 * d.unit * (tolerance > tolerances::kCertificate ? tolerance : tolerances::kCertificate);
    r.status = e.iterationLimit                                         ? QueryStatus::IterationLimit
               : e.degenerate || !(r.upperBound - r.lowerBound <= met) ? QueryStatus::Degenerate
                                                                        : QueryStatus::Converged;
    // A thin simplex may seem to hold the origin though it does not. EPA's plane between the two sets GJK right.
    if (r.status == QueryStatus::Degenerate && e.depth < 0) {
      g.simplex.count = 0;
      gjk(d, e.normal, kInfinity, tolerance, g);
      r.iterations += g.iterations;
      if (g.outcome == GjkOutcome::Apart) fromGjk(d, g, tolerance, r);
    }
  } else {
    r = {QueryStatus::Converged, false, 0, -kInfinity, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, g.iterations, -1};
  }
  if (cache) {
    cache->axis[0] = static_cast<float>(r.normal.x);
    cache->axis[1] = static_cast<float>(r.normal.y);
    cache->axis[2] = static_cast<float>(r.normal.z);
  }
}

}  // namespace sunder::math
