// SPDX-License-Identifier: MIT
#include "sunder/solver/contact_solver.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sunder/narrowphase/math_internal.h"

namespace sunder {
namespace {

using namespace math;

// Loops shorter than these take less time than it takes to share them.
constexpr int kLeastBlocks = 32;
constexpr int kLeastBodies = 1024;
constexpr int kNeverShared = std::numeric_limits<int>::max();

// docs/stepping.md gives the reason of each.
// Contact softness: a spring of kTurn radians per substep, kDamping times critically damped.
constexpr double kTurn = 1.1;
constexpr double kDamping = 5.0;
// Equation (7).
struct Softness {
  double turn = kTurn, stiffness = kTurn * (2 * kDamping + kTurn);
  double bias() const { return turn / (2 * kDamping + turn); }
  double massScale() const { return stiffness / (1 + stiffness); }
  double impulseScale() const { return 1 / (1 + stiffness); }
};
// The softness with which loads sink in as deep as in other substeps, (25). Longer ones are no stiffer than others.
Softness softnessOf(const ContactSolverSettings& settings) {
  Softness softness;
  const double substep = settings.dt / settings.substeps, soft = settings.softDt / settings.softSubsteps;
  if (!(substep < soft)) return softness;
  const double share = substep / soft, wanted = share * share * kTurn * kTurn * softness.massScale();
  // Newton's method comes down to the root from above, at first by a third in each round.
  for (int i = 0; i < 40; ++i) {
    const double t = softness.turn, k = softness.stiffness, slope = 2 * t * k / (1 + k) + 2 * t * t * (kDamping + t) / ((1 + k) * (1 + k));
    softness.turn = t - (t * t * k / (1 + k) - wanted) / slope;
    softness.stiffness = softness.turn * (2 * kDamping + softness.turn);
  }
  return softness;
}
// The softness acts on the difference to a reference load, which follows this share of the mean load of the contact's
// points, slowly (per step). So a load that stays sinks in by 1/20 of what the spring alone would give.
constexpr double kReferenceShare = 0.95;
constexpr double kReferenceRate = 0.02;
// A point that carries less than its reference is rigid: a load that shrinks must not be held up. But a wall in which every
// load flutters about its reference would rattle, so up to this share below, the softness acts both ways.
constexpr double kLift = 0.1;
// m. A light body that carries a heavy one on a corner is not meant by "the mean of the points": there the reference of
// the point is so high that it sags by no more than this, were it not for the share above.
constexpr double kMostSag = 5e-4;
// Bodies that were put inside each other move apart at up to this speed, m/s, found in so many passes: more where some are deeper
// than this (m), since with two a pair that others press on moves at a fifth of the speed.
constexpr double kCalmPushSpeed = 1.0;
constexpr int kCalmPasses = 2, kDeepCalmPasses = 4;
constexpr double kDeepInside = 0.012;
// Sweeps over hits go on until the energy that a sweep moves has come down to this share of the most.
constexpr float kHitRest = 1e-4f;
// ... with friction, which needs its cones.
constexpr float kRubRest = 1e-6f;
// Where the normals of a hit alone make something so many times as fast as anything was, friction takes part in it. 1.5 and 3 do as well.
constexpr float kThrown = 2.0f;
// What is squeezed between bodies that do not give way has no solution that they could come to: some milliseconds per step, in visits
// of a block, and from then on as many sweeps per hit as equal masses need.
constexpr int kMostHitVisits = 20000;
constexpr int kLeastHitSweeps = 8;
// Sweeps more for what sways: one passes a load on by a few contacts, so a tall stack or wall feels one that grew some substeps late, and
// shakes by itself. Of 300 stacks of 12 boxes with masses of 1 to 13 and gaps 86 hop for ever without them, 15 with one, 3 with two.
constexpr int kMoreSweeps = 3;
// m, in steps of at least kSlopStep seconds. Half of what a body falls in a substep, so it is less in shorter ones.
constexpr double kSlop = 2e-5;
constexpr double kSlopStep = 1.0 / 60;
constexpr double kHitSpeed = 0.25;      // m/s
constexpr double kRestitutionThreshold = 0.5;  // m/s

// What a substep changes of a block, but for the sums over the substeps: to `held`, or back.
template <bool kHold>
void copyHeld(HeldBlock& held, ContactBlock& block) {
  const auto copy = [](auto& kept, auto& live) { kHold ? std::memcpy(&kept, &live, sizeof kept) : std::memcpy(&live, &kept, sizeof kept); };
  for (int i = 0; i < 4; ++i) {
    copy(held.impulse[i], block.points[i].impulse);
    copy(held.approach[i], block.approach[i]);
  }
  copy(held.tangentImpulse, block.tangentImpulse);
  copy(held.twistImpulse, block.twistImpulse);
  copy(held.hits, block.hits);
  copy(held.settles, block.settles);
}

// The contacts of a color are scattered in memory: those of the next block come while one is filled.
void prefetchContacts(const ContactBlock& block, const std::vector<Contact>& contacts) {
  for (int lane = 0; lane < block.laneCount; ++lane) {
    const char* contact = reinterpret_cast<const char*>(&contacts[static_cast<std::size_t>(block.contact[lane])]);
    for (std::size_t line = 0; line < sizeof(Contact); line += 64) __builtin_prefetch(contact + line);
  }
}

// items.assign(count, {}), but for a capacity that is ahead of a world that grows: assign() would take memory anew each time
// that one more body has contacts.
template <typename T>
void restart(std::vector<T>& items, std::size_t count) {
  if (count > items.capacity()) {
    items.clear();  // nothing to copy
    items.reserve(count + count / 8);
  }
  items.assign(count, T{});
}

}  // namespace

void ContactSolver::clear() { resize(1); }

void ContactSolver::resize(std::size_t count) {
  restart(bodies, count);
  restart(masses, count);
  restart(drives, count);
  restart(locked, count);
  restart(sways, count);
}

// The least number of blocks for which threads share a color. In the overflow contacts may share a body that moves.
int ContactSolver::leastShared(std::size_t color) const {
  return overflows_ && color + 2 == colorStart_.size() ? kNeverShared : kLeastBlocks;
}

// Work on single blocks, in any order, shared as the sweeps over colors share it: what a thread will sweep over, and the
// contacts and bodies that belong to it, stay in the cache of its core.
template <class Work>
void ContactSolver::forEachPart(ThreadPool& pool, Work&& work) {
  pool.run(pool.threads(), static_cast<int>(blocks_.size()) < kLeastBlocks ? kNeverShared : 1, [&](int begin, int end) {
    for (std::size_t color = 0; color + 1 < colorStart_.size(); ++color)
      for (int part = begin; part < end; ++part) {
        const ThreadPool::Block cut = pool.block(part, colorStart_[color + 1] - colorStart_[color], leastShared(color));
        work(std::span(blocks_).subspan(static_cast<std::size_t>(colorStart_[color] + cut.begin), static_cast<std::size_t>(cut.end - cut.begin)));
      }
  });
}

void ContactSolver::setParameters(const ContactSolverSettings& settings) {
  const double h = settings.dt / settings.substeps, slopStep = std::max(settings.dt, settings.softDt);
  const Softness softness = softnessOf(settings);
  sagSpeed_ = static_cast<float>(kMostSag * softness.stiffness * softness.bias()) / settings.substep();
  parameters_.inverseSubstep = static_cast<float>(1.0 / h);
  parameters_.bias = static_cast<float>(softness.massScale() * softness.bias());
  parameters_.massScale = static_cast<float>(softness.massScale());
  parameters_.impulseScale = static_cast<float>(softness.impulseScale());
  parameters_.slop = static_cast<float>(kSlop * std::min(1.0, slopStep * slopStep / (kSlopStep * kSlopStep)));
  parameters_.lift = static_cast<float>(kLift);
  parameters_.hitSpeed = static_cast<float>(kHitSpeed);
  parameters_.restitutionThreshold = static_cast<float>(kRestitutionThreshold);
}

void ContactSolver::fillBlocks(const std::vector<Contact>& contacts, const std::vector<std::uint32_t>& solverBody,
                               const std::vector<BodyFrame>& frames, const ContactSolverSettings& settings, const ContactKernel& kernel, ThreadPool& pool) {
  forEachPart(pool, [&](std::span<ContactBlock> blocks) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i + 1 < blocks.size()) prefetchContacts(blocks[i + 1], contacts);
      fillBlock(blocks[i], contacts, solverBody, frames, settings, kernel);
    }
  });
  deepest_ = 0;
  startedInside_ = sways_ = false;
  for (const ContactBlock& block : blocks_) {
    deepest_ = std::max(deepest_, static_cast<double>(block.deepest));
    startedInside_ = startedInside_ || block.startedInside;
    sways_ = sways_ || block.sways;
  }
}

