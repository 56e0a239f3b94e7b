// SPDX-License-Identifier: MIT
// How single bodies move: free fall and free rotation, and the same beside something that they do not touch.
#include <gtest/gtest.h>

#include "scene_rows.h"

namespace sunder::measure {
namespace {

constexpr double kGravity = 9.81;

// Without contacts the parabola is exact, whatever the time step.
TEST(BodyMotion, ProjectileFollowsTheParabola) {
  for (const double dt : {2.0, 2.0 / 7, 1.0 / 30, 1.0 / 60, 1.0 / 240, 1.0 / 500}) {
    demo::Scene scene;
    scene.gravity = {0, -kGravity, 0};
    scene.dt = dt;
    BodyDef& box = addDynamic(scene, {0.1, 0.2, 0.3}, {1, 2, 3});
    box.linearVelocity = {4, 5, -6};
    box.angularVelocity = {1, 2, 3};
    SceneRun run(scene);
    const double energy = run.world().energy();
    run.run(2);
    const Vector3d expected = Vector3d(1, 2, 3) + 2 * Vector3d(4, 5, -6) + 2 * Vector3d(0, -kGravity, 0);
    EXPECT_LT((run.position(0) - expected).norm(), 1e-12 * 480);
    EXPECT_LT((run.velocity(0) - Vector3d(4, 5 - 2 * kGravity, -6)).norm(), 1e-12 * 480);
    EXPECT_NEAR(run.world().energy() / energy, 1, 1e-3);  // the splitting of the free rotation
  }
}

TEST(BodyMotion, AllFallAlike) {
  demo::Scene scene;
  scene.gravity = {0, -kGravity, 0};
  for (int i = 0; i < 5; ++i) addDynamic(scene, {0.1 * (i + 1), 0.2, 0.1}, {3.0 * i, 10, 0}).density = std::pow(10.0, i);
  SceneRun run(scene);
  run.run(1);
  for (int i = 0; i < run.size(); ++i) EXPECT_NEAR(run.position(i)[1], 10 - 0.5 * kGravity, 1e-11);
}

void expectFlips(int speed, double seconds, int flips) {
  SceneRun run(demo::builtInScene("spin" + std::to_string(speed)));
  const Spin spin = measureSpin(run, seconds);
  EXPECT_EQ(spin.flips, flips);
  EXPECT_LT(spin.energy, 1e-3);
  EXPECT_LT(spin.momentum, 1e-2);
}
TEST(BodyMotion, SpinAboutTheMiddleAxisFlips) {
  expectFlips(5, 60, 12);
  expectFlips(20, 60, 47);
}
// A wall that a turning box passes by at 3 mm is a contact that pushes nothing: the solver then has the body, in float, and must
// find the free motion. Slow, fast and very fast: each has its own way to count the gyroscopic torque.
TEST(BodyMotion, IsTheSameBesideAWallThatIsNotTouched) {
  for (const double speed : {0.9, 3.0, 15.0})
    for (const double length : {0.026, 0.034}) {
      demo::Scene scene;
      scene.gravity.setZero();
      const Vector3d half(0.03, length, 0.025);
      for (const double x : {0.0, 100.0}) addDynamic(scene, half, {x, 0, 0}).angularVelocity = speed * Vector3d(0.36, 0.48, 0.8);
      addStatic(scene, {1, 50, 50}, {-1 - half.norm() - 0.003, 0, 0});
      SceneRun run(scene);
      int contacts = 0;
      for (int step = 0; step < 600; ++step) {
        run.step();
        contacts += run.world().lastReport().contacts;
      }
      EXPECT_GT(contacts, 10) << speed;
      EXPECT_LT((run.position(0) + Vector3d(100, 0, 0) - run.position(1)).norm(), 1e-9) << speed;
      EXPECT_LT((run.angularVelocity(0) - run.angularVelocity(1)).norm(), 1e-3 * speed) << speed << " length " << length;
      // 13 mrad, of 30 rad or more
      EXPECT_NEAR(std::fabs(run.world().pose(run.id(0)).orientation.dot(run.world().pose(run.id(1)).orientation)), 1, 2e-5) << speed << " length " << length;
    }
}

}  // namespace
}  // namespace sunder::measure
