// SPDX-License-Identifier: MIT
// World::step, stage by stage. docs/stepping.md explains the method.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "sunder/physics/world_internal.h"
#include "sunder/solver/free_motion.h"

namespace sunder {
namespace {

using namespace math;

using Clock = std::chrono::steady_clock;

// Adds the time since the last call to a stage. (To look at the clock takes some 30 ns, as long as a stage with nothing to do.)
class StageClock {
 public:
  void add(double& milliseconds) {
    const Clock::time_point now = Clock::now();
    milliseconds += std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
  }
  // From the beginning to the last call.
  double total() const { return std::chrono::duration<double, std::milli>(last_ - first_).count(); }

 private:
  Clock::time_point first_ = Clock::now(), last_ = first_;
};

// Sorting one element costs as much as going over this many.
constexpr std::size_t kSortShare = 16;

// rad per step. Below, the gyroscopic change of the velocity is taken at the start of the step; above, from the
// momentum-conserving integrator.
constexpr double kExplicitTurn = 0.02;

void setMasses(SolverMass& out, const BodyState& body, const BodyFrame& frame) {
  double inverse[6];
  inverseInertiaInWorld(body, frame.rotation, inverse);
  for (int k = 0; k < 6; ++k) out.inverseInertia[k] = static_cast<float>(inverse[k]);
  out.inverseMass = static_cast<float>(1 / body.mass);
}

// m v, m symmetric: xx, xy, xz, yy, yz, zz.
Vec3 timesSymmetric(const double (&m)[6], const Vec3& v) {
  return {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[1] * v.x + m[3] * v.y + m[4] * v.z, m[2] * v.x + m[4] * v.y + m[5] * v.z};
}

// rad per step. Above, a body's inertia in world axes changes too much within a step for the solver's constant one: kept
// momentum would be energy from nowhere. Then the solver gets no gyroscopic torque, and turnSolved() turns the body.
constexpr double kFarTurn = 0.2;
bool turnsFar(const BodyState& body, const Vec3& turn) {
  const Vec3 moments = load(body.inertia);
  return !(moments.x == moments.y && moments.y == moments.z) && (body.def.lockedAxes & kLockRotation) == 0 &&
         dot(turn, turn) >= kFarTurn * kFarTurn;
}

// Turns such a body by what the solver found for the start of the step: freely with the final velocity, which keeps its
// energy, and then by what the displacement differs from that. Without impulses that is exactly the free motion.
void turnSolved(BodyState& body, const Vec3& w, const Vec3& turn, double dt) {
  store(body.angularVelocity, w);
  turnFreely(body.pose.orientation, body.angularVelocity, body.inertia, dt);
  Eigen::Vector3d rest;
  store(rest, turn - dt * w);
  body.pose.orientation = turned(body.pose.orientation, rest);
  store(body.angularVelocity, rotate(load(turned(Quaternion(1, 0, 0, 0), rest)), load(body.angularVelocity)));
}

// Change of the angular velocity over dt by -I^-1 (w x I w).
Vec3 gyroscopicChange(const BodyState& body, double dt) {
  const Vec3 w = load(body.angularVelocity), moments = load(body.inertia);
  if ((moments.x == moments.y && moments.y == moments.z) || (w.x == 0 && w.y == 0 && w.z == 0)) return {0, 0, 0};
  if (turnsFar(body, dt * w)) return {0, 0, 0};
  if ((body.def.lockedAxes & kLockRotation) != 0) {
    const Mat3 r = toMatrix(load(body.pose.orientation));
    const Vec3 l = transposeTimes(r, w);
    double inverse[6];
    inverseInertiaInWorld(body, frameOf(body.pose).rotation, inverse);
    return dt * timesSymmetric(inverse, cross(r * Vec3{moments.x * l.x, moments.y * l.y, moments.z * l.z}, w));
  }
  if (length(w) * dt < kExplicitTurn) {
    const Mat3 r = toMatrix(load(body.pose.orientation));
    const Vec3 l = transposeTimes(r, w);
    const Vec3 torque = cross(Vec3{moments.x * l.x, moments.y * l.y, moments.z * l.z}, l);
    return dt * (r * Vec3{torque.x / moments.x, torque.y / moments.y, torque.z / moments.z});
  }
  Quaternion q = body.pose.orientation;
  Eigen::Vector3d end = body.angularVelocity;
  turnFreely(q, end, body.inertia, dt);
  return load(end) - w;
}

// The angular velocity after a body has turned, from the one before: what stays is the momentum I w in world axes.
Vec3 afterTurn(const Vec3& w, const Eigen::Vector3d& inertia, const Quaternion& before, const Quaternion& after) {
  const Vec3 moments = load(inertia);
  if (moments.x == moments.y && moments.y == moments.z) return w;
  const Mat3 start = toMatrix(load(before)), end = toMatrix(load(after));
  const Vec3 inBody = transposeTimes(start, w);
  const Vec3 l = transposeTimes(end, start * Vec3{moments.x * inBody.x, moments.y * inBody.y, moments.z * inBody.z});
  return end * Vec3{l.x / moments.x, l.y / moments.y, l.z / moments.z};
}

}  // namespace

void World::Impl::advanceClocks(double dt) {
  const double gravity = length(load(def.gravity)) * dt;
  forEachMoving([&](std::size_t, std::uint32_t i) {
    const BodyState& body = bodies[i];
    const double fall = body.def.kind == BodyKind::Dynamic ? gravity * std::fabs(body.def.gravityScale) : 0;
    clocks[i].ahead = clocks[i].now + dt * (length(load(body.linearVelocity)) + fall + body.radius * length(load(body.angularVelocity)));
  });
  for (const std::uint32_t i : forced) {
    const BodyForce& f = forces[i];
    double inverse[6];
    inverseInertiaInWorld(bodies[i], frames[i].rotation, inverse);
    clocks[i].ahead += dt * dt * (length(Vec3{f.force[0], f.force[1], f.force[2]}) / bodies[i].mass +
                                  bodies[i].radius * length(timesSymmetric(inverse, {f.torque[0], f.torque[1], f.torque[2]})));
  }
}

// One body with contacts, as the solver sees it.
void World::Impl::fillSolverBody(ContactSolver& solver, std::uint32_t index, double dt, int substeps) const {
  const BodyState& body = bodies[index];
  const std::uint32_t number = solverBody[index];
  SolverBody& out = solver.bodies[number];
  SolverMass& mass = solver.masses[number];
  SolverDrive& drive = solver.drives[number];
  solver.locked[number] = body.def.kind == BodyKind::Dynamic ? body.def.lockedAxes : std::uint8_t{kLockNone};
  const Vec3 v = load(body.linearVelocity), w = load(body.angularVelocity);
  const double velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
  for (int k = 0; k < 6; ++k) out.velocity[k] = static_cast<float>(velocity[k]);
  if (body.def.kind != BodyKind::Dynamic) return;
  setMasses(mass, body, frames[index]);
  const double h = dt / substeps;
  const BodyForce& f = forces[index];
  const Vec3 fall = body.def.gravityScale * load(def.gravity) + (1 / body.mass) * Vec3{f.force[0], f.force[1], f.force[2]};
  Vec3 twist = {0, 0, 0};  // rad/s per substep, of the applied torque
  if (f.torque[0] != 0 || f.torque[1] != 0 || f.torque[2] != 0) {
    double inverse[6];
    inverseInertiaInWorld(body, frames[index].rotation, inverse);
    twist = h * timesSymmetric(inverse, {f.torque[0], f.torque[1], f.torque[2]});
  }
  const Vec3 gyro = (1.0 / substeps) * gyroscopicChange(body, dt) + twist;
  const double gain[6] = {h * fall.x, h * fall.y, h * fall.z, gyro.x, gyro.y, gyro.z};
  const double keep[2] = {1 / (1 + h * body.def.linearDamping), 1 / (1 + h * body.def.angularDamping)};
  for (int k = 0; k < 6; ++k) {
    const bool isLocked = (body.def.lockedAxes & (1 << k)) != 0;
    drive.keep[k] = isLocked ? 0.0f : static_cast<float>(keep[k / 3]);
    drive.gain[k] = isLocked ? 0.0f : static_cast<float>(keep[k / 3] * gain[k]);
  }
}

void World::Impl::solveGroup(SolverGroup& group, double dt) {
  const int substeps = static_cast<int>(std::ceil(def.substeps * group.substepFactor));
  group.solver.clear();
  if (group.contacts.empty()) return;
  members.clear();
  for (const ContactRef& contact : group.contacts)
    for (const std::uint32_t body : {contact.bodyA, contact.bodyB})
      if (movesNow[body] != 0 && solverBody[body] == 0) {
        solverBody[body] = kNone;  // marked
        members.push_back(body);
      }
  // In the order of the bodies: neighbours in the scene are neighbours in memory. Few are sorted, of many a mark is looked up.
  if (members.size() * kSortShare < moving.size()) {
    std::sort(members.begin(), members.end());
  } else {
    members.clear();
    for (const std::uint32_t body : moving)
      if (solverBody[body] == kNone) members.push_back(body);
  }
  group.solver.resize(members.size() + 1);
  const auto forEachMember = [&](auto&& work) {
    pool->run(static_cast<int>(members.size()), kLeastBodies, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) work(members[static_cast<std::size_t>(i)], static_cast<std::uint32_t>(i) + 1);
    });
  };
  forEachMember([&](std::uint32_t body, std::uint32_t number) {
    solverBody[body] = number;
    fillSolverBody(group.solver, body, dt, substeps);
  });
  group.solver.solve(contacts, group.contacts, solverBody, frames, {substeps, dt, group.hitSweeps}, *pool);
  report.colors = std::max(report.colors, group.solver.colorCount());
  report.mostSubsteps = std::max(report.mostSubsteps, substeps);
  report.deepestPenetration = std::max(report.deepestPenetration, group.solver.deepestPenetration());
  forEachMember([&](std::uint32_t body, std::uint32_t number) {
    if (bodies[body].def.kind != BodyKind::Dynamic) {
      solverBody[body] = 0;  // a kinematic body may have contacts in several groups
      return;
    }
    hasMoved[body] = 1;
    moveSolved(bodies[body], group.solver.bodies[number], dt);
  });
}

