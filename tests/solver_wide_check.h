// SPDX-License-Identifier: MIT
// The eight lanes of wide_internal.h against scalar arithmetic. Internal linkage: two test files include this, each with
// another body of wide_internal.h.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sunder/solver/wide_internal.h"

namespace sunder {
namespace {

using namespace wide;

struct alignas(32) EightFloats {
  float v[8];
};

EightFloats valuesOf(Float8 a) {
  EightFloats result;
  store8(result.v, a);
  return result;
}

std::uint32_t bits(float f) { return std::bit_cast<std::uint32_t>(f); }

// Every pair of some values, among them both zeros, the infinities and subnormal numbers, in every lane.
void checkLanes() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kTiny = std::numeric_limits<float>::denorm_min();
  constexpr float kValues[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.1f, 3.3f, -7.7f, 1e30f, -1e30f, kTiny, kInfinity, -kInfinity};
  constexpr int kCount = sizeof kValues / sizeof kValues[0];
  for (int shift = 0; shift < kCount; ++shift)
    for (int first = 0; first < kCount; ++first) {
      EightFloats x, y;
      for (int i = 0; i < 8; ++i) {
        x.v[i] = kValues[(first + i) % kCount];
        y.v[i] = kValues[(first + i + shift) % kCount];
      }
      const Float8 a = load8(x.v), b = load8(y.v);
      const Mask8 greater = a > b;
      bool anyGreater = false;
      const EightFloats sum = valuesOf(a + b), difference = valuesOf(a - b), product = valuesOf(a * b), quotient = valuesOf(a / b);
      const EightFloats larger = valuesOf(max8(a, b)), smaller = valuesOf(min8(a, b)), root = valuesOf(sqrt8(a));
      const EightFloats chosen = valuesOf(select(greater, a, b)), both = valuesOf(select(greater & (a > splat(0.0f)), a, b));
      for (int i = 0; i < 8; ++i) {
        const float p = x.v[i], q = y.v[i];
        // The sign and payload of a NaN are the machine's business.
        const auto expectBits = [&](float found, float expected, const char* what) {
          if (std::isnan(expected))
            EXPECT_TRUE(std::isnan(found)) << what << ' ' << p << ' ' << q;
          else
            EXPECT_EQ(bits(found), bits(expected)) << what << ' ' << p << ' ' << q;
        };
        expectBits(sum.v[i], p + q, "+");
        expectBits(difference.v[i], p - q, "-");
        expectBits(product.v[i], p * q, "*");
        expectBits(quotient.v[i], p / q, "/");
        expectBits(root.v[i], std::sqrt(p), "sqrt");
        // Of two zeros the second.
        expectBits(larger.v[i], p > q ? p : q, "max");
        expectBits(smaller.v[i], p < q ? p : q, "min");
        expectBits(chosen.v[i], p > q ? p : q, "select");
        expectBits(both.v[i], p > q && p > 0 ? p : q, "&");
        anyGreater = anyGreater || p > q;
      }
      EXPECT_EQ(any(greater), anyGreater);
    }
}

void checkTranspose() {
  Float8 rows[8];
  for (int i = 0; i < 8; ++i) {
    EightFloats row;
    for (int k = 0; k < 8; ++k) row.v[k] = static_cast<float>(10 * i + k);
    rows[i] = load8(row.v);
  }
  transpose(rows);
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 8; ++k) EXPECT_EQ(valuesOf(rows[i]).v[k], static_cast<float>(10 * k + i));
}

void checkCross() {
  const Wide3 a = {splat(1.0f), splat(2.0f), splat(3.0f)}, b = {splat(-5.0f), splat(7.0f), splat(11.0f)};
  const Wide3 c = cross(a, b);
  EXPECT_EQ(valuesOf(c.x).v[7], 2.0f * 11 - 3.0f * 7);
  EXPECT_EQ(valuesOf(c.y).v[0], 3.0f * -5 - 1.0f * 11);
  EXPECT_EQ(valuesOf(c.z).v[3], 1.0f * 7 - 2.0f * -5);
  EXPECT_EQ(valuesOf(dot(a, c)).v[5], 0.0f);
  EXPECT_EQ(valuesOf(dot(a, b)).v[1], -5.0f + 14 + 33);
}

}  // namespace
}  // namespace sunder
