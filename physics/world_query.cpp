// SPDX-License-Identifier: MIT
// Geometric queries of a World: candidates from the broadphase, which sees fat boxes, then the exact test of the
// narrowphase in the frame of each body, so that far from the origin only the input's own rounding is left. No query
// writes to the world.
#include "sunder/physics/world_query.h"

#include <algorithm>
#include <cmath>

#include "sunder/narrowphase/query.h"
#include "sunder/narrowphase/ray_cast.h"
#include "sunder/narrowphase/shape_cast.h"
#include "sunder/physics/world_internal.h"

namespace sunder {

using namespace math;

namespace {

bool isFinite(const Eigen::Vector3d& v) {
  return std::isfinite(v.data()[0]) && std::isfinite(v.data()[1]) && std::isfinite(v.data()[2]);
}

bool accepts(const QueryFilter& filter, BodyId id, const BodyState& body) {
  return id != filter.ignored && accepts(filter.filter, body.def.filter);
}

BodyId idOf(const World::Impl& world, std::uint32_t index) { return {index, world.bodies[index].generation}; }

template <typename Hit>
bool isSooner(const Hit& a, const Hit& b) {
  return a.fraction != b.fraction ? a.fraction < b.fraction : a.body.index < b.body.index;
}

// The hit of a ray with one body.
bool castRay(const World::Impl& world, std::uint32_t index, const Eigen::Vector3d& origin, const Eigen::Vector3d& translation, BodyRayHit& out) {
  const BodyState& body = world.bodies[index];
  const Mat3 rotation = toMatrix(load(body.pose.orientation));
  Ray ray;
  store(ray.origin, transposeTimes(rotation, load(origin) - load(body.pose.position)));
  store(ray.direction, transposeTimes(rotation, load(translation)));
  const RayHit hit = rayCast(Box{body.def.halfExtents}, ray);
  if (!hit.hit) return false;
  out.body = idOf(world, index);
  out.fraction = hit.fraction;
  out.startsInside = hit.startsInside;
  store(out.point, load(origin) + hit.fraction * load(translation));
  store(out.normal, rotation * load(hit.normal));
  return true;
}

// A box and where it is, checked and normalised.
struct PlacedBox {
  Box box;
  Pose pose;
  BodyFrame frame;
  bool isValid;