// Motion without contacts: exact in the position (parabola), see turnFreely() for the rotation.
void World::Impl::moveFreely(std::uint32_t index, double dt) {
  BodyState& body = bodies[index];
  Vec3 position = load(body.pose.position), v = load(body.linearVelocity);
  const Vec3 w = load(body.angularVelocity);
  if (body.def.kind == BodyKind::Dynamic) {
    const Vec3 old = v;
    const BodyForce& f = forces[index];
    const Vec3 acceleration = body.def.gravityScale * load(def.gravity) + (1 / body.mass) * Vec3{f.force[0], f.force[1], f.force[2]};
    v = (1 / (1 + dt * body.def.linearDamping)) * (v + dt * acceleration);
    store(body.linearVelocity, v);
    // Half of the torque before and half after the turn: second order.
    const bool twisted = f.torque[0] != 0 || f.torque[1] != 0 || f.torque[2] != 0;
    const auto applyHalfTorque = [&] {
      double inverse[6];
      inverseInertiaInWorld(body, frameOf(body.pose).rotation, inverse);
      store(body.angularVelocity, load(body.angularVelocity) + (0.5 * dt) * timesSymmetric(inverse, {f.torque[0], f.torque[1], f.torque[2]}));
    };
    if (twisted) applyHalfTorque();
    if ((body.def.lockedAxes & kLockRotation) == 0)
      turnFreely(body.pose.orientation, body.angularVelocity, body.inertia, dt);
    else
      turnLocked(body, dt);
    if (twisted) applyHalfTorque();
    store(body.angularVelocity, (1 / (1 + dt * body.def.angularDamping)) * load(body.angularVelocity));
    clearLockedVelocity(body);
    position = position + (0.5 * dt) * (old + load(body.linearVelocity));
  } else {
    position = position + dt * v;
    Eigen::Vector3d turn;
    store(turn, dt * w);
    body.pose.orientation = turned(body.pose.orientation, turn);
  }
  store(body.pose.position, position);
}

