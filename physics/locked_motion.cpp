// SPDX-License-Identifier: MIT
// Axis locks. A locked component of the velocity of a dynamic body is 0 at all times, exactly: the constraint impulse that
// holds it is whatever it takes. For linear axes that is an infinite mass along the axis. For angular ones the free part
// of the inertia tensor has to be inverted (not a part taken from the inverse): with w = 0 along the locked axes, the free
// components f obey I_ff w_f' = torque_f, and a lock about world axes leaves the momentum I_ff w_f constant.
#include "sunder/physics/world_internal.h"
#include "sunder/solver/free_motion.h"

namespace sunder {
namespace {

using namespace math;

int lockedAngularAxes(const BodyState& body) { return (body.def.lockedAxes >> 3) & 7; }

// R diag(moments) R^T, element by element.
double inertiaElement(const double* r, const double* moments, int i, int j) {
  return moments[0] * r[i] * r[j] + moments[1] * r[3 + i] * r[3 + j] + moments[2] * r[6 + i] * r[6 + j];
}

}  // namespace

void clearLockedVelocity(BodyState& body) {
  if (body.def.kind != BodyKind::Dynamic || body.def.lockedAxes == kLockNone) return;
  for (int k = 0; k < 3; ++k) {
    if ((body.def.lockedAxes & (kLockLinearX << k)) != 0) body.linearVelocity.data()[k] = 0;
    if ((body.def.lockedAxes & (kLockAngularX << k)) != 0) body.angularVelocity.data()[k] = 0;
  }
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

void turnLocked(BodyState& body, double dt) {
  const int locked = lockedAngularAxes(body);
  Eigen::Vector3d turn;
  if (locked == 3 || locked == 5 || locked == 6 || locked == 7) {  // about one axis: at constant speed
    store(turn, dt * load(body.angularVelocity));
    body.pose.orientation = turned(body.pose.orientation, turn);
    return;
  }
  // One axis is locked: the momentum in the plane of the two others is constant. Midpoint rule.
  const auto velocityAt = [&](const Quaternion& q, const Vec3& momentum) {
    const BodyFrame frame = frameOf({body.pose.position, q});
    double m[6];
    inverseInertiaInWorld(body, frame.rotation, m);
    return Vec3{m[0] * momentum.x + m[1] * momentum.y + m[2] * momentum.z, m[1] * momentum.x + m[3] * momentum.y + m[4] * momentum.z,
                m[2] * momentum.x + m[4] * momentum.y + m[5] * momentum.z};
  };
  const Mat3 r = toMatrix(load(body.pose.orientation));
  const Vec3 w = load(body.angularVelocity), moments = load(body.inertia), inBody = transposeTimes(r, w);
  // The components along locked axes do not matter: velocityAt has zeros there.
  const Vec3 momentum = r * Vec3{moments.x * inBody.x, moments.y * inBody.y, moments.z * inBody.z};
  store(turn, (0.5 * dt) * w);
  const Vec3 middle = velocityAt(turned(body.pose.orientation, turn), momentum);
  store(turn, dt * middle);
  body.pose.orientation = turned(body.pose.orientation, turn);
  store(body.angularVelocity, velocityAt(body.pose.orientation, momentum));
}

}  // namespace sunder
