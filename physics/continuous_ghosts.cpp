// SPDX-License-Identifier: MIT
// Ghost contacts: floors and walls made of several boxes have inner faces and edges, where two boxes touch, that nothing
// can ever reach from outside. Pairs know nothing of each other, so what slides over the seam may get a contact with them.
// Here such contacts are found, by looking at the other contacts of the same body: each holds the body on one side of a
// plane, and what lies wholly on the other side of that plane can be touched through the plane only. A contact with such a
// box in another direction is turned to the plane's, or dropped where the body is not over the box.
#include <algorithm>
#include <cmath>

#include "sunder/narrowphase/box_manifold.h"
#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

using namespace math;

// What counts as one plane at a seam: steps between two boxes, and how deep something may have sunk into them. m, and share
// of the smallest half extent of the body that slides over it.
constexpr double kSeam = 0.002;
constexpr double kSeamShare = 0.01;
// Squared sine of the angle between normals that count as one: at 5 m/s a normal that is off by 1e-3 lifts a body by 5 mm/s.
constexpr double kSameNormal = 1e-6;
// Cosine. A face that looks away from a plane's normal by more does not belong to its surface.
constexpr double kSameSurface = 0.95;

Mat3 rotationOf(const BodyFrame& frame) {
  const double* r = frame.rotation;
  return {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
}

bool isSame(const Vec3& n, const Vec3& m) {
  const Vec3 sine = cross(n, m);
  return dot(n, m) > 0 && dot(sine, sine) < kSameNormal;
}

// The face of a box that looks along a direction given in its own axes; negative: to minus that axis. index -1: none.
BoxAxis faceToward(const Vec3& local) {
  BoxAxis axis;
  for (int k = 0; k < 3; ++k)
    if (std::fabs(component(local, k)) > kSameSurface) {
      axis.index = k;
      axis.negative = component(local, k) < 0;
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

// The contacts of a body with ground and the planes that they hold it at. False: all have the same normal.
bool World::Impl::findGroundPlanes(std::uint32_t body, double seam) {
  ghosts.contacts.clear();
  ghosts.planes.clear();
  const Vec3 origin = load(bodies[body].pose.position);
  bool differ = false;
  for (std::uint32_t k = ghosts.first[body]; k != kNone; k = ghosts.next[k]) {
    const Contact& contact = contacts[activeContacts[k].contact];
    const std::uint32_t ground = contact.fixedA ? contact.bodyA : contact.bodyB;
    GhostStorage::GroundContact found;
    found.place = k;
    found.ground = ground;
    found.normal = (contact.fixedA ? 1.0 : -1.0) * rotated(frames[contact.bodyA], contact.normal);
    double height = -HUGE_VAL;
    for (int i = 0; i < contact.pointCount; ++i) {
      const Vec3 point = load(bodies[ground].pose.position) - origin + rotated(frames[ground], contact.fixedA ? contact.points[i].onA : contact.points[i].onB);
      height = std::max(height, dot(found.normal, point));
    }
    const auto plane = std::find_if(ghosts.planes.begin(), ghosts.planes.end(), [&](const GhostStorage::Plane& p) {
      return isSame(p.normal, found.normal) && std::fabs(p.height - height) <= seam;
    });
    found.plane = static_cast<std::uint32_t>(plane - ghosts.planes.begin());
    if (plane == ghosts.planes.end()) ghosts.planes.push_back({found.normal, height});
    differ = differ || !isSame(found.normal, ghosts.planes[0].normal);
    ghosts.contacts.push_back(found);
  }
  return differ;
}

// Whether what a body may reach in this step of a ground's box lies below a plane.
bool World::Impl::isBelow(std::uint32_t ground, std::uint32_t body, const GhostStorage::Plane& plane, double seam) const {
  const BodyState& box = bodies[ground];
  const Mat3 rotation = rotationOf(frames[ground]);
  const Vec3 origin = load(box.pose.position) - load(bodies[body].pose.position);
  const Vec3 from = transposeTimes(rotation, -origin), along = transposeTimes(rotation, plane.normal);
  const double reach = bodies[body].radius + lastTimeStep * length(load(bodies[body].linearVelocity));
  double top = dot(plane.normal, origin);
  for (int k = 0; k < 3; ++k) {
    const double half = box.def.halfExtents.data()[k], center = component(from, k), slope = component(along, k);
    const double end = slope > 0 ? std::min(half, center + reach) : std::max(-half, center - reach);
    top += slope * std::clamp(end, -half, half);
  }
  return top <= plane.height + seam;
}

// One round of findGhosts(); false: it found nothing new.
bool World::Impl::judgeGroundContacts(std::uint32_t body, double seam) {
  for (GhostStorage::Plane& plane : ghosts.planes) plane.open = plane.alive = plane.loaded = 0;
  for (const GhostStorage::GroundContact& contact : ghosts.contacts) {
    if (contact.by != kNone) continue;
    GhostStorage::Plane& plane = ghosts.planes[contact.plane];
    ++plane.alive;
    if (contact.isReal) continue;
    ++plane.open;
    plane.loaded += carriesLoad(contacts[activeContacts[contact.place].contact]);
  }
  bool found = false;
  for (GhostStorage::GroundContact& contact : ghosts.contacts) {
    if (contact.isReal || contact.by != kNone) continue;
    bool denied = false;
    for (std::uint32_t p = 0; p < ghosts.planes.size() && contact.by == kNone; ++p) {
      const GhostStorage::Plane& plane = ghosts.planes[p];
      if (plane.alive == 0 || isSame(plane.normal, contact.normal) || !isBelow(contact.ground, body, plane, seam)) continue;
      denied = true;
      if (plane.isReal) contact.by = p;
    }
    contact.isReal = !denied;
    if (contact.isReal) ghosts.planes[contact.plane].isReal = true;
    found = found || contact.isReal || contact.by != kNone;
  }
  return found;
}

// Sets `by` of the ghosts among ghosts.contacts. Two planes may each deny the other's contacts; so first those that none denies
// are real, then those that real ones deny are ghosts, and so on; where that leads no further, the plane with the most contacts
// that carry a load, or else with the most, is real.
void World::Impl::findGhosts(std::uint32_t body, double seam) {
  for (;;) {
    if (judgeGroundContacts(body, seam)) continue;
    const auto best = std::max_element(ghosts.planes.begin(), ghosts.planes.end(), [](const auto& p, const auto& q) {
      return p.loaded != q.loaded ? p.loaded < q.loaded : p.open < q.open;
    });
    if (best->open == 0) return;
    best->isReal = true;
    for (GhostStorage::GroundContact& contact : ghosts.contacts)
      if (contact.by == kNone && ghosts.planes.begin() + contact.plane == best) contact.isReal = true;
  }
}

// Makes the contact anew along a face of the ground's box, or else of the body's, that looks along `normal`, out of the ground.
// False: the boxes do not lie over each other there.
bool World::Impl::turnContact(std::uint32_t slot, const math::Vec3& normal) {
  Contact& contact = contacts[slot];
  const bool groundIsA = contact.fixedA;
  BoxAxis axis;
  for (const bool ofA : {groundIsA, !groundIsA}) {
    axis = faceToward(transposeTimes(rotationOf(frames[ofA ? contact.bodyA : contact.bodyB]), normal));
    axis.negative = axis.negative == groundIsA;
    if (axis.index < 0) continue;
    if (!ofA) axis.index += 3;
    break;
  }
  if (axis.index < 0) return true;  // such a plane does not tell what to do with it
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
  bool dropped = false;
  for (const std::uint32_t body : ghosts.seams) {
    const double seam = std::min(kSeam, kSeamShare * smallestHalfExtent({bodies[body].def.halfExtents}));
    if (!findGroundPlanes(body, seam)) continue;
    findGhosts(body, seam);
    for (const GhostStorage::GroundContact& ghost : ghosts.contacts) {
      std::uint32_t& slot = activeContacts[ghost.place].contact;
      if (ghost.by == kNone || turnContact(slot, ghosts.planes[ghost.by].normal)) continue;
      dropContact(slot);
      slot = kNone;
      dropped = true;
    }
  }
  if (dropped) std::erase_if(activeContacts, [](const ContactRef& contact) { return contact.contact == kNone; });
}

}  // namespace sunder