void World::Impl::moveSolved(BodyState& body, const SolverBody& solved, double dt) const {
  const Vec3 moved = {solved.displacement[0], solved.displacement[1], solved.displacement[2]};
  store(body.pose.position, load(body.pose.position) + moved);
  store(body.linearVelocity, Vec3{solved.velocity[0], solved.velocity[1], solved.velocity[2]});
  Vec3 w = {solved.velocity[3], solved.velocity[4], solved.velocity[5]};
  const Vec3 turning = {solved.displacement[3], solved.displacement[4], solved.displacement[5]};
  if (turnsFar(body, dt * load(body.angularVelocity)) || turnsFar(body, turning)) return turnSolved(body, w, turning, dt);
  if (solved.displacement[3] != 0 || solved.displacement[4] != 0 || solved.displacement[5] != 0) {
    Eigen::Vector3d turn;
    store(turn, Vec3{solved.displacement[3], solved.displacement[4], solved.displacement[5]});
    const Quaternion before = body.pose.orientation;
    const Vec3 gyro = gyroscopicChange(body, dt);
    body.pose.orientation = turned(before, turn);
    // The gyroscopic change has turned the body rightly. But its momentum is exactly the one it had and what contacts gave
    // to it, both with the inertia of the start of the step, which the solver worked with.
    if ((body.def.lockedAxes & kLockRotation) == 0) w = afterTurn(w - gyro, body.inertia, before, body.pose.orientation);
  }
  store(body.angularVelocity, w);
}

