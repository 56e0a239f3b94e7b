// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "sunder/demo/random.h"

namespace sunder::demo {
namespace {

// The numbers of the authors' reference implementation for this seed.
TEST(Random, IsSplitMix64) {
  Random random(1234567);
  for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
                                       16408922859458223821u})
    EXPECT_EQ(random.next(), expected);
}

// Means and mean squares of uniform numbers, within five standard deviations of the mean of that many.
TEST(Random, UnitAndBetweenAreUniform) {
  constexpr int kCount = 100000;
  Random random(7);
  double sum = 0, squares = 0, shifted = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.unit();
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += u;
    squares += u * u;
    const double b = random.between(-3, 5);
    ASSERT_TRUE(b >= -3 && b <= 5);
    shifted += b;
  }
  EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
  EXPECT_NEAR(shifted / kCount, 1, 5 * 8 * std::sqrt(1.0 / 12 / kCount));
}

// Uniform over all rotations: the image of each axis is uniform on the sphere (its mean is 0 and that of v v^T is I / 3),
// and the angle has the density (1 - cos a) / pi (Haar measure), so the mean of cos a is -1/2.
TEST(Random, RotationsAreUniform) {
  constexpr int kCount = 100000;
  Random random(11);
  Eigen::Matrix3d mean = Eigen::Matrix3d::Zero(), second = mean;
  double cosine = 0;
  for (int i = 0; i < kCount; ++i) {
    const Quaternion q = random.rotation();
    ASSERT_NEAR(q.norm(), 1, 1e-15);
    const Eigen::Matrix3d r = q.toRotationMatrix();
    mean += r / kCount;
    second += r.col(0) * r.col(0).transpose() / kCount;
    cosine += (r.trace() - 1) / 2 / kCount;
  }
  const double bound = 5 / std::sqrt(double(kCount));
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), bound);
  EXPECT_LT((second - Eigen::Matrix3d::Identity() / 3).cwiseAbs().maxCoeff(), bound);
  EXPECT_NEAR(cosine, -0.5, bound);
}

}  // namespace
}  // namespace sunder::demo
