// SPDX-License-Identifier: MIT
// Boxes as the index sees them: float coordinates in the frame of the index. The map from double to float is monotone
// (one subtraction and one conversion, both correctly rounded), so boxes that overlap still overlap when mapped: the
// index may report a few too many, never one too few, and every hit is then tested in double. Not installed.
#pragma once
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "sunder/broadphase/aabb.h"

namespace sunder {

struct FloatBox {
  float lower[3];
  float upper[3];
};

static inline FloatBox toFloat(const Aabb& box, const double origin[3]) {
  FloatBox result;
  for (int axis = 0; axis < 3; ++axis) {
    result.lower[axis] = static_cast<float>(box.lower.data()[axis] - origin[axis]);
    result.upper[axis] = static_cast<float>(box.upper.data()[axis] - origin[axis]);
  }
  return result;
}

static inline FloatBox hull(const FloatBox& a, const FloatBox& b) {
  FloatBox result;
  for (int axis = 0; axis < 3; ++axis) {
    result.lower[axis] = a.lower[axis] < b.lower[axis] ? a.lower[axis] : b.lower[axis];
    result.upper[axis] = a.upper[axis] > b.upper[axis] ? a.upper[axis] : b.upper[axis];
  }
  return result;
}

static inline bool contains(const FloatBox& outer, const FloatBox& inner) {
  return outer.lower[0] <= inner.lower[0] && inner.upper[0] <= outer.upper[0] && outer.lower[1] <= inner.lower[1] &&
         inner.upper[1] <= outer.upper[1] && outer.lower[2] <= inner.lower[2] && inner.upper[2] <= outer.upper[2];
}

static inline bool overlaps(const FloatBox& a, const FloatBox& b) {
  return a.lower[0] <= b.upper[0] && b.lower[0] <= a.upper[0] && a.lower[1] <= b.upper[1] && b.lower[1] <= a.upper[1] &&
         a.lower[2] <= b.upper[2] && b.lower[2] <= a.upper[2];
}

static inline float halfPerimeter(const FloatBox& b) {
  return (b.upper[0] - b.lower[0]) + (b.upper[1] - b.lower[1]) + (b.upper[2] - b.lower[2]);
}

static inline float halfArea(const FloatBox& b) {
  const float x = b.upper[0] - b.lower[0], y = b.upper[1] - b.lower[1], z = b.upper[2] - b.lower[2];
  return x * y + y * z + z * x;
}

// Eight boxes, one coordinate after the other, so that one is tested against eight at a time.
struct BoxLanes {
  float lower[3][8];
  float upper[3][8];

  FloatBox get(unsigned lane) const {
    return {{lower[0][lane], lower[1][lane], lower[2][lane]}, {upper[0][lane], upper[1][lane], upper[2][lane]}};
  }
  void set(unsigned lane, const FloatBox& box) {
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis][lane] = box.lower[axis];
      upper[axis][lane] = box.upper[axis];
    }
  }
};

// Bit i is set when lane i overlaps `box`. Comparisons only: the same on every machine. Unused lanes must be masked.
#if defined(__SSE2__)
static inline unsigned overlapMask(const BoxLanes& lanes, const FloatBox& box) {
  __m128 low = _mm_castsi128_ps(_mm_set1_epi32(-1)), high = low;
  for (int axis = 0; axis < 3; ++axis) {
    const __m128 lower = _mm_set1_ps(box.lower[axis]), upper = _mm_set1_ps(box.upper[axis]);
    low = _mm_and_ps(low, _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(lanes.lower[axis]), upper),
                                     _mm_cmple_ps(lower, _mm_loadu_ps(lanes.upper[axis]))));
    high = _mm_and_ps(high, _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(lanes.lower[axis] + 4), upper),
                                       _mm_cmple_ps(lower, _mm_loadu_ps(lanes.upper[axis] + 4))));
  }
  return static_cast<unsigned>(_mm_movemask_ps(low) | (_mm_movemask_ps(high) << 4));
}
#else
static inline unsigned overlapMask(const BoxLanes& lanes, const FloatBox& box) {
  unsigned mask = 0;
  for (unsigned lane = 0; lane < 8; ++lane) mask |= static_cast<unsigned>(overlaps(lanes.get(lane), box)) << lane;
  return mask;
}
#endif

}  // namespace sunder
