// SPDX-License-Identifier: MIT
// The layout of the public structs, as numbers. Compiled with several alignments of Eigen's own types: a member such as
// Eigen::Quaterniond or Eigen::Vector4d would move with them, and these assertions would fail.
#include <sunder/broadphase/aabb.h>
#include <sunder/narrowphase/collide.h>
#include <sunder/narrowphase/collide_boxes.h>
#include <sunder/narrowphase/query.h>
#include <sunder/physics/world.h>

#include <cstddef>

namespace sunder {

static_assert(sizeof(Aabb) == 48 && alignof(Aabb) == 8);
static_assert(sizeof(Box) == 24 && alignof(Box) == 8);
static_assert(sizeof(Quaternion) == 32 && alignof(Quaternion) == 8);
static_assert(sizeof(Pose) == 56 && alignof(Pose) == 8 && offsetof(Pose, orientation) == 24);
static_assert(sizeof(ContactPoint) == 64 && alignof(ContactPoint) == 8);
static_assert(offsetof(ContactPoint, separation) == 48 && offsetof(ContactPoint, featureId) == 56);
static_assert(sizeof(ContactManifold) == 288 && alignof(ContactManifold) == 8);
static_assert(sizeof(Collision) == 312 && alignof(Collision) == 8 && offsetof(Collision, manifold) == 24);
static_assert(sizeof(QueryCache) == 20 && sizeof(ConvexHull::Face) == 32 && sizeof(ConvexHull::Corner) == 4);
static_assert(alignof(Proximity) == 8 && alignof(Penetration) == 8 && alignof(Intersection) == 8);
static_assert(offsetof(Proximity, normal) == 32 && offsetof(Proximity, pointOnB) == 80);
static_assert(alignof(BodyDef) == 8 && offsetof(BodyDef, halfExtents) == 8 && offsetof(BodyDef, pose) == 32);
static_assert(offsetof(BodyDef, linearVelocity) == 88 && offsetof(BodyDef, density) == 136);
static_assert(alignof(WorldDef) == 8 && offsetof(WorldDef, substeps) == 24);
static_assert(sizeof(World) == sizeof(void*));

}  // namespace sunder