void World::Impl::startMotion() {
  solverBody.resize(bodies.size(), 0);
  hasMoved.resize(bodies.size(), 0);
  forEachMoving([&](std::size_t, std::uint32_t i) {
    solverBody[i] = 0;
    hasMoved[i] = 0;
    bodies[i].previousPose = bodies[i].pose;
  });
}

// False: it has stopped being finite. Then it is back where it was.
bool World::Impl::finishBody(std::uint32_t index, double dt) {
  BodyState& body = bodies[index];
  body.held = hasMoved[index] != 0;
  body.isNew = false;
  if (!body.held) moveFreely(index, dt);
  const double* q = body.pose.orientation.coeffs().data();
  if (isFinite(load(body.pose.position)) && isFinite(load(body.linearVelocity)) && isFinite(load(body.angularVelocity)) &&
      std::isfinite(q[0] + q[1] + q[2] + q[3]))
    return true;
  body.pose = body.previousPose;
  store(body.linearVelocity, {0, 0, 0});
  store(body.angularVelocity, {0, 0, 0});
  body.frozen = true;
  return false;
}

void World::Impl::finishBodies(double dt) {
  std::atomic<bool> allFinite = true;
  forEachMoving([&](std::size_t, std::uint32_t i) {
    if (!finishBody(i, dt)) allFinite.store(false, std::memory_order_relaxed);
  });
  if (allFinite) return;
  for (const std::uint32_t i : moving) {  // the others go on without it
    if (!bodies[i].frozen) continue;
    noteMotion(i);
    report.errors |= kStepNonFiniteBody;
    report.frozenBodies.push_back({i, bodies[i].generation});
  }
}

void World::Impl::finishPoses(double dt) {
  leftProxies.resize(moving.size());
  forEachMoving([&](std::size_t k, std::uint32_t i) {
    leftProxies[k] = 0;
    if (bodies[i].frozen) return;
    finishPose(i, bodies[i].previousPose);
    double ahead[3];
    const Aabb box = reachOf(i, dt, ahead);
    leftProxies[k] = !broadphase.isInside(i, box, {ahead[0], ahead[1], ahead[2]});
  });
  for (std::size_t k = 0; k < moving.size(); ++k)
    if (leftProxies[k] != 0) moveProxy(moving[k], dt);
}

// After the pose of a moving body has changed from `before`: its frame and clock.
void World::Impl::finishPose(std::uint32_t index, const Pose& before) {
  const BodyState& body = bodies[index];
  frames[index] = frameOf(body.pose);
  clocks[index].now += motionBound(before, body.pose, body.radius);
}

