// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/ray_cast.h"

#include <limits>

#include "sunder/narrowphase/shape_cast.h"
#include "sunder/narrowphase/support_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder {
namespace {

using namespace math;

bool valid(const Ray& ray) {
  const Vec3 d = load(ray.direction);
  const Vec3 o = load(ray.origin);
  return isFinite(o) && isFinite(d) && largest(o) <= tolerances::kLargestLength && largest(d) <= tolerances::kLargestLength &&
         largest(d) >= tolerances::kSmallestLength && ray.maxFraction >= 0;
}

void setHit(const Ray& ray, double fraction, const Vec3& normal, RayHit& hit) {
  hit.hit = true;
  hit.fraction = fraction;
  store(hit.normal, normal);
  store(hit.point, load(ray.origin) + fraction * load(ray.direction));
}

void setInside(const Ray& ray, RayHit& hit) {
  setHit(ray, 0, {0, 0, 0}, hit);
  hit.startsInside = true;
}

}  // namespace

RayHit rayCast(const Box& box, const Ray& ray) {
  RayHit hit;
  if (!valid(ray) || !validate(box).empty()) return hit;
  hit.status = QueryStatus::Converged;
  const double* o = ray.origin.data();
  const double* d = ray.direction.data();
  const double* h = box.halfExtents.data();
  double enter = -std::numeric_limits<double>::infinity(), leave = std::numeric_limits<double>::infinity();
  int axis = -1;
  for (int k = 0; k < 3; ++k) {
    if (d[k] == 0) {
      // Along a face: inside the slab all the way, or never. On the face itself it only grazes.
      if (!(std::abs(o[k]) < h[k])) return hit;
      continue;
    }
    const double side = d[k] > 0 ? 1.0 : -1.0;
    const double first = (-side * h[k] - o[k]) / d[k], last = (side * h[k] - o[k]) / d[k];
    if (first >= enter) {
      enter = first;
      axis = k;
    }
    leave = last < leave ? last : leave;
  }
  if (!(enter < leave) || !isFinite(leave - enter) || enter > ray.maxFraction || leave <= 0) return hit;
  if (enter <= 0) {
    setInside(ray, hit);
    return hit;
  }
  double normal[3] = {0, 0, 0};
  normal[axis] = d[axis] > 0 ? -1.0 : 1.0;
  setHit(ray, enter, {normal[0], normal[1], normal[2]}, hit);
  return hit;
}

RayHit rayCast(const Sphere& sphere, const Ray& ray) {
  RayHit hit;
  if (!valid(ray) || !validate(sphere).empty()) return hit;
  hit.status = QueryStatus::Converged;
  const Vec3 o = load(ray.origin), d = load(ray.direction);
  // The point nearest to the centre first: the discriminant of the plain quadratic cancels for far origins.
  const double dd = dot(d, d), middle = -dot(o, d) / dd;
  const Vec3 nearest = o + middle * d;
  const double inside = sphere.radius * sphere.radius - dot(nearest, nearest);
  if (!(inside > 0)) return hit;
  const double half = std::sqrt(inside / dd);
  if (middle - half > ray.maxFraction || middle + half <= 0) return hit;
  if (middle - half <= 0) {
    setInside(ray, hit);
    return hit;
  }
  const Vec3 p = o + (middle - half) * d;
  setHit(ray, middle - half, (1 / length(p)) * p, hit);
  return hit;
}

RayHit rayCast(const SupportShape& shape, const Ray& ray) {
  if (shape.kind == SupportShape::Kind::Box && shape.radius == 0) return rayCast(*static_cast<const Box*>(shape.shape), ray);
  if (shape.kind == SupportShape::Kind::Point && shape.radius > 0) return rayCast(Sphere{shape.radius}, ray);
  RayHit hit;
  if (!valid(ray)) return hit;
  // A ray without an end ends where no shape can be.
  const double beyond = 4 * tolerances::kLargestLength / largest(load(ray.direction));
  const double end = ray.maxFraction < beyond ? ray.maxFraction : beyond;
  // A point that moves along the ray.
  const SupportShape point{&ray, [](const void*, const Eigen::Vector3d&, Eigen::Vector3d& p) { store(p, {0, 0, 0}); }, 0, 0,
                           SupportShape::Kind::Point};
  Pose start;
  start.position = ray.origin;
  Eigen::Vector3d translation;
  store(translation, end * load(ray.direction));
  const ShapeCastHit cast = shapeCast(shape, point, start, translation);
  hit.status = cast.status;
  hit.iterations = cast.iterations;
  if (!cast.hit && cast.status != QueryStatus::Converged) hit.fraction = cast.fraction * end;
  if (!cast.hit) return hit;
  if (cast.startsInTouch)
    setInside(ray, hit);
  else
    setHit(ray, cast.fraction * end, load(cast.normal), hit);
  return hit;
}

}  // namespace sunder
