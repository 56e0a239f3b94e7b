// SPDX-License-Identifier: MIT
// Eight float lanes. One interface, three bodies: AVX (one register), SSE2 (two) and plain C++ for every other machine.
// Each lane does the same IEEE operations in the same order in all three - no FMA, no approximate reciprocal - so a
// kernel written with it gives the same bits on all of them. Not installed; internal linkage throughout, since one
// program holds the kernel twice, compiled with different flags.
#pragma once
#include <cmath>

#if defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

namespace sunder::wide {
namespace {

constexpr int kLanes = 8;

#if defined(__AVX__)

struct Float8 {
  __m256 v;
};
struct Mask8 {
  __m256 v;
};
[[maybe_unused]] inline Float8 load8(const float* p) { return {_mm256_load_ps(p)}; }
[[maybe_unused]] inline void store8(float* p, Float8 a) { _mm256_store_ps(p, a.v); }
[[maybe_unused]] inline Float8 splat(float s) { return {_mm256_set1_ps(s)}; }
[[maybe_unused]] inline Float8 operator+(Float8 a, Float8 b) { return {_mm256_add_ps(a.v, b.v)}; }
[[maybe_unused]] inline Float8 operator-(Float8 a, Float8 b) { return {_mm256_sub_ps(a.v, b.v)}; }
[[maybe_unused]] inline Float8 operator*(Float8 a, Float8 b) { return {_mm256_mul_ps(a.v, b.v)}; }
[[maybe_unused]] inline Float8 operator/(Float8 a, Float8 b) { return {_mm256_div_ps(a.v, b.v)}; }
[[maybe_unused]] inline Float8 sqrt8(Float8 a) { return {_mm256_sqrt_ps(a.v)}; }
[[maybe_unused]] inline Float8 max8(Float8 a, Float8 b) { return {_mm256_max_ps(a.v, b.v)}; }
[[maybe_unused]] inline Float8 min8(Float8 a, Float8 b) { return {_mm256_min_ps(a.v, b.v)}; }
[[maybe_unused]] inline Mask8 operator>(Float8 a, Float8 b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ)}; }
[[maybe_unused]] inline Mask8 operator&(Mask8 a, Mask8 b) { return {_mm256_and_ps(a.v, b.v)}; }
[[maybe_unused]] inline Float8 select(Mask8 m, Float8 a, Float8 b) { return {_mm256_blendv_ps(b.v, a.v, m.v)}; }
[[maybe_unused]] inline bool any(Mask8 m) { return _mm256_movemask_ps(m.v) != 0; }

// rows -> columns of an 8 x 8 matrix; its own inverse.
[[maybe_unused]] inline void transpose(Float8 (&r)[8]) {
  const __m256 t0 = _mm256_unpacklo_ps(r[0].v, r[1].v), t1 = _mm256_unpackhi_ps(r[0].v, r[1].v);
  const __m256 t2 = _mm256_unpacklo_ps(r[2].v, r[3].v), t3 = _mm256_unpackhi_ps(r[2].v, r[3].v);
  const __m256 t4 = _mm256_unpacklo_ps(r[4].v, r[5].v), t5 = _mm256_unpackhi_ps(r[4].v, r[5].v);
  const __m256 t6 = _mm256_unpacklo_ps(r[6].v, r[7].v), t7 = _mm256_unpackhi_ps(r[6].v, r[7].v);
  const __m256 s0 = _mm256_shuffle_ps(t0, t2, 0x44), s1 = _mm256_shuffle_ps(t0, t2, 0xee);
  const __m256 s2 = _mm256_shuffle_ps(t1, t3, 0x44), s3 = _mm256_shuffle_ps(t1, t3, 0xee);
  const __m256 s4 = _mm256_shuffle_ps(t4, t6, 0x44), s5 = _mm256_shuffle_ps(t4, t6, 0xee);
  const __m256 s6 = _mm256_shuffle_ps(t5, t7, 0x44), s7 = _mm256_shuffle_ps(t5, t7, 0xee);
  r[0].v = _mm256_permute2f128_ps(s0, s4, 0x20);
  r[1].v = _mm256_permute2f128_ps(s1, s5, 0x20);
  r[2].v = _mm256_permute2f128_ps(s2, s6, 0x20);
  r[3].v = _mm256_permute2f128_ps(s3, s7, 0x20);
  r[4].v = _mm256_permute2f128_ps(s0, s4, 0x31);
  r[5].v = _mm256_permute2f128_ps(s1, s5, 0x31);
  r[6].v = _mm256_permute2f128_ps(s2, s6, 0x31);
  r[7].v = _mm256_permute2f128_ps(s3, s7, 0x31);
}

