// SPDX-License-Identifier: MIT
// What is wrong with a shape is said by field and value. Hulls, which refuse their points themselves, have
// narrowphase_convex_hull_test.cpp.
#include <gtest/gtest.h>
#include <sunder/narrowphase/shape.h>

#include <limits>

namespace sunder {
namespace {

TEST(Shape, GoodOnesHaveNothingToSay) {
  EXPECT_EQ(validate(Box{}), "");
  EXPECT_EQ(validate(Box{{1e-300, 1, 1e300}}), "");
  EXPECT_EQ(validate(Sphere{}), "");
  EXPECT_EQ(validate(Capsule{}), "");
}

TEST(Shape, MessagesNameFieldAndValue) {
  const char* const names[] = {"halfExtents.x", "halfExtents.y", "halfExtents.z"};
  for (const double bad : {0.0, -0.25, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    const auto expectNamed = [bad](const std::string& message, const std::string& field) {
      EXPECT_NE(message.find(field), std::string::npos) << message;
      EXPECT_NE(message.find("> 0"), std::string::npos) << message;
      EXPECT_TRUE(bad != -0.25 || message.find("-0.25") != std::string::npos) << message;
    };
    for (int k = 0; k < 3; ++k) {
      Box box;
      box.halfExtents[k] = bad;
      expectNamed(validate(box), names[k]);
    }
    expectNamed(validate(Sphere{bad}), "radius");
    expectNamed(validate(Capsule{bad, 1}), "halfLength");
    expectNamed(validate(Capsule{1, bad}), "radius");
  }
}

}  // namespace
}  // namespace sunder
