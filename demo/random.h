// SPDX-License-Identifier: MIT
#pragma once
#include <sunder/narrowphase/pose.h>

#include <cmath>
#include <cstdint>

#include "sunder/demo/trig.h"

namespace sunder::demo {

// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): the same numbers with every
// standard library, unlike std::uniform_real_distribution.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double between(double lower, double upper) { return lower + (upper - lower) * unit(); }

  // Uniform over all rotations (Shoemake, "Uniform random rotations", Graphics Gems III, 1992).
  Quaternion rotation() {
    constexpr double kTwoPi = 6.283185307179586;
    const double a = unit();
    const SinCos b = sinCos(kTwoPi * unit());
    const SinCos c = sinCos(kTwoPi * unit());
    return {std::sqrt(1 - a) * b.sin, std::sqrt(1 - a) * b.cos, std::sqrt(a) * c.sin, std::sqrt(a) * c.cos};
  }

 private:
  std::uint64_t state_;
};

}  // namespace sunder::demo
