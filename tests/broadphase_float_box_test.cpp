// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <sunder/broadphase/float_box_internal.h>

namespace {

using namespace sunder;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool meet(const FloatBox& a, const FloatBox& b) {
  for (int axis = 0; axis < 3; ++axis)
    if (!(std::max(a.lower[axis], b.lower[axis]) <= std::min(a.upper[axis], b.upper[axis]))) return false;
  return true;
}

class Boxes {
 public:
  double lattice() { return static_cast<double>(engine_() % 17) / 2 - 4; }
  FloatBox box() {
    FloatBox b;
    for (int axis = 0; axis < 3; ++axis) {
      b.lower[axis] = static_cast<float>(lattice());
      b.upper[axis] = b.lower[axis] + static_cast<float>(engine_() % 5) / 2;
    }
    if (engine_() % 10 == 0) b.upper[engine_() % 3] = kInfinity;
    if (engine_() % 10 == 0) b.lower[engine_() % 3] = -kInfinity;
    return b;
  }

 private:
  std::mt19937 engine_{1};
};

TEST(FloatBox, EightLanesAnswerAsOneBoxAfterTheOther) {
  Boxes boxes;
  int hits = 0;
  for (int i = 0; i < 20000; ++i) {
    BoxLanes lanes;
    unsigned expected = 0;
    const FloatBox question = boxes.box();
    for (unsigned lane = 0; lane < 8; ++lane) {
      const FloatBox box = boxes.box();
      lanes.set(lane, box);
      const FloatBox same = lanes.get(lane);
      EXPECT_TRUE(contains(same, box) && contains(box, same));
      expected |= static_cast<unsigned>(meet(box, question)) << lane;
      EXPECT_EQ(overlaps(box, question), meet(box, question));
    }
    ASSERT_EQ(overlapMask(lanes, question), expected);
    hits += expected != 0;
  }
  EXPECT_GT(hits, 1000);
}

TEST(FloatBox, HullIsTheSmallestThatContainsBoth) {
  Boxes boxes;
  for (int i = 0; i < 5000; ++i) {
    const FloatBox a = boxes.box(), b = boxes.box(), both = hull(a, b);
    EXPECT_TRUE(contains(both, a) && contains(both, b));
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_TRUE(both.lower[axis] == a.lower[axis] || both.lower[axis] == b.lower[axis]);
      EXPECT_TRUE(both.upper[axis] == a.upper[axis] || both.upper[axis] == b.upper[axis]);
    }
  }
}

// Closed boxes a hair apart or touching, anywhere in the range of double: what overlaps still does when mapped.
TEST(FloatBox, TheMapLosesNoOverlap) {
  std::mt19937_64 random(4);
  const auto number = [&] { return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 900) - 500); };
  for (int i = 0; i < 100000; ++i) {
    const double origin[3] = {number(), number(), number()};
    Aabb a, b;
    for (int axis = 0; axis < 3; ++axis) {
      const double x = number(), width = std::fabs(number());
      a.lower[axis] = x;
      a.upper[axis] = x + width;
      b.lower[axis] = i % 2 == 0 ? a.upper[axis] : std::nextafter(a.upper[axis], -std::numeric_limits<double>::infinity());
      b.upper[axis] = b.lower[axis] + std::fabs(number());
    }
    if (!overlaps(a, b)) continue;
    EXPECT_TRUE(overlaps(toFloat(a, origin), toFloat(b, origin)));
    EXPECT_TRUE(overlaps(toFloat(b, origin), toFloat(a, origin)));
  }
}

TEST(FloatBox, Sizes) {
  const FloatBox box = {{1, 2, 3}, {2, 4, 6}};
  EXPECT_EQ(halfPerimeter(box), 6);
  EXPECT_EQ(halfArea(box), 1 * 2 + 2 * 3 + 3 * 1);
}

}  // namespace
