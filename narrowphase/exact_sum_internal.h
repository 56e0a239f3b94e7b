// SPDX-License-Identifier: MIT
// Sums and products of doubles without rounding, for decisions that no tolerance can put right: on which side of a plane
// through three points a fourth one lies (Shewchuk, Discrete Comput. Geom. 18(3), 1997). Not installed.
#pragma once

namespace sunder::math {
namespace {  // internal linkage, as math_internal.h explains

// A sum as doubles whose digits do not overlap, the smallest first (section 2.4 of the paper).
class ExactSum {
 public:
  void add(double x) {
    int kept = 0;
    for (int k = 0; k < count_; ++k) {
      const double sum = x + part_[k], ofPart = sum - x, rest = (x - (sum - ofPart)) + (part_[k] - ofPart);
      if (rest != 0) part_[kept++] = rest;
      x = sum;
    }
    if (x != 0) part_[kept++] = x;
    count_ = kept;
  }
  // The product by Dekker's splitting (section 2.5): both its halves fit in a double.
  void addProduct(double a, double b) {
    const double product = a * b, high = highHalf(a), low = a - high, highB = highHalf(b), lowB = b - highB;
    add(low * lowB - (((product - high * highB) - low * highB) - high * lowB));
    add(product);
  }
  void addProduct(const ExactSum& a, double b) {
    for (int k = 0; k < a.count_; ++k) addProduct(a.part_[k], b);
  }
  // Of the sum's sign, and off by a few roundings at most.
  double value() const {
    double sum = 0;
    for (int k = 0; k < count_; ++k) sum += part_[k];
    return sum;
  }

 private:
  static double highHalf(double x) {
    const double big = 134217729.0 * x;  // 2^27 + 1
    return big - (big - x);
  }
  static constexpr int kMost = 24;  // products of 3 x 4 x 2 doubles: a determinant of three vectors
  double part_[kMost];
  int count_ = 0;
};

}  // namespace
}  // namespace sunder::math
