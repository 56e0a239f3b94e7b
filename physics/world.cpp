// SPDX-License-Identifier: MIT
#include "sunder/physics/world.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "sunder/physics/world_internal.h"

namespace sunder {

using namespace math;

namespace {
// Cosine between two directions of gravity that count as the same.
constexpr double kSameDirection = 0.9999;
}  // namespace

void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}
void requireFinite(const Eigen::Vector3d& v, const char* what) {
  for (int i = 0; i < 3; ++i)
    require(std::isfinite(v.data()[i]), std::string("world: ") + what + "[" + std::to_string(i) + "] is not finite");
}

Pose normalizedPose(const Pose& pose) {
  Pose result = pose;
  store(result.orientation, normalized(load(pose.orientation)));
  return result;
}

void updateMass(BodyState& body) {
  const BodyDef& def = body.def;
  const Vec3 h = load(def.halfExtents);
  body.radius = length(h);
  body.mass = 0;
  store(body.inertia, {0, 0, 0});
  if (def.kind != BodyKind::Dynamic) return;
  body.mass = def.mass > 0 ? def.mass : 8 * h.x * h.y * h.z * def.density;
  const double third = body.mass / 3;
  store(body.inertia, Vec3{third * (h.y * h.y + h.z * h.z), third * (h.x * h.x + h.z * h.z), third * (h.x * h.x + h.y * h.y)});
}

World::World(const WorldDef& def) : impl_(std::make_unique<Impl>()) {
  requireFinite(def.gravity, "gravity");
  require(def.substeps >= 1 && def.substeps <= 64, "world: substeps is " + std::to_string(def.substeps) + ", must be 1 to 64");
  require(def.threads >= 1 && def.threads <= 256, "world: threads is " + std::to_string(def.threads) + ", must be 1 to 256");
  require(std::isfinite(def.sleepSpeed) && def.sleepSpeed > 0, "world: sleepSpeed is " + std::to_string(def.sleepSpeed) + ", must be > 0");
  require(std::isfinite(def.sleepTime) && def.sleepTime > 0, "world: sleepTime is " + std::to_string(def.sleepTime) + ", must be > 0");
  impl_->def = def;
  impl_->pool = std::make_unique<ThreadPool>(def.threads);
  for (std::size_t i = 0; i < std::size(kSubstepFactors); ++i) {
    impl_->groups[i].substepFactor = impl_->carriedGroups[i].substepFactor = kSubstepFactors[i];
    impl_->carriedGroups[i].isCarried = true;
  }
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

BodyState& World::Impl::checked(BodyId id, const char* call) {
  require(id.index < bodies.size() && bodies[id.index].alive && bodies[id.index].generation == id.generation,
          std::string("world: ") + call + " of body " + std::to_string(id.index) + " (generation " +
              std::to_string(id.generation) + "), which is not in this world");
  return bodies[id.index];
}

double kineticEnergy(const BodyState& body) {
  const Vec3 v = load(body.linearVelocity), moments = load(body.inertia);
  const Vec3 w = transposeTimes(toMatrix(load(body.pose.orientation)), load(body.angularVelocity));
  return 0.5 * body.mass * dot(v, v) + 0.5 * (moments.x * w.x * w.x + moments.y * w.y * w.y + moments.z * w.z * w.z);
}

BodyFrame frameOf(const Pose& pose) {
  const Vec3 p = load(pose.position);
  const Mat3 r = toMatrix(load(pose.orientation));
  return {{p.x, p.y, p.z}, {r.c0.x, r.c0.y, r.c0.z, r.c1.x, r.c1.y, r.c1.z, r.c2.x, r.c2.y, r.c2.z}};
}

Vec3 rotated(const BodyFrame& f, const double* v) {
  return {f.rotation[0] * v[0] + f.rotation[3] * v[1] + f.rotation[6] * v[2],
          f.rotation[1] * v[0] + f.rotation[4] * v[1] + f.rotation[7] * v[2],
          f.rotation[2] * v[0] + f.rotation[5] * v[1] + f.rotation[8] * v[2]};
}

Vec3 between(const BodyFrame& a, const BodyFrame& b) {
  return {b.position[0] - a.position[0], b.position[1] - a.position[1], b.position[2] - a.position[2]};
}

Aabb boundsOf(const BodyFrame& frame, const Eigen::Vector3d& halfExtents) {
  const double* h = halfExtents.data();
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    const double reach = std::fabs(frame.rotation[i]) * h[0] + std::fabs(frame.rotation[3 + i]) * h[1] +
                         std::fabs(frame.rotation[6 + i]) * h[2];
    box.lower.data()[i] = frame.position[i] - reach;
    box.upper.data()[i] = frame.position[i] + reach;
  }
  return box;
}

