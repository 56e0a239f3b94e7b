// SPDX-License-Identifier: MIT
#pragma once
#include <sunder/narrowphase/collide_boxes.h>
#include <sunder/narrowphase/query.h>

#include <iosfwd>

#include "sunder/demo/pair_file.h"

namespace sunder::demo {

// All about one pair, in world coordinates.
struct PairAnswer {
  Proximity proximity;       // status, signed distance, bounds, normal and witness points
  ContactManifold manifold;  // no points when the boxes are apart
};

// The closed form counts no iterations.
PairAnswer collidePair(const BoxPair& pair, NarrowphaseMethod method = NarrowphaseMethod::GjkEpa);

// One line of JSON (docs/formats.md).
void writeAnswer(const BoxPair& pair, const PairAnswer& answer, std::ostream& out);

// The query ended as it should: converged, and every number is finite.
bool isSound(const PairAnswer& answer);

}  // namespace sunder::demo