// Where a body may be during the next step of dt seconds; `ahead` is how far it then moves by itself (m).
Aabb World::Impl::reachOf(std::uint32_t index, double dt, double (&ahead)[3]) const {
  const BodyState& body = bodies[index];
  Aabb box = boundsOf(frames[index], body.def.halfExtents);
  const Vec3 v = load(body.linearVelocity), g = load(def.gravity);
  const double share = body.def.kind == BodyKind::Dynamic ? dt * body.def.gravityScale : 0;
  const double turn = kContactMargin + body.radius * std::min(1.0, dt * length(load(body.angularVelocity)));
  const double moves[3] = {dt * (v.x + share * g.x), dt * (v.y + share * g.y), dt * (v.z + share * g.z)};
  for (int k = 0; k < 3; ++k) {
    ahead[k] = moves[k];
    box.lower.data()[k] += std::min(moves[k], 0.0) - turn;
    box.upper.data()[k] += std::max(moves[k], 0.0) + turn;
  }
  return box;
}

// Tells the broadphase about it, so that what a body may come to touch is a pair by then.
void World::Impl::moveProxy(std::uint32_t index, double dt) {
  double ahead[3];
  const Aabb box = reachOf(index, dt, ahead);
  broadphase.move(index, box, {ahead[0], ahead[1], ahead[2]});
}

const StepReport& World::step(double dt) {
  Impl& w = *impl_;
  StepReport& report = w.report;
  report.errors = kStepOk;
  report.milliseconds = {};
  report.frozenBodies.clear();
  report.narrowphaseQueries = 0;
  report.colors = 0;
  report.mostSubsteps = 0;
  report.deepestPenetration = 0;
  if (!(dt > 0) || !std::isfinite(dt)) {
    report.errors |= kStepInvalidTimeStep;
    return report;
  }
  w.lastDt = dt;
  StageClock clock;
  w.moveNotedProxies(dt);
  w.updatePairs();
  w.wakeDisturbed();
  w.updateMoving();
  clock.add(report.milliseconds.broadphase);
  if (!w.moving.empty()) {
    w.advanceClocks(dt);
    w.updateContacts();
    clock.add(report.milliseconds.narrowphase);
    w.buildIslands();
    w.groupContacts();
    w.findIsolatedIslands();
    w.findFirstLoads(dt);
    clock.add(report.milliseconds.islands);
    w.startMotion();
    w.solveIslands(dt);
    w.conserveIsolatedIslands(dt);
    clock.add(report.milliseconds.solver);
    w.finishBodies(dt);
    clock.add(report.milliseconds.finish);
    if (w.def.continuous) w.sweepFastBodies(dt);
    clock.add(report.milliseconds.continuous);
    w.finishPoses(dt);
    clock.add(report.milliseconds.finish);
  } else {
    w.activeContacts.clear();
    report.islands = 0;
  }
  w.clearForces();
  w.updateEvents();
  if (w.def.sleep) w.updateSleep(dt);
  w.fillReport();
  w.pool->rest();
  clock.add(report.milliseconds.islands);
  report.milliseconds.total = clock.total();
  return report;
}

void World::Impl::fillReport() {
  report.bodies = aliveCount;
  report.awakeBodies = static_cast<int>(moving.size());
  report.pairs = static_cast<int>(pairOrder.size());
  report.contacts = static_cast<int>(activeContacts.size());
  for (ContactBlockUpdate& block : contactBlocks) block.points = 0;
  pool->runBlocks(static_cast<int>(activeContacts.size()), kLeastPairs, [this](int block, int begin, int end) {
    int points = 0;
    for (int i = begin; i < end; ++i) points += contacts[activeContacts[static_cast<std::size_t>(i)].contact].pointCount;
    contactBlocks[static_cast<std::size_t>(block)].points = points;
  });
  report.contactPoints = 0;
  for (const ContactBlockUpdate& block : contactBlocks) report.contactPoints += block.points;
}

}  // namespace sunder
