// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/shape_cast.h"

#include "sunder/narrowphase/support_internal.h"
#include "sunder/narrowphase/tolerances.h"

namespace sunder {
namespace {

using namespace math;

double sizeOf(const SupportShape& s) { return s.extent + s.radius; }

// cos and sin of half the angle as a quaternion, from their series: the C library's differ from machine to machine. The
// angle is halved until the series' first neglected term is below rounding, then the rotation is squared as often.
Quat turn(const Vec3& rotation) {
  double angle = length(rotation);
  int doublings = 0;
  for (; angle > 0.25 && doublings < 64; ++doublings) angle *= 0.5;
  const double half = 0.5 * angle, x = half * half;
  const double cosine = 1 - x / 2 * (1 - x / 12 * (1 - x / 30 * (1 - x / 56 * (1 - x / 90))));
  const double sineOverHalf = 1 - x / 6 * (1 - x / 20 * (1 - x / 42 * (1 - x / 72 * (1 - x / 110))));
  const double scale = 0.5 * sineOverHalf;
  Vec3 v = rotation;
  for (int i = 0; i < doublings; ++i) v = 0.5 * v;
  Quat q = {cosine, scale * v.x, scale * v.y, scale * v.z};
  for (int i = 0; i < doublings; ++i) q = normalized(q * q);
  return q;
}

bool valid(const Motion& m) {
  return isFinite(load(m.pose.position)) && usableRotation(load(m.pose.orientation)) && isFinite(load(m.linearVelocity)) &&
         isFinite(load(m.angularVelocity));
}

}  // namespace

ShapeCastHit shapeCast(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                       const Eigen::Vector3d& translation) {
  ShapeCastHit result;
  const Vec3 move = load(translation);
  if (!isFinite(move)) return result;
  QueryCache cache;
  Pose pose = poseBInA;
  for (result.iterations = 0; result.iterations < tolerances::kMaxCastIterations;) {
    const Proximity near = signedDistance(a, b, pose, {}, &cache);
    ++result.iterations;
    result.status = near.status;
    if (near.status == QueryStatus::InvalidInput) return ShapeCastHit();
    const Vec3 normal = load(near.normal);
    const double approach = -dot(move, normal);  // metres of gap closed per fraction
    const double way = largest(load(poseBInA.position)) + result.fraction * largest(move);
    const double touching = tolerances::kCastTouching * (sizeOf(a) + sizeOf(b)) + tolerances::kMotionRounding * way;
    const bool first = result.iterations == 1;
    if (near.signedDistance <= touching && (approach > 0 || near.signedDistance < -touching)) {
      result.hit = true;
      result.startsInTouch = first;
      result.normal = near.normal;
      store(result.point, 0.5 * (load(near.pointOnA) + load(near.pointOnB)));
      return result;
    }
    const double gap = near.signedDistance > 0 ? near.signedDistance : 0;
    // The gap along this normal only grows, or closes no further than the end of the motion.
    if (!(approach > 0) || result.fraction + gap / approach > 1) {
      result.fraction = 1;
      return result;
    }
    result.fraction += gap / approach;
    store(pose.position, load(poseBInA.position) + result.fraction * move);
  }
  result.status = QueryStatus::IterationLimit;
  return result;
}

Pose poseAt(const Motion& motion, double time) {
  Pose pose;
  store(pose.position, load(motion.pose.position) + time * load(motion.linearVelocity));
  store(pose.orientation, normalized(turn(time * load(motion.angularVelocity)) * load(motion.pose.orientation)));
  return pose;
}

TimeOfImpact timeOfImpact(const Box& a, const Motion& motionA, const Box& b, const Motion& motionB, double maxTime) {
  TimeOfImpact result;
  if (!valid(motionA) || !valid(motionB) || !isFinite(maxTime) || maxTime < 0) return result;
  const SupportShape shapeA = supportShape(a), shapeB = supportShape(b);
  const double radiusA = length(load(a.halfExtents)), radiusB = length(load(b.halfExtents));
  const double touching = tolerances::kImpactTouching * (radiusA + radiusB);
  const Vec3 velocity = load(motionB.linearVelocity) - load(motionA.linearVelocity);
  QueryCache cache;
  while (result.iterations < tolerances::kMaxCastIterations) {
    const Pose poseA = poseAt(motionA, result.time), poseB = poseAt(motionB, result.time);
    const Proximity near = signedDistance(shapeA, shapeB, relativePose(poseA, poseB), {}, &cache);
    if (near.status == QueryStatus::InvalidInput) return TimeOfImpact();
    ++result.iterations;
    result.status = near.status;
    const Mat3 rotation = toMatrixScaled(load(poseA.orientation));
    const Vec3 normal = rotation * load(near.normal);
    const double spin = length(cross(load(motionA.angularVelocity), normal)) * radiusA +
                        length(cross(load(motionB.angularVelocity), normal)) * radiusB;
    const double approach = spin - dot(velocity, normal);  // upper bound of the closing speed
    const double enough = touching + tolerances::kMotionRounding * result.time * (approach > 0 ? approach : 0);
    if (near.signedDistance <= enough && (approach > 0 || near.signedDistance < -touching)) {
      result.hit = true;
      result.startsInTouch = result.iterations == 1;
      store(result.normal, normal);
      store(result.point,
            load(poseA.position) + rotation * (0.5 * (load(near.pointOnA) + load(near.pointOnB))));
      return result;
    }
    const double gap = near.signedDistance > 0 ? near.signedDistance : 0;
    // The normal stays fixed in the world, so the bound holds for all later times.
    const double next = approach > 0 ? result.time + gap / approach : maxTime + 1;
    if (next > maxTime) {
      result.time = maxTime;
      return result;
    }
    result.time = next;
  }
  result.status = QueryStatus::IterationLimit;
  return result;
}

}  // namespace sunder
