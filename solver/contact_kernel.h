// SPDX-License-Identifier: MIT
// The wide part of the contact solver: functions over blocks of eight contacts. Compiled once per instruction set, with
// the same result in every bit; contactKernel() picks the widest that the machine has.
#pragma once
#include "sunder/solver/contact_block.h"
#include "sunder/solver/solver_body.h"

namespace sunder {

struct ContactKernelParameters {
  float inverseSubstep = 0;  // 1/h
  float bias = 0;            // share of the penetration that one substep tries to remove
  float maxPushSpeed = 0;    // m/s, limit of the velocity that removes penetration
  float slop = 0;            // m, penetration that is left alone
  float massScale = 1;       // of a row in contact
  float impulseScale = 0;    // leak of the accumulated impulse
  float lift = 0;            // of the reference: how far below it a load may be and still be pulled up to it
  float hitSpeed = 0;              // m/s: a point that closes faster, without force before, hits
  float restitutionThreshold = 0;  // m/s: slower hits do not bounce
};

struct ContactKernel {
  // Fills in all of a block that follows from its bodies, its separations and the input. Points that move no body leave the input.
  void (*prepare)(ContactBlock& block, ContactBlockInput& input, const SolverMass* masses);
  void (*warmStart)(ContactBlock* blocks, int count, SolverBody* bodies);
  // before[i]: the velocity of body i when the sweep began; read of blocks that bounce only.
  void (*solveNormals)(ContactBlock* blocks, int count, SolverBody* bodies, const SolverWarmStart* before,
                       const ContactKernelParameters& parameters);
  // `dropped`, if not null, gathers the part of the velocity changes that must not start the next substep (hits).
  // Not the `last` sweep: only of blocks that sway.
  void (*relax)(ContactBlock* blocks, int count, SolverBody* bodies, SolverWarmStart* dropped, bool last,
                const ContactKernelParameters& parameters);
  // One more sweep of solveNormals() (`push`) or of the normals of relax(), without softness, and of friction if it `rubs`. Notes the
  // changes in `sweeps` and returns the energy of what they alone would move, twice, J.
  float (*sweepRigid)(ContactBlock* blocks, int count, SolverBody* bodies, HitSweep* sweeps, bool push, bool rubs,
                      const ContactKernelParameters& parameters);
  // ... and a share of what the last sweeps did once more.
  void (*goFurther)(ContactBlock* blocks, int count, SolverBody* bodies, HitSweep* sweeps, bool rubs, float share);
  // What the impulses of this substep did to the energy of the bodies since `before`: with a share s of them s work[0] + s^2 work[1], J.
  void (*addWork)(const ContactBlock* blocks, int count, const SolverBody* bodies, const SolverWarmStart* before, float (&work)[2]);
  // Takes a share of them out of the sums over the substeps.
  void (*takeBack)(ContactBlock* blocks, int count, float share);
  const char* name;
};

const ContactKernel& contactKernelBaseline();
const ContactKernel& contactKernelAvx2();
const ContactKernel& contactKernelAvx512();
// The best one for this machine. The environment variable SUNDER_INSTRUCTION_SET=baseline|avx2|avx512 asks for one of
// them (for tests); of what the machine lacks it gets the next best.
const ContactKernel& contactKernel();

}  // namespace sunder
