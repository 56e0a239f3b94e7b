// SPDX-License-Identifier: MIT
// The Minkowski difference A - B = {a - b} of two convex cores, seen through its support mapping, in the frame of A and
// in a unit of length that is a power of two (see tolerances.h). The shapes overlap exactly where it holds the origin.
#pragma once
#include <bit>
#include <utility>
#include <cstdint>

#include "sunder/narrowphase/math_internal.h"
#include "sunder/narrowphase/support_shape.h"

namespace sunder::math {

inline constexpr std::uint32_t kNoId = 64;

// An extreme point w = a - b of the difference. No default values: the query arrays stay uninitialised.
struct Vertex {
  Vec3 w;
  std::uint32_t id;  // boxes: bits 0..2 the signs of a's coordinates in A, 3..5 of b's in B; else kNoId
  Vec3 a;            // general shapes only: pointOnA gives it for both
};
static inline bool samePoint(const Vec3& p, const Vec3& q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

struct Difference {
  bool boxes;
  Vec3 halfA, halfB;  // boxes only
  Mat3 edgesB;        // boxes only: half edges of B, columns of c scaled by halfB
  Mat3 c;             // rotation of B in A
  Vec3 t;             // position of B in A
  double unit, inverseUnit;
  const SupportShape *shapeA, *shapeB;  // general shapes only
};

// Half the exponent range either way is far beyond any use; outside of it the unit stays 1.
static inline void setUnit(Difference& d, double size) {
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(size) >> 52;
  const bool usable = size > 0 && exponent > 200 && exponent < 1847;
  d.unit = usable ? std::bit_cast<double>(exponent << 52) : 1.0;
  d.inverseUnit = usable ? std::bit_cast<double>((2046 - exponent) << 52) : 1.0;
}

static inline double largest(const Vec3& v) {
  const double x = std::abs(v.x), y = std::abs(v.y), z = std::abs(v.z);
  const double xy = x > y ? x : y;
  return xy > z ? xy : z;
}

static inline Difference boxDifference(const Vec3& halfA, const Vec3& halfB, const Mat3& c, const Vec3& t) {
  Difference d;
  d.boxes = true;
  setUnit(d, largest(halfA) + largest(halfB) + largest(t));
  d.halfA = d.inverseUnit * halfA;
  d.halfB = d.inverseUnit * halfB;
  d.c = c;
  d.t = d.inverseUnit * t;
  d.edgesB = {d.halfB.x * c.c0, d.halfB.y * c.c1, d.halfB.z * c.c2};
  d.shapeA = d.shapeB = nullptr;
  return d;
}

// x with its sign flipped when bit is 0; by arithmetic on the sign bit, since a branch on such a bit is a coin toss.
static inline double signedBy(std::uint64_t bit, double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ ((bit ^ 1) << 63));
}
static inline std::uint64_t signBit(double x) { return std::bit_cast<std::uint64_t>(x) >> 63; }

static inline Vec3 boxCorner(const Vec3& half, std::uint32_t bits) {
  return {signedBy(bits & 1, half.x), signedBy(bits >> 1 & 1, half.y), signedBy(bits >> 2 & 1, half.z)};
}

static inline Vertex boxVertex(const Difference& d, std::uint32_t id) {
  const std::uint64_t s0 = id >> 3 & 1, s1 = id >> 4 & 1, s2 = id >> 5 & 1;
  const Mat3& e = d.edgesB;
  const Vec3 b = {d.t.x + (signedBy(s0, e.c0.x) + signedBy(s1, e.c1.x) + signedBy(s2, e.c2.x)),
                  d.t.y + (signedBy(s0, e.c0.y) + signedBy(s1, e.c1.y) + signedBy(s2, e.c2.y)),
                  d.t.z + (signedBy(s0, e.c0.z) + signedBy(s1, e.c1.z) + signedBy(s2, e.c2.z))};
  Vertex v;
  v.w = boxCorner(d.halfA, id) - b;
  v.id = id;
  return v;
}

// Where n is perpendicular to an edge, both ends are support points; adding 0 makes -0 choose as 0 does.
static inline std::uint32_t boxSupportId(const Difference& d, const Vec3& n) {
  const Vec3 m = transposeTimes(d.edgesB, n);
  const std::uint64_t outA = signBit(n.x + 0.0) | signBit(n.y + 0.0) << 1 | signBit(n.z + 0.0) << 2;
  const std::uint64_t outB = signBit(m.x + 0.0) << 3 | signBit(m.y + 0.0) << 4 | signBit(m.z + 0.0) << 5;
  return static_cast<std::uint32_t>((outA ^ 7) | outB);
}

static inline Vec3 corePoint(const SupportShape& shape, const Vec3& direction) {
  Eigen::Vector3d d, p;
  store(d, direction);
  shape.support(shape.shape, d, p);
  return load(p);
}

// The point of A - B farthest along n; n needs no unit length.
static inline Vertex support(const Difference& d, const Vec3& n) {
  if (d.boxes) return boxVertex(d, boxSupportId(d, n));
  Vertex v;
  v.id = kNoId;
  v.a = d.inverseUnit * corePoint(*d.shapeA, n);
  v.w = v.a - (d.t + d.c * (d.inverseUnit * corePoint(*d.shapeB, -transposeTimes(d.c, n))));
  return v;
}

static inline Vec3 pointOnA(const Difference& d, const Vertex& v) { return d.boxes ? boxCorner(d.halfA, v.id) : v.a; }

// How far A - B reaches along the unit vector n, and the vertex that does: -reach is the gap between the shapes along n.
static inline double reach(const Difference& d, const Vec3& n, Vertex& v) {
  v = support(d, n);
  return dot(n, v.w);
}

// Rotation matrix of a quaternion that may be off unit length by rounding; see usableRotation.
static inline Mat3 toMatrixScaled(const Quat& q) {
  const double s = 2.0 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  const double xx = s * q.x * q.x, yy = s * q.y * q.y, zz = s * q.z * q.z;
  const double xy = s * q.x * q.y, xz = s * q.x * q.z, yz = s * q.y * q.z;
  const double wx = s * q.w * q.x, wy = s * q.w * q.y, wz = s * q.w * q.z;
  return {{1 - (yy + zz), xy + wz, xz - wy}, {xy - wz, 1 - (xx + zz), yz + wx}, {xz + wy, yz - wx, 1 - (xx + yy)}};
}

// A quaternion whose squared length is off 1 by more than 1e-6 was not meant as a rotation (a zero or a typing error):
// rounding in any number of float operations a caller may do in between stays below.
static inline bool usableRotation(const Quat& q) {
  const double n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  return n > 1 - 1e-6 && n < 1 + 1e-6;  // false for NaN
}

}  // namespace sunder::math
