// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sunder/demo/random.h"
#include "sunder/demo/referee.h"

namespace sunder::demo {
namespace {

RefereeBox cube(double half, const Eigen::Vector3d& position, bool movable = true) {
  RefereeBox box;
  box.box.halfExtents.setConstant(half);
  box.pose.position = position;
  box.movable = movable;
  return box;
}

TEST(Referee, KnowsSimpleAnswers) {
  EXPECT_EQ(separation(cube(1, {0, 0, 0}), cube(1, {0, 1.5, 0.25})), -0.5);
  EXPECT_EQ(separation(cube(1, {0, 0, 0}), cube(1, {0, 0, 3})), 1.0);
  EXPECT_EQ(separation(cube(4, {0, 0, 0}), cube(1, {1, 0.5, 0})), -4.0);
  EXPECT_EQ(separation(cube(1, {5, 5, 5}), cube(1, {5, 5, 5})), -2.0);
}

// Two cubes on edge, turned about x and about y: edge against edge, the edge cross product is the only short way out.
TEST(Referee, FindsTheEdgeAxis) {
  RefereeBox a = cube(1, {0, 0, 0}), b = cube(1, {0, 0, 2.7});
  const SinCos half = sinCos(0.39269908169872414);  // 45 / 2 degrees
  a.pose.orientation = Quaternion(half.cos, half.sin, 0, 0);
  b.pose.orientation = Quaternion(half.cos, 0, half.sin, 0);
  EXPECT_NEAR(separation(a, b), 2.7 - 2 * std::sqrt(2.0), 1e-15);
}

TEST(Referee, IsSymmetricAndAgreesWithSampledDirections) {
  Random random(3);
  for (int n = 0; n < 200; ++n) {
    RefereeBox a = cube(1, {0, 0, 0}),
               b = cube(1, {random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)});
    for (double& h : a.box.halfExtents) h = random.between(0.2, 1);
    for (double& h : b.box.halfExtents) h = random.between(0.2, 1);
    a.pose.orientation = random.rotation();
    b.pose.orientation = random.rotation();
    const double exact = separation(a, b);
    EXPECT_NEAR(exact, separation(b, a), 1e-15);
    // The gap along any direction is a lower bound of the separation.
    double sampled = -INFINITY;
    for (int k = 0; k < 2000; ++k) {
      const Eigen::Vector3d n3 = random.rotation() * Eigen::Vector3d(0, 0, 1);
      const auto reach = [&](const RefereeBox& o) {
        return o.box.halfExtents.dot((o.pose.orientation.conjugate() * n3).cwiseAbs());
      };
      sampled = std::max(sampled, n3.dot(b.pose.position - a.pose.position) - reach(a) - reach(b));
    }
    if (exact < 0) {
      EXPECT_LE(sampled, exact + 1e-12);
      EXPECT_GE(sampled, exact - 0.15);  // 2000 directions come this close
    }
  }
}

TEST(Referee, SweepFindsThePairsThatBruteForceFinds) {
  Random random(11);
  for (int n = 0; n < 20; ++n) {
    std::vector<RefereeBox> boxes = {cube(50, {0, -50, 0}, false), cube(0.5, {0, 0, 0}, false)};
    for (int i = 0; i < 150; ++i) {
      boxes.push_back(
          cube(random.between(0.1, 0.6), {random.between(-3, 3), random.between(0, 3), random.between(-3, 3)}));
      boxes.back().pose.orientation = random.rotation();
    }
    Overlaps brute;
    double sum = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      for (std::size_t j = i + 1; j < boxes.size(); ++j) {
        if (!boxes[i].movable && !boxes[j].movable) continue;
        const double depth = -separation(boxes[i], boxes[j]);
        if (depth <= 0) continue;
        ++brute.overlapping;
        sum += depth;
        brute.deepest = std::max(brute.deepest, depth);
      }
    const Overlaps found = measureOverlaps(boxes);
    ASSERT_GT(brute.overlapping, 100);
    EXPECT_EQ(found.overlapping, brute.overlapping);
    EXPECT_EQ(found.deepest, brute.deepest);
    EXPECT_NEAR(found.mean, sum / brute.overlapping, 1e-13);
    EXPECT_EQ(
        -separation(boxes[static_cast<std::size_t>(found.deepestA)], boxes[static_cast<std::size_t>(found.deepestB)]),
        found.deepest);
  }
}

TEST(Referee, LeavesOutImmovablePairsAndBrokenPoses) {
  std::vector<RefereeBox> boxes = {cube(1, {0, 0, 0}, false), cube(1, {0.5, 0, 0}, false)};
  EXPECT_EQ(measureOverlaps(boxes).overlapping, 0);
  boxes.push_back(cube(1, {std::numeric_limits<double>::quiet_NaN(), 0, 0}));
  EXPECT_EQ(measureOverlaps(boxes).overlapping, 0);
  boxes.push_back(cube(1, {0, 1.75, 0}));
  EXPECT_EQ(measureOverlaps(boxes).overlapping, 2);
  EXPECT_EQ(measureOverlaps(boxes).deepest, 0.25);
  EXPECT_EQ(measureOverlaps({}).overlapping, 0);
}

}  // namespace
}  // namespace sunder::demo
