// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sunder/narrowphase/box_sat.h"
#include "sunder/narrowphase/contact_manifold.h"

namespace sunder {

// What the featureId of a box-box contact point says. It names features of the boxes, not their role in the clipping, so
// it stays the same when the reference face moves from one box to the other.
enum class BoxFeatureKind : std::uint8_t { None, VertexOfA, VertexOfB, Edges };
struct BoxFeature {
  BoxFeatureKind kind = BoxFeatureKind::None;
  // VertexOfA, VertexOfB: the vertex, as bits (bit k set: the positive half extent along axis k).
  // Edges: the edge of A: 4 * its axis + sign bits of the next two axes, cyclic, low bit first.
  std::uint8_t first = 0;
  // VertexOfA, VertexOfB: the face of the other box, 2 * axis + (1: positive side); 6: whatever is nearest.
  // Edges: the edge of B.
  std::uint8_t second = 0;
};
std::uint32_t encodeBoxFeature(const BoxFeature& feature);  // never 0
BoxFeature decodeBoxFeature(std::uint32_t featureId);       // kind None for an id that names nothing

// The manifold of two boxes along a given axis of the fifteen, in the frame of A: for a face axis the nearest face of the
// other box clipped to the prism over the face and reduced to four points, for an edge axis the point between the two
// supporting edges and, unless they are deep in each other, those where each of them leaves the face of the other box over which
// it runs, or ends there. Points with separation <= maxDistance. No point for invalid input or when nothing lies over the face.
//
// The reduction keeps points that span the patch: the furthest along a direction fixed in the reference face, the furthest
// from that one, and the furthest on both sides of the line between them. Not the deepest points: depths differ by
// rounding only in a stack, and a choice by depth would jump. Only a point deeper than all of these by a thousandth of the
// shortest half side of the two faces takes the place of its nearest one. Aligned faces (stacks) keep the four corners of
// their patch and do not come to this.
ContactManifold boxAxisManifold(const Box& a, const Box& b, const Pose& poseBInA, const BoxAxis& axis, double maxDistance);

}  // namespace sunder
