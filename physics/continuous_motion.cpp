// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "sunder/narrowphase/query.h"
#include "sunder/physics/continuous_internal.h"

namespace sunder {
namespace {

using namespace math;

constexpr double kTwoPi = 6.283185307179586;
// Distance queries per pair. Linear motion needs two or three, a spinning plank that hits a wall about ten.
constexpr int kMaxAdvances = 128;

// The rotation vector of a unit quaternion, |result| <= pi: halved by square roots until asin's series is short.
Vec3 rotationVector(Quat q) {
  if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
  double scale = 2;
  while (q.w < 0.998) {  // sine of the half angle above 0.063
    q = normalized(Quat{q.w + 1, q.x, q.y, q.z});
    scale *= 2;
  }
  const double s = q.x * q.x + q.y * q.y + q.z * q.z;
  const double arc = 1 + s / 6 * (1 + s * 9 / 20 * (1 + s * 25 / 42 * (1 + s * 49 / 72)));  // asin(x) / x, x^2 = s
  return (scale * arc) * Vec3{q.x, q.y, q.z};
}

}  // namespace

Motion motionBetween(const Pose& from, const Pose& to, const Eigen::Vector3d& angularVelocity, double dt) {
  Motion motion;
  motion.pose = from;
  store(motion.linearVelocity, load(to.position) - load(from.position));
  Vec3 turn = rotationVector(load(to.orientation) * conjugate(load(from.orientation)));
  const Vec3 w = dt * load(angularVelocity);
  if (dot(w, w) > 9) {
    const double angle = length(turn);
    const Vec3 axis = angle > 0 ? (1 / angle) * turn : (1 / length(w)) * w;
    turn = (angle + kTwoPi * std::floor((dot(w, axis) - angle) / kTwoPi + 0.5)) * axis;
  }
  store(motion.angularVelocity, turn);
  return motion;
}

double motionBound(const Motion& motion, double radius, double duration) {
  return duration * (length(load(motion.linearVelocity)) + radius * length(load(motion.angularVelocity)));
}

double motionBound(const Pose& from, const Pose& to, double radius) {
  // |q - p| is twice the sine of a quarter of the angle; a point at the radius moves by at most radius * angle, and
  // angle <= 2.3 |q - p| up to half a turn. Both signs of a quaternion are the same rotation.
  const double* p = from.orientation.coeffs().data();
  const double* q = to.orientation.coeffs().data();
  double apart = 0, opposed = 0;
  for (int k = 0; k < 4; ++k) {
    apart += (q[k] - p[k]) * (q[k] - p[k]);
    opposed += (q[k] + p[k]) * (q[k] + p[k]);
  }
  return length(load(to.position) - load(from.position)) + radius * 2.3 * std::sqrt(std::min(apart, opposed));
}

Impact firstImpact(const Box& a, const Motion& motionA, const Box& b, const Motion& motionB, double duration, double tolerance) {
  Impact impact;
  const Vec3 velocity = load(motionB.linearVelocity) - load(motionA.linearVelocity);
  const Vec3 turnA = load(motionA.angularVelocity), turnB = load(motionB.angularVelocity);
  const double radiusA = length(load(a.halfExtents)), radiusB = length(load(b.halfExtents));
  QueryCache cache;
  for (int advance = 0; advance < kMaxAdvances; ++advance) {
    const Pose poseA = poseAt(motionA, impact.time), poseB = poseAt(motionB, impact.time);
    const Proximity near = signedDistance(a, b, relativePose(poseA, poseB), {}, &cache);
    if (near.status == QueryStatus::InvalidInput) return {};
    impact.normal = rotate(load(poseA.orientation), load(near.normal));
    if (near.signedDistance <= tolerance) {
      impact.hit = true;
      impact.startsInTouch = advance == 0;
      return impact;
    }
    // No point closes in along this normal faster than that, as the normal stays where it is in the world.
    const double approach = length(cross(turnA, impact.normal)) * radiusA + length(cross(turnB, impact.normal)) * radiusB -
                            dot(velocity, impact.normal);
    // Half the tolerance further than up to touching, so that it ends.
    const double step = near.signedDistance - 0.5 * tolerance;
    if (!(approach * (duration - impact.time) > step)) return impact;
    impact.time += step / approach;
  }
  impact.hit = true;
  return impact;
}

Box core(const Box& box, double depth) {
  Box result = box;
  for (int k = 0; k < 3; ++k) result.halfExtents.data()[k] = box.halfExtents.data()[k] - depth;
  return result;
}

double smallestHalfExtent(const Box& box) {
  const double* h = box.halfExtents.data();
  return std::min({h[0], h[1], h[2]});
}

}  // namespace sunder
