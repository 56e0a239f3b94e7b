// SPDX-License-Identifier: MIT
// The loads at rest against statics: solver/rest_solve.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solver_scene.h"

namespace sunder {
namespace {

using testing::immovable;
using testing::Matrix3d;
using testing::SolverScene;
using testing::Vector3d;

constexpr double kGravity = 9.81;
const Vector3d kUp(0, 0, 1);

// Corners of a square of a half edge about a centre.
std::vector<Vector3d> square(const Vector3d& centre, double half) {
  std::vector<Vector3d> points;
  for (const double x : {-half, half})
    for (const double y : {-half, half}) points.push_back(centre + Vector3d(x, y, 0));
  return points;
}

// Unit cubes one upon the other, from the ground (body 0) up, with these masses and offsets along x.
SolverScene stack(const std::vector<double>& masses, const std::vector<double>& x, double friction = 0.5) {
  SolverScene scene;
  scene.gravity = -kGravity * kUp;
  scene.bodies = {immovable()};
  for (std::size_t i = 0; i < masses.size(); ++i)
    scene.bodies.push_back({.mass = masses[i], .inertia = masses[i] / 6 * Matrix3d::Identity(), .position = {x[i], 0, 0.5 + static_cast<double>(i)}});
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double below = i == 0 ? x[0] : x[i - 1];
    std::vector<Vector3d> points;
    for (const double at : {std::max(below, x[i]) - 0.5, std::min(below, x[i]) + 0.5})
      for (const double y : {-0.5, 0.5}) points.push_back({at, y, static_cast<double>(i)});
    scene.touch(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1), kUp, points, friction);
  }
  return scene;
}

double load(const SolverScene& scene, std::size_t contact) {  // N
  double sum = 0;
  for (int i = 0; i < scene.contacts[contact].pointCount; ++i) sum += static_cast<double>(scene.contacts[contact].points[i].impulse);
  return sum / static_cast<double>(scene.settings.substep());
}

double fall(const SolverScene& scene) { return kGravity * scene.settings.dt / scene.settings.substeps; }

// From nothing: each contact carries what is above, with its resultant below the centre of mass of that.
TEST(RestSolve, StackOfMixedMasses) {
  const std::vector<double> masses = {0.2, 3, 0.1, 0.5, 8, 1}, x = {0, 0.2, 0.05, -0.1, 0.1, 0.3};
  SolverScene scene = stack(masses, x);
  scene.solveAtRest(1e-4 * fall(scene));
  for (std::size_t i = 0; i < masses.size(); ++i) {
    EXPECT_LE(scene.bodies[i + 1].velocity.norm() + scene.bodies[i + 1].angularVelocity.norm(), 1.1e-4 * fall(scene)) << i;
    double weight = 0, moment = 0, found = 0;
    for (std::size_t k = i; k < masses.size(); ++k) {
      weight += kGravity * masses[k];
      moment += kGravity * masses[k] * x[k];
    }
    EXPECT_NEAR(load(scene, i), weight, 2e-3 * weight) << i;
    const Contact& contact = scene.contacts[i];
    for (int k = 0; k < 4; ++k) found += (contact.points[k].onA[0] + scene.bodies[i].position.x()) * static_cast<double>(contact.points[k].impulse);
    EXPECT_NEAR(found / static_cast<double>(scene.settings.substep()), moment, 2e-3 * weight) << i;
  }
}

// 2200 sweeps from nothing; plain ones are not there after 300 000.
TEST(RestSolve, GoesFurtherThanSweeps) {
  SolverScene scene = stack(std::vector<double>(30, 1.0), std::vector<double>(30, 0.0));
  const int visits = scene.solveAtRest(1e-3 * fall(scene));
  EXPECT_LE(scene.bodies[30].velocity.norm(), 1e-3 * fall(scene));
  std::size_t blocks = 0;
  for (int color = 0; color < scene.solver.colorCount(); ++color) blocks += scene.solver.color(color).size();
  EXPECT_LE(visits / static_cast<int>(blocks), 2500);
  // With these loads there is nothing left to do.
  EXPECT_EQ(scene.solveAtRest(1.1e-3 * fall(scene)), 0);
}

// A slope that friction holds up to its cone: beyond, what is left is g (sin - mu cos).
TEST(RestSolve, Slope) {
  for (const double friction : {0.3, 0.49, 0.51, 0.8}) {
    SolverScene scene;
    const double slope = std::atan(0.5);
    scene.gravity = kGravity * Vector3d(std::sin(slope), 0, -std::cos(slope));
    scene.bodies = {immovable(), {.mass = 2, .inertia = 2.0 / 6 * Matrix3d::Identity(), .position = {0, 0, 0.5}}};
    scene.touch(0, 1, kUp, square(Vector3d::Zero(), 0.5), friction);
    scene.solveAtRest(1e-5 * fall(scene));
    const double left = std::max(0.0, std::sin(slope) - friction * std::cos(slope)) * fall(scene);
    EXPECT_NEAR(scene.bodies[1].velocity.x(), left, 2e-3 * fall(scene)) << friction;
    EXPECT_NEAR(load(scene, 0), 2 * kGravity * std::cos(slope), 1e-3) << friction;
  }
}

// The upper of two cubes has its centre beyond the edge of the lower: nothing holds it.
TEST(RestSolve, WhatTipsIsNotHeld) {
  for (const double offset : {0.49, 0.499, 0.501, 0.51}) {
    SolverScene scene = stack({1, 1}, {0, offset});
    scene.solveAtRest(1e-4 * fall(scene));
    const double left = scene.bodies[2].angularVelocity.norm();
    if (offset < 0.5)
      EXPECT_LE(left, 1.1e-4 * fall(scene)) << offset;
    else  // about the edge, by g (offset - 1/2) / (1/6 + 1/4 + (offset - 1/2)^2)
      EXPECT_NEAR(left, fall(scene) * (offset - 0.5) / (1.0 / 6 + 0.25), 0.05 * (offset - 0.5) * fall(scene)) << offset;
  }
}

// What moves before does not matter, nor does the depth.
TEST(RestSolve, OnlyTheLoadsCount) {
  SolverScene scene;
  scene.gravity = -kGravity * kUp;
  scene.bodies = {immovable(), {.mass = 1, .inertia = Matrix3d::Identity() / 6, .position = {0, 0, 0.5}, .velocity = {0.1, 0, -0.3}}};
  scene.touch(0, 1, kUp, square(Vector3d::Zero(), 0.5), 0.5, 0, -0.01);
  scene.solveAtRest(1e-5 * fall(scene));
  EXPECT_LE(scene.bodies[1].velocity.norm(), 1e-5 * fall(scene));
  EXPECT_NEAR(load(scene, 0), kGravity, 1e-3);
  EXPECT_EQ(scene.displacement(1), Vector3d::Zero());
}

TEST(RestSolve, NothingToSolve) {
  SolverScene scene;
  scene.bodies = {immovable(), {.mass = 1}};
  EXPECT_EQ(scene.solveAtRest(1e-6), 0);
  EXPECT_EQ(scene.bodies[1].velocity, Vector3d::Zero());
  scene.gravity = -kGravity * kUp;
  EXPECT_EQ(scene.solveAtRest(1e-6), 0);
  EXPECT_NEAR(scene.bodies[1].velocity.z(), -fall(scene), 1e-7);
}

}  // namespace
}  // namespace sunder