void ContactSolver::fillBlock(ContactBlock& block, const std::vector<Contact>& contacts, const std::vector<std::uint32_t>& solverBody,
                              const std::vector<BodyFrame>& frames, const ContactSolverSettings& settings, const ContactKernel& kernel) {
  ContactBlockInput in;
  in.sagSpeed = sagSpeed_;
  block.pointCount = 0;
  block.deepest = 0;
  block.isLocked = block.isNew = block.bounces = block.startedInside = block.turns = block.sways = false;
  for (int lane = 0; lane < block.laneCount; ++lane)
    fillLane(block, in, lane, contacts[static_cast<std::size_t>(block.contact[lane])], solverBody, frames, settings);
  for (int lane = block.laneCount; lane < 8; ++lane) {  // empty: no point, so no mass and no impulse
    block.bodyA[lane] = block.bodyB[lane] = block.locksA[lane] = block.locksB[lane] = 0;
    in.normal[2][lane] = 1.0f;
    for (ContactBlock::Point& point : block.points) point.separation[lane] = point.impulse[lane] = 0;
    block.twistImpulse[lane] = block.friction[lane] = block.restitution[lane] = block.normalGain[lane] = 0;
  }
  kernel.prepare(block, in, masses.data());
}

// One sweep passes on the impulse of the lightest body's mass, so a body that falls on one of a hundredth of its mass needs
// hundreds until it has stopped, and in their place it would be stopped by the loads of many substeps, and thrown back by
// them. With conjugate directions (Silcowitz, Niebe and Erleben 2010, "A nonsmooth nonlinear conjugate gradient method for
// interactive contact force problems", algorithm 1) it is some tenth of that.
int ContactSolver::sweepHits(const ContactKernel& kernel, bool push, bool rubs, int most, bool conjugate) {
  const auto forEachColor = [&](auto&& work) {
    for (std::size_t color = 0; color + 1 < colorStart_.size(); ++color) {
      const auto first = static_cast<std::size_t>(colorStart_[color]);
      work(blocks_.data() + first, colorStart_[color + 1] - colorStart_[color], hitSweeps_.data() + first);
    }
  };
  hitSweeps_.assign(blocks_.size(), {});
  float first = 0, last = 0;
  int sweep = 0;
  for (; sweep < most; ++sweep) {
    float energy = 0;
    forEachColor([&](ContactBlock* blocks, int n, HitSweep* sweeps) {
      energy += kernel.sweepRigid(blocks, n, bodies.data(), sweeps, push, rubs, parameters_);
    });
    first = std::max(first, energy);
    if (!(energy > (rubs ? kRubRest : kHitRest) * first)) break;
    if (!conjugate) continue;
    const float share = energy < last ? energy / last : 0;
    forEachColor([&](ContactBlock* blocks, int n, HitSweep* sweeps) { kernel.goFurther(blocks, n, bodies.data(), sweeps, rubs, share); });
    last = energy;
  }
  // The sum anew, without the rounding of thousands of small changes.
  for (std::size_t i = 1; i < bodies.size(); ++i) std::copy_n(base_[i].v, 8, bodies[i].velocity);
  forEachColor([&](ContactBlock* blocks, int n, HitSweep*) { kernel.warmStart(blocks, n, bodies.data()); });
  return sweep;
}

