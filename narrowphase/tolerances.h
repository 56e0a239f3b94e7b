// SPDX-License-Identifier: MIT
// Every tolerance and limit of the iterative queries, with its reason. Before a query starts, lengths are divided by a
// power of two so that the pair's size is between 1 and 2: the numbers below are then relative, and scaling a pair by
// a power of two changes no bit of the answer.
#pragma once

namespace sunder::tolerances {

// Lengths outside of this range are refused: their squares and products would leave the range of a double.
inline constexpr double kSmallestLength = 1e-100;
inline constexpr double kLargestLength = 1e100;

// Unit roundoff of double times two: the spacing of numbers next to 1.
inline constexpr double kEpsilon = 0x1p-52;

// A point of the Minkowski difference is a sum of up to seven rounded products of size <= 2 and its dot product with a
// unit vector adds three more: 16 spacings bound the error, doubled twice for the face planes made of three such points.
inline constexpr double kRounding = 64 * kEpsilon;

// GJK: closer than this the origin counts as touching and EPA decides the sign, from faces and not from a difference of
// nearly equal points. A separation below sqrt(kEpsilon) of the size has few digits left in its direction, but those
// directions are still good; only where none is left does EPA take over.
inline constexpr double kTouching = 1e-13;

// GJK: relative gain in squared distance below which a new vertex is no progress (van den Bergen, GDC 2001, eq. 3):
// a few roundings of the dot product.
inline constexpr double kNoProgress = 16 * kEpsilon;

// Two edges of a triangle whose sine is below this have no normal that could be trusted beyond a few digits: such a
// triangle is treated as its edges. Squared sine.
inline constexpr double kFlatTriangle = 1e-20;

// Other shapes than boxes: the normal of triangles and tetrahedra thinner than this is made in twice the digits; above, what
// it leans by is within kRounding. Squared sine. Of those, the ones as thin as a spacing are flat.
inline constexpr double kThin = 1e-4;
inline constexpr double kFlatWideTriangle = kEpsilon * kEpsilon;

// GJK: steps that may bring no gain in distance before it counts as stalled; a face of two boxes has up to 8 vertices.
inline constexpr int kMaxLevelSteps = 8;

// Iteration and storage limits. A pair of boxes has 64 vertex pairs, so its queries end long before.
inline constexpr int kMaxGjkIterations = 64;
inline constexpr int kMaxEpaVertices = 128;

// Corners of a convex hull: its support function looks at each of them.
inline constexpr int kMaxHullVertices = 512;

// A point of a cloud nearer than this to the hull of the others, relative to their size, is no corner: points meant to be
// coplanar that went through a rotation or a file of 12 digits. The second in terms of the largest coordinate: the roundings
// that a point has gone through far from the origin of its frame, a few of them, ten times over.
inline constexpr double kHullThickness = 1e-12;
inline constexpr double kHullNoise = 32 * kEpsilon;

// Corners nearer than this to the plane of a face, in terms of the larger one of the two above, are corners of that face. A
// tenth of the error the queries promise, for a hull around the origin of its frame.
inline constexpr double kHullFlatness = 10;

// Collide: a face holds the witness point if it is nearer than this to its plane, relative to the shape's size: what a
// query's witness points may be off by, ten times over.
inline constexpr double kOnFace = 1e-9;

// Collide: a face seen at a sine below this along the normal is no part of the contact. Lifting a point onto it would
// multiply rounding by the inverse.
inline constexpr double kSteepFace = 0.05;

// Collide: a point of the patch nearer than this to a corner, relative to the shortest side in the patch, carries the
// corner's name, so that shapes of one size on top of each other keep their ids (see box_clip.cpp, kSameCorner).
inline constexpr double kSameCorner = 0.05;

// Casts: a gap of this share of the size counts as contact. Above the rounding of a distance query by enough that the last
// step of a cast, which aims at exactly 0, always gets there; the time of impact of turning boxes approaches 0 only
// geometrically and stops earlier.
inline constexpr double kCastTouching = 1e-10;
inline constexpr double kImpactTouching = 1e-9;
inline constexpr int kMaxCastIterations = 256;
// Casts: of the lengths on the way, what rounding does to the position after a part of it. A gap of that cannot be closed any
// further: without it a cast from a thousand kilometres away would run out of digits before it touches.
inline constexpr double kMotionRounding = 8 * kEpsilon;

// The bounds of GJK and of EPA must agree this well before a pair of polytopes counts as exact: a hundredth of the error
// promised (1e-10), and some 70 times what rounding alone leaves between them.
inline constexpr double kCertificate = 1e-12;

}  // namespace sunder::tolerances
