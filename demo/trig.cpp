// SPDX-License-Identifier: MIT
// Double-double arithmetic (Dekker, "A floating-point technique for extending the available precision", 1971) and the
// Taylor series on [-pi/4, pi/4]: 106 bits, rounded once at the end.
#include "sunder/demo/trig.h"

#include <cmath>

namespace sunder::demo {
namespace {

// The unevaluated sum hi + lo, |lo| <= half an ulp of hi.
struct Wide {
  double hi = 0, lo = 0;
};

Wide fastSum(double larger, double smaller) {
  const double sum = larger + smaller;
  return {sum, smaller - (sum - larger)};
}

Wide sum(double a, double b) {
  const double s = a + b, shadow = s - a;
  return {s, (a - (s - shadow)) + (b - shadow)};
}

Wide product(double a, double b) {
  constexpr double kSplit = 134217729;  // 2^27 + 1 halves the 53 bits
  const double ta = kSplit * a, aHigh = ta - (ta - a), aLow = a - aHigh;
  const double tb = kSplit * b, bHigh = tb - (tb - b), bLow = b - bHigh;
  const double p = a * b;
  return {p, ((aHigh * bHigh - p) + aHigh * bLow + aLow * bHigh) + aLow * bLow};
}

Wide operator+(const Wide& a, const Wide& b) {
  const Wide high = sum(a.hi, b.hi), low = sum(a.lo, b.lo);
  const Wide t = fastSum(high.hi, high.lo + low.hi);
  return fastSum(t.hi, t.lo + low.lo);
}

Wide operator*(const Wide& a, const Wide& b) {
  const Wide p = product(a.hi, b.hi);
  return fastSum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

Wide operator/(const Wide& a, double b) {
  const double quotient = a.hi / b;
  const Wide p = product(quotient, b);
  return fastSum(quotient, ((a.hi - p.hi) - p.lo + a.lo) / b);
}

// first * (1 - r2 / (n (n+1)) * (1 - r2 / ((n+2) (n+3)) * ...)) with n = start: sine from r and 2, cosine from 1 and 1.
double series(const Wide& first, const Wide& r2, int start) {
  Wide term = first, total = first;
  for (int n = start; n < start + 28; n += 2) {  // (pi/4)^28 / 28! < 2^-106
    term = term * r2 / (-1.0 * n * (n + 1));
    total = total + term;
  }
  return total.hi + total.lo;
}

}  // namespace

SinCos sinCos(double angle) {
  constexpr double kHalfPi[3] = {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33};
  const double quarter = std::floor(angle / kHalfPi[0] + 0.5);
  Wide r = Wide{angle, 0} + product(-quarter, kHalfPi[0]);
  r = r + product(-quarter, kHalfPi[1]) + Wide{-quarter * kHalfPi[2], 0};
  const Wide r2 = r * r;
  const double s = series(r, r2, 2), c = series({1, 0}, r2, 1);
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

}  // namespace sunder::demo
