// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sunder/physics/material.h>

#include <algorithm>
#include <cmath>

namespace sunder {
namespace {

TEST(Material, MixOfKnownOnes) {
  const Material ice = {0, 0.1}, rubber = {0.9, 0.8}, wood = {0.4, 0};
  EXPECT_EQ(mix(rubber, wood), mix(wood, rubber));
  EXPECT_DOUBLE_EQ(mix(rubber, wood).friction, 0.6);  // sqrt(0.9 * 0.4)
  EXPECT_EQ(mix(rubber, wood).restitution, 0.8);
  EXPECT_DOUBLE_EQ(mix(wood, wood).friction, 0.4);
  EXPECT_EQ(mix(ice, rubber).friction, 0);
  EXPECT_EQ(mix(ice, wood).restitution, 0.1);
}

// Any two: the geometric mean, rounded twice, and the larger; alike from both sides, and between the two.
TEST(Material, MixIsTheGeometricMeanAndTheLarger) {
  for (double fa = 1e-3; fa < 20; fa *= 1.7)
    for (double fb = 1e-3; fb < 20; fb *= 2.3)
      for (const double ra : {0.0, 0.3, 1.0})
        for (const double rb : {0.0, 0.5, 1.0}) {
          const Material m = mix({fa, ra}, {fb, rb});
          EXPECT_EQ(m, mix({fb, rb}, {fa, ra}));
          const long double mean = std::sqrt(static_cast<long double>(fa) * fb);
          EXPECT_NEAR(m.friction, static_cast<double>(mean), 4e-16 * static_cast<double>(mean));
          EXPECT_TRUE(m.friction >= std::min(fa, fb) * (1 - 1e-15) && m.friction <= std::max(fa, fb) * (1 + 1e-15));
          EXPECT_EQ(m.restitution, ra > rb ? ra : rb);
        }
}

}  // namespace
}  // namespace sunder
