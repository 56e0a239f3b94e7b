// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sunder/solver/contact.h"
#include "sunder/solver/contact_block.h"
#include "sunder/solver/contact_kernel.h"
#include "sunder/solver/solver_body.h"
#include "sunder/solver/thread_pool.h"

namespace sunder {

// How one body moves without contacts during a substep: velocity * keep + gain, component by component (linear x y z,
// angular x y z, 0, 0). keep holds damping, and 0 for a locked axis.
struct alignas(64) SolverDrive {
  float gain[8] = {};
  float keep[8] = {1, 1, 1, 1, 1, 1, 0, 0};
};

// What the rows of a block had found before a push or a hit that they are to forget.
struct HeldBlock {
  ContactBlock::Lanes impulse[4], approach[4], tangentImpulse[2], twistImpulse;
  bool hits, settles;
};

// The impulses of a block after the last sweep: points, friction, twist.
struct SweptBlock {
  ContactBlock::Lanes rows[7] = {};
};

inline constexpr double kMaxPushSpeed = 3.0;  // m/s, with which penetration is taken out

struct ContactSolverSettings {
  int substeps = 8;
  double dt = 1.0 / 60.0;
  // In shorter substeps loads sink in as deep as with so many substeps of a step of so many seconds.
  int softSubsteps = 8;
  double softDt = 0;
  // For one small island: hits are swept over all contacts until they have gone through, at most so many times. 0: they are not.
  int hitSweeps = 0;
  // Nothing but gravity gives it energy. Only then its hits are swept with conjugate directions: where what moves by itself may squeeze
  // something there is no solution, and they would run away.
  bool isClosed = true;
  bool isCarried = false;  // it is solved in frames in which belts are at rest
  float substep() const { return static_cast<float>(dt / substeps); }  // s
};

// Solves the contacts of one step: positional soft step, docs/stepping.md. Holds the storage that stays from step to
// step; a step allocates nothing once the largest world was seen.
class ContactSolver {
 public:
  // One solver body for each body that takes part; number 0 stands for everything at rest that nothing moves.
  std::vector<SolverBody> bodies;
  std::vector<SolverMass> masses;
  std::vector<SolverDrive> drives;
  std::vector<std::uint8_t> locked;  // bits of the axes for which keep is 0
  std::vector<std::uint8_t> sways;   // 1: slow, but does not come to rest: its contacts are relaxed more often

  void clear();
  // Number 0 and count - 1 more, all as new.
  void resize(std::size_t count);
  // contacts[active[i].contact] are solved; solverBody[b] is the number of the caller's body b, frames[b] where it is. Afterwards
  // bodies[] hold the new velocities and the displacements over the step, contacts[] the new impulses.
  void solve(std::vector<Contact>& contacts, std::span<const ContactRef> active,
             const std::vector<std::uint32_t>& solverBody, const std::vector<BodyFrame>& frames,
             const ContactSolverSettings& settings, ThreadPool& pool);
  // The impulses with which contacts hold bodies at rest where they are, see rest_solve.cpp. They go to contacts[] as by solve();
  // bodies[] are left with the velocity that they would still get in a substep. It goes on until no point of a body is faster than
  // `tolerance` (radius[i]: m, of solver body i). Returns how often it visited a block.
  int solveAtRest(std::vector<Contact>& contacts, std::span<const ContactRef> active, const std::vector<std::uint32_t>& solverBody,
                  const std::vector<BodyFrame>& frames, const ContactSolverSettings& settings, std::span<const float> radius,
                  float tolerance, ThreadPool& pool);
  float largestSpeed(std::span<const float> radius) const;  // m/s, of a point of a body
  int colorCount() const { return static_cast<int>(colorStart_.size()) - 1; }
  // The blocks of one color, in the order in which colors are solved. Within a color no two contacts share a body that
  // moves; when hasOverflow(), those of the last one may, and are solved one after the other.
  std::span<const ContactBlock> color(int index) const {
    const auto first = static_cast<std::size_t>(colorStart_[static_cast<std::size_t>(index)]);
    return std::span(blocks_).subspan(first, static_cast<std::size_t>(colorStart_[static_cast<std::size_t>(index) + 1]) - first);
  }
  bool hasOverflow() const { return overflows_; }
  // Largest penetration over the points at the start of the step, metres.
  double deepestPenetration() const { return deepest_; }

 private:
  void colorContacts(std::span<const ContactRef> active, const std::vector<std::uint32_t>& solverBody);
  void setParameters(const ContactSolverSettings& settings);
  void fillBlocks(const std::vector<Contact>& contacts, const std::vector<std::uint32_t>& solverBody,
                  const std::vector<BodyFrame>& frames, const ContactSolverSettings& settings, const ContactKernel& kernel, ThreadPool& pool);
  void fillBlock(ContactBlock& block, const std::vector<Contact>& contacts, const std::vector<std::uint32_t>& solverBody,
                 const std::vector<BodyFrame>& frames, const ContactSolverSettings& settings, const ContactKernel& kernel);
  void fillLane(ContactBlock& block, ContactBlockInput& in, int lane, const Contact& contact,
                const std::vector<std::uint32_t>& solverBody, const std::vector<BodyFrame>& frames,
                const ContactSolverSettings& settings);
  template <class Work>
  void forEachPart(ThreadPool& pool, Work&& work);
  int leastShared(std::size_t color) const;
  bool moves(std::uint32_t body) const { return masses[body].inverseMass > 0 || masses[body].inverseInertia[0] > 0; }
  int sweepHits(const ContactKernel& kernel, bool push, bool rubs, int most, bool conjugate);
  void limitWork(const ContactKernel& kernel);
  void goFurther(int& step);
  bool throwsBody() const;
  void holdBlocks(std::vector<HeldBlock>& held);
  void giveBackBlocks(std::vector<HeldBlock>& held);
  // work(first block, count) for each color, shared among the threads.
  template <class Work>
  void forEachColor(ThreadPool& pool, Work&& work) {
    for (std::size_t color = 0; color + 1 < colorStart_.size(); ++color) {
      ContactBlock* blocks = blocks_.data() + colorStart_[color];
      pool.run(colorStart_[color + 1] - colorStart_[color], leastShared(color), [&](int begin, int end) { work(blocks + begin, end - begin); });
    }
  }
  void runSubsteps(const ContactSolverSettings& settings, const ContactKernel& kernel, ThreadPool& pool);
  void storeImpulses(std::span<const ContactBlock> blocks, std::vector<Contact>& contacts, const std::vector<std::uint32_t>& solverBody,
                     float substep) const;

  ContactKernelParameters parameters_;  // of this solve
  std::vector<ContactBlock> blocks_;
  std::vector<int> colorStart_;            // first block of each color, and one past the last
  std::vector<std::uint64_t> colorsUsed_;  // per solver body, a bit per color
  std::vector<std::uint8_t> colorOf_;      // per active contact
  std::vector<int> colorCountOf_;
  std::vector<SolverWarmStart> base_, warm_, dropped_;
  std::vector<std::uint32_t> lockedBodies_;
  std::vector<HeldBlock> held_;         // before the substep, when hits are swept
  std::vector<HeldBlock> heldForPush_;  // before what only enters the displacement
  std::vector<SolverBody> heldBodies_;
  std::vector<HitSweep> hitSweeps_;
  std::vector<SweptBlock> swept_;
  double deepest_ = 0;
  float sagSpeed_ = 0;  // as in ContactBlockInput
  bool sways_ = false;          // some block does
  bool startedInside_ = false;  // some contact has Contact::startedInside
  bool overflows_ = false;  // the last color is the overflow
};

}  // namespace sunder