BodyId World::addBody(const BodyDef& def) {
  const std::string reason = validate(def);
  require(reason.empty(), reason);
  Impl& w = *impl_;
  BodyState body;
  body.def = def;
  body.pose = normalizedPose(def.pose);
  if (def.kind != BodyKind::Static) {
    body.linearVelocity = def.linearVelocity;
    body.angularVelocity = def.angularVelocity;
  }
  body.alive = true;
  updateMass(body);
  clearLockedVelocity(body);
  endDrive(body);
  const BodyFrame frame = frameOf(body.pose);
  // A body's index is its proxy's: one number less to keep in step.
  const std::uint32_t index = w.broadphase.insert(boundsOf(frame, def.halfExtents), def.kind == BodyKind::Static, def.filter);
  if (index >= w.bodies.size()) {
    w.bodies.resize(index + 1);
    w.frames.resize(index + 1);
    w.clocks.resize(index + 1);
    w.pairCounts.resize(index + 1, 0);
    w.changed.resize(index + 1, 0);
    w.forces.resize(index + 1);
    w.trends.resize(index + 1);
  }
  body.generation = w.bodies[index].generation + 1;
  w.bodies[index] = body;
  w.frames[index] = frame;
  w.clocks[index] = {};
  w.changed[index] = 0;
  w.forces[index] = {};
  w.resetTrend(index);
  w.noteMotion(index);
  ++w.aliveCount;
  return {index, body.generation};
}

void World::removeBody(BodyId id) {
  Impl& w = *impl_;
  BodyState& body = w.checked(id, "removeBody");
  w.wake(id.index);
  body.alive = false;
  std::erase(w.drives, id.index);
  --w.aliveCount;
  w.noteMotion(id.index);
  std::erase_if(w.pairRules, [&](const PairRule& rule) { return rule.a == id.index || rule.b == id.index; });
  w.removedProxies.push_back(id.index);
  w.broadphase.remove(id.index);  // the end of its pairs, at the next step, wakes what it touched
}

bool World::isValid(BodyId id) const {
  return id.index < impl_->bodies.size() && impl_->bodies[id.index].alive && impl_->bodies[id.index].generation == id.generation;
}

std::vector<BodyId> World::bodies() const {
  std::vector<BodyId> ids;
  for (std::uint32_t i = 0; i < impl_->bodies.size(); ++i)
    if (impl_->bodies[i].alive) ids.push_back({i, impl_->bodies[i].generation});
  return ids;
}

const StepReport& World::lastReport() const { return impl_->report; }
const Pose& World::pose(BodyId id) const { return impl_->checked(id, "pose").pose; }
const Eigen::Vector3d& World::linearVelocity(BodyId id) const { return impl_->checked(id, "linearVelocity").linearVelocity; }
const Eigen::Vector3d& World::angularVelocity(BodyId id) const { return impl_->checked(id, "angularVelocity").angularVelocity; }
const BodyDef& World::definition(BodyId id) const { return impl_->checked(id, "definition").def; }
double World::mass(BodyId id) const { return impl_->checked(id, "mass").mass; }
Eigen::Vector3d World::inertia(BodyId id) const { return impl_->checked(id, "inertia").inertia; }
bool World::isAwake(BodyId id) const {
  return impl_->checked(id, "isAwake").sleepingIsland == kNone && impl_->bodies[id.index].def.kind != BodyKind::Static;
}
const WorldDef& World::settings() const { return impl_->def; }