// Newton's restitution makes energy where friction pushes against it (Stronge, "Rigid body collisions with friction", 1990). A body that
// rattles between two others hits in every substep: of what each may gain nothing would be left at the end of a step. So where a hit
// gains energy its impulses are taken back by the least share that mends it, as (23) does for the step.
void ContactSolver::limitWork(const ContactKernel& kernel) {
  if (!std::any_of(blocks_.begin(), blocks_.end(), [](const ContactBlock& block) { return block.bounces; })) return;
  float work[2] = {0, 0};
  const int count = static_cast<int>(blocks_.size());
  kernel.addWork(blocks_.data(), count, bodies.data(), base_.data(), work);
  if (!(work[0] + work[1] > 0)) return;
  const float share = work[0] < 0 ? -work[0] / work[1] : 0;
  for (std::size_t i = 1; i < bodies.size(); ++i)
    for (int k = 0; k < 8; ++k) bodies[i].velocity[k] = base_[i].v[k] + share * (bodies[i].velocity[k] - base_[i].v[k]);
  kernel.takeBack(blocks_.data(), count, 1 - share);
}

// Whether a body is now kThrown times as fast as any was without contacts.
bool ContactSolver::throwsBody() const {
  const auto squared = [](const float* v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; };
  float before = 0, now = 0;
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    before = std::max(before, squared(base_[i].v));
    now = std::max(now, squared(bodies[i].velocity));
  }
  return now > kThrown * kThrown * before;
}

