// SPDX-License-Identifier: MIT
// Ghost contacts: floors and walls made of several boxes have inner faces and edges, where two boxes touch, that nothing
// can ever reach from outside. Pairs know nothing of each other, so what slides over the seam may get a contact with them.
// Here such contacts are found, by looking at the other contacts of the same body, and turned to the outer face or
// dropped.
#include <algorithm>
#include <cmath>

#include "sunder/narrowphase/box_manifold.h"
#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// What counts as one place at a seam: gaps and steps between two boxes, and how deep something may have sunk into them.
// m, and share of the smallest half extent of the body that slides over it.
constexpr double kSeam = 0.002;
constexpr double kSeamShare = 0.01;
// Cosine. Normals that differ less belong to one surface.
constexpr double kSameNormal = 0.95;

// A contact of a body with something that it can't move, seen from there.
struct GroundContact {
  const double* halfExtents;
  Mat3 rotation;
  Vec3 position;
  Vec3 normal;  // out of the ground, world
  Vec3 points[4];  // on the ground, world
  int pointCount;
};

Mat3 rotationOf(const BodyFrame& frame) {
  const double* r = frame.rotation;
  return {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
}
Vec3 positionOf(const BodyFrame& frame) { return {frame.position[0], frame.position[1], frame.position[2]}; }

GroundContact groundContact(const Contact& contact, bool groundIsA, const BodyFrame* frames, const double* halfExtents) {
  GroundContact ground;
  ground.halfExtents = halfExtents;
  const Mat3 rotationA = rotationOf(frames[contact.bodyA]);
  const BodyFrame& frame = frames[groundIsA ? contact.bodyA : contact.bodyB];
  ground.rotation = rotationOf(frame);
  ground.position = positionOf(frame);
  const Vec3 normal = rotationA * Vec3{contact.normal[0], contact.normal[1], contact.normal[2]};
  ground.normal = groundIsA ? normal : -normal;
  ground.pointCount = contact.pointCount;
  for (int i = 0; i < contact.pointCount; ++i) {
    const double* p = groundIsA ? contact.points[i].onA : contact.points[i].onB;
    ground.points[i] = ground.position + ground.rotation * Vec3{p[0], p[1], p[2]};
  }
  return ground;
}

// How far outside of the ground's box a place is along its axes: the distance, and 0 inside.
double distanceTo(const GroundContact& ground, const Vec3& place) {
  const Vec3 local = transposeTimes(ground.rotation, place - ground.position);
  const Vec3 outside = {std::max(std::fabs(local.x) - ground.halfExtents[0], 0.0), std::max(std::fabs(local.y) - ground.halfExtents[1], 0.0),
                        std::max(std::fabs(local.z) - ground.halfExtents[2], 0.0)};
  return length(outside);
}

// Whether `point`, of a contact with `ground`, lies on a face that `other` covers: on the surface of the other box, too,
// with a normal that is not the other's, and where the way out of the other box leaves this one. (In the corner between a
// floor and a wall it does not: the floor goes on.)
bool isCovered(const GroundContact& ground, const Vec3& point, const GroundContact& other, double seam) {
  if (dot(ground.normal, other.normal) > kSameNormal || distanceTo(other, point) > seam) return false;
  return distanceTo(ground, point + seam * (other.normal - ground.normal)) > 0;
}

// The face axis of the ground's box that is nearest to a direction, as an axis of the pair; index -1: none is near.
BoxAxis faceToward(const GroundContact& ground, bool groundIsA, const Vec3& direction) {
  const Vec3 local = transposeTimes(ground.rotation, direction);
  const double along[3] = {local.x, local.y, local.z};
  BoxAxis axis;
  for (int k = 0; k < 3; ++k)
    if (std::fabs(along[k]) > kSameNormal) {
      axis.index = groundIsA ? k : 3 + k;
      axis.negative = (along[k] < 0) == groundIsA;
    }
  return axis;
}

}  // namespace

// The contacts of each body with ground, as chains through activeContacts; `seams` are the bodies with more than one.
void World::Impl::chainGroundContacts() {
  ghosts.seams.clear();
  ghosts.first.resize(bodies.size(), kNone);
  ghosts.next.resize(activeContacts.size());
  for (const std::uint32_t i : moving) ghosts.first[i] = kNone;
  for (std::uint32_t k = 0; k < activeContacts.size(); ++k) {
    const ContactRef& contact = activeContacts[k];
    if (contact.fixedA == contact.fixedB) continue;
    const std::uint32_t body = contact.fixedA ? contact.bodyB : contact.bodyA;
    if (movesNow[body] == 0) continue;
    std::uint32_t& first = ghosts.first[body];
    ghosts.next[k] = first;
    if (first != kNone && ghosts.next[first] == kNone) ghosts.seams.push_back(body);
    first = k;
  }
}

// Makes the contact anew along the face of the ground's box that looks the same way as `direction`. False: it is not there.
bool World::Impl::turnContact(std::uint32_t slot, const math::Vec3& direction) {
  Contact& contact = contacts[slot];
  const bool groundIsA = contact.fixedA;
  const double* halfExtents = bodies[groundIsA ? contact.bodyA : contact.bodyB].def.halfExtents.data();
  const BoxAxis axis = faceToward(groundContact(contact, groundIsA, frames.data(), halfExtents), groundIsA, direction);
  if (axis.index < 0) return false;
  const BodyState& a = bodies[contact.bodyA];
  const BodyState& b = bodies[contact.bodyB];
  const Pose relative = relativePose(a.pose, b.pose);
  const ContactManifold manifold = boxAxisManifold({a.def.halfExtents}, {b.def.halfExtents}, relative, axis, kContactMargin);
  if (manifold.pointCount == 0) return false;
  setManifold(contact, manifold, relative);
  return true;
}

void World::Impl::removeGhostContacts() {
  chainGroundContacts();
  if (ghosts.seams.empty()) return;
  bool dropped = false;
  for (const std::uint32_t body : ghosts.seams) {
    const double seam = std::min(kSeam, kSeamShare * smallestHalfExtent({bodies[body].def.halfExtents}));
    // Those already found to be ghosts cover nothing.
    for (std::uint32_t k = ghosts.first[body]; k != kNone; k = ghosts.next[k]) {
      const Contact& contact = contacts[activeContacts[k].contact];
      const auto grounded = [&](const Contact& c) {
        return groundContact(c, c.fixedA, frames.data(), bodies[c.fixedA ? c.bodyA : c.bodyB].def.halfExtents.data());
      };
      const GroundContact ground = grounded(contact);
      int covered = 0;
      Vec3 outward = {0, 0, 0};
      for (int i = 0; i < ground.pointCount; ++i)
        for (std::uint32_t m = ghosts.first[body]; m != kNone; m = ghosts.next[m]) {
          if (m == k || activeContacts[m].contact == kNone) continue;
          const GroundContact other = grounded(contacts[activeContacts[m].contact]);
          if (!isCovered(ground, ground.points[i], other, seam)) continue;
          outward = other.normal;
          ++covered;
          break;
        }
      if (covered < ground.pointCount || turnContact(activeContacts[k].contact, outward)) continue;
      dropContact(activeContacts[k].contact);
      activeContacts[k].contact = kNone;
      dropped = true;
    }
  }
  if (dropped) std::erase_if(activeContacts, [](const ContactRef& contact) { return contact.contact == kNone; });
}

}  // namespace sunder
