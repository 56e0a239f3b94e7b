// SPDX-License-Identifier: MIT
// What concerns one body alone: its state, its inertia, its locks. Not installed.
#pragma once
#include <algorithm>

#include "sunder/broadphase/aabb.h"
#include "sunder/narrowphase/math_internal.h"
#include "sunder/physics/body.h"
#include "sunder/physics/continuous_internal.h"
#include "sunder/solver/solver_body.h"

namespace sunder {

// Everything of a body that is not read in the inner loops.
struct BodyState {
  BodyDef def;
  Pose pose;
  Pose previousPose;  // at the start of the step
  Eigen::Vector3d linearVelocity = Eigen::Vector3d::Zero();
  Eigen::Vector3d angularVelocity = Eigen::Vector3d::Zero();
  // Of a body that does not give way, in the last step: m/s, of what it carries (a belt also moves that); rad/s.
  Eigen::Vector3d lastVelocity = Eigen::Vector3d::Zero(), lastSpin = Eigen::Vector3d::Zero();
  double swayTime = 0;  // s for which what it carries may go on swaying, since its velocity changed
  Eigen::Vector3d inertia = Eigen::Vector3d::Zero();  // kg m^2, principal, own axes; 0 when not dynamic
  double mass = 0;                                    // kg; 0 when not dynamic
  double radius = 0;                                  // m, half the diagonal
  double unrestTime = 0;  // s for which it was slow without coming to rest, less those in which it was calm
  double stillTime = 0;                               // s for which the body has been slow enough to sleep
  std::uint32_t generation = 0;
  std::uint32_t sleepingIsland = kNone;  // kNone: awake (or never sleeps: static)
  bool alive = false;
  bool frozen = false;  // its state stopped being finite
  bool held = false;    // had contacts in the last step
  bool isNew = true;    // was in no step yet
};

// The smallest half extent of both, m.
inline double smallestExtent(const BodyState& a, const BodyState& b) {
  return std::min(a.def.halfExtents.minCoeff(), b.def.halfExtents.minCoeff());
}
BodyFrame frameOf(const Pose& pose);
math::Vec3 rotated(const BodyFrame& frame, const double* v);   // a vector of the body's own axes, in world axes
math::Vec3 between(const BodyFrame& a, const BodyFrame& b);  // from the position of A to that of B
Aabb boundsOf(const BodyFrame& frame, const Eigen::Vector3d& halfExtents);
Pose normalizedPose(const Pose& pose);
// Mass, inertia and radius from the definition.
void updateMass(BodyState& body);

// Its moments are equal: as it turns, its inertia in world axes stays the same.
inline bool isSphericalTop(const BodyState& body) {
  const math::Vec3 moments = math::load(body.inertia);
  return moments.x == moments.y && moments.y == moments.z;
}
// I v of a body in world axes, whatever its locks.
inline math::Vec3 inertiaTimes(const BodyState& body, const math::Mat3& rotation, const math::Vec3& v) {
  const math::Vec3 inBody = math::transposeTimes(rotation, v), moments = math::load(body.inertia);
  return rotation * math::Vec3{moments.x * inBody.x, moments.y * inBody.y, moments.z * inBody.z};
}
inline math::Vec3 angularMomentum(const BodyState& body, const Quaternion& orientation, const math::Vec3& angularVelocity) {
  return inertiaTimes(body, math::toMatrix(math::load(orientation)), angularVelocity);
}
// The angular velocity of a dynamic body with such a momentum along its free axes; 0 along locked ones.
math::Vec3 angularVelocityOf(const BodyState& body, const Quaternion& orientation, const math::Vec3& momentum);
double kineticEnergy(const BodyState& body);  // J
// m v with m symmetric: xx, xy, xz, yy, yz, zz.
inline math::Vec3 timesSymmetric(const double (&m)[6], const math::Vec3& v) {
  return {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[1] * v.x + m[3] * v.y + m[4] * v.z, m[2] * v.x + m[4] * v.y + m[5] * v.z};
}

// Axis locks, see locked_motion.cpp.
// v without its components along locked axes: bit k of `locks` is that of axis k.
inline math::Vec3 alongFreeAxes(const math::Vec3& v, int locks) {
  return {(locks & 1) != 0 ? 0 : v.x, (locks & 2) != 0 ? 0 : v.y, (locks & 4) != 0 ? 0 : v.z};
}
void clearLockedVelocity(BodyState& body);
// Of a dynamic body in world axes: xx, xy, xz, yy, yz, zz, in 1/(kg m^2); locked axes have zero rows. rotation: columns.
void inverseInertiaInWorld(const BodyState& body, const double* rotation, double (&out)[6]);
// Whether the inertia of a body about its free axes changes as it turns: with one locked angular axis.
bool isLockedAboutOneAxis(const BodyState& body);
// turnFreely() with the body's locked axes. The energy stays the same to rounding, the momentum along free axes to 1e-6 up to
// 10 rad per step and 2e-4 up to 30. 0.3 us for each 0.1 rad.
void turnLocked(const BodyState& body, Quaternion& orientation, Eigen::Vector3d& angularVelocity, double dt);
// The angular velocity of a body with one locked angular axis after it has been turned, not by its own motion, from `before`: the
// energy stays, and but for that the momentum along its free axes.
void afterLockedTurn(BodyState& body, const Quaternion& before);

}  // namespace sunder