void ContactSolver::holdBlocks(std::vector<HeldBlock>& held) {
  held.resize(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) copyHeld<true>(held[i], blocks_[i]);
}
void ContactSolver::giveBackBlocks(std::vector<HeldBlock>& held) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) copyHeld<false>(held[i], blocks_[i]);
}

void ContactSolver::runSubsteps(const ContactSolverSettings& settings, const ContactKernel& kernel, ThreadPool& pool) {
  const float step = settings.substep();
  const std::size_t count = bodies.size();
  base_.resize(count);
  restart(warm_, count);
  restart(dropped_, count);
  lockedBodies_.clear();
  for (std::size_t i = 1; i < count; ++i)
    if (locked[i] != 0) lockedBodies_.push_back(static_cast<std::uint32_t>(i));
  const auto forEachBody = [&](auto&& work) {
    pool.run(static_cast<int>(count) - 1, kLeastBodies, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) work(static_cast<std::size_t>(i) + 1);
    });
  };
  bool startsFromContacts = true;
  int sweepsLeft = kMostHitVisits / std::max(static_cast<int>(blocks_.size()), 1);
  for (int substep = 0; substep < settings.substeps; ++substep) {
    forEachBody([&](std::size_t i) {
      const SolverDrive& drive = drives[i];
      for (int k = 0; k < 8; ++k) {
        base_[i].v[k] = bodies[i].velocity[k] * drive.keep[k] + drive.gain[k];
        bodies[i].velocity[k] = base_[i].v[k] + warm_[i].v[k];
      }
    });
    if (settings.hitSweeps > 0) holdBlocks(held_);
    // Warm start. The rows do not change within a step, so what all contacts did to a body in the last substep is one
    // vector of the body; only the first substep, and one after a hit that was swept, must take it from the contacts.
    if (startsFromContacts) forEachColor(pool, [&](ContactBlock* blocks, int n) { kernel.warmStart(blocks, n, bodies.data()); });
    const auto solveNormals = [&](double maxPushSpeed) {
      parameters_.maxPushSpeed = static_cast<float>(maxPushSpeed);
      forEachColor(pool, [&](ContactBlock* blocks, int n) { kernel.solveNormals(blocks, n, bodies.data(), base_.data(), parameters_); });
    };
    solveNormals(startedInside_ ? 0 : kMaxPushSpeed);
    const bool sweeps = settings.hitSweeps > 0 && !startedInside_ &&
                        std::any_of(blocks_.begin(), blocks_.end(), [](const ContactBlock& block) { return block.hits; });
    const auto sweepThrough = [&](bool push, bool rubs) {
      const int most = std::min(settings.hitSweeps, std::max(sweepsLeft, kLeastHitSweeps));
      sweepsLeft -= sweepHits(kernel, push, rubs, most, settings.isClosed);
    };
    if (sweeps) sweepThrough(true, false);
    // With bodies that started inside each other, the push only enters the displacement of the substep. It would be too
    // much for relax(), which takes what a push leaves of velocity out again as far as one sweep can. So does the friction of a hit: a
    // light body between two heavy ones, with normals that are nearly opposed, would have gone far before relax() holds it, but what
    // bounces needs normals that friction has not yet touched.
    const bool isThrown = sweeps && throwsBody();
    if (startedInside_ || isThrown) {
      holdBlocks(heldForPush_);
      heldBodies_ = bodies;
    }
    if (startedInside_)
      for (int pass = deepest_ > kDeepInside ? kDeepCalmPasses : kCalmPasses; pass > 0; --pass) solveNormals(kCalmPushSpeed);
    if (isThrown) sweepThrough(true, true);
    forEachBody([&](std::size_t i) {
      for (int k = 0; k < 8; ++k) bodies[i].displacement[k] = bodies[i].displacement[k] + step * bodies[i].velocity[k];
    });
    if (startedInside_ || isThrown) {
      giveBackBlocks(heldForPush_);
      for (std::size_t i = 1; i < count; ++i) std::copy_n(heldBodies_[i].velocity, 8, bodies[i].velocity);
    }
    if (sweeps) sweepThrough(false, false);
    const auto relax = [&](bool last) {
      forEachColor(pool, [&](ContactBlock* blocks, int n) {
        kernel.relax(blocks, n, bodies.data(), sweeps ? nullptr : dropped_.data(), last, parameters_);
      });
    };
    for (int sweep = 0; sways_ && sweep < kMoreSweeps; ++sweep) relax(false);
    relax(true);
    if (sweeps && settings.isClosed) limitWork(kernel);
    forEachBody([&](std::size_t i) {
      for (int k = 0; k < 8; ++k) {
        warm_[i].v[k] = bodies[i].velocity[k] - base_[i].v[k] - dropped_[i].v[k];
        dropped_[i].v[k] = 0;
      }
    });
    startsFromContacts = sweeps;
    if (sweeps) {  // the impulses of a hit last an instant, and so does what they do to all other contacts
      giveBackBlocks(held_);
      restart(warm_, count);
    }
    // What was dropped knows no locks.
    for (const std::uint32_t i : lockedBodies_)
      for (int k = 0; k < 6; ++k)
        if ((locked[i] >> k & 1) != 0) warm_[i].v[k] = 0;
  }
}

