// SPDX-License-Identifier: MIT
// Axis locks. A locked component of the velocity of a dynamic body is 0 at all times, exactly: the constraint impulse that
// holds it is whatever it takes. For linear axes that is an infinite mass along the axis. For angular ones the free part
// of the inertia tensor has to be inverted (not a part taken from the inverse): with w = 0 along the locked axes, the free
// components f obey I_ff w_f' = torque_f. The torque of a lock is along its axis, so the components of the momentum I w along the free
// world axes, I_ff w_f, are constant; and it does no work, so the energy is. (With one locked axis that is an equation for the
// orientation q alone: w_f = I_ff(q)^-1 p, whose energy p^T I_ff(q)^-1 p / 2 does not change along its own motion.)
#include <cmath>

#include "sunder/physics/body_internal.h"
#include "sunder/solver/free_motion.h"

namespace sunder {
namespace {

using namespace math;

// rad. Largest turn of one part of turnLocked().
constexpr double kMaxTurn = 0.1;
// Beyond 50 to 100 rad per step a rotation is noise: a body turns by what this many parts can do.
constexpr int kMaxParts = 1 << 10;
// Newton's steps back to the energy: one leaves some 1e-5 of the error, two nothing but rounding.
constexpr int kEnergySteps = 2;

int lockedAngularAxes(const BodyState& body) { return (body.def.lockedAxes >> 3) & 7; }

// R diag(moments) R^T, element by element.
double inertiaElement(const double* r, const double* moments, int i, int j) {
  return moments[0] * r[i] * r[j] + moments[1] * r[3 + i] * r[3 + j] + moments[2] * r[6 + i] * r[6 + j];
}

// By what to scale velocities whose energy (or any multiple of it) should be another.
double keepEnergy(double wanted, double found) { return wanted > 0 && found > 0 ? std::sqrt(wanted / found) : 1; }

}  // namespace

void clearLockedVelocity(BodyState& body) {
  if (body.def.kind != BodyKind::Dynamic || body.def.lockedAxes == kLockNone) return;
  store(body.linearVelocity, alongFreeAxes(load(body.linearVelocity), body.def.lockedAxes));
  store(body.angularVelocity, alongFreeAxes(load(body.angularVelocity), lockedAngularAxes(body)));
}

void inverseInertiaInWorld(const BodyState& body, const double* rotation, double (&out)[6]) {
  const int locked = lockedAngularAxes(body);
  const double* moments = body.inertia.data();
  if (locked == 0) {
    const double inverse[3] = {1 / moments[0], 1 / moments[1], 1 / moments[2]};
    int k = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) out[k++] = inertiaElement(rotation, inverse, i, j);
    return;
  }
  for (double& value : out) value = 0;
  constexpr int kPlace[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  int axes[3], count = 0;
  for (int i = 0; i < 3; ++i)
    if ((locked & (1 << i)) == 0) axes[count++] = i;
  if (count == 1) out[kPlace[axes[0]][axes[0]]] = 1 / inertiaElement(rotation, moments, axes[0], axes[0]);
  if (count != 2) return;
  const int i = axes[0], j = axes[1];
  const double a = inertiaElement(rotation, moments, i, i), b = inertiaElement(rotation, moments, i, j);
  const double c = inertiaElement(rotation, moments, j, j), inverse = 1 / (a * c - b * b);  // positive definite
  out[kPlace[i][i]] = inverse * c;
  out[kPlace[i][j]] = -inverse * b;
  out[kPlace[j][j]] = inverse * a;
}

Vec3 angularVelocityOf(const BodyState& body, const Quaternion& orientation, const Vec3& momentum) {
  const Mat3 rotation = toMatrix(load(orientation));
  if (lockedAngularAxes(body) == 0) {
    const Vec3 inBody = transposeTimes(rotation, momentum), moments = load(body.inertia);
    return rotation * Vec3{inBody.x / moments.x, inBody.y / moments.y, inBody.z / moments.z};
  }
  double inverse[6];
  inverseInertiaInWorld(body, frameOf({body.pose.position, orientation}).rotation, inverse);
  return timesSymmetric(inverse, momentum);
}

bool isLockedAboutOneAxis(const BodyState& body) {
  const int locked = lockedAngularAxes(body);
  return locked == 1 || locked == 2 || locked == 4;
}

void turnLocked(const BodyState& body, Quaternion& orientation, Eigen::Vector3d& angularVelocity, double dt) {
  const Vec3 start = load(angularVelocity);
  Eigen::Vector3d turn;
  if (!isLockedAboutOneAxis(body) || isSphericalTop(body)) {  // at constant speed
    store(turn, dt * start);
    orientation = turned(orientation, turn);
    return;
  }
  // Components of the momentum along the locked axis do not matter: angularVelocityOf() has zeros there.
  const Vec3 momentum = angularMomentum(body, orientation, start);
  const double energy = dot(momentum, start);
  Vec3 w = start;
  double left = dt;
  for (int part = 0; part < kMaxParts && left > 0; ++part) {  // midpoint rule
    const double speed = length(w), h = left * speed > kMaxTurn ? kMaxTurn / speed : left;
    store(turn, (0.5 * h) * w);
    store(turn, h * angularVelocityOf(body, turned(orientation, turn), momentum));
    orientation = turned(orientation, turn);
    w = angularVelocityOf(body, orientation, momentum);
    left -= h;
  }
  for (int i = 0; i < kEnergySteps; ++i) {
    // Turned by a, the energy dot(momentum, w) / 2 grows by a . (w x I w).
    const Vec3 slope = cross(w, angularMomentum(body, orientation, w));
    const double squared = dot(slope, slope), wanted = 0.5 * (energy - dot(momentum, w));
    if (!(squared * (kMaxTurn * kMaxTurn) > wanted * wanted)) break;  // an extremum: nothing is wrong but the speed
    store(turn, (wanted / squared) * slope);
    orientation = turned(orientation, turn);
    w = angularVelocityOf(body, orientation, momentum);
  }
  store(angularVelocity, keepEnergy(energy, dot(momentum, w)) * w);
}

void afterLockedTurn(BodyState& body, const Quaternion& before) {
  const Vec3 start = load(body.angularVelocity), momentum = angularMomentum(body, before, start);
  const Vec3 w = angularVelocityOf(body, body.pose.orientation, momentum);
  store(body.angularVelocity, keepEnergy(dot(momentum, start), dot(momentum, w)) * w);
}

}  // namespace sunder
