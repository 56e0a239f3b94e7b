// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sunder/narrowphase/contact_manifold.h"
#include "sunder/narrowphase/pose.h"
#include "sunder/narrowphase/query_status.h"
#include "sunder/narrowphase/shape.h"

namespace sunder {

// Which algorithm finds the signed distance of a pair of boxes, and with it the minimum penetration vector. Both are exact
// to rounding; the manifold is built the same way from either.
enum class NarrowphaseMethod { GjkEpa, ClosedForm };

// What one pair of boxes remembers from step to step to start the next query. A default one is a cold start. It never
// changes what is right, only how soon it is found and which of several equally good manifolds is kept. Plain bytes
// without padding: it may be copied, hashed and stored as such.
struct BoxPairCache {
  float axis[3] = {0, 0, 0};                // last separating direction or contact normal, A to B, in the frame of A; 0: none
  std::uint8_t feature = 0;                 // 1 + index of the axis that made the manifold (see BoxAxis), 0: none
  std::uint8_t negative = 0;                // 1: the normal was minus that axis
  std::uint8_t vertexCount = 0;             // these three: the start of GJK and EPA, as in QueryCache
  std::uint8_t vertices[4] = {0, 0, 0, 0};
  std::uint8_t face = 0;
};
static_assert(sizeof(BoxPairCache) == 20 && alignof(BoxPairCache) == 4);

// errorBound is how far rounding may have moved signedDistance, which is exact to that whatever feature the manifold was
// built from.
using BoxCollision = Collision;

// The contact of two boxes; poseBInA is B seen from A. Pairs no further apart than maxDistance (metres, >= 0) get a
// manifold, with positive separations where the boxes do not touch yet (speculative contacts).
//
// The manifold is made for stacking: its normal is a face normal unless an edge pair or the closest points are clearly
// better, last step's choice is kept while it is nearly as good (cache), and a point keeps its featureId while the pair
// of vertices, edges and faces that makes it stays the same. Whenever signedDistance <= maxDistance there is at least one
// point, and the deepest one is within a thousandth of the smallest half extent of signedDistance, or below.
//
// InvalidInput: a number that is not finite, a half extent outside [1e-100, 1e100], a coordinate beyond 1e100, a
// quaternion whose squared length is off 1 by more than 1e-6 (nearer, it is normalised), maxDistance < 0 or NaN.
void collideBoxes(const Box& a, const Box& b, const Pose& poseBInA, double maxDistance, NarrowphaseMethod method,
                  BoxPairCache& cache, BoxCollision& result);

}  // namespace sunder
