// SPDX-License-Identifier: MIT
// Vectors of twice a double's digits, for the normals of needles and slivers: each number is a sum of two doubles (Dekker,
// Numer. Math. 18, 1971). Products and sums are off by a few 1e-32 of their terms. Not installed.
#pragma once
#include <type_traits>

#include "sunder/narrowphase/math_internal.h"

namespace sunder::math {
namespace {  // internal linkage, as math_internal.h explains

struct DoubleDouble {
  double high, low;  // |low| is at most half a spacing of high
};
struct WideVec3 {
  DoubleDouble x, y, z;
};

// The rounded sum and what rounding took from it, exactly.
inline DoubleDouble twoSum(double a, double b) {
  const double sum = a + b, ofB = sum - a;
  return {sum, (a - (sum - ofB)) + (b - ofB)};
}
// The product likewise. Both halves of a factor fit in half of a double's digits, so their products are exact.
inline DoubleDouble twoProduct(double a, double b) {
  const auto highHalf = [](double x) {
    const double big = 134217729.0 * x;  // 2^27 + 1
    return big - (big - x);
  };
  const double product = a * b, highA = highHalf(a), lowA = a - highA, highB = highHalf(b), lowB = b - highB;
  return {product, lowA * lowB - (((product - highA * highB) - lowA * highB) - highA * lowB)};
}
inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = twoSum(a.high, b.high), low = twoSum(a.low, b.low), sum = twoSum(high.high, high.low + low.high);
  return twoSum(sum.high, sum.low + low.low);
}
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + DoubleDouble{-b.high, -b.low}; }
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = twoProduct(a.high, b.high);
  return twoSum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline WideVec3 operator-(const WideVec3& a, const WideVec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline DoubleDouble dot(const WideVec3& a, const WideVec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline WideVec3 cross(const WideVec3& a, const WideVec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline double rounded(double x) { return x; }
inline double rounded(const DoubleDouble& x) { return x.high; }
inline Vec3 rounded(const Vec3& v) { return v; }
inline Vec3 rounded(const WideVec3& v) { return {v.x.high, v.y.high, v.z.high}; }

// A vector in either arithmetic.
template <class Vector>
Vector as(const Vec3& v) {
  if constexpr (std::is_same_v<Vector, Vec3>) return v;
  else return {{v.x, 0}, {v.y, 0}, {v.z, 0}};
}

}  // namespace
}  // namespace sunder::math
