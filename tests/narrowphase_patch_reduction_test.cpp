// SPDX-License-Identifier: MIT
// The four points that are kept of many: how much of the patch they span, that the deepest is among them, and that small
// things do not change the choice.
#include <gtest/gtest.h>
#include <sunder/narrowphase/patch_reduction_internal.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "box_pair_families.h"

namespace sunder {
namespace {

struct Points {
  std::vector<double> x, y, z;
  void add(double px, double py, double pz = 0) {
    x.push_back(px);
    y.push_back(py);
    z.push_back(pz);
  }
  int count() const { return static_cast<int>(x.size()); }
};

constexpr double kNever = 1e300;  // deeper by that much

std::vector<int> kept(const Points& p, double deeper = kNever) {
  std::vector<double> x = p.x, y = p.y;
  int indices[4];
  const int count = detail::reducePatch(x.data(), y.data(), p.z.data(), p.count(), deeper, indices);
  const std::vector<int> result(indices, indices + count);
  EXPECT_EQ(std::set<int>(result.begin(), result.end()).size(), result.size()) << "one point twice";
  for (const int i : result) EXPECT_TRUE(i >= 0 && i < p.count());
  return result;
}

// Area of the hull of some of the points, by gift wrapping.
double hullArea(const Points& p, std::vector<int> of) {
  int first = of[0];
  for (const int i : of)
    if (p.x[i] < p.x[first] || (p.x[i] == p.x[first] && p.y[i] < p.y[first])) first = i;
  double twice = 0;
  for (int at = first;;) {
    int next = of[0] == at ? of.back() : of[0];
    for (const int i : of) {
      const double side = (p.x[next] - p.x[at]) * (p.y[i] - p.y[at]) - (p.y[next] - p.y[at]) * (p.x[i] - p.x[at]);
      if (side < 0) next = i;
    }
    twice += p.x[at] * p.y[next] - p.y[at] * p.x[next];
    at = next;
    if (at == first) return std::fabs(twice) / 2;
  }
}
std::vector<int> all(const Points& p) {
  std::vector<int> result;
  for (int i = 0; i < p.count(); ++i) result.push_back(i);
  return result;
}

// Corners of a convex outline: on an ellipse of any shape and tilt.
Points outline(families::Random& random, int count) {
  Points p;
  const double a = random.power(0.01, 1), b = random.power(0.01, 1), tilt = random.uniform(0, 3);
  std::vector<double> angles;
  for (int i = 0; i < count; ++i) angles.push_back(random.uniform(0, 2 * std::numbers::pi));
  std::sort(angles.begin(), angles.end());
  for (const double angle : angles) {
    const double u = a * std::cos(angle), v = b * std::sin(angle);
    p.add(u * std::cos(tilt) - v * std::sin(tilt), u * std::sin(tilt) + v * std::cos(tilt), random.uniform(-1, 0));
  }
  return p;
}

// With P the first point and d the distance of the second, nothing is further than d from P, nor further from their line than
// the third and fourth: all lies in a rectangle of 2 d times the sum of those two heights, of which the four span a
// quarter. (Ties let by up to 1e-3 of the patch's size.) On ellipses it was 0.417 at worst.
TEST(PatchReduction, FourPointsSpanAGoodPartOfThePatch) {
  families::Random random(1);
  double least = 1;
  for (int i = 0; i < 20000; ++i) {
    const Points p = outline(random, 5 + random.below(20));
    const double whole = hullArea(p, all(p));
    std::vector<int> four = kept(p);
    if (whole < 1e-4) continue;
    ASSERT_GE(four.size(), 3u);  // three when all others tie with them
    least = std::min(least, hullArea(p, four) / whole);
  }
  EXPECT_GT(least, 0.4);
}

TEST(PatchReduction, TheDeepestStaysWithinWhatIsAllowed) {
  families::Random random(2);
  int replaced = 0;
  for (int i = 0; i < 20000; ++i) {
    const Points p = outline(random, 5 + random.below(20));
    const double deepest = *std::min_element(p.z.begin(), p.z.end());
    const auto deepestOf = [&](const std::vector<int>& of) {
      double z = 1;
      for (const int k : of) z = std::min(z, p.z[static_cast<std::size_t>(k)]);
      return z;
    };
    for (const double deeper : {0.0, 0.01, 0.3}) EXPECT_LE(deepestOf(kept(p, deeper)), deepest + deeper);
    replaced += deepestOf(kept(p)) > deepest;
    // It takes one place only.
    std::vector<int> with = kept(p, 0), without = kept(p), both;
    std::sort(with.begin(), with.end());
    std::sort(without.begin(), without.end());
    std::set_intersection(with.begin(), with.end(), without.begin(), without.end(), std::back_inserter(both));
    EXPECT_GE(both.size() + 1, without.size());
  }
  EXPECT_GT(replaced, 5000);
}

TEST(PatchReduction, SizeAndNoiseDoNotChangeTheChoice) {
  families::Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Points p = outline(random, 8);
    Points large = p;
    for (double& x : large.x) x *= 1024;
    for (double& y : large.y) y /= 64;  // each axis is measured by the patch's own size
    EXPECT_EQ(kept(large), kept(p));
  }
  // Regular hexagons and octagons, where much ties: rounding in their corners must not matter.
  for (const int corners : {6, 8})
    for (int i = 0; i < 1000; ++i) {
      Points regular, noisy;
      for (int k = 0; k < corners; ++k) {
        const double angle = std::numbers::pi / corners * (2 * k + 1);
        regular.add(std::cos(angle), std::sin(angle));
        const double dx = random.uniform(-1e-9, 1e-9), dy = random.uniform(-1e-9, 1e-9);
        noisy.add(std::cos(angle) + dx, std::sin(angle) + dy);
      }
      EXPECT_EQ(kept(noisy), kept(regular));
      EXPECT_GT(hullArea(regular, kept(regular)), 1.7);  // sqrt(3) on a hexagon, 2 on an octagon
    }
}

TEST(PatchReduction, WhatHasNoWidthKeepsItsEnds) {
  Points line, place;
  for (int i = 0; i < 9; ++i) {
    line.add(0.1 * ((i * 4) % 9), 0.3 * ((i * 4) % 9));
    place.add(5, 7, -i);
  }
  const std::vector<int> ends = kept(line);
  EXPECT_NE(std::find(ends.begin(), ends.end(), 0), ends.end());  // 0 * 4 % 9 = 0
  EXPECT_NE(std::find(ends.begin(), ends.end(), 2), ends.end());  // 2 * 4 % 9 = 8
  EXPECT_EQ(kept(place), (std::vector<int>{0}));
  EXPECT_EQ(kept(place, 0.5), (std::vector<int>{8}));  // the deepest instead
}

}  // namespace
}  // namespace sunder