#elif defined(__SSE2__)

struct Float8 {
  __m128 lo, hi;
};
struct Mask8 {
  __m128 lo, hi;
};
[[maybe_unused]] inline Float8 load8(const float* p) { return {_mm_load_ps(p), _mm_load_ps(p + 4)}; }
[[maybe_unused]] inline void store8(float* p, Float8 a) {
  _mm_store_ps(p, a.lo);
  _mm_store_ps(p + 4, a.hi);
}
[[maybe_unused]] inline Float8 splat(float s) { return {_mm_set1_ps(s), _mm_set1_ps(s)}; }
[[maybe_unused]] inline Float8 operator+(Float8 a, Float8 b) { return {_mm_add_ps(a.lo, b.lo), _mm_add_ps(a.hi, b.hi)}; }
[[maybe_unused]] inline Float8 operator-(Float8 a, Float8 b) { return {_mm_sub_ps(a.lo, b.lo), _mm_sub_ps(a.hi, b.hi)}; }
[[maybe_unused]] inline Float8 operator*(Float8 a, Float8 b) { return {_mm_mul_ps(a.lo, b.lo), _mm_mul_ps(a.hi, b.hi)}; }
[[maybe_unused]] inline Float8 operator/(Float8 a, Float8 b) { return {_mm_div_ps(a.lo, b.lo), _mm_div_ps(a.hi, b.hi)}; }
[[maybe_unused]] inline Float8 sqrt8(Float8 a) { return {_mm_sqrt_ps(a.lo), _mm_sqrt_ps(a.hi)}; }
[[maybe_unused]] inline Float8 max8(Float8 a, Float8 b) { return {_mm_max_ps(a.lo, b.lo), _mm_max_ps(a.hi, b.hi)}; }
[[maybe_unused]] inline Float8 min8(Float8 a, Float8 b) { return {_mm_min_ps(a.lo, b.lo), _mm_min_ps(a.hi, b.hi)}; }
[[maybe_unused]] inline Mask8 operator>(Float8 a, Float8 b) {
  return {_mm_cmpgt_ps(a.lo, b.lo), _mm_cmpgt_ps(a.hi, b.hi)};
}
[[maybe_unused]] inline Mask8 operator&(Mask8 a, Mask8 b) { return {_mm_and_ps(a.lo, b.lo), _mm_and_ps(a.hi, b.hi)}; }
[[maybe_unused]] inline Float8 select(Mask8 m, Float8 a, Float8 b) {
  return {_mm_or_ps(_mm_and_ps(m.lo, a.lo), _mm_andnot_ps(m.lo, b.lo)),
          _mm_or_ps(_mm_and_ps(m.hi, a.hi), _mm_andnot_ps(m.hi, b.hi))};
}
[[maybe_unused]] inline bool any(Mask8 m) { return (_mm_movemask_ps(m.lo) | _mm_movemask_ps(m.hi)) != 0; }