  PlacedBox(const Box& b, const Pose& p) : box(b), pose(p), isValid(validate(b).empty() && validatePose(p).empty()) {
    if (!isValid) return;
    pose = normalizedPose(p);
    frame = frameOf(pose);
  }
  Aabb bounds() const { return boundsOf(frame, box.halfExtents); }
  Vec3 toWorld(const Eigen::Vector3d& v) const { return rotate(load(pose.orientation), load(v)); }
};

bool castOne(const World::Impl& world, std::uint32_t index, const PlacedBox& box, const Eigen::Vector3d& translation, BodyCastHit& out) {
  const BodyState& body = world.bodies[index];
  const Box other{body.def.halfExtents};
  const Mat3 rotation = toMatrix(load(body.pose.orientation));
  Eigen::Vector3d inBody;
  store(inBody, transposeTimes(rotation, load(translation)));
  const ShapeCastHit hit = shapeCast(supportShape(other), supportShape(box.box), relativePose(body.pose, box.pose), inBody);
  if (!hit.hit) return false;
  out.body = idOf(world, index);
  out.fraction = hit.fraction;
  out.startsInTouch = hit.startsInTouch;
  store(out.point, load(body.pose.position) + rotation * load(hit.point));
  store(out.normal, -(rotation * load(hit.normal)));
  return true;
}

Aabb grown(Aabb box, double by) {
  for (int k = 0; k < 3; ++k) {
    box.lower.data()[k] -= by;
    box.upper.data()[k] += by;
  }
  return box;
}

// The point of a body that is nearest to a point.
double distanceTo(const BodyState& body, const Eigen::Vector3d& point, Eigen::Vector3d& nearest) {
  const Mat3 rotation = toMatrix(load(body.pose.orientation));
  const Vec3 local = transposeTimes(rotation, load(point) - load(body.pose.position));
  const Vec3 h = load(body.def.halfExtents);
  const Vec3 clamped = {std::clamp(local.x, -h.x, h.x), std::clamp(local.y, -h.y, h.y), std::clamp(local.z, -h.z, h.z)};
  const double distance = length(local - clamped);
  if (distance == 0)
    nearest = point;
  else
    store(nearest, load(body.pose.position) + rotation * clamped);
  return distance;
}

}  // namespace

RayCastResult World::rayCast(const Eigen::Vector3d& origin, const Eigen::Vector3d& translation, const QueryFilter& filter) const {
  RayCastResult result;
  if (!isFinite(origin) || !isFinite(translation) || translation == Eigen::Vector3d(0, 0, 0)) return result;
  const Impl& w = *impl_;
  result.status = QueryStatus::Converged;
  w.broadphase.visitCast(BoxCast{{origin, origin}, translation}, [&](const CastHit& candidate) {
    BodyRayHit hit;
    if (accepts(filter, idOf(w, candidate.id), w.bodies[candidate.id]) && castRay(w, candidate.id, origin, translation, hit) &&
        (!result.hit || isSooner(hit, result.closest))) {
      result.hit = true;
      result.closest = hit;
    }
    return result.hit ? result.closest.fraction : 1.0;
  });
  return result;
}

QueryStatus World::rayCastAll(const Eigen::Vector3d& origin, const Eigen::Vector3d& translation, std::vector<BodyRayHit>& out,
                              const QueryFilter& filter) const {
  out.clear();
  if (!isFinite(origin) || !isFinite(translation) || translation == Eigen::Vector3d(0, 0, 0)) return QueryStatus::InvalidInput;
  const Impl& w = *impl_;
  w.broadphase.visitCast(BoxCast{{origin, origin}, translation}, [&](const CastHit& candidate) {
    BodyRayHit hit;
    if (accepts(filter, idOf(w, candidate.id), w.bodies[candidate.id]) && castRay(w, candidate.id, origin, translation, hit)) out.push_back(hit);
    return 1.0;
  });
  std::sort(out.begin(), out.end(), isSooner<BodyRayHit>);
  return QueryStatus::Converged;
}

QueryStatus World::overlap(const Box& box, const Pose& pose, std::vector<BodyId>& out, const QueryFilter& filter) const {
  out.clear();
  const PlacedBox placed(box, pose);
  if (!placed.isValid) return QueryStatus::InvalidInput;
  const Impl& w = *impl_;
  w.broadphase.visitOverlaps(placed.bounds(), [&](ProxyId index) {
    const BodyState& body = w.bodies[index];
    const Box other{body.def.halfExtents};
    if (accepts(filter, idOf(w, index), body) &&
        intersects(supportShape(placed.box), supportShape(other), relativePose(placed.pose, body.pose)).overlap)
      out.push_back(idOf(w, index));
    return true;
  });
  std::sort(out.begin(), out.end());
  return QueryStatus::Converged;
}

BoxCastResult World::boxCast(const Box& box, const Pose& pose, const Eigen::Vector3d& translation, const QueryFilter& filter) const {
  BoxCastResult result;
  const PlacedBox placed(box, pose);
  if (!placed.isValid || !isFinite(translation)) return result;
  const Impl& w = *impl_;
  result.status = QueryStatus::Converged;
  w.broadphase.visitCast(BoxCast{placed.bounds(), translation}, [&](const CastHit& candidate) {
    BodyCastHit hit;
    if (accepts(filter, idOf(w, candidate.id), w.bodies[candidate.id]) && castOne(w, candidate.id, placed, translation, hit) &&
        (!result.hit || isSooner(hit, result.closest))) {
      result.hit = true;
      result.closest = hit;
    }
    return result.hit ? result.closest.fraction : 1.0;
  });
  return result;
}

QueryStatus World::boxCastAll(const Box& box, const Pose& pose, const Eigen::Vector3d& translation, std::vector<BodyCastHit>& out,
                              const QueryFilter& filter) const {
  out.clear();
  const PlacedBox placed(box, pose);
  if (!placed.isValid || !isFinite(translation)) return QueryStatus::InvalidInput;
  const Impl& w = *impl_;
  w.broadphase.visitCast(BoxCast{placed.bounds(), translation}, [&](const CastHit& candidate) {
    BodyCastHit hit;
    if (accepts(filter, idOf(w, candidate.id), w.bodies[candidate.id]) && castOne(w, candidate.id, placed, translation, hit)) out.push_back(hit);
    return 1.0;
  });
  std::sort(out.begin(), out.end(), isSooner<BodyCastHit>);
  return QueryStatus::Converged;
}

NearestResult World::nearest(const Eigen::Vector3d& point, double maxDistance, const QueryFilter& filter) const {
  NearestResult result;
  if (!isFinite(point) || !(maxDistance >= 0)) return result;
  const Impl& w = *impl_;
  result.status = QueryStatus::Converged;
  result.distance = maxDistance;
  result.pointOnQuery = point;
  std::vector<NearHit> near;
  std::size_t done = 0;
  for (std::size_t k = 8;; k *= 4) {  // by the distance to the fat boxes, which is never more than the true one
    w.broadphase.nearest(point, k, near);
    for (; done < near.size(); ++done) {
      if (near[done].distance > result.distance) return result;
      const std::uint32_t index = near[done].id;
      if (!accepts(filter, idOf(w, index), w.bodies[index])) continue;
      Eigen::Vector3d onBody;
      const double distance = distanceTo(w.bodies[index], point, onBody);
      const bool isNearer = distance < result.distance || (distance == result.distance && (!result.found || index < result.body.index));
      if (!isNearer) continue;
      result.found = true;
      result.body = idOf(w, index);
      result.distance = distance;
      result.pointOnBody = onBody;
    }
    if (near.size() < k) return result;
  }
}

NearestResult World::nearest(const Box& box, const Pose& pose, double maxDistance, const QueryFilter& filter) const {
  NearestResult result;
  const PlacedBox placed(box, pose);
  if (!placed.isValid || !(maxDistance >= 0)) return result;
  const Impl& w = *impl_;
  result.status = QueryStatus::Converged;
  result.distance = maxDistance;
  const auto consider = [&](std::uint32_t index) {
    const BodyState& body = w.bodies[index];
    if (!accepts(filter, idOf(w, index), body)) return;
    QueryOptions options;
    options.maxDistance = std::max(0.0, result.distance);
    const Proximity near = signedDistance(placed.box, Box{body.def.halfExtents}, relativePose(placed.pose, body.pose), options);
    if (near.beyondMaxDistance || near.signedDistance > result.distance) return;
    if (result.found && near.signedDistance == result.distance && result.body.index <= index) return;
    result.found = true;
    result.body = idOf(w, index);
    result.distance = near.signedDistance;
    store(result.pointOnQuery, load(placed.pose.position) + placed.toWorld(near.pointOnA));
    store(result.pointOnBody, load(placed.pose.position) + placed.toWorld(near.pointOnB));
  };
  // The body nearest to the centre bounds how far away the nearest one can be.
  const NearestResult first = nearest(placed.pose.position, HUGE_VAL, filter);
  if (!first.found) return result;
  consider(first.body.index);
  const double reach = std::min(maxDistance, first.distance);
  w.broadphase.visitOverlaps(grown(placed.bounds(), reach), [&](ProxyId index) {
    if (index != first.body.index) consider(index);
    return true;
  });
  return result;
}

}  // namespace sunder
