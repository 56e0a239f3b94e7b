// SPDX-License-Identifier: MIT
// Relative poses against matrices in extended precision.
#include <gtest/gtest.h>
#include <sunder/narrowphase/pose.h>

#include "box_pair_families.h"

namespace sunder {
namespace {

using Vector3l = Eigen::Matrix<long double, 3, 1>;
using Matrix3l = Eigen::Matrix<long double, 3, 3>;

Matrix3l matrixOf(const Quaternion& q) { return q.cast<long double>().normalized().toRotationMatrix(); }

TEST(RelativePose, LeadsFromBThroughAIntoTheWorld) {
  families::Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const double far = i % 3 == 0 ? 1e9 : 1;
    Pose a, b;
    a.position = far * random.inCube(-1, 1);
    b.position = a.position + random.inCube(-3, 3);
    a.orientation = random.rotation();
    b.orientation = random.rotation();
    const Pose relative = relativePose(a, b);
    const Matrix3l ra = matrixOf(a.orientation);
    // Only the rounding of the given positions is left, however far they are: they are exact numbers here.
    const Vector3l position = ra.transpose() * (b.position.cast<long double>() - a.position.cast<long double>());
    EXPECT_LT((relative.position.cast<long double>() - position).norm(), 1e-14L) << i;
    EXPECT_LT((matrixOf(relative.orientation) - ra.transpose() * matrixOf(b.orientation)).norm(), 1e-14L) << i;
    EXPECT_NEAR(relative.orientation.norm(), 1, 1e-15);
  }
}

TEST(RelativePose, OfOneToItselfIsNothing) {
  families::Random random(2);
  for (int i = 0; i < 100; ++i) {
    Pose a;
    a.position = 1e6 * random.inCube(-1, 1);
    a.orientation = random.rotation();
    const Pose same = relativePose(a, a);
    EXPECT_EQ(same.position, Eigen::Vector3d(0, 0, 0));
    EXPECT_NEAR(same.orientation.w(), 1, 1e-15);
    EXPECT_LT(same.orientation.vec().norm(), 1e-15);
    // Seen from a frame that is the world's, nothing changes, to the bit.
    const Pose seen = relativePose(Pose{}, a);
    EXPECT_EQ(seen.position, a.position);
    EXPECT_EQ(seen.orientation.coeffs(), a.orientation.coeffs());
  }
}

}  // namespace
}  // namespace sunder
