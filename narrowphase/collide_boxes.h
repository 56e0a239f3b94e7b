// SPDX-License-Identifier: MIT
#pragma once
#include "sunder/narrowphase/contact_manifold.h"
#include "sunder/narrowphase/pose.h"
#include "sunder/narrowphase/query_status.h"
#include "sunder/narrowphase/shape.h"

namespace sunder {

// Which algorithm finds the minimum penetration vector of a pair of boxes.
enum class NarrowphaseMethod { GjkEpa, ClosedForm };

// What one pair of boxes remembers from step to step to start the next query. A default one is a cold start. It never
// changes what is right, only how soon it is found and which of several equally good manifolds is kept.
struct BoxPairCache {
  float axis[3] = {0, 0, 0};  // last separating axis or contact normal, in the frame of A
  std::uint8_t feature = 0;   // 0: none yet
};

struct BoxCollision {
  QueryStatus status = QueryStatus::InvalidInput;
  double signedDistance = 0;  // metres: distance when apart, -depth when overlapping; a lower bound of the distance when > maxDistance
  ContactManifold manifold;   // in the frame of A; no points when the boxes are further apart than maxDistance
};

// The contact of two boxes; poseBInA is B seen from A. Pairs nearer than maxDistance get a manifold with positive
// separations (speculative contacts).
void collideBoxes(const Box& a, const Box& b, const Pose& poseBInA, double maxDistance, NarrowphaseMethod method,
                  BoxPairCache& cache, BoxCollision& result);

}  // namespace sunder
