// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "sunder/demo/trig.h"

namespace sunder::demo {
namespace {

// glibc promises less than one ulp, we half an ulp and a bit: they differ by at most one.
void expectNear(double ours, double theirs, double angle) {
  const double ulp = std::nextafter(std::abs(theirs), INFINITY) - std::abs(theirs);
  EXPECT_LE(std::abs(ours - theirs), ulp) << "at " << angle;
}

TEST(Trig, AgreesWithLibmToTheLastBit) {
  for (int i = -4000; i <= 4000; ++i) {
    const double angle = i * 0.0031;
    const SinCos result = sinCos(angle);
    expectNear(result.sin, std::sin(angle), angle);
    expectNear(result.cos, std::cos(angle), angle);
  }
}

TEST(Trig, IsRoundedCorrectlyAtKnownAngles) {
  // From 40-digit arithmetic, rounded once.
  EXPECT_EQ(sinCos(0.0).sin, 0.0);
  EXPECT_EQ(sinCos(0.0).cos, 1.0);
  EXPECT_EQ(sinCos(3.141592653589793).sin, 1.2246467991473532e-16);
  EXPECT_EQ(sinCos(3.141592653589793).cos, -1.0);
  EXPECT_EQ(sinCos(1.5707963267948966).cos, 6.123233995736766e-17);
  EXPECT_EQ(sinCos(0.4363323129985824).sin, 0.42261826174069944);
  EXPECT_EQ(sinCos(0.4363323129985824).cos, 0.9063077870366499);
  EXPECT_EQ(sinCos(1000).sin, 0.8268795405320025);
  EXPECT_EQ(sinCos(-1000).sin, -0.8268795405320025);
}

TEST(Trig, SquaresSumToOne) {
  for (int i = 0; i < 1000; ++i) {
    const SinCos r = sinCos(0.01 * i);
    EXPECT_NEAR(r.sin * r.sin + r.cos * r.cos, 1, 3e-16);
  }
}

}  // namespace
}  // namespace sunder::demo