[[maybe_unused]] inline void transpose(Float8 (&r)[8]) {
  _MM_TRANSPOSE4_PS(r[0].lo, r[1].lo, r[2].lo, r[3].lo);
  _MM_TRANSPOSE4_PS(r[0].hi, r[1].hi, r[2].hi, r[3].hi);
  _MM_TRANSPOSE4_PS(r[4].lo, r[5].lo, r[6].lo, r[7].lo);
  _MM_TRANSPOSE4_PS(r[4].hi, r[5].hi, r[6].hi, r[7].hi);
  for (int i = 0; i < 4; ++i) {
    const __m128 upper = r[i].hi;
    r[i].hi = r[i + 4].lo;
    r[i + 4].lo = upper;
  }
}

#else

struct Float8 {
  float v[8];
};
struct Mask8 {
  bool v[8];
};
template <typename Operation>
[[maybe_unused]] inline Float8 lanewise(Operation operation) {
  Float8 result;
  for (int i = 0; i < 8; ++i) result.v[i] = operation(i);
  return result;
}
[[maybe_unused]] inline Float8 load8(const float* p) { return lanewise([&](int i) { return p[i]; }); }
[[maybe_unused]] inline void store8(float* p, Float8 a) {
  for (int i = 0; i < 8; ++i) p[i] = a.v[i];
}
[[maybe_unused]] inline Float8 splat(float s) { return lanewise([&](int) { return s; }); }
[[maybe_unused]] inline Float8 operator+(Float8 a, Float8 b) { return lanewise([&](int i) { return a.v[i] + b.v[i]; }); }
[[maybe_unused]] inline Float8 operator-(Float8 a, Float8 b) { return lanewise([&](int i) { return a.v[i] - b.v[i]; }); }
[[maybe_unused]] inline Float8 operator*(Float8 a, Float8 b) { return lanewise([&](int i) { return a.v[i] * b.v[i]; }); }
[[maybe_unused]] inline Float8 operator/(Float8 a, Float8 b) { return lanewise([&](int i) { return a.v[i] / b.v[i]; }); }
[[maybe_unused]] inline Float8 sqrt8(Float8 a) { return lanewise([&](int i) { return std::sqrt(a.v[i]); }); }
// As the x86 instructions: the second operand when the two are equal (+0 and -0) or one is NaN.
[[maybe_unused]] inline Float8 max8(Float8 a, Float8 b) {
  return lanewise([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
[[maybe_unused]] inline Float8 min8(Float8 a, Float8 b) {
  return lanewise([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
[[maybe_unused]] inline Mask8 operator>(Float8 a, Float8 b) {
  Mask8 m;
  for (int i = 0; i < 8; ++i) m.v[i] = a.v[i] > b.v[i];
  return m;
}
[[maybe_unused]] inline Mask8 operator&(Mask8 a, Mask8 b) {
  Mask8 m;
  for (int i = 0; i < 8; ++i) m.v[i] = a.v[i] && b.v[i];
  return m;
}
[[maybe_unused]] inline Float8 select(Mask8 m, Float8 a, Float8 b) {
  return lanewise([&](int i) { return m.v[i] ? a.v[i] : b.v[i]; });
}
[[maybe_unused]] inline bool any(Mask8 m) {
  bool result = false;
  for (int i = 0; i < 8; ++i) result = result || m.v[i];
  return result;
}
[[maybe_unused]] inline void transpose(Float8 (&r)[8]) {
  for (int i = 0; i < 8; ++i)
    for (int j = i + 1; j < 8; ++j) {
      const float upper = r[i].v[j];
      r[i].v[j] = r[j].v[i];
      r[j].v[i] = upper;
    }
}

#endif

// Three components, eight of each.
struct Wide3 {
  Float8 x, y, z;
};
[[maybe_unused]] inline Wide3 operator+(const Wide3& a, const Wide3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
[[maybe_unused]] inline Wide3 operator-(const Wide3& a, const Wide3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
[[maybe_unused]] inline Wide3 operator*(Float8 s, const Wide3& a) { return {s * a.x, s * a.y, s * a.z}; }
[[maybe_unused]] inline Float8 dot(const Wide3& a, const Wide3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
[[maybe_unused]] inline Wide3 cross(const Wide3& a, const Wide3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace
}  // namespace sunder::wide
