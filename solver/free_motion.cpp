// SPDX-License-Identifier: MIT
#include "sunder/solver/free_motion.h"

#include <algorithm>
#include <cmath>

#include "sunder/narrowphase/math_internal.h"

namespace sunder {
namespace {

using namespace math;

// rad, the geometric mean of the two turns of a part. The energy error of the splitting is bounded and of order turn^2, and zero
// when one of the two is.
constexpr double kMaxTurn = 0.05;
// rad. A single turn, for the series below.
constexpr double kMaxAngle = 0.5;
// More parts than this only occur beyond 400 rad per step. There a rotation is noise in any case, and a body turns by what
// this many parts can do.
constexpr int kMaxParts = 1 << 13;
// rad. Beyond, the same: nothing is left of the digits of the angle.
constexpr double kMostTurn = 1e10;

// cos(a) and sin(a) / a by Taylor series in s = a^2, to the last bit but one for |a| < 0.3. Reciprocals, since ten divisions would
// take most of the time of a turn.
double cosineOf(double s) { return 1 - s * (1.0 / 2 - s * (1.0 / 24 - s * (1.0 / 720 - s * (1.0 / 40320 - s * (1.0 / 3628800))))); }
double sincOf(double s) { return 1 - s * (1.0 / 6 - s * (1.0 / 120 - s * (1.0 / 5040 - s * (1.0 / 362880 - s * (1.0 / 39916800))))); }

// exp of a rotation vector: that of vector / 2^k, squared k times.
Quat exponential(Vec3 v) {
  int doublings = 0;
  double squared = dot(v, v);
  if (squared > kMostTurn * kMostTurn) {
    v = (kMostTurn / std::sqrt(squared)) * v;
    squared = dot(v, v);
  }
  while (squared > 0.0625) {  // |v| <= 0.25: the first term left out is below 1e-17
    v = 0.5 * v;
    squared *= 0.25;
    ++doublings;
  }
  const double h = 0.25 * squared, sinc = sincOf(h);  // h: (angle / 2)^2
  Quat q = {cosineOf(h), 0.5 * sinc * v.x, 0.5 * sinc * v.y, 0.5 * sinc * v.z};
  for (; doublings > 0; --doublings) q = q * q;
  return q;
}

// A free body in its own frame: orientation (w, x, y, z) and the world-constant momentum, whose body coordinates turn.
struct FreeBody {
  double q[4];
  double momentum[3];
};

// The exact motion of the energy rate momentum[i]^2 / 2 (rate: 1 / (kg m^2)): a turn about body axis i.
template <int i>
void turnAboutAxis(FreeBody& body, double rate, double h) {
  const double half = 0.5 * h * body.momentum[i] * rate;
  const double cosine = cosineOf(half * half), sine = half * sincOf(half * half);
  constexpr int j = (i + 1) % 3, k = (i + 2) % 3;
  double* const q = body.q;  // times (cosine, sine about axis i)
  const double w = q[0], a = q[1 + i], b = q[1 + j], c = q[1 + k];
  q[0] = w * cosine - a * sine;
  q[1 + i] = a * cosine + w * sine;
  q[1 + j] = b * cosine + c * sine;
  q[1 + k] = c * cosine - b * sine;
  const double cosine2 = cosine * cosine - sine * sine, sine2 = 2 * sine * cosine;
  const double u = body.momentum[j], v = body.momentum[k];
  body.momentum[j] = cosine2 * u + sine2 * v;
  body.momentum[k] = cosine2 * v - sine2 * u;
}

// What the other two axes have beyond the moment of `middle`, in equal parts of h seconds. The last turn of a part and the first of
// the next are one.
template <int middle>
void turnAboutOtherAxes(FreeBody& body, const Vec3& inverse, double h, int parts) {
  const double rates[3] = {inverse.x, inverse.y, inverse.z};
  constexpr int first = (middle + 1) % 3, second = (middle + 2) % 3;
  const double firstRate = rates[first] - rates[middle], secondRate = rates[second] - rates[middle];
  turnAboutAxis<first>(body, firstRate, 0.5 * h);
  for (int part = 1; part <= parts; ++part) {
    turnAboutAxis<second>(body, secondRate, h);
    turnAboutAxis<first>(body, firstRate, part < parts ? h : 0.5 * h);
  }
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
  const Vec3 inverse = {1 / moments.x, 1 / moments.y, 1 / moments.z};
  FreeBody body = {{q.w, q.x, q.y, q.z}, {moments.x * inBody.x, moments.y * inBody.y, moments.z * inBody.z}};
  const Vec3 momentum = start * Vec3{body.momentum[0], body.momentum[1], body.momentum[2]};
  const double least = std::min({inverse.x, inverse.y, inverse.z}), most = std::max({inverse.x, inverse.y, inverse.z});
  const double middle = std::max(std::min(inverse.x, inverse.y), std::min(std::max(inverse.x, inverse.y), inverse.z));
  // With all three moments the middle one, the body turns about its momentum. In that motion the momentum stays the same in the
  // body's axes, too, so it can be done for the whole step, after the rest, which is small and turns about two axes only.
  const double size = dt * length(momentum), toLeast = size * (middle - least), toMost = size * (most - middle);
  const double wanted = std::max(std::sqrt(toLeast * toMost) / kMaxTurn, std::max(toLeast, toMost) / kMaxAngle);
  const int parts = wanted < kMaxParts ? static_cast<int>(wanted) + 1 : kMaxParts;
  const double h = (wanted < kMaxParts ? dt : dt * (kMaxParts / wanted)) / parts;
  if (middle == inverse.x)
    turnAboutOtherAxes<0>(body, inverse, h, parts);
  else if (middle == inverse.y)
    turnAboutOtherAxes<1>(body, inverse, h, parts);
  else
    turnAboutOtherAxes<2>(body, inverse, h, parts);
  const Quat end = normalized(exponential((dt * middle) * momentum) * Quat{body.q[0], body.q[1], body.q[2], body.q[3]});
  store(orientation, end);
  // From the momentum in world axes, which is the one thing that must not change.
  const Mat3 endMatrix = toMatrix(end);
  const Vec3 endBody = transposeTimes(endMatrix, momentum);
  store(angularVelocity, endMatrix * Vec3{endBody.x * inverse.x, endBody.y * inverse.y, endBody.z * inverse.z});
}

}  // namespace sunder
