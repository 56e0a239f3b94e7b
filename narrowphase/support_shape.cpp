// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/support_shape.h"

#include "sunder/narrowphase/support_internal.h"

namespace sunder {
namespace {

using namespace math;

void boxSupport(const void* shape, const Eigen::Vector3d& direction, Eigen::Vector3d& point) {
  const Vec3 h = load(static_cast<const Box*>(shape)->halfExtents), n = load(direction);
  store(point, {n.x >= 0 ? h.x : -h.x, n.y >= 0 ? h.y : -h.y, n.z >= 0 ? h.z : -h.z});
}

void pointSupport(const void*, const Eigen::Vector3d&, Eigen::Vector3d& point) { store(point, {0, 0, 0}); }

void segmentSupport(const void* shape, const Eigen::Vector3d& direction, Eigen::Vector3d& point) {
  const double h = static_cast<const Capsule*>(shape)->halfLength;
  store(point, {0, 0, load(direction).z >= 0 ? h : -h});
}

// The first of equally far corners: no dependence on anything but the order the caller gave.
void hullSupport(const void* shape, const Eigen::Vector3d& direction, Eigen::Vector3d& point) {
  const std::vector<Eigen::Vector3d>& corners = static_cast<const ConvexHull*>(shape)->vertices();
  const Vec3 n = load(direction);
  std::size_t best = 0;
  double farthest = dot(n, load(corners[0]));
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const double along = dot(n, load(corners[i]));
    if (along > farthest) {
      farthest = along;
      best = i;
    }
  }
  point = corners[best];
}

}  // namespace

SupportShape supportShape(const Box& box) {
  return {&box, boxSupport, 0, largest(load(box.halfExtents)), SupportShape::Kind::Box};
}
SupportShape supportShape(const Sphere& sphere) {
  return {&sphere, pointSupport, sphere.radius, 0, SupportShape::Kind::Point};
}
SupportShape supportShape(const Capsule& capsule) {
  return {&capsule, segmentSupport, capsule.radius, capsule.halfLength, SupportShape::Kind::Segment};
}
SupportShape supportShape(const ConvexHull& hull) {
  return {&hull, hullSupport, 0, hull.extent(), SupportShape::Kind::Hull};
}

SupportShape supportShape(const void* shape, SupportFunction support, double radius) {
  SupportShape result{shape, support, radius, 0, SupportShape::Kind::User};
  for (int k = 0; k < 3 && support; ++k)
    for (const double sign : {1.0, -1.0}) {
      const Vec3 n{k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0};
      const double size = largest(corePoint(result, n));
      if (!(size <= result.extent)) result.extent = size;  // NaN too: the queries then refuse the shape
    }
  return result;
}

SupportShape rounded(SupportShape core, double radius) {
  core.radius += radius;
  return core;
}

}  // namespace sunder
