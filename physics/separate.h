// SPDX-License-Identifier: MIT
// Static resolution: bodies that overlap are pushed apart, without time, velocity or force.
#pragma once
#include <vector>

#include "sunder/physics/body.h"

namespace sunder {

struct SeparateSettings {
  int maxIterations = 1000;   // >= 1; one looks once at every overlapping pair
  double tolerance = 1e-6;    // m, > 0: an overlap up to this is none
};

enum class SeparateStatus {
  Separated,       // nothing overlaps by more than the tolerance
  IterationLimit,  // the overlaps were still shrinking
  Stuck,           // they shrink no further: what overlaps has nowhere to go, or both of a pair must not move
};
const char* toString(SeparateStatus status);

struct SeparateReport {
  SeparateStatus status = SeparateStatus::Separated;
  int iterations = 0;
  int movedBodies = 0;
  double deepestBefore = 0;  // m, overlap of the worst pair at the start
  double deepest = 0;        // m, and at the end; 0 when nothing overlaps
  double largestMove = 0;    // m, of a body's centre
  // What still overlaps by more than the tolerance, in increasing order.
  struct Overlap {
    BodyId a, b;
    double depth = 0;  // m, length of the minimum penetration vector
  };
  std::vector<Overlap> overlaps;
};

}  // namespace sunder
