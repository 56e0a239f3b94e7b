// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <compare>
#include <cstdint>
#include <string>

#include "sunder/broadphase/proxy_pair.h"
#include "sunder/narrowphase/pose.h"

namespace sunder {

// Names a body of one world. The generation tells a removed body from the one that took its place.
struct BodyId {
  std::uint32_t index = 0xffffffffu;
  std::uint32_t generation = 0;
  auto operator<=>(const BodyId&) const = default;
};

enum class BodyKind {
  Static,     // never moves by itself
  Kinematic,  // moves with the velocity it is given, pushed by nothing
  Dynamic,    // moved by forces and contacts
};

// Degrees of freedom that are held still, in world axes: the velocity along or about a locked axis is exactly 0 at all
// times, whatever hits or pushes. Only for dynamic bodies. Combine with |.
enum AxisLock : std::uint8_t {
  kLockNone = 0,
  kLockLinearX = 1,
  kLockLinearY = 2,
  kLockLinearZ = 4,
  kLockAngularX = 8,
  kLockAngularY = 16,
  kLockAngularZ = 32,
  kLockRotation = kLockAngularX | kLockAngularY | kLockAngularZ,
};

// Everything about a new body. SI units; velocities in world axes; the box is centred at pose.position, which is also
// its centre of mass.
struct BodyDef {
  BodyKind kind = BodyKind::Dynamic;
  Eigen::Vector3d halfExtents = Eigen::Vector3d(0.5, 0.5, 0.5);  // metres, each > 0
  Pose pose = {};
  Eigen::Vector3d linearVelocity = Eigen::Vector3d::Zero();   // m/s
  Eigen::Vector3d angularVelocity = Eigen::Vector3d::Zero();  // rad/s
  double density = 1000;      // kg/m^3, > 0; used when mass is 0
  double mass = 0;            // kg; > 0 overrides density
  double friction = 0.5;      // >= 0; a pair uses the geometric mean sqrt(a b), see material.h
  double restitution = 0;     // 0..1; a pair uses the larger
  double linearDamping = 0;   // 1/s, >= 0: v' = -linearDamping v
  double angularDamping = 0;  // 1/s, >= 0
  double gravityScale = 1;
  std::uint8_t lockedAxes = kLockNone;
  std::int8_t dominance = 0;  // a body is not moved by contacts with dynamic bodies of lower dominance
  bool allowSleep = true;
  bool continuous = false;  // swept against dynamic bodies too; every fast body is swept against static ones
  CollisionFilter filter = {};
  Eigen::Vector3d surfaceVelocity = Eigen::Vector3d::Zero();  // m/s, world axes: conveyor belt
};

// The reason why a definition can't be used, or an empty string. World::addBody throws std::invalid_argument with the
// same words.
std::string validate(const BodyDef& def);
std::string validatePose(const Pose& pose);

}  // namespace sunder
