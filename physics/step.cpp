// SPDX-License-Identifier: MIT
// World::step, stage by stage. docs/stepping.md explains the method.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "sunder/physics/world_internal.h"

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

// The step length that the softness of contacts belongs to follows that of the steps, by these factors per step: down slowly, since
// steps that change are to be as soft as the long ones, and up only so fast that a single long one changes little; but at once to a
// length that was there shortly before.
constexpr double kSoftDtDecay = 0.997, kSoftDtGrowth = 1.03, kLongDtDecay = 0.8;

// Of the substeps of a short step, a fraction up to this is left out: all are a little longer then.
constexpr double kLongerSubsteps = 0.1;

// Sorting one element costs as much as going over this many.
constexpr std::size_t kSortShare = 16;

// The fat box of a body without a pair is made for so many times the motion of one with pairs: it is made less often, and as
// it is where nothing else is, it finds nothing. More than twice that of now is what the broadphase makes anew: when the body gets a
// pair, its box would have to be shorter at once.
constexpr double kAloneLooksAhead = 2;

// What is slower than this (m/s; hits are faster) and changes its velocity by more than this share of what gravity alone would do is not
// coming to rest. After so long of that (s, less what it was calm in between) it sways; what settles at once does not. The time is
// counted up to the last, so that it sways on for a while when it has become calm.
constexpr double kSlow = 0.25, kUneasyShare = 0.05, kUnrest = 0.1, kMostUnrest = 1;

void noteUnrest(BodyState& body, const Vec3& before, double gravity, double dt) {
  const Vec3 now = load(body.linearVelocity);
  const bool isUneasy = length(now) < kSlow && length(now - before) > kUneasyShare * dt * gravity;
  body.unrestTime = std::clamp(body.unrestTime + (isUneasy ? dt : -dt), 0.0, kMostUnrest);
}

}  // namespace

void World::Impl::startTime(double dt) {
  lastDt = dt;
  softDt = softDt == 0 ? dt : std::max(std::min(dt, std::max(longDt, kSoftDtGrowth * softDt)), kSoftDtDecay * softDt);
  longDt = std::max(dt, kLongDtDecay * longDt);
}

