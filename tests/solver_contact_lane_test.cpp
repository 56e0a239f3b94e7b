// SPDX-License-Identifier: MIT
// The arms of a contact whose bodies hit within the step: those of the moment of the hit, not of the start of the step.
#include <gtest/gtest.h>

#include <cmath>

#include "solver_scene.h"

namespace sunder {
namespace {

using testing::BodyInput;
using testing::Matrix3d;
using testing::SolverScene;
using testing::TestRandom;
using testing::Vector3d;

Matrix3d crossMatrix(const Vector3d& r) {
  Matrix3d m;
  m << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return m;
}

// A sphere of inertia flies and turns for a time of the step and then sticks with a point at arm r: the impulse -K^-1 (v + w x r) with
// K = 1/m - [r] I^-1 [r]. Where the bodies are at the start, how far the body turns before, which of the two is the ground and whether
// that is at rest or comes must not matter.
TEST(ContactLane, ArmsAreThoseOfTheHit) {
  TestRandom random(5);
  int tried = 0;
  for (int run = 0; run < 400; ++run) {
    const double mass = random.number(0.5, 5), moment = mass * random.number(0.05, 0.2), size = random.number(0.3, 0.6), speed = random.number(20, 60);
    const Vector3d n = random.direction(), side = random.direction(), r = size * (side - 1.5 * n).normalized();
    const Vector3d drift = random.vector(5), v = drift - speed * n, w = random.vector(25);
    SolverScene scene;
    const double time = random.number(0.1, 0.8) * scene.settings.dt;
    const Matrix3d turnBack = Eigen::AngleAxisd(-time * w.norm(), w.normalized()).toRotationMatrix();
    const Vector3d start = turnBack * r;  // the arm now
    const double gap = -n.dot(time * v + r - start);
    if (gap < 0.02 || n.dot(v + w.cross(r)) > -5) continue;
    const Vector3d impulse = -(Matrix3d::Identity() / mass - crossMatrix(r) * crossMatrix(r) / moment).inverse() * (v + w.cross(r));
    const Vector3d expected = v + impulse / mass, expectedTurn = w + r.cross(impulse) / moment;
    const Vector3d frame = run % 3 == 0 ? v : Vector3d::Zero();  // seen from there
    const Vector3d place = random.vector(2);
    BodyInput body = {.mass = mass, .inertia = moment * Matrix3d::Identity(), .position = place, .velocity = v - frame, .angularVelocity = w};
    BodyInput ground = testing::immovable(random.vector(3));
    if (run % 3 == 0) {  // heavy, and it comes
      ground.mass = 1e6 * mass;
      ground.inertia = 1e6 * body.inertia;
      ground.position = body.position - 2 * n;
      ground.velocity = -frame;
      ground.takesPart = true;
    }
    const Vector3d point = body.position + start - 0.5 * gap * n;
    const bool groundIsA = run % 2 == 0;
    scene.bodies = groundIsA ? std::vector{ground, body} : std::vector{body, ground};
    Contact& contact = scene.touch(0, 1, groundIsA ? n : Vector3d(-n), {point}, 50, 0, gap);
    if (run % 3 != 0) (groundIsA ? contact.fixedA : contact.fixedB) = true;
    scene.settings.hitSweeps = 12;
    scene.solve();
    const BodyInput& after = scene.bodies[groundIsA ? 1 : 0];
    EXPECT_LE((after.velocity + frame - expected).norm(), 0.03 * v.norm()) << run;
    EXPECT_LE((after.angularVelocity - expectedTurn).norm(), 0.03 * v.norm() / r.norm()) << run;
    ++tried;
  }
  EXPECT_GT(tried, 100);
}

}  // namespace
}  // namespace sunder
