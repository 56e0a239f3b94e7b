// SPDX-License-Identifier: MIT
#include "sunder/solver/free_motion.h"

#include <algorithm>

#include "sunder/narrowphase/math_internal.h"

namespace sunder {
namespace {

using namespace math;

// rad. The energy error of the splitting is bounded and of order turn^2.
constexpr double kMaxTurn = 0.05;
// More parts than this only occur beyond 400 rad per step. There a rotation is noise in any case, and a body turns by what
// this many parts can do.
constexpr int kMaxParts = 1 << 13;
constexpr double kMostTurn = kMaxTurn * kMaxParts;

// exp of a rotation vector by its Taylor series on vector / 2^k, squared k times.
Quat exponential(Vec3 v) {
  int doublings = 0;
  double squared = dot(v, v);
  while (squared > 0.0625 && doublings < 64) {  // |v| <= 0.25: the first term left out is below 1e-17
    v = 0.5 * v;
    squared *= 0.25;
    ++doublings;
  }
  const double h = 0.25 * squared;  // (angle / 2)^2
  const double cosine = 1 - h / 2 * (1 - h / 12 * (1 - h / 30 * (1 - h / 56 * (1 - h / 90))));
  const double sinc = 1 - h / 6 * (1 - h / 20 * (1 - h / 42 * (1 - h / 72 * (1 - h / 110))));
  Quat q = {cosine, 0.5 * sinc * v.x, 0.5 * sinc * v.y, 0.5 * sinc * v.z};
  for (; doublings > 0; --doublings) q = q * q;
  return q;
}

struct Turn {
  double sine, cosine;
};
// Sine and cosine of a small angle, |a| < 0.3, by Taylor series to the last bit but one.
Turn smallTurn(double a) {
  const double s = a * a;
  return {a * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110))))),
          1 - s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90))))};
}

// A free body in its own frame: orientation and the world-constant momentum, whose body coordinates turn.
struct FreeBody {
  Quat q;
  double momentum[3];
};

// The exact motion of the energy momentum[i]^2 / (2 moment): a turn about body axis i.
void turnAboutAxis(FreeBody& body, int i, double inverseMoment, double h) {
  const double half = 0.5 * h * body.momentum[i] * inverseMoment;
  const Turn t = smallTurn(half);
  const double d[3] = {i == 0 ? t.sine : 0.0, i == 1 ? t.sine : 0.0, i == 2 ? t.sine : 0.0};
  body.q = body.q * Quat{t.cosine, d[0], d[1], d[2]};
  const double c = t.cosine * t.cosine - t.sine * t.sine, s = 2 * t.sine * t.cosine;
  double& u = body.momentum[(i + 1) % 3];
  double& v = body.momentum[(i + 2) % 3];
  const double turnedU = c * u + s * v, turnedV = c * v - s * u;
  u = turnedU;
  v = turnedV;
}

}  // namespace

Quaternion turned(const Quaternion& q, const Eigen::Vector3d& rotationVector) {
  Quaternion result;
  store(result, normalized(exponential(load(rotationVector)) * load(q)));
  return result;
}

void turnFreely(Quaternion& orientation, Eigen::Vector3d& angularVelocity, const Eigen::Vector3d& inertia, double dt) {
  Quat q = load(orientation);
  const Vec3 w = load(angularVelocity), moments = load(inertia);
  if (moments.x == moments.y && moments.y == moments.z) {  // every axis is principal: the velocity is constant
    store(orientation, normalized(exponential(dt * w) * q));
    return;
  }
  const Mat3 start = toMatrix(q);
  const Vec3 inBody = transposeTimes(start, w);
  const Vec3 momentum = start * Vec3{moments.x * inBody.x, moments.y * inBody.y, moments.z * inBody.z};
  // The body's own frame may come to turn faster than w, but never faster than momentum / least moment.
  const double least = std::min({moments.x, moments.y, moments.z});
  const double turn = dt * std::min(2 * length(w), length(momentum) / least);
  const int parts = turn < kMostTurn ? static_cast<int>(turn / kMaxTurn) + 1 : kMaxParts;
  const double h = (turn < kMostTurn ? dt : dt * (kMostTurn / turn)) / parts;
  FreeBody body = {q, {moments.x * inBody.x, moments.y * inBody.y, moments.z * inBody.z}};
  const double inverse[3] = {1 / moments.x, 1 / moments.y, 1 / moments.z};
  for (int part = 0; part < parts; ++part) {
    turnAboutAxis(body, 0, inverse[0], 0.5 * h);
    turnAboutAxis(body, 1, inverse[1], 0.5 * h);
    turnAboutAxis(body, 2, inverse[2], h);
    turnAboutAxis(body, 1, inverse[1], 0.5 * h);
    turnAboutAxis(body, 0, inverse[0], 0.5 * h);
  }
  const Quat end = normalized(body.q);
  store(orientation, end);
  // From the momentum in world axes, which is the one thing that must not change.
  const Mat3 endMatrix = toMatrix(end);
  const Vec3 endBody = transposeTimes(endMatrix, momentum);
  store(angularVelocity, endMatrix * Vec3{endBody.x * inverse[0], endBody.y * inverse[1], endBody.z * inverse[2]});
}

}  // namespace sunder