void World::Impl::advanceClocks(double dt) {
  const double gravity = length(load(def.gravity)) * dt;
  forEachMoving([&](std::size_t, std::uint32_t i) {
    if (pairCounts[i] == 0) return;  // nobody asks
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

void World::Impl::solveGroup(SolverGroup& group, double dt) {
  // Shorter steps get fewer substeps, each as long as those of the others.
  const int most = static_cast<int>(std::ceil(def.substeps * group.substepFactor));
  const int substeps = std::max(1, static_cast<int>(std::ceil(most * std::min(1.0, dt / softDt) - kLongerSubsteps)));
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
    bodies[body].previousPose = bodies[body].pose;
    group.solver.sways[number] = bodies[body].unrestTime > kUnrest;
    if (!group.isCarried) return fillSolverBody(group.solver, body, dt, substeps, nullptr);
    if (bodies[body].def.kind != BodyKind::Dynamic) return;  // at rest in the frame
    const Carrier carrier = carrierOfMember(body);
    enterFrame(bodies[body], carrier);
    fillSolverBody(group.solver, body, dt, substeps, &carrier);
  });
  group.solver.solve(contacts, group.contacts, solverBody, frames,
                     {substeps, dt, most, softDt, group.hitSweeps, group.isClosed, group.isCarried}, *pool);
  if (group.isCarried) turnFriction(group, dt);
  report.colors = std::max(report.colors, group.solver.colorCount());
  report.mostSubsteps = std::max(report.mostSubsteps, substeps);
  report.deepestPenetration = std::max(report.deepestPenetration, group.solver.deepestPenetration());
  forEachMember([&](std::uint32_t body, std::uint32_t number) {
    if (bodies[body].def.kind != BodyKind::Dynamic) {
      solverBody[body] = 0;  // a kinematic body may have contacts in several groups
      return;
    }
    hasMoved[body] = 1;
    if (mayHavePushed && !group.isCarried) limitPushed(body, group.solver.bodies[number], dt);
    const Vec3 before = load(bodies[body].linearVelocity);
    moveSolved(bodies[body], group.solver.bodies[number], dt);
    noteUnrest(bodies[body], before, length(load(def.gravity)), dt);
    if (group.isCarried) leaveFrame(bodies[body], carrierOfMember(body), dt);
  });
}

void World::Impl::startMotion() {
  solverBody.resize(bodies.size(), 0);
  hasMoved.resize(bodies.size(), 0);
  forEachMoving([&](std::size_t, std::uint32_t i) { solverBody[i] = hasMoved[i] = 0; });
}

// False: it has stopped being finite. Then it is back where it was.
bool World::Impl::finishBody(std::uint32_t index, double dt) {
  BodyState& body = bodies[index];
  body.held = hasMoved[index] != 0;
  body.isNew = false;
  if (!body.held) {
    body.previousPose = body.pose;
    moveFreely(index, dt);
  }
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

// All that is left to do for a body, and whether it has to be swept, in one go: of many bodies without contacts each is fetched
// from memory once.
void World::Impl::finishBodies(double dt) {
  std::atomic<bool> allFinite = true;
  leftProxies.resize(moving.size());
  sweep.isFast.resize(moving.size());
  forEachMoving([&](std::size_t k, std::uint32_t i) {
    leftProxies[k] = sweep.isFast[k] = 0;
    if (!finishBody(i, dt)) return allFinite.store(false, std::memory_order_relaxed);
    const double moved = finishPose(i, bodies[i].previousPose);
    sweep.isFast[k] = def.continuous && needsSweep(i, moved, dt);
    leftProxies[k] = leavesProxy(i, dt);
  });
  if (allFinite) return;
  for (const std::uint32_t i : moving) {  // the others go on without it
    if (!bodies[i].frozen) continue;
    noteMotion(i);
    report.errors |= kStepNonFiniteBody;
    report.frozenBodies.push_back({i, bodies[i].generation});
  }
}

// After the pose of a moving body has changed from `before`: its frame and clock. Returns a bound of its motion, m.
double World::Impl::finishPose(std::uint32_t index, const Pose& before) {
  const BodyState& body = bodies[index];
  frames[index] = frameOf(body.pose);
  const double moved = motionBound(before, body.pose, body.radius);
  clocks[index].now += moved;
  return moved;
}

// Where a body may be during the next step of dt seconds; `ahead` (m): what its fat box is to be longer by.
Aabb World::Impl::reachOf(std::uint32_t index, double dt, double (&ahead)[3]) const {
  const BodyState& body = bodies[index];
  Aabb box = boundsOf(frames[index], body.def.halfExtents);
  const Vec3 v = load(body.linearVelocity), g = load(def.gravity);
  const double share = body.def.kind == BodyKind::Dynamic ? dt * body.def.gravityScale : 0;
  const double turn = kContactMargin + body.radius * std::min(1.0, dt * length(load(body.angularVelocity)));
  const double moves[3] = {dt * (v.x + share * g.x), dt * (v.y + share * g.y), dt * (v.z + share * g.z)};
  for (int k = 0; k < 3; ++k) {
    ahead[k] = pairCounts[index] == 0 ? kAloneLooksAhead * moves[k] : moves[k];
    box.lower.data()[k] += std::min(moves[k], 0.0) - turn;
    box.upper.data()[k] += std::max(moves[k], 0.0) + turn;
  }
  return box;
}

bool World::Impl::leavesProxy(std::uint32_t index, double dt) const {
  double ahead[3];
  const Aabb box = reachOf(index, dt, ahead);
  return !broadphase.isInside(index, box, {ahead[0], ahead[1], ahead[2]});
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
  w.startTime(dt);
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
    w.findSqueezed();
    w.buildIslands();
    w.findCarriedIslands(dt);
    w.groupContacts();
    w.findIsolatedIslands();
    w.findFirstLoads(dt);
    clock.add(report.milliseconds.islands);
    w.startMotion();
    w.solveIslands(dt);
    w.conserveIsolatedIslands(dt);
    w.limitClosedIslands(dt);
    clock.add(report.milliseconds.solver);
    w.finishBodies(dt);
    clock.add(report.milliseconds.finish);
    if (w.def.continuous) w.sweepFastBodies(dt);
    clock.add(report.milliseconds.continuous);
    for (std::size_t k = 0; k < w.moving.size(); ++k)
      if (w.leftProxies[k] != 0) w.moveProxy(w.moving[k], dt);
    clock.add(report.milliseconds.finish);
  } else {
    w.activeContacts.clear();
    report.islands = 0;
  }
  w.clearForces();
  w.endDrives(dt);
  w.unloaded.clear();
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
