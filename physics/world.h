// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <vector>

#include "sunder/narrowphase/collide_boxes.h"
#include "sunder/physics/body.h"
#include "sunder/physics/step_report.h"

namespace sunder {

struct WorldDef {
  Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.81);  // m/s^2
  int substeps = 8;                                        // solver substeps per step, 1..64
  int threads = 1;                                         // results do not depend on it
  bool sleep = true;
  bool continuous = true;  // sweep fast bodies
  NarrowphaseMethod narrowphase = NarrowphaseMethod::GjkEpa;
};

// Boxes that move. All calls but step() throw std::invalid_argument on bad input and leave the world as it was; step()
// never throws. Const calls may run in many threads at once while nothing changes the world.
class World {
 public:
  explicit World(const WorldDef& def = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  BodyId addBody(const BodyDef& def);
  void removeBody(BodyId id);
  bool isValid(BodyId id) const;
  // Ids in the order of the slots: a body that was removed leaves its slot to the next one added.
  std::vector<BodyId> bodies() const;

  // Advances time by dt seconds.
  const StepReport& step(double dt);
  const StepReport& lastReport() const;

  const Pose& pose(BodyId id) const;
  const Eigen::Vector3d& linearVelocity(BodyId id) const;
  const Eigen::Vector3d& angularVelocity(BodyId id) const;  // world axes
  const BodyDef& definition(BodyId id) const;               // as given, not the current state
  double mass(BodyId id) const;                             // kg; 0 for static and kinematic bodies
  Eigen::Vector3d inertia(BodyId id) const;                 // kg m^2 about the box's own axes
  bool isAwake(BodyId id) const;

  void setPose(BodyId id, const Pose& pose);
  void setLinearVelocity(BodyId id, const Eigen::Vector3d& velocity);
  void setAngularVelocity(BodyId id, const Eigen::Vector3d& velocity);

  const WorldDef& settings() const;
  void setGravity(const Eigen::Vector3d& gravity);
  void setSleep(bool enabled);

  // Kinetic plus potential energy of the dynamic bodies, J; potential energy is -mass * gravityScale * gravity . position.
  double energy() const;
  // A 64-bit hash of the bits of all poses and velocities.
  std::uint64_t stateHash() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sunder
