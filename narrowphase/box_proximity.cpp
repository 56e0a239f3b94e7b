// SPDX-License-Identifier: MIT
// Signed distance of two boxes by GJK and EPA, exact to rounding. The difference of two boxes is a polytope whose face
// normals are known in closed form: face axes of either box and cross products of two edges (Gottschalk, Lin and Manocha,
// SIGGRAPH 1996). EPA finds which one is nearest; the depth is then taken along that direction itself.
#include "sunder/narrowphase/box_pair_internal.h"
#include "sunder/narrowphase/proximity_internal.h"

namespace sunder::math {
namespace {

// The exact direction of the face EPA ended on: the edges that its vertices differ in lie in the face. Of directions that agree
// to rounding a face axis is the steadier one, so an edge axis has to beat those by more.
BoxAxis exactFace(const detail::BoxPair& p, const double separations[6], const EpaResult& e) {
  const std::uint32_t differ = (e.face[0].id ^ e.face[1].id) | (e.face[0].id ^ e.face[2].id);
  const std::uint32_t inA = differ & 7, inB = differ >> 3;
  BoxAxis best;
  best.separation = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 6; ++k) {
    const std::uint32_t others = 7u & ~(1u << k % 3);
    if (((k < 3 ? inA : inB) & others) == others && separations[k] > best.separation) best = {k, false, separations[k]};
  }
  double floor = detail::edgeFloor(p, best.separation);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      if (!((inA >> i & 1) && (inB >> j & 1))) continue;
      const double separation = detail::edgeSeparation(p, i, j);
      if (separation <= floor) continue;
      best = {6 + 3 * i + j, false, separation};
      floor = separation;
    }
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
bool certifiedContact(const Difference& d, CoreProximity& r) {
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
  r.pointOnA = detail::penetrationWitness(p, best);
  r.pointOnB = r.pointOnA + r.signedDistance * r.normal;
  r.iterations = 1;
  r.boxFeature = best.index;
  return outsideOfA(d, r) <= rounding && outsideOfB(d, r) <= rounding;
}

// Where rounding kept GJK's bounds apart (nearly parallel boxes a hair apart, a box on a stick ten billion times as long): all
// features, once.
void closestInClosedForm(const Difference& d, CoreProximity& r) {
  CoreProximity contact;
  contact.status = r.status;
  if (certifiedContact(d, contact) || contact.status == QueryStatus::Converged) {
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

// EPA's face as one of the fifteen directions, with the separation along it. Where rounding kept EPA's bounds apart, its search
// for the nearest face is done as an enumeration.
BoxAxis settle(const Difference& d, const detail::BoxPair& p, const BoxAxis& face, const double separations[6], EpaResult& e) {
  BoxAxis nearest = exactFace(p, separations, e);
  if (!(-d.inverseUnit * nearest.separation - e.lowerBound <= tolerances::kCertificate)) {
    const BoxAxis edge = detail::bestEdgeAbove(p, detail::edgeFloor(p, face.separation));
    nearest = edge.index >= 0 ? edge : face;
    e.lowerBound = -d.inverseUnit * nearest.separation;
  }
  nearest.negative = dot(detail::axisVector(p, nearest), e.normal) < 0;
  return nearest;
}

// Contact by EPA: after GJK from its simplex; without, from the nearest face across a face axis. False for boxes that are apart
// after all: r.normal separates them.
bool contactByEpa(const Difference& d, const GjkResult* g, CoreProximity& r) {
  const detail::BoxPair p = pairOf(d);
  double separations[6];
  const BoxAxis face = detail::bestFaceAxis(p, separations);
  EpaResult e;
  BoxAxis nearest;
  if (g != nullptr) {
    epa(d, g->simplex, 0, e);
    r.iterations += e.iterations;
    nearest = settle(d, p, face, separations, e);
  } else if (face.separation > detail::roundingBound(p)) {
    r.normal = detail::axisVector(p, face);
    return false;
  } else {
    const bool apart = !boxDepth(d, p, face, separations, true, nearest, e);
    r.iterations += e.iterations;
    r.normal = e.normal;
    if (apart) return false;
  }
  r.status = QueryStatus::Converged;
  r.boxFeature = nearest.index;
  fromEpa(d, g, e, detail::axisVector(p, nearest), -d.inverseUnit * nearest.separation, r);
  // Where one box is a stick many times as long as the other is wide, rounding may take the weights to the wrong place.
  CoreProximity contact;
  if (outsideOfB(d, r) > tolerances::kCertificate * d.unit && certifiedContact(d, contact)) {
    contact.iterations += r.iterations;
    r = contact;
  }
  return true;
}

}  // namespace

bool boxDepth(const Difference& d, const detail::BoxPair& p, const BoxAxis& face, const double separations[6], bool pointsWanted,
              BoxAxis& nearest, EpaResult& e) {
  epaFromFace(d, face.index, pointsWanted, e);
  if (e.depth < -tolerances::kRounding) return false;
  nearest = settle(d, p, face, separations, e);
  if (-nearest.separation >= -tolerances::kRounding * d.unit) return true;
  e.normal = detail::axisVector(p, nearest);
  return false;
}

void boxProximity(const Difference& d, double maxDistance, bool depthWanted, QueryCache* cache, CoreProximity& r) {
  if (depthWanted && cache && cache->face > 0 && certifiedContact(d, r)) return saveCache(r, nullptr, *cache);
  Vec3 axis;
  GjkResult g;
  loadCache(d, cache, g.simplex, axis);
  r.beyond = false;
  r.boxFeature = -1;
  r.iterations = 0;
  const bool centreInside = holdsCentre(d);
  if (centreInside && depthWanted && contactByEpa(d, nullptr, r)) {
    if (cache) saveCache(r, nullptr, *cache);
    return;
  }
  if (centreInside) {
    g.outcome = GjkOutcome::Inside;
    g.iterations = 0;
  } else {
    gjk(d, axis, d.inverseUnit * maxDistance, 0, g);
  }
  r.iterations += g.iterations;
  if (g.outcome == GjkOutcome::Beyond) {
    r.beyond = true;
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
    contactByEpa(d, &g, r);
  } else {
    r = {QueryStatus::Converged, false, 0, -std::numeric_limits<double>::infinity(), 0, {0, 0, 0}, {0, 0, 0},
         {0, 0, 0}, g.iterations, -1};
  }
  if (cache) saveCache(r, g.outcome == GjkOutcome::Apart ? &g.simplex : nullptr, *cache);
}

}  // namespace sunder::math
