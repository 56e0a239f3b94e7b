// SPDX-License-Identifier: MIT
// World: properties of bodies and pairs, forces and impulses. Every setter checks its value as addBody does, before it
// changes anything.
#include <algorithm>
#include <cmath>

#include "sunder/physics/world_internal.h"

namespace sunder {

using namespace math;

namespace {

// What a property is about decides what has to wake.
enum class Effect {
  Nothing,   // on the present state of motion
  Body,      // wakes the body
  Contacts,  // wakes the body and all it touches, whose contacts are made anew
};

// def.*field = value, if that is valid and new.
template <typename T>
bool setField(World::Impl& world, BodyId id, const char* call, T BodyDef::* field, const std::type_identity_t<T>& value, Effect effect) {
  BodyState& body = world.checked(id, call);
  if (body.def.*field == value) return false;
  BodyDef next = body.def;
  next.*field = value;
  const std::string reason = validate(next);
  require(reason.empty(), reason);
  body.def = next;
  if (effect == Effect::Body) world.wake(id.index);
  if (effect == Effect::Contacts) world.disturbContacts(id.index);
  return true;
}

void setMassField(World::Impl& world, BodyId id, const char* call, double BodyDef::* field, double value) {
  if (!setField(world, id, call, field, value, Effect::Contacts)) return;
  updateMass(world.bodies[id.index]);
}

BodyState& checkedDynamic(World::Impl& world, BodyId id, const char* call) {
  BodyState& body = world.checked(id, call);
  require(body.def.kind == BodyKind::Dynamic, std::string("world: ") + call + " to body " + std::to_string(id.index) + ", which is not dynamic");
  return body;
}

bool isZero(const Eigen::Vector3d& v) { return v.data()[0] == 0 && v.data()[1] == 0 && v.data()[2] == 0; }

// Adds to what acts on a body in the next step.
void addForce(World::Impl& world, std::uint32_t body, const Vec3& force, const Vec3& torque) {
  BodyForce& f = world.forces[body];
  const BodyForce next = {{f.force[0] + force.x, f.force[1] + force.y, f.force[2] + force.z},
                          {f.torque[0] + torque.x, f.torque[1] + torque.y, f.torque[2] + torque.z}};
  for (int k = 0; k < 3; ++k)
    require(std::isfinite(next.force[k]) && std::isfinite(next.torque[k]), "world: the sum of the forces on body " + std::to_string(body) + " is not finite");
  f = next;
  world.forced.push_back(body);
  world.wake(body);
}

void addImpulse(World::Impl& world, std::uint32_t index, const Vec3& impulse, const Vec3& angular) {
  BodyState& body = world.bodies[index];
  double m[6];
  inverseInertiaInWorld(body, world.frames[index].rotation, m);
  const Vec3 v = load(body.linearVelocity) + (1 / body.mass) * impulse;
  const Vec3 w = load(body.angularVelocity) + Vec3{m[0] * angular.x + m[1] * angular.y + m[2] * angular.z,
                                                   m[1] * angular.x + m[3] * angular.y + m[4] * angular.z,
                                                   m[2] * angular.x + m[4] * angular.y + m[5] * angular.z};
  for (const double value : {v.x, v.y, v.z, w.x, w.y, w.z})
    require(std::isfinite(value), "world: an impulse makes the velocity of body " + std::to_string(index) + " infinite");
  store(body.linearVelocity, v);
  store(body.angularVelocity, w);
  clearLockedVelocity(body);
  world.wake(index);
  world.noteMotion(index);
}

Vec3 arm(const World::Impl& world, std::uint32_t body, const Eigen::Vector3d& point) {
  return load(point) - load(world.bodies[body].pose.position);
}

}  // namespace

void World::setFriction(BodyId id, double friction) { setField(*impl_, id, "setFriction", &BodyDef::friction, friction, Effect::Contacts); }
void World::setRestitution(BodyId id, double restitution) { setField(*impl_, id, "setRestitution", &BodyDef::restitution, restitution, Effect::Contacts); }
void World::setLinearDamping(BodyId id, double damping) { setField(*impl_, id, "setLinearDamping", &BodyDef::linearDamping, damping, Effect::Body); }
void World::setAngularDamping(BodyId id, double damping) { setField(*impl_, id, "setAngularDamping", &BodyDef::angularDamping, damping, Effect::Body); }
void World::setGravityScale(BodyId id, double scale) { setField(*impl_, id, "setGravityScale", &BodyDef::gravityScale, scale, Effect::Body); }
void World::setDominance(BodyId id, std::int8_t dominance) { setField(*impl_, id, "setDominance", &BodyDef::dominance, dominance, Effect::Contacts); }
void World::setContinuous(BodyId id, bool continuous) { setField(*impl_, id, "setContinuous", &BodyDef::continuous, continuous, Effect::Nothing); }
void World::setDensity(BodyId id, double density) { setMassField(*impl_, id, "setDensity", &BodyDef::density, density); }
void World::setMass(BodyId id, double mass) { setMassField(*impl_, id, "setMass", &BodyDef::mass, mass); }

void World::setSurfaceVelocity(BodyId id, const Eigen::Vector3d& velocity) {
  setField(*impl_, id, "setSurfaceVelocity", &BodyDef::surfaceVelocity, velocity, Effect::Contacts);
}

void World::setAllowSleep(BodyId id, bool allowSleep) {
  if (setField(*impl_, id, "setAllowSleep", &BodyDef::allowSleep, allowSleep, Effect::Nothing) && !allowSleep) impl_->wake(id.index);
}

void World::setLockedAxes(BodyId id, std::uint8_t lockedAxes) {
  if (setField(*impl_, id, "setLockedAxes", &BodyDef::lockedAxes, lockedAxes, Effect::Contacts)) clearLockedVelocity(impl_->bodies[id.index]);
}

void World::setFilter(BodyId id, const CollisionFilter& filter) {
  if (!setField(*impl_, id, "setFilter", &BodyDef::filter, filter, Effect::Contacts)) return;
  impl_->broadphase.setFilter(id.index, filter);  // pairs end and begin at the next step
}

void World::setHalfExtents(BodyId id, const Eigen::Vector3d& halfExtents) {
  Impl& w = *impl_;
  const Vec3 old = load(w.checked(id, "setHalfExtents").def.halfExtents);
  if (!setField(w, id, "setHalfExtents", &BodyDef::halfExtents, halfExtents, Effect::Contacts)) return;
  BodyState& body = w.bodies[id.index];
  updateMass(body);
  w.clocks[id.index].now += length(load(halfExtents) - old);  // no point of the surface moved further
  w.broadphase.move(id.index, boundsOf(w.frames[id.index], halfExtents));
}

void World::setKind(BodyId id, BodyKind kind) {
  Impl& w = *impl_;
  require(kind == BodyKind::Static || kind == BodyKind::Kinematic || kind == BodyKind::Dynamic, "body: kind is no BodyKind");
  const bool wasStatic = w.checked(id, "setKind").def.kind == BodyKind::Static;
  if (!setField(w, id, "setKind", &BodyDef::kind, kind, Effect::Contacts)) return;
  const std::uint32_t index = id.index;
  BodyState& body = w.bodies[index];
  updateMass(body);
  clearLockedVelocity(body);
  w.forces[index] = {};
  std::erase(w.forced, index);
  if (kind == BodyKind::Static) {
    store(body.linearVelocity, {0, 0, 0});
    store(body.angularVelocity, {0, 0, 0});
  }
  endDrive(body);
  if (wasStatic == (kind == BodyKind::Static)) return;
  // The broadphase keeps static proxies apart, so this one has to be made anew, with the same number: the numbers below
  // it that are free are held meanwhile.
  w.broadphase.remove(index);
  w.updatePairs();
  std::vector<ProxyId> held;
  for (;;) {
    const ProxyId proxy = w.broadphase.insert(boundsOf(w.frames[index], body.def.halfExtents), kind == BodyKind::Static, body.def.filter);
    if (proxy == index) break;
    held.push_back(proxy);
  }
  for (const ProxyId proxy : held) {
    w.broadphase.remove(proxy);
    w.removedProxies.push_back(proxy);
  }
}

void World::applyForce(BodyId id, const Eigen::Vector3d& force) {
  requireFinite(force, "force");
  checkedDynamic(*impl_, id, "applyForce");
  if (!isZero(force)) addForce(*impl_, id.index, load(force), {0, 0, 0});
}
void World::applyForceAt(BodyId id, const Eigen::Vector3d& force, const Eigen::Vector3d& point) {
  requireFinite(force, "force");
  requireFinite(point, "point");
  checkedDynamic(*impl_, id, "applyForceAt");
  if (!isZero(force)) addForce(*impl_, id.index, load(force), cross(arm(*impl_, id.index, point), load(force)));
}
void World::applyTorque(BodyId id, const Eigen::Vector3d& torque) {
  requireFinite(torque, "torque");
  checkedDynamic(*impl_, id, "applyTorque");
  if (!isZero(torque)) addForce(*impl_, id.index, {0, 0, 0}, load(torque));
}
void World::applyImpulse(BodyId id, const Eigen::Vector3d& impulse) {
  requireFinite(impulse, "impulse");
  checkedDynamic(*impl_, id, "applyImpulse");
  if (!isZero(impulse)) addImpulse(*impl_, id.index, load(impulse), {0, 0, 0});
}
void World::applyImpulseAt(BodyId id, const Eigen::Vector3d& impulse, const Eigen::Vector3d& point) {
  requireFinite(impulse, "impulse");
  requireFinite(point, "point");
  checkedDynamic(*impl_, id, "applyImpulseAt");
  if (!isZero(impulse)) addImpulse(*impl_, id.index, load(impulse), cross(arm(*impl_, id.index, point), load(impulse)));
}
void World::applyAngularImpulse(BodyId id, const Eigen::Vector3d& impulse) {
  requireFinite(impulse, "angular impulse");
  checkedDynamic(*impl_, id, "applyAngularImpulse");
  if (!isZero(impulse)) addImpulse(*impl_, id.index, {0, 0, 0}, load(impulse));
}

void World::Impl::clearForces() {
  for (const std::uint32_t body : forced) forces[body] = {};
  forced.clear();
}

}  // namespace sunder
