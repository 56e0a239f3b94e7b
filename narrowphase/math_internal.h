// SPDX-License-Identifier: MIT
// The arithmetic of our own sources, in functions with internal linkage. Eigen's inline functions are weak symbols: the
// linker keeps one copy per program, which may be the user's, compiled with the user's flags (FMA, another order of
// summation), and our results would change bits. So public structs hold Eigen types, and rounding happens here.
// Not installed. Only .cpp files include it.
#pragma once
#include <cmath>

#include "sunder/narrowphase/pose.h"

namespace sunder::math {

struct Vec3 {
  double x, y, z;
};
struct Quat {
  double w, x, y, z;
};
// Columns: the images of the three axes.
struct Mat3 {
  Vec3 c0, c1, c2;
};

static inline Vec3 load(const Eigen::Vector3d& v) { return {v.data()[0], v.data()[1], v.data()[2]}; }
static inline void store(Eigen::Vector3d& out, const Vec3& v) {
  out.data()[0] = v.x;
  out.data()[1] = v.y;
  out.data()[2] = v.z;
}
static inline Quat load(const Quaternion& q) {
  const double* d = q.coeffs().data();
  return {d[3], d[0], d[1], d[2]};
}
static inline void store(Quaternion& out, const Quat& q) {
  double* d = out.coeffs().data();
  d[0] = q.x;
  d[1] = q.y;
  d[2] = q.z;
  d[3] = q.w;
}

static inline double component(const Vec3& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }
static inline Vec3 unitAxis(int k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }
static inline const Vec3& column(const Mat3& m, int k) { return k == 0 ? m.c0 : k == 1 ? m.c1 : m.c2; }
static inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
static inline Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
static inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double length(const Vec3& a) { return std::sqrt(dot(a, a)); }
static inline bool isFinite(double x) { return x - x == 0; }
static inline bool isFinite(const Vec3& v) { return isFinite(v.x) && isFinite(v.y) && isFinite(v.z); }

static inline Quat operator*(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline Quat conjugate(const Quat& q) { return {q.w, -q.x, -q.y, -q.z}; }
static inline Quat normalized(const Quat& q) {
  const double s = 1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

// Rotation matrix of a unit quaternion.
static inline Mat3 toMatrix(const Quat& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
          {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
          {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
}
static inline Vec3 operator*(const Mat3& m, const Vec3& v) { return v.x * m.c0 + v.y * m.c1 + v.z * m.c2; }
// m^T v: the coordinates of v along the columns of m.
static inline Vec3 transposeTimes(const Mat3& m, const Vec3& v) { return {dot(m.c0, v), dot(m.c1, v), dot(m.c2, v)}; }
// a^T b
static inline Mat3 transposeTimes(const Mat3& a, const Mat3& b) {
  return {transposeTimes(a, b.c0), transposeTimes(a, b.c1), transposeTimes(a, b.c2)};
}
static inline Vec3 rotate(const Quat& q, const Vec3& v) { return toMatrix(q) * v; }

}  // namespace sunder::math
