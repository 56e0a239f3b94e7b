// SPDX-License-Identifier: MIT
#pragma once
#include "sunder/narrowphase/contact_manifold.h"
#include "sunder/narrowphase/query.h"

namespace sunder {

// The contact of any two convex shapes; poseBInA is B seen from A. Pairs no further apart than options.maxDistance (metres,
// >= 0; 0 unless given) get a manifold of 1 to 4 points in the frame of A, with positive separations where the shapes do not
// touch yet (speculative contacts); others get none.
//
// Two boxes without radius: what collideBoxes does, normal and ids as there. All others:
// - The normal is that of signedDistance: along the closest points when apart, along the smallest push when not.
// - The features that face each other, a face, an edge or a point of each core, are laid over each other along the normal;
//   the corners of what they share are the points. A sphere has 1 point, two capsules up to 2 (and a third where they
//   cross), a capsule on a face up to 2, faces up to 4 that span the patch. A shape of the caller's own has only its
//   support function to show, so a pair with one has the closest points or the deepest ones: 1 point.
// - Each pointOnA lies on A's core feature moved by A's radius along the normal, each pointOnB likewise: on the surfaces
//   for cores without radius and for features across the normal, else in the shape, off its surface by less than the
//   radius.
// - The least separation is signedDistance, to errorBound plus a millionth of the patch's size; a thousandth where the patch
//   has more than four corners, since a choice by depth would follow the jitter of a stack.
// - featureId is never 0. It names the features that make the point, so a point keeps it while the shapes move little; the
//   numbers are those of the hull's vertices, faces and edges, and mean nothing across shapes or versions.
//
// status, errorBound and the rules for bad input (maxDistance < 0 too) are those of query.h. Swapping A and B turns the
// normal round and keeps the points, each seen from the other side, with the two halves of its id the other way round; where
// the symmetry of a pair offers choices that are equal but for rounding, it may take another one.
Collision collide(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, const QueryOptions& options = {.maxDistance = 0},
                  QueryCache* cache = nullptr);

// collide over count pairs, as signedDistances does. Returns how many results have a status other than Converged.
int collide(const SupportShape* shapesA, const SupportShape* shapesB, const Pose* posesBInA, int count,
            const QueryOptions& options, QueryCache* caches, Collision* results);

}  // namespace sunder
