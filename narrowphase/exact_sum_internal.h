// SPDX-License-Identifier: MIT
// Sums and products of doubles without rounding, for decisions that no tolerance can put right: on which side of a plane
// through three points a fourth one lies (Shewchuk, Discrete Comput. Geom. 18(3), 1997). Not installed.
#pragma once
#include "sunder/narrowphase/double_double_internal.h"

namespace sunder::math {
namespace {  // internal linkage, as math_internal.h explains

// A sum as doubles whose digits do not overlap, the smallest first (section 2.4 of the paper).
class ExactSum {
 public:
  void add(double x) {
    int kept = 0;
    for (int k = 0; k < count_; ++k) {
      const DoubleDouble sum = twoSum(x, part_[k]);
      if (sum.low != 0) part_[kept++] = sum.low;
      x = sum.high;
    }
    if (x != 0) part_[kept++] = x;
    count_ = kept;
  }
  void addProduct(double a, double b) {
    const DoubleDouble product = twoProduct(a, b);
    add(product.low);
    add(product.high);
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
  static constexpr int kMost = 24;  // products of 3 x 4 x 2 doubles: a determinant of three vectors
  double part_[kMost];
  int count_ = 0;
};

}  // namespace
}  // namespace sunder::math
