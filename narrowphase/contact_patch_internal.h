// SPDX-License-Identifier: MIT
// Supporting features of convex cores and the patch where two of them lie over each other. Not installed.
#pragma once
#include "sunder/narrowphase/math_internal.h"
#include "sunder/narrowphase/support_shape.h"

namespace sunder::detail {

// The corners of a face that are looked at. A face with more is thinned out evenly: what is left lies in the face.
inline constexpr int kMostCorners = 32;

// A point, a segment or a face of a core, in the frame of A.
struct Feature {
  int count;                        // corners; 0: unknown (a user's shape, or no face in sight)
  math::Vec3 corner[kMostCorners];  // faces: counterclockwise seen from outside
  std::uint16_t vertex[kMostCorners];
  std::uint16_t edge[kMostCorners];  // from corner k to the next
  std::uint16_t face;
  math::Vec3 normal;  // of a face: unit, outwards
};

// The feature of the core that looks most along `direction` (unit, outwards) of those that hold the witness point to within
// `tolerance` (metres). All in the core's own frame.
void supportingFeature(const SupportShape& shape, const math::Vec3& direction, const math::Vec3& witness, double tolerance,
                       Feature& feature);

struct PatchPoint {
  math::Vec3 onA, onB;  // on the cores: onB = onA + separation * normal
  double separation;
  std::uint32_t id;
};

// The corners of what two features share, seen along the unit normal from A to B, and where the cores' surfaces lie there:
// 1 to 4 points, with separations up to maxDistance (of the cores). `witness` holds the closest or deepest points of the
// cores; it is one of the points where no other is as deep. The radii are those of the shapes around the cores.
int contactPatch(const Feature& a, const Feature& b, const math::Vec3& normal, const PatchPoint& witness, double radiusA,
                 double radiusB, double maxDistance, PatchPoint points[4]);

// The id that a point of the patch of A and B would have in the patch of B and A.
std::uint32_t idFromTheOtherSide(std::uint32_t id);

}  // namespace sunder::detail
