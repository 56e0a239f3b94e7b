// SPDX-License-Identifier: MIT
// How one body moves within a step: by itself, or as the solver found. docs/stepping.md, "Free motion".
#include <cmath>

#include "sunder/physics/world_internal.h"
#include "sunder/solver/free_motion.h"

namespace sunder {
namespace {

using namespace math;

// rad per step. Below, the gyroscopic change of the velocity is taken at the start of the step; above, from the
// momentum-conserving integrator.
constexpr double kExplicitTurn = 0.02;

// `linear`, `angular`: what damping leaves in a substep of the velocity that a force gives. With less, a damped body at rest would report
// less than its weight.
void setMasses(SolverMass& out, const BodyState& body, const BodyFrame& frame, double linear, double angular) {
  double inverse[6];
  inverseInertiaInWorld(body, frame.rotation, inverse);
  for (int k = 0; k < 6; ++k) out.inverseInertia[k] = static_cast<float>(angular * inverse[k]);
  out.inverseMass = static_cast<float>(linear / body.mass);
}

// rad per step. Above, a body's inertia in world axes changes too much within a step for the solver's constant one: kept
// momentum would be energy from nowhere. Then the solver gets no gyroscopic torque, and turnSolved() turns the body.
constexpr double kFarTurn = 0.2;
bool turnsFar(const BodyState& body, const Vec3& turn) {
  return !isSphericalTop(body) && dot(turn, turn) >= kFarTurn * kFarTurn &&
         ((body.def.lockedAxes & kLockRotation) == 0 || isLockedAboutOneAxis(body));
}

// Turns such a body by what the solver found for the start of the step: freely with the final velocity, which keeps its
// energy, and then by what the displacement differs from that. Without impulses that is exactly the free motion.
void turnSolved(BodyState& body, const Vec3& w, const Vec3& turn, double dt) {
  store(body.angularVelocity, w);
  Eigen::Vector3d rest;
  store(rest, turn - dt * w);
  if (isLockedAboutOneAxis(body)) {
    turnLocked(body, body.pose.orientation, body.angularVelocity, dt);
    const Quaternion before = body.pose.orientation;
    body.pose.orientation = turned(before, rest);
    return afterLockedTurn(body, before);
  }
  turnFreely(body.pose.orientation, body.angularVelocity, body.inertia, dt);
  body.pose.orientation = turned(body.pose.orientation, rest);
  store(body.angularVelocity, rotate(load(turned(Quaternion(1, 0, 0, 0), rest)), load(body.angularVelocity)));
}

// Change of the angular velocity over dt by -I^-1 (w x I w).
Vec3 gyroscopicChange(const BodyState& body, double dt) {
  const Vec3 w = load(body.angularVelocity), moments = load(body.inertia);
  if (isSphericalTop(body) || (w.x == 0 && w.y == 0 && w.z == 0)) return {0, 0, 0};
  if (turnsFar(body, dt * w)) return {0, 0, 0};
  const bool isLocked = (body.def.lockedAxes & kLockRotation) != 0;
  if (isLocked && !isLockedAboutOneAxis(body)) return {0, 0, 0};
  if (!isLocked && length(w) * dt < kExplicitTurn) {
    const Mat3 r = toMatrix(load(body.pose.orientation));
    const Vec3 l = transposeTimes(r, w);
    const Vec3 torque = cross(Vec3{moments.x * l.x, moments.y * l.y, moments.z * l.z}, l);
    return dt * (r * Vec3{torque.x / moments.x, torque.y / moments.y, torque.z / moments.z});
  }
  Quaternion q = body.pose.orientation;
  Eigen::Vector3d end = body.angularVelocity;
  if (isLocked)
    turnLocked(body, q, end, dt);
  else
    turnFreely(q, end, body.inertia, dt);
  return load(end) - w;
}

// The angular velocity after a body has turned, from the one before: what stays is the momentum I w in world axes.
Vec3 afterTurn(const BodyState& body, const Vec3& w, const Quaternion& before) {
  if (isSphericalTop(body)) return w;
  return angularVelocityOf(body, body.pose.orientation, angularMomentum(body, before, w));
}

// What a damping of c (1/s) leaves of the motion over a time t, of v' = g - c v exactly: v(t) = keep v + gain g,
// x(t) = x + gain v + fall g.
struct Damped {
  double keep, gain, fall;  // 1, s, s^2
};
Damped dampedOver(double t, double c) {
  if (c == 0) return {1, t, 0.5 * t * t};
  // exp(-y), (1 - exp(-y)) / y and (y - 1 + exp(-y)) / y^2 for y < 1/8 by Taylor series, the first term left out is below 1e-17;
  // from there by doubling the time.
  double y = c * t;
  int doublings = 0;
  for (; y > 0.125 && doublings < 64; ++doublings) y *= 0.5;
  if (y > 0.125) return {0, 1 / c, t / c};
  double term = 1;
  for (int k = 12; k >= 3; --k) term = 1 - y / k * term;
  double fall = 0.5 * term, gain = 1 - y * fall, keep = 1 - y * gain;
  for (; doublings > 0; --doublings) {
    fall = 0.25 * (2 * fall + gain * gain);
    gain = 0.5 * gain * (1 + keep);
    keep *= keep;
  }
  return {keep, t * gain, t * t * fall};
}

}  // namespace

// m/s^2, of a dynamic body without contacts.
Vec3 World::Impl::freeAcceleration(std::uint32_t index) const {
  const double* f = forces[index].force;
  return bodies[index].def.gravityScale * load(def.gravity) + (1 / bodies[index].mass) * Vec3{f[0], f[1], f[2]};
}

// One body with contacts, as the solver sees it: in the world, or in the frame of what carries it.
void World::Impl::fillSolverBody(ContactSolver& solver, std::uint32_t index, double dt, int substeps, const Carrier* carrier) const {
  const BodyState& body = bodies[index];
  const std::uint32_t number = solverBody[index];
  SolverBody& out = solver.bodies[number];
  SolverMass& mass = solver.masses[number];
  SolverDrive& drive = solver.drives[number];
  solver.locked[number] = body.def.kind == BodyKind::Dynamic ? body.def.lockedAxes : std::uint8_t{kLockNone};
  const Vec3 v = load(body.linearVelocity), w = load(body.angularVelocity);
  const double velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
  for (int k = 0; k < 6; ++k) out.velocity[k] = static_cast<float>(velocity[k]);
  if (body.def.kind != BodyKind::Dynamic) return;
  const double h = dt / substeps;
  const Damped linear = dampedOver(h, body.def.linearDamping), angular = dampedOver(h, body.def.angularDamping);
  setMasses(mass, body, frames[index], linear.gain / h, angular.gain / h);
  const BodyForce& f = forces[index];
  Vec3 fall = freeAcceleration(index);
  Vec3 twist = {0, 0, 0};  // rad/s per substep, of the applied torque
  if (f.torque[0] != 0 || f.torque[1] != 0 || f.torque[2] != 0) {
    double inverse[6];
    inverseInertiaInWorld(body, frames[index].rotation, inverse);
    twist = h * timesSymmetric(inverse, {f.torque[0], f.torque[1], f.torque[2]});
  }
  if (carrier != nullptr) {
    const Inertial change = inertialChange(body, *carrier, fall, dt);
    fall = fall + (1 / dt) * change.linear;
    twist = twist + (1.0 / substeps) * change.angular;
  }
  const Vec3 gyro = (1.0 / substeps) * gyroscopicChange(body, dt) + twist;
  const Vec3 fallen = linear.gain * fall, spun = (angular.gain / h) * gyro;
  const double gain[6] = {fallen.x, fallen.y, fallen.z, spun.x, spun.y, spun.z}, keep[2] = {linear.keep, angular.keep};
  for (int k = 0; k < 6; ++k) {
    const bool isLocked = (body.def.lockedAxes & (1 << k)) != 0;
    drive.keep[k] = isLocked ? 0.0f : static_cast<float>(keep[k / 3]);
    drive.gain[k] = isLocked ? 0.0f : static_cast<float>(gain[k]);
  }
}

// Motion without contacts: exact in the position, see turnFreely() for the rotation.
void World::Impl::moveFreely(std::uint32_t index, double dt) {
  BodyState& body = bodies[index];
  Vec3 position = load(body.pose.position), v = load(body.linearVelocity);
  const Vec3 w = load(body.angularVelocity);
  if (body.def.kind == BodyKind::Dynamic) {
    const Vec3 old = v;
    const BodyForce& f = forces[index];
    const Damped damped = dampedOver(dt, body.def.linearDamping);
    const Vec3 acceleration = freeAcceleration(index);
    v = damped.keep * v + damped.gain * acceleration;
    store(body.linearVelocity, v);
    // Half of torque and damping before and half after the turn: second order.
    const Damped half = dampedOver(0.5 * dt, body.def.angularDamping);
    const bool twisted = f.torque[0] != 0 || f.torque[1] != 0 || f.torque[2] != 0;
    const auto spinHalf = [&] {
      Vec3 spin = half.keep * load(body.angularVelocity);
      if (twisted) {
        double inverse[6];
        inverseInertiaInWorld(body, frameOf(body.pose).rotation, inverse);
        spin = spin + half.gain * timesSymmetric(inverse, {f.torque[0], f.torque[1], f.torque[2]});
      }
      store(body.angularVelocity, spin);
    };
    if (twisted || half.keep != 1) spinHalf();
    if ((body.def.lockedAxes & kLockRotation) == 0)
      turnFreely(body.pose.orientation, body.angularVelocity, body.inertia, dt);
    else
      turnLocked(body, body.pose.orientation, body.angularVelocity, dt);
    if (twisted || half.keep != 1) spinHalf();
    clearLockedVelocity(body);
    const Vec3 moved = body.def.linearDamping == 0 ? (0.5 * dt) * (old + load(body.linearVelocity)) : damped.gain * old + damped.fall * acceleration;
    position = position + alongFreeAxes(moved, body.def.lockedAxes);
  } else {
    position = position + dt * v;
    Eigen::Vector3d turn;
    store(turn, dt * w);
    body.pose.orientation = turned(body.pose.orientation, turn);
  }
  store(body.pose.position, position);
}

void World::Impl::moveSolved(BodyState& body, const SolverBody& solved, double dt) const {
  const Vec3 moved = {solved.displacement[0], solved.displacement[1], solved.displacement[2]};
  store(body.pose.position, load(body.pose.position) + moved);
  store(body.linearVelocity, Vec3{solved.velocity[0], solved.velocity[1], solved.velocity[2]});
  Vec3 w = {solved.velocity[3], solved.velocity[4], solved.velocity[5]};
  const Vec3 turning = {solved.displacement[3], solved.displacement[4], solved.displacement[5]};
  if (turnsFar(body, dt * load(body.angularVelocity)) || turnsFar(body, turning)) return turnSolved(body, w, turning, dt);
  if (solved.displacement[3] != 0 || solved.displacement[4] != 0 || solved.displacement[5] != 0) {
    Eigen::Vector3d turn;
    store(turn, turning);
    const Quaternion before = body.pose.orientation;
    const Vec3 gyro = gyroscopicChange(body, dt);
    body.pose.orientation = turned(before, turn);
    // The gyroscopic change has turned the body rightly. But its momentum is exactly the one it had and what contacts gave
    // to it, both with the inertia of the start of the step, which the solver worked with.
    if (isLockedAboutOneAxis(body)) {
      store(body.angularVelocity, w - gyro);
      return afterLockedTurn(body, before);
    }
    if ((body.def.lockedAxes & kLockRotation) == 0) w = afterTurn(body, w - gyro, before);
  }
  store(body.angularVelocity, w);
}

}  // namespace sunder
