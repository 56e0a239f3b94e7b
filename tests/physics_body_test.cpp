// SPDX-License-Identifier: MIT
// What makes a body definition bad, field by field.
#include <gtest/gtest.h>
#include <sunder/physics/body.h>

#include <cmath>
#include <functional>
#include <string>

#include "physics_bodies.h"

namespace sunder {
namespace {

using testing::kInfinity;
using testing::kNaN;
using Eigen::Vector3d;

// The message for the default body with one change.
std::string problem(const std::function<void(BodyDef&)>& change) {
  BodyDef def;
  change(def);
  return validate(def);
}

TEST(Body, TheDefaultAndUsualValuesAreGood) {
  EXPECT_EQ(validate(BodyDef{}), "");
  EXPECT_EQ(problem([](BodyDef& d) { d.kind = BodyKind::Static, d.halfExtents = {1e6, 1e6, 1e-3}; }), "");
  EXPECT_EQ(problem([](BodyDef& d) { d.restitution = 1, d.friction = 0, d.gravityScale = -2, d.lockedAxes = 63; }), "");
  // Written with four digits: a rotation all the same.
  EXPECT_EQ(problem([](BodyDef& d) { d.pose.orientation = Quaternion(0.7071, 0.7071, 0, 0); }), "");
}

// The message names the field, the component and the value, and says what would be right.
TEST(Body, MessagesNameFieldAndValue) {
  EXPECT_EQ(problem([](BodyDef& d) { d.halfExtents[1] = 0; }), "body: half_extents[1] is 0, must be > 0");
  EXPECT_EQ(problem([](BodyDef& d) { d.halfExtents[2] = -0.5; }), "body: half_extents[2] is -0.5, must be > 0");
  EXPECT_EQ(problem([](BodyDef& d) { d.halfExtents[0] = kInfinity; }), "body: half_extents[0] is infinity, must be finite");
  EXPECT_EQ(problem([](BodyDef& d) { d.pose.position[2] = kNaN; }), "body: position[2] is NaN, must be finite");
  EXPECT_EQ(problem([](BodyDef& d) { d.linearVelocity[0] = -kInfinity; }), "body: linear_velocity[0] is -infinity, must be finite");
  EXPECT_EQ(problem([](BodyDef& d) { d.angularVelocity[1] = kNaN; }), "body: angular_velocity[1] is NaN, must be finite");
  EXPECT_EQ(problem([](BodyDef& d) { d.surfaceVelocity[1] = kNaN; }), "body: surface_velocity[1] is NaN, must be finite");
  EXPECT_EQ(problem([](BodyDef& d) { d.pose.orientation.coeffs().setZero(); }), "body: orientation has length 0, must be a rotation (length 1)");
  EXPECT_EQ(problem([](BodyDef& d) { d.pose.orientation.w() = kNaN; }), "body: orientation has a component that is NaN, must be finite");
  EXPECT_EQ(problem([](BodyDef& d) { d.pose.orientation.w() = 1e200; }), "body: orientation has length infinity, must be a rotation (length 1)");
  EXPECT_EQ(problem([](BodyDef& d) { d.density = 0; }), "body: density is 0, must be > 0");
  EXPECT_EQ(problem([](BodyDef& d) { d.mass = -1; }), "body: mass is -1, must be >= 0");
  EXPECT_EQ(problem([](BodyDef& d) { d.friction = -0.1; }), "body: friction is -0.1, must be >= 0");
  EXPECT_EQ(problem([](BodyDef& d) { d.restitution = 1.5; }), "body: restitution is 1.5, must be >= 0 and <= 1");
  EXPECT_EQ(problem([](BodyDef& d) { d.linearDamping = kNaN; }), "body: linear_damping is NaN, must be >= 0");
  EXPECT_EQ(problem([](BodyDef& d) { d.angularDamping = -2; }), "body: angular_damping is -2, must be >= 0");
  EXPECT_EQ(problem([](BodyDef& d) { d.gravityScale = kInfinity; }), "body: gravity_scale is infinity, must be finite");
  EXPECT_EQ(problem([](BodyDef& d) { d.lockedAxes = 64; }), "body: locked_axes is 64, must be a combination of AxisLock");
}

// The solver's floats set the limits of a mass; only what moves has one.
TEST(Body, MassHasLimits) {
  EXPECT_EQ(problem([](BodyDef& d) { d.mass = 1e16; }), "body: mass is 1e+16 kg, must be between 1e-15 and 1e15");
  EXPECT_EQ(problem([](BodyDef& d) { d.mass = 1e-16; }), "body: mass is 1e-16 kg, must be between 1e-15 and 1e15");
  EXPECT_EQ(problem([](BodyDef& d) { d.mass = 1e14, d.halfExtents = {1e3, 1e3, 1e3}; }), "");
  EXPECT_EQ(problem([](BodyDef& d) { d.kind = BodyKind::Static, d.halfExtents = {1e9, 1e9, 1e9}; }), "");
  EXPECT_EQ(problem([](BodyDef& d) { d.kind = BodyKind::Kinematic, d.mass = 1e16; }), "");
}

// A pose is judged alike by itself.
TEST(Body, PosesAreJudgedAlike) {
  Pose pose;
  EXPECT_EQ(validatePose(pose), "");
  pose.position[0] = kNaN;
  EXPECT_EQ(validatePose(pose), problem([&](BodyDef& d) { d.pose = pose; }));
  EXPECT_NE(validatePose(pose), "");
}

}  // namespace
}  // namespace sunder
