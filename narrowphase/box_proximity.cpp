// SPDX-License-Identifier: MIT
// Signed distance of two boxes by GJK and EPA, exact to rounding. The difference of two boxes is a polytope whose face
// normals are known in closed form: face axes of either box and cross products of two edges (Gottschalk, Lin and Manocha,
// SIGGRAPH 1996). EPA finds which one is nearest; the depth is then taken along that direction itself.
#include "sunder/narrowphase/box_pair_internal.h"
#include "sunder/narrowphase/proximity_internal.h"

namespace sunder::math {
namespace {

// Face normal of the difference: 0..2 an axis of A, 3..5 of B, 6 + 3 i + j edge i of A with edge j of B. False for edges
// that are parallel to the last bit.
bool faceNormal(const Difference& d, int feature, Vec3& n) {
  if (feature < 3) {
    n = unitAxis(feature);
    return true;
  }
  if (feature < 6) {
    n = column(d.c, feature - 3);
    return true;
  }
  n = cross(unitAxis((feature - 6) / 3), column(d.c, (feature - 6) % 3));
  const double l = length(n);
  if (!(l > 0)) return false;
  n = (1 / l) * n;
  return true;
}

struct Candidate {
  int feature = -1;
  double depth = std::numeric_limits<double>::infinity();
  Vec3 normal{0, 0, 0};
};

// Keeps the direction of smaller depth. Face axes are offered first and an edge pair has to beat them by more than
// rounding: of directions that agree to rounding the face is the steadier one.
void offer(const Difference& d, int feature, const Vec3& side, Candidate& best) {
  Vec3 n;
  if (!faceNormal(d, feature, n)) return;
  if (dot(n, side) < 0) n = -n;
  Vertex w;
  const double depth = reach(d, n, w);
  const double margin = feature < 6 ? 0 : tolerances::kRounding;
  if (depth < best.depth - margin) best = {feature, depth, n};
}

// The exact direction of the face EPA ended on: the edges that its vertices differ in lie in the face.
Candidate exactFace(const Difference& d, const EpaResult& e) {
  const std::uint32_t differ = (e.face[0].id ^ e.face[1].id) | (e.face[0].id ^ e.face[2].id);
  const std::uint32_t inA = differ & 7, inB = differ >> 3;
  Candidate best;
  for (int k = 0; k < 3; ++k) {
    const std::uint32_t others = 7u & ~(1u << k);
    if ((inA & others) == others) offer(d, k, e.normal, best);
    if ((inB & others) == others) offer(d, 3 + k, e.normal, best);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if ((inA >> i & 1) && (inB >> j & 1)) offer(d, 6 + 3 * i + j, e.normal, best);
  return best;
}

// All fifteen directions: EPA's search for the nearest face as an enumeration, for the rare pair where rounding kept its
// bounds apart.
Candidate nearestOfAll(const Difference& d) {
  Candidate best;
  for (int feature = 0; feature < 15; ++feature) offer(d, feature, d.t, best);
  return best;
}

// The last query's simplex, or at least its axis.
void loadCache(const Difference& d, const QueryCache* cache, Simplex& s, Vec3& axis) {
  s.count = 0;
  axis = d.t;
  if (cache) {
    axis = {cache->axis[0], cache->axis[1], cache->axis[2]};
    if (!isFinite(axis) || dot(axis, axis) == 0) axis = d.t;
    for (int i = 0; i < cache->vertexCount && i < 3; ++i) s.vertex[s.count++] = boxVertex(d, cache->vertices[i] & 63);
  }
  if (dot(axis, axis) == 0) axis = {1, 0, 0};
}

void saveCache(const CoreProximity& r, const Simplex* simplex, QueryCache& cache) {
  cache.axis[0] = static_cast<float>(r.normal.x);
  cache.axis[1] = static_cast<float>(r.normal.y);
  cache.axis[2] = static_cast<float>(r.normal.z);
  cache.face = static_cast<std::uint8_t>(r.boxFeature + 1);
  cache.vertexCount = 0;
  for (int i = 0; simplex && i < simplex->count && i < 3; ++i)
    cache.vertices[cache.vertexCount++] = static_cast<std::uint8_t>(simplex->vertex[i].id);
}

// The pair as the closed form knows it.
detail::BoxPair pairOf(const Difference& d) {
  detail::BoxPair p;
  const Vec3 halfA = d.unit * d.halfA, halfB = d.unit * d.halfB, t = d.unit * d.t;  // powers of two: exact
  for (int k = 0; k < 3; ++k) {
    p.ha[k] = component(halfA, k);
    p.hb[k] = component(halfB, k);
    p.t[k] = component(t, k);
    for (int j = 0; j < 3; ++j) p.r[k][j] = component(column(d.c, j), k);
  }
  detail::finishPair(p);
  return p;
}

// How far a point is outside of a box along the axis where it is furthest; metres.
double outside(const Vec3& half, const Vec3& p) {
  const Vec3 off = {std::abs(p.x) - half.x, std::abs(p.y) - half.y, std::abs(p.z) - half.z};
  const double most = off.x > off.y ? off.x : off.y;
  return off.z > most ? off.z : most;
}
double outsideOfA(const Difference& d, const CoreProximity& r) { return outside(d.unit * d.halfA, r.pointOnA); }
double outsideOfB(const Difference& d, const CoreProximity& r) {
  return outside(d.unit * d.halfB, transposeTimes(d.c, r.pointOnB - d.unit * d.t));
}

// A pair that was in contact is most likely still in contact, on the same face or the one beside it. What EPA would have to
// show is that no other face is nearer, and a pair of boxes has fifteen directions of faces: looking at them all is the
// certificate. False when the pair is not in contact any more, or the points that come with the direction miss one
// of the boxes (they are made for manifolds, which may be off a little in places).
bool certifiedContact(const Difference& d, bool pointsWanted, CoreProximity& r) {
  const detail::BoxPair p = pairOf(d);
  double separations[6];
  const BoxAxis face = detail::bestFaceAxis(p, separations);
  const double rounding = detail::roundingBound(p);
  if (face.separation > rounding) return false;
  const BoxAxis edge = detail::bestEdgeAbove(p, detail::edgeFloor(p, face.separation));
  const BoxAxis& best = edge.index >= 0 ? edge : face;
  if (best.separation > rounding) return false;
  r.status = QueryStatus::Converged;
  r.beyond = false;
  r.signedDistance = best.separation;
  r.lowerBound = best.separation - rounding;
  // Should they be apart by that rounding, the distance is at most sqrt(3) times the largest separation: the normals of the
  // faces around a vertex of the difference lie in one octant. What a query adds to its bounds is more.
  r.upperBound = best.separation + rounding;
  r.normal = detail::axisVector(p, best);
  r.pointOnA = pointsWanted ? detail::penetrationWitness(p, best) : Vec3{0, 0, 0};
  r.pointOnB = r.pointOnA + r.signedDistance * r.normal;
  r.iterations = 1;
  r.boxFeature = best.index;
  return !pointsWanted || (outsideOfA(d, r) <= rounding && outsideOfB(d, r) <= rounding);
}

// Where rounding kept GJK's bounds apart (nearly parallel boxes a hair apart, a box on a stick ten billion times as long): all
// features, once.
void closestInClosedForm(const Difference& d, CoreProximity& r) {
  CoreProximity contact;
  contact.status = r.status;
  if (certifiedContact(d, true, contact) || contact.status == QueryStatus::Converged) {
    contact.iterations += r.iterations;
    const bool pointsHold = outsideOfB(d, contact) <= tolerances::kCertificate * d.unit;
    r = contact;
    if (!pointsHold) r.status = QueryStatus::Degenerate;
    return;
  }
  const detail::BoxPair p = pairOf(d);
  double separations[6];
  const BoxAxis face = detail::bestFaceAxis(p, separations);
  const BoxAxis edge = detail::bestEdgeAbove(p, detail::edgeFloor(p, face.separation));
  const detail::Closest closest = detail::closestApart(p, face, edge.index >= 0 ? edge : face);
  const double rounding = detail::roundingBound(p);
  if (!(closest.distance > rounding && closest.distance <= r.upperBound + rounding)) return;
  r.status = QueryStatus::Converged;
  r.signedDistance = closest.distance;
  r.lowerBound = closest.distance - rounding;
  r.upperBound = closest.distance + rounding;
  r.normal = closest.normal;
  r.pointOnA = closest.onA;
  r.pointOnB = closest.onB;
}

// One box holds the centre of the other: GJK has nothing to find out. The room for rounding is far more than it takes.
bool holdsCentre(const Difference& d) {
  constexpr double kInside = 1 - 1e-6;
  const Vec3 a = kInside * d.halfA, b = kInside * d.halfB, u = transposeTimes(d.c, d.t);
  return (std::abs(d.t.x) < a.x && std::abs(d.t.y) < a.y && std::abs(d.t.z) < a.z) ||
         (std::abs(u.x) < b.x && std::abs(u.y) < b.y && std::abs(u.z) < b.z);
}

}  // namespace

void boxProximity(const Difference& d, double maxDistance, bool depthWanted, QueryCache* cache, CoreProximity& r,
                  bool pointsWanted) {
  if (depthWanted && cache && cache->face > 0 && certifiedContact(d, pointsWanted, r)) return saveCache(r, nullptr, *cache);
  Vec3 axis;
  GjkResult g;
  loadCache(d, cache, g.simplex, axis);
  const bool centreInside = holdsCentre(d);
  if (centreInside) {
    g.outcome = GjkOutcome::Inside;
    g.iterations = 0;
  } else {
    gjk(d, axis, d.inverseUnit * maxDistance, 0, g);
  }
  r.iterations = g.iterations;
  r.beyond = g.outcome == GjkOutcome::Beyond;
  r.boxFeature = -1;
  if (r.beyond) {
    r.status = QueryStatus::Converged;
    r.normal = (1 / length(g.axis)) * g.axis;
    r.signedDistance = r.lowerBound = d.unit * g.lowerBound;
    r.upperBound = std::numeric_limits<double>::infinity();
    r.pointOnA = r.pointOnB = {0, 0, 0};
  } else if (g.outcome == GjkOutcome::Apart) {
    fromGjk(d, g, 0, r);
    // The points were made for A and are one distance apart: as far as the one on B misses it, the distance may be larger.
    const double off = outsideOfB(d, r);
    if (off > 0) r.upperBound += 2 * off;  // sqrt(3) at a corner
    if (!(r.upperBound - r.lowerBound <= 2 * tolerances::kCertificate * d.unit)) r.status = QueryStatus::Degenerate;
    if (r.status != QueryStatus::Converged) closestInClosedForm(d, r);
  } else if (depthWanted) {
    EpaResult e;
    if (centreInside) epaFromCentre(d, e);
    else epa(d, g.simplex, 0, e);
    r.iterations += e.iterations;
    Candidate face = exactFace(d, e);
    if (!(face.depth - e.lowerBound <= tolerances::kCertificate)) {
      face = nearestOfAll(d);
      e.lowerBound = face.depth;
    }
    fromEpa(d, g, e, face.normal, face.depth, r);
    r.status = QueryStatus::Converged;
    r.boxFeature = face.feature;
    // Where one box is a stick many times as long as the other is wide, rounding may take the weights to the wrong place.
    CoreProximity contact;
    if (pointsWanted && outsideOfB(d, r) > tolerances::kCertificate * d.unit && certifiedContact(d, true, contact)) {
      contact.iterations += r.iterations;
      r = contact;
    }
  } else {
    r = {QueryStatus::Converged, false, 0, -std::numeric_limits<double>::infinity(), 0, {0, 0, 0}, {0, 0, 0},
         {0, 0, 0}, g.iterations, -1};
  }
  if (cache) saveCache(r, g.outcome == GjkOutcome::Apart ? &g.simplex : nullptr, *cache);
}

}  // namespace sunder::math
