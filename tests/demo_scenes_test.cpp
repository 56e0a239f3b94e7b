// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "sunder/demo/referee.h"
#include "sunder/demo/scenes.h"

namespace sunder::demo {
namespace {

TEST(Scenes, EveryListedExampleIsMadeOfValidBodiesWithDifferentNames) {
  ASSERT_EQ(builtInScenes().size(), 17u);
  for (const SceneInfo& info : builtInScenes()) {
    const Scene scene = builtInScene(info.example);
    EXPECT_EQ(scene.name, info.example);
    EXPECT_FALSE(scene.bodies.empty()) << info.example;
    EXPECT_GT(scene.steps, 0) << info.example;
    std::set<std::string> names;
    for (const SceneBody& body : scene.bodies) {
      EXPECT_EQ(validate(body.def), "") << info.example << ' ' << body.name;
      EXPECT_TRUE(names.insert(body.name).second) << info.example << ": " << body.name << " twice";
    }
  }
}

std::size_t bodyCount(const std::string& name) {
  return builtInScene(name).bodies.size();
}

TEST(Scenes, HaveAsManyBodiesAsTheirNameSays) {
  EXPECT_EQ(bodyCount("stack10"), 11u);  // with the ground
  EXPECT_EQ(bodyCount("stackj7"), 8u);
  EXPECT_EQ(bodyCount("pyr20"), 1u + 210u);
  EXPECT_EQ(bodyCount("pyr3d15"), 1u + 1240u);
  EXPECT_EQ(bodyCount("rain1000"), 5u + 1000u);
  EXPECT_EQ(bodyCount("heavys100"), 7u);
  EXPECT_EQ(bodyCount("cards"), 1u + 20u + 6u);
  EXPECT_EQ(bodyCount("domino"), 201u);
  EXPECT_EQ(bodyCount("shotS_100"), 32u);
  EXPECT_EQ(bodyCount("sparse"), 10101u);
  EXPECT_EQ(bodyCount("fall28"), 28u);
}

TEST(Scenes, StartWithoutOverlap) {
  for (const char* name :
       {"stack10", "pyr20", "pyr3d5", "rain500", "heavyup10", "domino", "incline300", "shotD_100", "fall500"}) {
    std::vector<RefereeBox> boxes;
    for (const SceneBody& body : builtInScene(name).bodies)
      boxes.push_back({Box{body.def.halfExtents}, body.def.pose, body.def.kind == BodyKind::Dynamic});
    // Positions are rounded: the boxes that only touch may overlap by a few roundings of a coordinate.
    EXPECT_LT(measureOverlaps(boxes).deepest, 1e-13) << name;
  }
}

TEST(Scenes, GravityPointsDownTheirYAxis) {
  EXPECT_EQ(builtInScene("stack1").gravity, Eigen::Vector3d(0, -9.81, 0));
  EXPECT_EQ(builtInScene("spin10").gravity, Eigen::Vector3d::Zero());
}

TEST(Scenes, ParametersReachTheBodies) {
  const Scene heavy = builtInScene("heavy100");
  EXPECT_EQ(heavy.bodies[2].def.density / heavy.bodies[1].def.density, 100);
  const Scene up = builtInScene("heavyup64");  // 64 times the volume, 64 times the mass: the same density
  EXPECT_EQ(up.bodies[2].def.density, 1000);
  EXPECT_EQ(builtInScene("incline250").bodies[1].def.friction, 0.25);
  EXPECT_EQ(builtInScene("spin12.5").bodies[0].def.angularVelocity[1], 12.5);
  EXPECT_EQ(builtInScene("shotS_400").bodies[1].def.linearVelocity[0], 400);
  EXPECT_EQ(builtInScene("cards").bodies[3].def.friction, 0.7);
  const Eigen::Vector3d v = builtInScene("slide45").bodies[1].def.linearVelocity;
  EXPECT_NEAR(v.norm(), 5, 1e-15);
  EXPECT_NEAR(v[0], v[2], 1e-15);
}

// The leaning cards stand on the ground with their lower edge and meet at the top, and the flat ones lie on the tops.
TEST(Scenes, CardsTouchEachOther) {
  const Scene scene = builtInScene("cards");
  const auto box = [&](std::size_t i) {
    const BodyDef& def = scene.bodies[i].def;
    return RefereeBox{Box{def.halfExtents}, def.pose, true};
  };
  EXPECT_NEAR(separation(box(0), box(1)), 0, 1e-12);
  EXPECT_NEAR(separation(box(1), box(2)), 0, 1e-12);
  EXPECT_NEAR(separation(box(2), box(9)), 0, 1e-12);
}

void expectRefused(const std::string& name, const std::string& part) {
  try {
    builtInScene(name);
    FAIL() << name << " was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(Scenes, RefuseWhatTheyCanNotMake) {
  expectRefused("", "unknown scene ''");
  expectRefused("tower", "unknown scene 'tower'");
  expectRefused("stack", "unknown scene 'stack'");
  expectRefused("stack10x", "unknown scene 'stack10x'");
  expectRefused("cards2", "unknown scene 'cards2'");
  expectRefused("stack0", "N must be a whole number from 1 to 1000");
  expectRefused("stack-3", "N must be a whole number from 1");
  expectRefused("pyr2.5", "N must be a whole number");
  expectRefused("rain1e9", "from 1 to 1e+05");
  expectRefused("heavynan", "R must be a number from");
  expectRefused("heavy0", "R must be a number from");
  expectRefused("shotS_inf", "V must be a number from 0 to 10000");
}

TEST(Scenes, PerturbMovesDynamicBodiesOnlyAndRepeats) {
  const Scene original = builtInScene("stack10");
  Scene once = original, again = original, other = original;
  perturb(once, 0.01, 5);
  perturb(again, 0.01, 5);
  perturb(other, 0.01, 6);
  EXPECT_EQ(once.bodies[0].def.pose.position, original.bodies[0].def.pose.position);
  for (std::size_t i = 1; i < original.bodies.size(); ++i) {
    const Eigen::Vector3d moved = once.bodies[i].def.pose.position - original.bodies[i].def.pose.position;
    EXPECT_LE(moved.cwiseAbs().maxCoeff(), 0.01);
    EXPECT_GT(moved.norm(), 0);
    EXPECT_EQ(once.bodies[i].def.pose.position, again.bodies[i].def.pose.position);
    EXPECT_NE(once.bodies[i].def.pose.position, other.bodies[i].def.pose.position);
  }
}

}  // namespace
}  // namespace sunder::demo
