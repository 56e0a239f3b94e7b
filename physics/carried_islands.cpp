// SPDX-License-Identifier: MIT
// Islands that stand on a platform, or on a belt: they are solved in its frame, in which they are at rest, with the forces of
// inertia. docs/stepping.md, "Carried islands".
#include <algorithm>
#include <cmath>

#include "sunder/physics/world_internal.h"
#include "sunder/solver/free_motion.h"

namespace sunder {
namespace {

using namespace math;

// In CarriedIsland: no single frame in which all is at rest that does not give way.
constexpr std::uint32_t kManyFrames = kNone - 1;

// m/s per step. More than that, and what the platform does to a body is a hit that could bounce, no acceleration.
constexpr double kMostChange = 0.5;
// m/s, relative to what carries. What slides faster has a way of its own. It feels a change of the platform's velocity at once: what it
// would be late by in each step, half a step's change, friction does not bring back. And a platform that turns does not carry it: what
// Coriolis' force does to a velocity that friction changes too is known to first order only. (A box that stood still above a turntable of
// 2 rad/s, without friction, would be 85 mm off after a second.)
constexpr double kMostSlip = 0.1;
// rad per step. It is a platform, no propeller.
constexpr double kMostTurn = 0.2;
// m, of where the step leads two bodies that carry together: with more, their parts of a floor would not be level. m/s, of the step
// before, which only enters the forces of inertia.
constexpr double kAlike = 1e-5, kWereAlike = 0.05;
// A belt runs along the plane of contact, if the cosine between it and the normal is no more than this.
constexpr double kAlong = 1e-3;

// Once something that does not give way has changed its velocity, what it carries is made stiff enough for a push of at least this,
// m/s^2, for so many seconds: if it became softer with the last push, a stack would sway as it springs back.
constexpr double kLeastPush = 1, kSwayTime = 1;

bool isZero(const Vec3& v) { return v.x == 0 && v.y == 0 && v.z == 0; }

Vec3 surfaceVelocityOf(const BodyState& body) { return load(body.linearVelocity) + load(body.def.surfaceVelocity); }

// A body that does not give way, as a frame. A belt's is that of what runs on it.
Carrier carrierOf(const BodyState& body) {
  const Vec3 velocity = surfaceVelocityOf(body), spin = load(body.angularVelocity);
  return {load(body.pose.position), velocity, spin, velocity - load(body.lastVelocity), spin - load(body.lastSpin)};
}

// Of its motion at `arm` since the last step, m/s.
Vec3 changeAt(const Carrier& carrier, const Vec3& arm) { return carrier.velocityChange + cross(carrier.spinChange, arm); }

// Whether a body was faster, relative to its carrier, than what stands on it.
bool slides(const BodyState& body, const Carrier& carrier) {
  const Vec3 spin = carrier.spin - carrier.spinChange, velocity = carrier.velocity - carrier.velocityChange;
  const Vec3 slip = load(body.linearVelocity) - velocity - cross(spin, load(body.pose.position) - carrier.position);
  return length(slip) + body.radius * length(load(body.angularVelocity) - spin) > kMostSlip;
}

Quat turnOf(const Carrier& carrier, double dt) {
  Eigen::Vector3d turn;
  store(turn, dt * carrier.spin);
  return load(turned(Quaternion(1, 0, 0, 0), turn));
}

// Whether the step takes `other` where it would be if it were a part of `carrier`, and so did the last.
bool movesAlike(const Carrier& carrier, const Carrier& other, double dt) {
  const Vec3 arm = other.position - carrier.position, end = dt * carrier.velocity + rotate(turnOf(carrier, dt), arm);
  const Vec3 lastSpin = carrier.spin - carrier.spinChange, last = carrier.velocity - carrier.velocityChange + cross(lastSpin, arm);
  const Vec3 turned = dt * (other.spin - carrier.spin), wasTurned = other.spin - other.spinChange - lastSpin;
  return length(arm + dt * other.velocity - end) + length(arm) * length(turned) < kAlike &&
         length(other.velocity - other.velocityChange - last) + length(arm) * length(wasTurned) < kWereAlike;
}

}  // namespace

bool isDriveChanged(const BodyState& body) {
  return !isZero(surfaceVelocityOf(body) - load(body.lastVelocity)) || !isZero(load(body.angularVelocity) - load(body.lastSpin));
}

// From now on it was always as fast as it is.
void endDrive(BodyState& body) {
  store(body.lastVelocity, surfaceVelocityOf(body));
  body.lastSpin = body.angularVelocity;
}

// A body that does not give way, and has another velocity than in the last step.
void World::Impl::noteDrive(std::uint32_t index) {
  if (!(bodies[index].swayTime > 0)) drives.push_back(index);
  bodies[index].swayTime = kSwayTime;
}

void World::Impl::endDrives(double dt) {
  for (const std::uint32_t i : drives) {
    endDrive(bodies[i]);
    bodies[i].swayTime = bodies[i].alive ? std::max(bodies[i].swayTime - dt, 0.0) : 0;
  }
  std::erase_if(drives, [this](std::uint32_t i) { return !(bodies[i].swayTime > 0); });
}

// Whether a contact with `fixed`, which does not give way, may be one of an island that it carries.
bool World::Impl::mayCarry(const ContactRef& ref, std::uint32_t fixed, double dt) const {
  const BodyState& body = bodies[fixed];
  if (body.mass > 0) return false;
  const Carrier carrier = carrierOf(body);
  const bool isAtRest = isZero(carrier.velocity) && isZero(carrier.spin) && isZero(carrier.velocityChange) && isZero(carrier.spinChange);
  if ((isAtRest && !(body.swayTime > 0)) || length(carrier.spin) * dt > kMostTurn) return false;
  if (!ref.isBelt) return true;
  const Contact& contact = contacts[ref.contact];
  const Vec3 belt = load(body.def.surfaceVelocity);
  return isZero(carrier.spin) && std::fabs(dot(rotated(frames[contact.bodyA], contact.normal), belt)) <= kAlong * length(belt);
}

// Whether a body may be solved in a frame.
bool World::Impl::isCarried(const BodyState& body, const Carrier& carrier) const {
  const Vec3 arm = load(body.pose.position) - carrier.position;
  return body.def.lockedAxes == kLockNone &&  // along axes of the world
         length(changeAt(carrier, arm)) + body.radius * length(carrier.spinChange) < kMostChange &&
         (isZero(carrier.spin) || !slides(body, carrier));
}

void World::Impl::findCarriedIslands(double dt) {
  mayHaveCarried = mayHaveCarried || !drives.empty();
  if (!mayHaveCarried) return;
  carried.assign(bodies.size(), {});
  for (const ContactRef& ref : activeContacts) {
    const bool joinsA = joinsIslands(ref.bodyA), joinsB = joinsIslands(ref.bodyB);
    if (joinsA && joinsB && !ref.isBelt) continue;
    CarriedIsland& island = carried[rootOf(ref)];
    const std::uint32_t fixed = joinsA ? ref.bodyB : ref.bodyA, rider = joinsA ? ref.bodyA : ref.bodyB;
    if ((joinsA && joinsB) || (island.carrier != kManyFrames && !mayCarry(ref, fixed, dt))) island.carrier = kManyFrames;
    if (island.carrier == kManyFrames) continue;
    if (island.carrier == kNone) island.carrier = fixed;
    const Carrier carrier = carrierOf(bodies[fixed]);
    if (island.carrier != fixed && !movesAlike(carrierOf(bodies[island.carrier]), carrier, dt)) island.carrier = kManyFrames;
    const Contact& contact = contacts[ref.contact];
    const Vec3 normal = rotated(frames[contact.bodyA], contact.normal), gravity = bodies[rider].def.gravityScale * load(def.gravity);
    const Vec3 arm = load(bodies[rider].pose.position) - carrier.position;
    const Vec3 carry = (1 / dt) * changeAt(carrier, arm) + cross(carrier.spin, cross(carrier.spin, arm));
    if (bodies[fixed].swayTime > 0) island.push = std::max(island.push, kLeastPush);
    island.push = std::max(island.push, length(gravity - dot(gravity, normal) * normal - carry));
  }
  for (const std::uint32_t i : moving) {
    if (!isInIsland(i)) continue;
    std::uint32_t& carrier = carried[rootOf(i)].carrier;
    if (carrier < kManyFrames && !isCarried(bodies[i], carrierOf(bodies[carrier]))) carrier = kManyFrames;
  }
}

// Whether the island of this root is solved in the frame of what carries it.
bool World::Impl::isCarriedIsland(std::uint32_t root) const { return mayHaveCarried && carried[root].carrier < kManyFrames; }

// m/s^2, in the frame of what carries an island: gravity along its surface and the force of inertia per mass.
double World::Impl::pushOn(std::uint32_t root) const { return isCarriedIsland(root) ? carried[root].push : 0; }

// m/s, in the world, of what stands still where a body is: on a platform that goes on straight and steadily that of the platform.
Vec3 World::Impl::standingVelocity(std::uint32_t index) const {
  if (!mayHaveCarried || !isInIsland(index)) return {0, 0, 0};
  std::uint32_t root = index;
  while (islandOf[root] != root) root = islandOf[root];
  if (!isCarriedIsland(root)) return {0, 0, 0};
  const Carrier carrier = carrierOf(bodies[carried[root].carrier]);
  const bool isSteady = isZero(carrier.spin) && isZero(carrier.velocityChange) && isZero(carrier.spinChange);
  return isSteady ? carrier.velocity : Vec3{0, 0, 0};
}

// Of a dynamic body in a carried island. Runs on several threads at once.
Carrier World::Impl::carrierOfMember(std::uint32_t index) const {
  std::uint32_t root = index;
  while (islandOf[root] != root) root = islandOf[root];
  Carrier carrier = carrierOf(bodies[carried[root].carrier]);
  if (slides(bodies[index], carrier)) carrier.velocityChange = carrier.spinChange = {0, 0, 0};
  return carrier;
}

// Its velocities become those relative to the carrier as it moved in the last step.
void enterFrame(BodyState& body, const Carrier& carrier) {
  const Vec3 spin = carrier.spin - carrier.spinChange, arm = load(body.pose.position) - carrier.position;
  store(body.linearVelocity, load(body.linearVelocity) - (carrier.velocity - carrier.velocityChange) - cross(spin, arm));
  store(body.angularVelocity, load(body.angularVelocity) - spin);
}

// After the step in the frame: back to the world, with the carrier as it is after the step.
void leaveFrame(BodyState& body, const Carrier& carrier, double dt) {
  const Mat3 turn = toMatrix(turnOf(carrier, dt));
  const Vec3 arm = turn * (load(body.pose.position) - carrier.position);
  store(body.pose.position, carrier.position + dt * carrier.velocity + arm);
  store(body.linearVelocity, carrier.velocity + cross(carrier.spin, arm) + turn * load(body.linearVelocity));
  store(body.angularVelocity, carrier.spin + turn * load(body.angularVelocity));
  Eigen::Vector3d vector;
  store(vector, dt * carrier.spin);
  body.pose.orientation = turned(body.pose.orientation, vector);
}

// What the forces of inertia do in a step to the velocities of a body that is in the frame, (27). `acceleration`: of what acts from
// outside, constant in the world.
Inertial inertialChange(const BodyState& body, const Carrier& carrier, const Vec3& acceleration, double dt) {
  const Vec3 arm = load(body.pose.position) - carrier.position, u = load(body.linearVelocity), w = load(body.angularVelocity);
  const Vec3& spin = carrier.spin;
  const Vec3 field = carrier.velocity + cross(spin, arm), centrifugal = cross(spin, cross(spin, arm));
  const Mat3 rotation = toMatrix(load(body.pose.orientation));
  const auto gyroscopic = [&](const Vec3& rate) {
    const Vec3 torque = transposeTimes(rotation, cross(inertiaTimes(body, rotation, rate), rate)), moments = load(body.inertia);
    return rotation * Vec3{torque.x / moments.x, torque.y / moments.y, torque.z / moments.z};
  };
  return {-changeAt(carrier, arm) - dt * (centrifugal + 2 * cross(spin, u) + body.def.linearDamping * field) -
              (0.5 * dt * dt) * cross(spin, acceleration),
          -carrier.spinChange + dt * (gyroscopic(spin + w) - gyroscopic(w) - cross(spin, w) - body.def.angularDamping * spin)};
}

void World::Impl::turnFriction(const SolverGroup& group, double dt) {
  for (const ContactRef& ref : group.contacts) {
    const Carrier carrier = carrierOfMember(joinsIslands(ref.bodyA) ? ref.bodyA : ref.bodyB);
    if (isZero(carrier.spin)) continue;
    float(&impulse)[3] = contacts[ref.contact].frictionImpulse;
    const Vec3 turned = rotate(turnOf(carrier, dt), {impulse[0], impulse[1], impulse[2]});
    impulse[0] = static_cast<float>(turned.x);
    impulse[1] = static_cast<float>(turned.y);
    impulse[2] = static_cast<float>(turned.z);
  }
}

}  // namespace sunder
