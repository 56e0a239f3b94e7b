// SPDX-License-Identifier: MIT
// Free rotation against Euler's equations, integrated here with the fourth-order method of Runge and Kutta in small steps,
// and against the closed form of the symmetric top.
#include <gtest/gtest.h>
#include <sunder/solver/free_motion.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "solver_scene.h"

namespace sunder {
namespace {

using testing::TestRandom;
using testing::Vector3d;

struct Spinning {
  Quaternion orientation = Quaternion(1, 0, 0, 0);
  Vector3d angularVelocity = Vector3d::Zero();  // world axes
  Vector3d inertia = Vector3d::Ones();

  Vector3d momentum() const {
    const Eigen::Matrix3d r = orientation.toRotationMatrix();
    return r * inertia.asDiagonal() * r.transpose() * angularVelocity;
  }
  double energy() const { return 0.5 * momentum().dot(angularVelocity); }
  void step(double dt, int count) {
    for (int i = 0; i < count; ++i) turnFreely(orientation, angularVelocity, inertia, dt);
  }
};

// rad between two orientations
double angleBetween(const Quaternion& a, const Quaternion& b) { return 2 * std::asin(std::min(1.0, (a.conjugate() * b).vec().norm())); }

// Euler's equations in the body's own axes: I w' = I w x w, q' = q (0, w) / 2.
Spinning reference(const Spinning& start, double seconds, int steps) {
  const Eigen::Matrix3d turn = start.orientation.toRotationMatrix();
  Vector3d w = turn.transpose() * start.angularVelocity;
  Eigen::Vector4d q(start.orientation.w(), start.orientation.x(), start.orientation.y(), start.orientation.z());
  const Vector3d& inertia = start.inertia;
  const auto rateW = [&](const Vector3d& v) { return Vector3d(inertia.cwiseProduct(v).cross(v).cwiseQuotient(inertia)); };
  const auto rateQ = [](const Eigen::Vector4d& p, const Vector3d& v) {
    const Eigen::Quaterniond r = Eigen::Quaterniond(p[0], p[1], p[2], p[3]) * Eigen::Quaterniond(0, v[0], v[1], v[2]);
    return Eigen::Vector4d(0.5 * Eigen::Vector4d(r.w(), r.x(), r.y(), r.z()));
  };
  const double h = seconds / steps;
  for (int i = 0; i < steps; ++i) {
    const Vector3d a1 = rateW(w), a2 = rateW(w + h / 2 * a1), a3 = rateW(w + h / 2 * a2), a4 = rateW(w + h * a3);
    const Eigen::Vector4d b1 = rateQ(q, w), b2 = rateQ(q + h / 2 * b1, w + h / 2 * a1), b3 = rateQ(q + h / 2 * b2, w + h / 2 * a2),
                          b4 = rateQ(q + h * b3, w + h * a3);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    q += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
  }
  Spinning end = start;
  end.orientation = Quaternion(q[0], q[1], q[2], q[3]).normalized();
  end.angularVelocity = end.orientation.toRotationMatrix() * w;
  return end;
}

// A box whose sides differ by up to 1 / least.
Spinning randomSpinning(TestRandom& random, double speed, double least = 0.1) {
  Spinning body;
  body.orientation = Quaternion(Eigen::AngleAxisd{random.number(0, 3), random.direction()});
  body.angularVelocity = speed * random.direction();
  const Vector3d h{random.number(least, 1), random.number(least, 1), random.number(least, 1)}, s = h.cwiseProduct(h);
  body.inertia = Vector3d(s.y() + s.z(), s.z() + s.x(), s.x() + s.y());
  return body;
}

TEST(FreeMotion, FollowsEulersEquations) {
  TestRandom random(1);
  for (int i = 0; i < 20; ++i) {
    const Spinning start = randomSpinning(random, 4);
    const Spinning exact = reference(start, 1, 4000);
    // The reference is one: momentum and energy of the body are those it started with.
    ASSERT_LT((exact.momentum() - start.momentum()).norm(), 1e-9 * start.momentum().norm());
    ASSERT_NEAR(exact.energy() / start.energy(), 1, 1e-9);
    Spinning coarse = start, fine = start;
    coarse.step(1.0 / 60, 60);
    fine.step(1.0 / 6000, 6000);
    const double coarseError = angleBetween(coarse.orientation, exact.orientation), fineError = angleBetween(fine.orientation, exact.orientation);
    EXPECT_LT(coarseError, 1e-2);
    // Second order: a step of 1/60 s is made in two or three parts, so that these steps are at least 33 times as short.
    EXPECT_LT(fineError, coarseError / 500 + 1e-9);
    EXPECT_LT((fine.angularVelocity - exact.angularVelocity).norm(), 1e-4);
  }
}

// The momentum stays the same vector, and the energy within bounds, for 50,000 steps. Long boxes that spin about their
// length are the hardest.
TEST(FreeMotion, KeepsMomentumAndEnergyForGood) {
  TestRandom random(2);
  for (int i = 0; i < 12; ++i) {
    const bool compact = i % 2 == 0;
    const Spinning start = randomSpinning(random, i < 6 ? 2.0 : 20.0, compact ? 0.5 : 0.1);
    Spinning body = start;
    double worst = 0;
    for (int k = 0; k < 500; ++k) {
      body.step(1.0 / 60, 100);
      worst = std::max(worst, std::fabs(body.energy() / start.energy() - 1));
    }
    EXPECT_LT(worst, compact ? 2e-4 : 5e-3);
    EXPECT_LT((body.momentum() - start.momentum()).norm(), 1e-10 * start.momentum().norm());  // a few roundings per part
    EXPECT_NEAR(body.orientation.norm(), 1, 1e-15);
  }
}

// Two equal moments: the axis of the top goes round the momentum L at L / I1, and the body turns about its axis against
// that at w3 (1 - I3 / I1).
TEST(FreeMotion, TurnsASymmetricTopAsTheClosedFormSays) {
  TestRandom random(3);
  for (const double i3 : {0.2, 0.9, 1.5, 1.95}) {
    Spinning start;
    start.orientation = Quaternion(Eigen::AngleAxisd{random.number(0, 3), random.direction()});
    start.angularVelocity = random.vector(5);
    start.inertia = {1, 1, i3};
    const Vector3d momentum = start.momentum();
    const double spin = (start.orientation.conjugate() * start.angularVelocity).z();
    Spinning body = start;
    body.step(1.0 / 600, 1200);
    const double t = 2;
    const Eigen::Quaterniond expected = Eigen::Quaterniond(Eigen::AngleAxisd(t * momentum.norm(), momentum.normalized())) * Eigen::Quaterniond(start.orientation) *
                                        Eigen::Quaterniond(Eigen::AngleAxisd(t * spin * (1 - i3), Vector3d::UnitZ()));
    EXPECT_LT(angleBetween(body.orientation, Quaternion(expected)), 1e-4);
  }
}

// Three equal moments: any velocity is constant, in every bit.
TEST(FreeMotion, TurnsACubeAtAConstantVelocity) {
  Spinning cube;
  cube.angularVelocity = {3, -2, 1};
  cube.inertia = {0.7, 0.7, 0.7};
  cube.step(1.0 / 60, 600);
  EXPECT_EQ(cube.angularVelocity, Vector3d(3, -2, 1));
  const Quaternion expected(Eigen::AngleAxisd(10 * std::sqrt(14.0), Vector3d(3, -2, 1).normalized()));
  EXPECT_LT(angleBetween(cube.orientation, expected), 1e-12);
}

// The splitting is symmetric: with the velocity turned round, the body goes back the way it came. (In steps so short that
// one part is enough: the number of parts depends on the velocity.)
TEST(FreeMotion, IsReversible) {
  TestRandom random(4);
  for (int i = 0; i < 20; ++i) {
    const Spinning start = randomSpinning(random, 3);
    Spinning body = start;
    body.step(1.0 / 300, 3000);
    body.angularVelocity = -body.angularVelocity;
    body.step(1.0 / 300, 3000);
    EXPECT_LT(angleBetween(body.orientation, start.orientation), 1e-9);
    EXPECT_LT((body.angularVelocity + start.angularVelocity).norm(), 1e-9);
  }
}

// However fast: the state stays finite, the orientation a rotation and the momentum what it was.
TEST(FreeMotion, StandsAnySpeed) {
  for (const double speed : {1e3, 1e5, 1e7, 1e12, 1e30}) {
    Spinning body;
    body.angularVelocity = speed * Vector3d(0.6, 0.64, 0.48);
    body.inertia = {1, 1e-3, 1.0005};
    const Vector3d momentum = body.momentum();
    body.step(1.0 / 60, 5);
    EXPECT_NEAR(body.orientation.norm(), 1, 1e-14) << speed;
    EXPECT_LT((body.momentum() - momentum).norm(), 1e-12 * momentum.norm()) << speed;
  }
}

TEST(Turned, IsTheRotationByTheVector) {
  TestRandom random(5);
  for (const double size : {1e-12, 1e-3, 0.1, 1.0, 3.0, 50.0, 1e4})
    for (int i = 0; i < 50; ++i) {
      const Quaternion q(Eigen::AngleAxisd{random.number(0, 3), random.direction()});
      const Vector3d vector = random.vector(size);
      const Quaternion result = turned(q, vector);
      const Eigen::Quaterniond expected = Eigen::Quaterniond(Eigen::AngleAxisd(vector.norm(), vector.normalized())) * Eigen::Quaterniond(q);
      EXPECT_NEAR(result.norm(), 1, 1e-15);
      // Each doubling of the angle doubles the rounding of the quarter turn that it starts from.
      EXPECT_LT(angleBetween(result, Quaternion(expected)), 1e-14 * std::max(1.0, size)) << size;
    }
  const Quaternion q(0.5, 0.5, -0.5, 0.5);
  EXPECT_EQ(turned(q, Vector3d::Zero()).coeffs(), q.coeffs());
}

}  // namespace
}  // namespace sunder