void World::setPose(BodyId id, const Pose& pose) {
  const std::string reason = validatePose(pose);
  require(reason.empty(), reason);
  Impl& w = *impl_;
  BodyState& body = w.checked(id, "setPose");
  const Pose next = normalizedPose(pose);
  // Writing the same pose again wakes nobody. Normalizing what is normal may change its last bit.
  if (std::memcmp(&next, &body.pose, sizeof next) == 0 || std::memcmp(&pose, &body.pose, sizeof pose) == 0) return;
  w.disturb(id.index);
  const double turn = body.pose.orientation.coeffs() == next.orientation.coeffs() ? 0 : 2 * body.radius;
  w.clocks[id.index].now += length(load(next.position) - load(body.pose.position)) + turn;
  body.pose = next;
  body.frozen = false;
  w.resetTrend(id.index);
  w.frames[id.index] = frameOf(next);
  w.broadphase.move(id.index, boundsOf(w.frames[id.index], body.def.halfExtents));
}

void World::Impl::setVelocity(BodyId id, const Eigen::Vector3d& velocity, Eigen::Vector3d BodyState::*which,
                              const char* what, const char* call) {
  requireFinite(velocity, what);
  BodyState& body = checked(id, call);
  require(body.def.kind != BodyKind::Static, std::string("world: ") + call + " of a static body");
  const Eigen::Vector3d old = body.*which;
  body.*which = velocity;
  clearLockedVelocity(body);
  if (old != body.*which) disturb(id.index);
}
void World::setLinearVelocity(BodyId id, const Eigen::Vector3d& velocity) {
  impl_->setVelocity(id, velocity, &BodyState::linearVelocity, "linear velocity", "setLinearVelocity");
}
void World::setAngularVelocity(BodyId id, const Eigen::Vector3d& velocity) {
  impl_->setVelocity(id, velocity, &BodyState::angularVelocity, "angular velocity", "setAngularVelocity");
}

// Before gravity changes: what rests carries as much more or less. The loads of another gravity would make a stack jump, and rattle while
// its references follow.
void World::Impl::scaleLoads(const Eigen::Vector3d& gravity) {
  const double before = length(load(def.gravity)), after = length(load(gravity));
  if (!(before > 0) || dot(load(gravity), load(def.gravity)) < kSameDirection * before * after) return;
  const float ratio = static_cast<float>(after / before);
  for (Contact& contact : contacts) {
    for (Contact::Point& point : contact.points) point.impulse *= ratio;
    for (float& impulse : contact.frictionImpulse) impulse *= ratio;
    contact.twistImpulse *= ratio;
    contact.reference *= ratio;
  }
}

void World::setGravity(const Eigen::Vector3d& gravity) {
  requireFinite(gravity, "gravity");
  if (impl_->def.gravity == gravity) return;
  impl_->scaleLoads(gravity);
  impl_->def.gravity = gravity;
  impl_->lastTimeStep = 0;  // every body has another reach
  impl_->wakeAll();
}
void World::wake(BodyId id) {
  impl_->checked(id, "wake");
  impl_->wake(id.index);
}
void World::setSleep(bool enabled) {
  impl_->def.sleep = enabled;
  if (!enabled) impl_->wakeAll();
}

double World::energy() const {
  double sum = 0;
  const Vec3 gravity = load(impl_->def.gravity);
  for (std::uint32_t i = 0; i < impl_->bodies.size(); ++i) {
    const BodyState& body = impl_->bodies[i];
    if (!body.alive || body.def.kind != BodyKind::Dynamic) continue;
    sum += kineticEnergy(body) - body.mass * body.def.gravityScale * dot(gravity, load(body.pose.position));
  }
  return sum;
}

std::uint64_t World::stateHash() const {
  std::uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
  const auto add = [&hash](const double* values, int count) {
    for (int i = 0; i < count; ++i) {
      std::uint64_t bits;
      std::memcpy(&bits, values + i, sizeof bits);
      for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((bits >> (8 * byte)) & 0xff)) * 0x100000001b3ull;
    }
  };
  for (const BodyState& body : impl_->bodies) {
    if (!body.alive) continue;
    add(body.pose.position.data(), 3);
    add(body.pose.orientation.coeffs().data(), 4);
    add(body.linearVelocity.data(), 3);
    add(body.angularVelocity.data(), 3);
  }
  return hash;
}

}  // namespace sunder
