// SPDX-License-Identifier: MIT
// What a World tells about its contacts after a step. Two bodies touch in a step when an impulse passed between them or
// some point of their manifold is closed at its end. From the step after which they touch no more, also because one of
// them was removed, moved away or filtered out, the contact has ended: every end follows a begin of the same two bodies.
// Contacts of sleeping bodies go on without events.
#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <cstdint>

#include "sunder/physics/body.h"

namespace sunder {

// Two bodies; a.index < b.index. One of them may have been removed by now (ended contacts).
struct ContactPair {
  BodyId a, b;
  auto operator<=>(const ContactPair&) const = default;
};

// A point of a contact, world frame, at the poses after the step.
struct ContactPointInfo {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // metres, halfway between the two surfaces
  double separation = 0;      // metres along the normal, < 0: penetration
  double normalImpulse = 0;   // N s on B along the normal, >= 0, over all substeps of the last step
  std::uint32_t featureId = 0;  // the same while the point is made by the same vertices, edges and faces
};

// A contact as it was solved in the last step in which one of its bodies was awake; impulses divided by that step's dt are
// mean forces.
struct ContactInfo {
  BodyId a, b;                 // a.index < b.index
  bool touching = false;       // false: near, within reach of the next step
  bool began = false;          // touches since the last step
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // unit, from A to B
  int pointCount = 0;
  ContactPointInfo points[4];
  double normalImpulse = 0;    // N s, sum over the points
  Eigen::Vector3d frictionImpulse = Eigen::Vector3d::Zero();  // N s on B, tangential
  double twistImpulse = 0;     // N m s on B about the normal: friction against turning on the spot
  double friction = 0, restitution = 0;  // of the pair, as mixed or set

  // N s on B in world axes; A gets the opposite. normalImpulse along the normal at the start of the step + frictionImpulse.
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();
};

class World;

// Contacts of a World, made one at a time while iterating: nothing is kept or allocated. In increasing order of (a, b).
// Invalid after any change to the world.
class ContactRange {
 public:
  class Iterator {
   public:
    using value_type = ContactInfo;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    ContactInfo operator*() const;
    Iterator& operator++();
    Iterator operator++(int);
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    friend class ContactRange;
    Iterator(const World* world, std::uint32_t body, std::uint32_t at) : world_(world), body_(body), at_(at) {}
    const World* world_ = nullptr;
    std::uint32_t body_ = 0;  // of which the contacts are visited, or all ones: of all
    std::uint32_t at_ = 0;
  };
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class World;
  ContactRange(const World* world, std::uint32_t body) : world_(world), body_(body) {}
  const World* world_;
  std::uint32_t body_;
};

}  // namespace sunder
