// SPDX-License-Identifier: MIT
// Friction: distances against the exact answer of the discrete model, the cone, holding, and what tips before it slides.
#include <gtest/gtest.h>

#include "scene_rows.h"

namespace sunder::measure {
namespace {

constexpr double kGravity = 9.81;

TEST(Friction, BoxSlidesDownASlopeAsFarAsItShould) {
  for (const int thousandths : {0, 100, 300, 355}) {
    const double distance = measureIncline(thousandths, 5), expected = expectedIncline(thousandths, 5);
    EXPECT_NEAR(distance / expected, 1, 1e-3) << "mu " << thousandths / 1000.0;
  }
}

TEST(Friction, BoxHoldsOnASlope) {
  for (const int thousandths : {373, 400, 1000}) EXPECT_LT(measureIncline(thousandths, 10), 1e-4) << "mu " << thousandths / 1000.0;
}

// The cone: neither the distance nor the direction depends on where the velocity points.
TEST(Friction, SlidingDistanceDoesNotDependOnDirection) {
  const Slide straight = measureSlide(0);
  EXPECT_NEAR(straight.distance / expectedSlide(), 1, 1e-3);
  for (const double degrees : {15, 30, 45, 60, 90, 200}) {
    const Slide slide = measureSlide(degrees);
    EXPECT_NEAR(slide.distance / straight.distance, 1, 1e-3) << degrees;
    EXPECT_LT(slide.offLine, 1e-3) << degrees;
    EXPECT_LT(std::abs(slide.yaw), 1e-3) << degrees;
  }
}

// Without friction nothing slows down.
TEST(Friction, NoneKeepsTheVelocity) {
  demo::Scene scene = demo::builtInScene("slide30");
  for (demo::SceneBody& body : scene.bodies) body.def.friction = 0;
  SceneRun run(scene);
  const Vector3d start = run.velocity(1);
  run.run(4);
  EXPECT_NEAR((run.velocity(1) - start).norm(), 0, 1e-5 * start.norm());
  EXPECT_NEAR((run.moved(1) - 4 * start).norm(), 0, 1e-3);
}

// A spinning plate is slowed by its whole patch, and goes nowhere.
TEST(Friction, SpinningPlateStopsWhereItIs) {
  demo::Scene scene = onGround("plate");
  BodyDef& plate = addDynamic(scene, {0.5, 0.1, 0.5}, {0, 0.1, 0});
  plate.angularVelocity = {0, 10, 0};
  SceneRun run(scene);
  run.run(5);
  EXPECT_LT(run.angularVelocity(1).norm(), 1e-4);
  EXPECT_LT(run.sideways(1), 1e-3);
  EXPECT_LT(run.tilt(1), 1e-4);
}

// --- tipping ------------------------------------------------------------------------------------------------------------

// A box of half extents (0.25, 0.5, 0.25) on a slope whose tangent is given: over its lower edge it tips when the tangent
// exceeds width / height = 0.5, and it slides when that exceeds the friction.
struct Slope {
  bool tipped = false, slid = false;
};
Slope onSlope(double tangent, double friction) {
  const double angle = std::atan(tangent), c = std::cos(angle), s = std::sin(angle);
  demo::Scene scene;
  scene.name = "slope";
  scene.gravity = {0, -kGravity, 0};
  const Quaternion slope = about(2, -angle);  // goes down along +x
  addStatic(scene, {20, 1, 20}, {-s, -c, 0});
  addDynamic(scene, {0.25, 0.5, 0.25}, {0.5 * s, 0.5 * c, 0});
  for (demo::SceneBody& body : scene.bodies) {
    body.def.pose.orientation = slope;
    body.def.friction = friction;
  }
  SceneRun run(scene);
  run.run(3);
  const Vector3d normal(s, c, 0);
  return {run.axis(1, 1).dot(normal) < 0.9, run.moved(1).norm() > 0.01};
}

TEST(Friction, BoxTipsOnASlopeExactlyWhenItsShapeSaysSo) {
  EXPECT_FALSE(onSlope(0.49, 2).tipped);
  EXPECT_FALSE(onSlope(0.49, 2).slid);
  EXPECT_TRUE(onSlope(0.51, 2).tipped);
}

TEST(Friction, BoxSlidesInsteadOfTippingWhenFrictionIsLow) {
  EXPECT_FALSE(onSlope(0.6, 0.45).tipped);
  EXPECT_TRUE(onSlope(0.6, 0.45).slid);
  EXPECT_FALSE(onSlope(0.44, 0.45).slid);
  EXPECT_FALSE(onSlope(0.44, 0.45).tipped);
}

// A cube that stands flat and turns about one of its lower edges at w goes over when that lifts its centre from a to
// sqrt(2) a, a being half its side: (4/3) m a^2 w^2 > (sqrt(2) - 1) m g a.
bool rollsOver(double w) {
  demo::Scene scene = onGround("roll");
  BodyDef& cube = addDynamic(scene, {0.5, 0.5, 0.5}, {0, 0.5, 0});
  cube.angularVelocity = {0, 0, -w};  // about the edge at x = 0.5
  cube.linearVelocity = {0.5 * w, 0.5 * w, 0};
  for (demo::SceneBody& body : scene.bodies) body.def.friction = 5;  // must not slide
  SceneRun run(scene);
  run.run(3);
  return run.axis(1, 1)[1] < 0.5;
}

TEST(Friction, CubeRollsOverItsEdgeAtTheRightSpeed) {
  const double threshold = std::sqrt(0.75 * (std::sqrt(2.0) - 1) * kGravity / 0.5);
  EXPECT_FALSE(rollsOver(0.98 * threshold));
  EXPECT_TRUE(rollsOver(1.02 * threshold));
}

// --- rocking ------------------------------------------------------------------------------------------------------------

// Housner, "The behavior of inverted pendulum structures during earthquakes" (1963): a block of half width b and half
// height h, R = sqrt(b^2 + h^2), alpha = atan(b / h), rocks by theta'' = -(3 g / 4 R) sin(alpha - theta) about one edge,
// and the impact on the other leaves the share 1 - 3/2 sin^2(alpha) of the angular velocity. Integrated finely.
struct Rocking {
  double firstImpact = 0, secondImpact = 0;  // s
  double secondPeak = 0;                     // rad
};
Rocking exactRocking(double b, double h, double start) {
  const double alpha = std::atan(b / h), p2 = 0.75 * kGravity / std::hypot(b, h), dt = 1e-5;
  Rocking result;
  double theta = start, w = 0, time = 0;
  while (theta > 0) {
    w -= dt * p2 * std::sin(alpha - theta);
    theta += dt * w;
    time += dt;
  }
  result.firstImpact = time;
  w *= -(1 - 1.5 * std::pow(std::sin(alpha), 2));
  theta = 0;
  do {
    w -= dt * p2 * std::sin(alpha - theta);
    theta += dt * w;
    time += dt;
    result.secondPeak = std::max(result.secondPeak, theta);
  } while (theta > 0);
  result.secondImpact = time;
  return result;
}

// The same from the world: times at which the tilt passes through 0, interpolated.
Rocking measuredRocking(double b, double h, double start, double dt) {
  demo::Scene scene = onGround("rocking");
  scene.dt = dt;
  const double alpha = std::atan(b / h), radius = std::hypot(b, h);
  BodyDef& block = addDynamic(scene, {b, h, b}, {0, 0, 0});
  // Over the edge at the origin, leaning towards -x by the start angle.
  block.pose.position = {-radius * std::sin(start - alpha), radius * std::cos(alpha - start), 0};
  block.pose.orientation = about(2, start);
  for (demo::SceneBody& body : scene.bodies) body.def.friction = 5;  // must not slide
  SceneRun run(scene);
  Rocking result;
  double before = start;
  while (run.time() < 4 && result.secondImpact == 0) {
    run.step();
    const double theta = std::atan2(-run.axis(1, 1)[0], run.axis(1, 1)[1]);
    const double crossing = run.time() - run.scene().dt * theta / (theta - before);
    if (result.firstImpact == 0 && theta <= 0) result.firstImpact = crossing;
    if (result.firstImpact > 0) result.secondPeak = std::max(result.secondPeak, -theta);
    if (result.firstImpact > 0 && before < 0 && theta >= 0) result.secondImpact = crossing;
    before = theta;
  }
  return result;
}

// The impact takes a step's share of the motion with it: 4 % too short at 60 Hz, and less with shorter steps.
TEST(Friction, RockingBlockHasTheRightPeriod) {
  const Rocking exact = exactRocking(0.25, 1, 0.12);
  for (const double rate : {60.0, 240.0}) {
    const Rocking measured = measuredRocking(0.25, 1, 0.12, 1 / rate);
    const double limit = rate > 100 ? 0.02 : 0.06;
    EXPECT_NEAR(measured.firstImpact / exact.firstImpact, 1, 0.01) << rate;
    EXPECT_NEAR(measured.secondPeak / exact.secondPeak, 1, limit) << rate;
    EXPECT_NEAR((measured.secondImpact - measured.firstImpact) / (exact.secondImpact - exact.firstImpact), 1, limit) << rate;
  }
}

}  // namespace
}  // namespace sunder::measure
