// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace sunder {

// Eight contacts of one colour, a lane each: the form in which contacts are solved. All vectors but normal and tangent
// are in the contact frame (tangent 1, tangent 2, normal), in which a point of the patch needs only two coordinates:
// the third does not enter its normal row. Points are relative to body B; from A the same point is r + offset. (In a
// contact with something fixed, which may be huge, A is the fixed one: its long arms lose digits where none are needed.)
// Lanes past laneCount are empty: all zero, body 0.
struct alignas(64) ContactBlock {
  using Lanes = float[8];

  std::int32_t bodyA[8] = {};  // indices of SolverBody
  std::int32_t bodyB[8] = {};
  Lanes normal[3] = {};   // world, unit, from A to B
  Lanes tangent[3] = {};  // world, unit; tangent 2 = normal x tangent
  Lanes offset[3] = {};   // position of B - position of A
  Lanes inverseMassA = {};
  Lanes inverseMassB = {};
  Lanes inverseInertiaA[6] = {};  // 11, 12, 13, 22, 23, 33
  Lanes inverseInertiaB[6] = {};

  struct Point {
    Lanes r1 = {}, r2 = {};   // from the centre of B
    Lanes separation = {};    // at the start of the step
    Lanes mass = {};          // effective mass of the normal row; 0: no such point
    Lanes impulse = {};       // N s, over one substep, >= 0
    Lanes totalImpulse = {};  // N s, sum over the substeps so far
    Lanes reference = {};     // N s, over one substep: the load to which the softness is relative
  } points[4];

  // Friction acts at one point of the patch: two tangential rows solved as a 2 x 2 block, and a twist row about the
  // normal.
  Lanes center[3] = {};
  Lanes tangentMass[3] = {};  // inverse of the 2 x 2 matrix: 11, 12, 22
  Lanes twistMass = {};
  Lanes lever[4] = {};        // distance of each point from the centre
  Lanes friction = {};        // coefficient of the pair
  Lanes tangentImpulse[2] = {};
  Lanes twistImpulse = {};
  Lanes surfaceVelocity[2] = {};  // wanted tangential velocity of B against A, in this substep
  Lanes surfaceTurn[3] = {};      // what it changes by from one substep to the next, world axes; valid with `turns`

  Lanes totalTangentImpulse[2] = {};  // sums over the substeps so far
  Lanes totalTwistImpulse = {};

  Lanes restitution = {};
  Lanes normalGain = {};   // what a substep without contacts adds to the normal velocity
  Lanes approach[4] = {};  // valid with `hits`: minus the speed with which a point hit in this substep, else 0

  std::int32_t contact[8] = {};  // index of the contact in each lane
  std::int32_t laneCount = 0;
  float deepest = 0;             // m, largest penetration of a point at the start of the step
  std::int32_t pointCount = 0;   // largest of the lanes
  bool immovableA = false;       // A is static or kinematic in every lane: it is read, never written
  bool hits = false;             // some point hit in this substep
  bool settles = false;          // ... or in the one before
  bool isNew = false;            // some contact has no impulses yet to start from
  bool bounces = false;          // some contact has a restitution
  bool startedInside = false;    // some contact has Contact::startedInside
  bool sways = false;            // some body does: ContactSolver::sways
  bool turns = false;            // some surface that a contact does not move turns
  bool isLocked = false;         // some body has locked axes: bits of them in
  std::int32_t locksA[8] = {};   // linear x y z, angular x y z from bit 0 up, world axes
  std::int32_t locksB[8] = {};
};

// Of a block whose hits are swept until they have gone through: changes of its impulses, those of its points (N s), along both
// tangents (N s) and about the normal (N m s).
struct alignas(64) HitSweep {
  static constexpr int kRows = 7;
  ContactBlock::Lanes change[kRows] = {};     // by the last sweep
  ContactBlock::Lanes direction[kRows] = {};  // by all sweeps, each counted less than the next
};

// The raw numbers of eight contacts, in world axes, from which ContactKernel::prepare makes a block.
struct alignas(64) ContactBlockInput {
  using Lanes = float[8];
  Lanes normal[3] = {};
  Lanes offset[3] = {};       // position of B - position of A
  Lanes point[4][3] = {};     // from the centre of B
  Lanes present[4] = {};      // 1: the point exists, 0: it does not
  Lanes moves[2] = {};        // 1: this contact moves A, B; 0: it does not, whatever the mass (dominance)
  Lanes frictionImpulse[3] = {};  // of the last step, world axes
  Lanes surfaceVelocity[3] = {};
  Lanes reference = {};  // N s over one substep: the load that the whole contact has settled to
  float sagSpeed = 0;    // m/s: a point may be loaded above its reference by its mass times this
};

}  // namespace sunder