void ContactSolver::storeImpulses(std::span<const ContactBlock> blocks, std::vector<Contact>& contacts,
                                  const std::vector<std::uint32_t>& solverBody, float substep) const {
  for (const ContactBlock& block : blocks)
    for (int lane = 0; lane < block.laneCount; ++lane) {
      Contact& contact = contacts[static_cast<std::size_t>(block.contact[lane])];
      // The reference is in the units of the last step's substep until here.
      if (contact.substep > 0) contact.reference *= substep / contact.substep;
      contact.substep = substep;
      contact.isNew = false;
      float total = 0;
      for (int i = 0; i < contact.pointCount; ++i) total += contact.points[i].impulse = block.points[i].impulse[lane];
      contact.reference += static_cast<float>(kReferenceRate) * (static_cast<float>(kReferenceShare) * total - contact.reference);
      const float sign = moves(solverBody[contact.bodyB]) ? 1.0f : -1.0f;
      const float f1 = sign * block.tangentImpulse[0][lane], f2 = sign * block.tangentImpulse[1][lane];
      const float n[3] = {block.normal[0][lane], block.normal[1][lane], block.normal[2][lane]};
      const float t[3] = {block.tangent[0][lane], block.tangent[1][lane], block.tangent[2][lane]};
      const float u[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
      for (int k = 0; k < 3; ++k) contact.frictionImpulse[k] = f1 * t[k] + f2 * u[k];
      contact.twistImpulse = block.twistImpulse[lane];
      for (int i = 0; i < contact.pointCount; ++i) contact.points[i].totalImpulse = block.points[i].totalImpulse[lane];
      const float g1 = sign * block.totalTangentImpulse[0][lane], g2 = sign * block.totalTangentImpulse[1][lane];
      for (int k = 0; k < 3; ++k) contact.totalFrictionImpulse[k] = g1 * t[k] + g2 * u[k];
      contact.totalTwistImpulse = block.totalTwistImpulse[lane];
      for (int k = 0; k < 3; ++k) contact.solvedNormal[k] = sign * n[k];
    }
}

void ContactSolver::solve(std::vector<Contact>& contacts, std::span<const ContactRef> active,
                          const std::vector<std::uint32_t>& solverBody, const std::vector<BodyFrame>& frames,
                          const ContactSolverSettings& settings, ThreadPool& pool) {
  const ContactKernel& kernel = contactKernel();
  const float substep = settings.substep();
  setParameters(settings);
  restart(colorsUsed_, 2 * bodies.size());
  colorContacts(active, solverBody);
  fillBlocks(contacts, solverBody, frames, settings, kernel, pool);
  runSubsteps(settings, kernel, pool);
  // A contact is in one lane only.
  forEachPart(pool, [&](std::span<const ContactBlock> blocks) { storeImpulses(blocks, contacts, solverBody, substep); });
}

}  // namespace sunder
