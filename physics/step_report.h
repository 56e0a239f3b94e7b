// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sunder/physics/body.h"

namespace sunder {

// Bits of StepReport::errors.
enum StepError : std::uint32_t {
  kStepOk = 0,
  kStepInvalidTimeStep = 1,    // dt was not a finite number > 0: nothing was done
  kStepNonFiniteBody = 2,      // bodies were frozen, see StepReport::frozenBodies
};

// Milliseconds of wall time that the last step spent in each stage.
struct StageTimes {
  double broadphase = 0;   // moving proxies and finding pairs
  double narrowphase = 0;  // contact manifolds
  double solver = 0;       // preparing constraints, substeps, storing impulses
  double islands = 0;      // islands, sleeping, waking
  double continuous = 0;   // sweeps of fast bodies
  double finish = 0;       // poses, bounds, events
  double total = 0;
};

struct StepReport {
  std::uint32_t errors = kStepOk;  // StepError bits
  StageTimes milliseconds;
  int bodies = 0;             // all
  int awakeBodies = 0;        // dynamic and awake
  int pairs = 0;              // broadphase pairs
  int contacts = 0;           // touching pairs (with at least one manifold point)
  int contactPoints = 0;
  int narrowphaseQueries = 0; // pairs for which a full query ran, the others were recycled or skipped
  int islands = 0;            // of awake dynamic bodies that hang together by contacts; a body by itself is one
  int colors = 0;             // of the contact graph
  int mostSubsteps = 0;       // of any island with contacts
  double deepestPenetration = 0;  // metres, largest -separation over the points at the start of the step
  std::vector<BodyId> frozenBodies;
};

}  // namespace sunder
