// SPDX-License-Identifier: MIT
#include "sunder/physics/world_internal.h"

namespace sunder {

void World::Impl::sweepFastBodies(double) {}

}  // namespace sunder
