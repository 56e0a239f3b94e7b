// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sunder/narrowphase/collide_boxes.h"
#include "sunder/physics/body.h"
#include "sunder/physics/contact_events.h"
#include "sunder/physics/debug_draw.h"
#include "sunder/physics/material.h"
#include "sunder/physics/separate.h"
#include "sunder/physics/step_report.h"
#include "sunder/physics/world_query.h"

namespace sunder {

struct WorldDef {
  Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.81);  // m/s^2
  int substeps = 8;                                        // solver substeps per step, 1..64
  int threads = 1;                                         // results do not depend on it
  bool sleep = true;
  double sleepSpeed = 0.05;  // m/s, > 0: a body whose fastest point is slower counts as still ...
  double sleepTime = 0.5;    // s, > 0: ... and sleeps with its island after this time; see World::isAwake
  bool continuous = true;  // sweep fast bodies
  // Which algorithm compares two boxes. The manifolds are the same, and the cost of a step is but for the first touch of a pair.
  NarrowphaseMethod narrowphase = NarrowphaseMethod::GjkEpa;
};

// Boxes that move. All calls but step() and the queries throw std::invalid_argument on bad input and leave the world as it
// was; step() and the queries never throw. Const calls may run in many threads at once while nothing changes the world.
class World {
 public:
  explicit World(const WorldDef& def = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  BodyId addBody(const BodyDef& def);
  void removeBody(BodyId id);
  bool isValid(BodyId id) const;
  // Ids in the order of the slots: the slot of a body that was removed is free again after the next step.
  std::vector<BodyId> bodies() const;

  // Advances time by dt seconds.
  const StepReport& step(double dt);
  const StepReport& lastReport() const;

  const Pose& pose(BodyId id) const;
  const Eigen::Vector3d& linearVelocity(BodyId id) const;
  const Eigen::Vector3d& angularVelocity(BodyId id) const;  // world axes
  // The present properties. Pose and velocities are those that the body was added with.
  const BodyDef& definition(BodyId id) const;
  double mass(BodyId id) const;                             // kg; 0 for static and kinematic bodies
  Eigen::Vector3d inertia(BodyId id) const;                 // kg m^2 about the box's own axes; 0 as above

  // Writing the value that is there already does nothing at all. Locked components of a velocity become 0.
  void setPose(BodyId id, const Pose& pose);  // also ends the freeze of a body whose state stopped being finite
  void setLinearVelocity(BodyId id, const Eigen::Vector3d& velocity);   // not of static bodies
  void setAngularVelocity(BodyId id, const Eigen::Vector3d& velocity);  // not of static bodies

  // Properties, at any time between steps; as in BodyDef. Writing the value that is there already does nothing at all.
  // The velocity stays: what becomes kinematic goes on with it, be it ever so slow, until another is set.
  void setKind(BodyId id, BodyKind kind);
  void setHalfExtents(BodyId id, const Eigen::Vector3d& halfExtents);
  void setDensity(BodyId id, double density);
  void setMass(BodyId id, double mass);  // kg; 0: by density
  void setFriction(BodyId id, double friction);
  void setRestitution(BodyId id, double restitution);
  void setLinearDamping(BodyId id, double damping);
  void setAngularDamping(BodyId id, double damping);
  void setGravityScale(BodyId id, double scale);
  void setLockedAxes(BodyId id, std::uint8_t lockedAxes);
  void setDominance(BodyId id, std::int8_t dominance);
  void setContinuous(BodyId id, bool continuous);
  void setFilter(BodyId id, const CollisionFilter& filter);
  void setSurfaceVelocity(BodyId id, const Eigen::Vector3d& velocity);
  void setAllowSleep(BodyId id, bool allowSleep);

  // Forces and torques (N, N m, world axes) add up until the next step, act throughout that step, and are gone after it.
  // Impulses (N s, N m s) change the velocity at once. `point` is in world coordinates. All wake the body, except zeros,
  // which do nothing. Only for dynamic bodies.
  void applyForce(BodyId id, const Eigen::Vector3d& force);
  void applyForceAt(BodyId id, const Eigen::Vector3d& force, const Eigen::Vector3d& point);
  void applyTorque(BodyId id, const Eigen::Vector3d& torque);
  void applyImpulse(BodyId id, const Eigen::Vector3d& impulse);
  void applyImpulseAt(BodyId id, const Eigen::Vector3d& impulse, const Eigen::Vector3d& point);
  void applyAngularImpulse(BodyId id, const Eigen::Vector3d& impulse);

  // Sleep. Bodies that hang together by contacts are an island. An island falls asleep when all of its bodies have been
  // still for WorldDef::sleepTime, none of them moves more than it did before (a stack that starts to buckle stays awake),
  // none forbids it (allowSleep) and none touches a moving kinematic body or a conveyor. It wakes as a whole, when
  //  - pose, velocity or a property of one of its bodies is changed, or a force or impulse applied to it: at once;
  //  - a contact begins, or something that a body of it touches is moved, resized, removed, filtered out or otherwise
  //    changed: in the next step;
  //  - gravity is changed, or sleep switched off: at once.
  bool isAwake(BodyId id) const;  // false for static bodies
  void wake(BodyId id);

  // Whether two bodies may collide, beside their filters. The bodies' other pairs are not concerned.
  void ignorePair(BodyId a, BodyId b);
  void allowPair(BodyId a, BodyId b);
  bool isIgnored(BodyId a, BodyId b) const;
  // The material of one pair, in place of what mix() makes of the two bodies.
  void setPairMaterial(BodyId a, BodyId b, const Material& material);
  void clearPairMaterial(BodyId a, BodyId b);

  // After a step: contacts of all bodies, or of one, near ones included; see contact_events.h.
  ContactRange contacts() const;
  ContactRange contacts(BodyId id) const;
  // Pairs that touch since the last step, and that ceased to. Each in increasing order; valid until the next step.
  std::span<const ContactPair> beganContacts() const;
  std::span<const ContactPair> endedContacts() const;
  // What all contacts together did to a body in the last step, N s. A box at rest: minus its weight times dt. In collisions
  // of bodies that nothing else holds it is off by a percent or two (docs/stepping.md, (20)), and it lacks what a stop by continuous
  // collision takes.
  Eigen::Vector3d contactImpulse(BodyId id) const;

  // Pushes bodies that overlap apart by their minimum penetration vectors. Static and kinematic bodies stay, so does the
  // one of higher dominance, locked axes are kept; else each goes half of the way. Poses change, velocities do not.
  SeparateReport separate(const SeparateSettings& settings = {});

  // Geometric queries; see world_query.h. They see every body at its present pose. `out` is overwritten.
  RayCastResult rayCast(const Eigen::Vector3d& origin, const Eigen::Vector3d& translation, const QueryFilter& filter = {}) const;
  QueryStatus rayCastAll(const Eigen::Vector3d& origin, const Eigen::Vector3d& translation, std::vector<BodyRayHit>& out,
                         const QueryFilter& filter = {}) const;
  // Bodies that have a point in common with a box, by increasing index.
  QueryStatus overlap(const Box& box, const Pose& pose, std::vector<BodyId>& out, const QueryFilter& filter = {}) const;
  // A box that moves by translation without turning.
  BoxCastResult boxCast(const Box& box, const Pose& pose, const Eigen::Vector3d& translation, const QueryFilter& filter = {}) const;
  QueryStatus boxCastAll(const Box& box, const Pose& pose, const Eigen::Vector3d& translation, std::vector<BodyCastHit>& out,
                         const QueryFilter& filter = {}) const;
  // None beyond maxDistance (metres, >= 0, may be infinite) is found; of several equally near the one of lowest index.
  NearestResult nearest(const Eigen::Vector3d& point, double maxDistance, const QueryFilter& filter = {}) const;
  NearestResult nearest(const Box& box, const Pose& pose, double maxDistance, const QueryFilter& filter = {}) const;

  const WorldDef& settings() const;
  void setGravity(const Eigen::Vector3d& gravity);
  void setSleep(bool enabled);

  // Kinetic plus potential energy of the dynamic bodies, J; potential energy is -mass * gravityScale * gravity . position.
  double energy() const;
  // A 64-bit hash of the bits of all poses and velocities.
  std::uint64_t stateHash() const;

  // Everything that the next steps depend on, as bytes: contacts, sleep and broadphase included. A world restored from it
  // goes on bit for bit as the one it was taken from. restore() replaces all of this world; it throws
  // std::invalid_argument when the bytes are no snapshot, of another version, cut off or altered, and then changes nothing.
  // The format is that of this version of the library, the same on all machines; see snapshot.cpp.
  std::vector<std::uint8_t> save() const;
  void restore(std::span<const std::uint8_t> bytes);

  void debugDraw(DebugDraw& draw, const DebugDrawOptions& options = {}) const;

  // Internal; only our own sources can see inside.
  struct Impl;

 private:
  friend class ContactRange;
  std::uint32_t nextContact(std::uint32_t body, std::uint32_t at) const;
  ContactInfo contactAt(std::uint32_t body, std::uint32_t at) const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sunder
