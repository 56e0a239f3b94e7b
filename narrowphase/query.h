// SPDX-License-Identifier: MIT
// Queries on two convex shapes. Everything is in the frame of A: poseBInA is B seen from A (relativePose gives it), and
// points and normals come back in the frame of A. The normal is a unit vector from A to B. No query throws or loops for
// ever; bad input comes back as QueryStatus::InvalidInput with all numbers zero: numbers that are not finite, lengths other
// than 0 outside of [1e-100, 1e100], a box extent <= 0, a negative radius, a quaternion whose squared length is off 1 by more
// than 1e-6 (nearer, it is normalised); a user's support function that answers with no numbers.
#pragma once
#include <cstdint>
#include <limits>

#include "sunder/narrowphase/pose.h"
#include "sunder/narrowphase/query_status.h"
#include "sunder/narrowphase/support_shape.h"

namespace sunder {

struct QueryOptions {
  // Metres. A pair proven to be further apart is not looked at more closely: the result then says beyondMaxDistance.
  double maxDistance = std::numeric_limits<double>::infinity();
  // Curved user shapes only: stop when the bounds are this close, as a share of the shapes' size. Polytopes and round
  // shapes over polytopes (sphere, capsule) end exactly.
  double tolerance = 1e-10;
};

// What one pair of shapes remembers from query to query. A default one is a cold start. It changes how soon the answer
// is found, never what is right.
struct QueryCache {
  float axis[3] = {0, 0, 0};            // last normal, frame of A
  std::uint8_t vertexCount = 0;         // box pairs: the last simplex or face ...
  std::uint8_t vertices[4] = {0, 0, 0, 0};  // ... as vertex ids, bits 0..2 the signs on A, 3..5 on B
  std::uint8_t face = 0;                // box pairs in contact: 1 + the last closest face of the difference, 0: none
  std::uint8_t feature = 0;             // box pairs that collide: 1 + the axis of the last manifold, 0: none ...
  std::uint8_t negative = 0;            // ... and whether the normal was minus that axis
};
static_assert(sizeof(QueryCache) == 20 && alignof(QueryCache) == 4);

// The signed distance is positive when apart, minus the penetration depth when the shapes overlap, and continuous:
// it is the maximum over unit directions n of the gap along n (Cameron and Culley, ICRA 1986, for the depth).
struct Proximity {
  QueryStatus status = QueryStatus::InvalidInput;
  bool beyondMaxDistance = false;  // then signedDistance and lowerBound are a proven lower bound, and no points are set
  double signedDistance = 0;       // metres
  double lowerBound = 0;           // lowerBound <= true signed distance <= upperBound
  double upperBound = 0;
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();    // unit, A to B; moving B by -signedDistance * normal: they touch
  Eigen::Vector3d pointOnA = Eigen::Vector3d::Zero();  // pointOnB = pointOnA + signedDistance * normal
  Eigen::Vector3d pointOnB = Eigen::Vector3d::Zero();
  int iterations = 0;  // support evaluations
};

// The smallest translation that separates two overlapping shapes.
struct Penetration {
  QueryStatus status = QueryStatus::InvalidInput;
  bool overlap = false;
  double depth = 0;       // metres, >= 0; 0 when apart
  double separation = 0;  // metres: -depth, or the distance when apart (a lower bound of it beyond maxDistance)
  double lowerBound = 0;  // lowerBound <= true depth <= upperBound
  double upperBound = 0;
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // unit, A to B: moving B by depth * normal leaves them touching
  Eigen::Vector3d pointOnA = Eigen::Vector3d::Zero();
  Eigen::Vector3d pointOnB = Eigen::Vector3d::Zero();
  int iterations = 0;
};

struct Intersection {
  QueryStatus status = QueryStatus::InvalidInput;
  bool overlap = false;
  double errorBound = 0;  // metres: decided rightly when the signed distance is further from 0 than this
  Eigen::Vector3d separatingAxis = Eigen::Vector3d::Zero();  // apart: the gap along it is positive (unit, A to B)
  int iterations = 0;
};

// Do the shapes have a point in common? Stops as soon as that is decided. Pairs that touch to within errorBound may be
// reported either way. options.maxDistance plays no part.
Intersection intersects(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                        const QueryOptions& options = {}, QueryCache* cache = nullptr);

// Distance and closest points; 0 when the shapes overlap (no depth is computed then, and no points are set).
Proximity distance(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, const QueryOptions& options = {},
                   QueryCache* cache = nullptr);

// Distance when apart, minus the penetration depth when not, with one tolerance on both sides of contact.
Proximity signedDistance(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                         const QueryOptions& options = {}, QueryCache* cache = nullptr);

// Minimum translation that separates overlapping shapes. Those apart by no more than maxDistance come back with a positive
// separation, normal and closest points.
Penetration penetration(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                        const QueryOptions& options = {}, QueryCache* cache = nullptr);

// The plane normal . x = offset in the frame of A with A on the negative side and B on the positive one, halfway between
// them along normal. found is false when the shapes overlap or touch to within rounding. Without a maximum distance the gap
// is the distance; with one, the first plane found whose gap is larger than that will do (0: any).
struct SeparatingPlane {
  QueryStatus status = QueryStatus::InvalidInput;
  int iterations = 0;
  bool found = false;
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  double offset = 0;
  double gap = 0;  // metres between the shapes along normal: as gapAlong gives it
};
SeparatingPlane separatingPlane(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                                const QueryOptions& options = {}, QueryCache* cache = nullptr);

// The gap between the shapes along a direction (any length but 0): positive proves them apart. A lower bound of the
// signed distance. Zero for a direction of zero length. Metres.
double gapAlong(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, const Eigen::Vector3d& direction);
bool isSeparating(const SupportShape& a, const SupportShape& b, const Pose& poseBInA, const Eigen::Vector3d& direction);

// signedDistance over count pairs: pair i is (shapesA[i], shapesB[i], posesBInA[i]); caches may be null. Returns how many
// results have a status other than Converged.
int signedDistances(const SupportShape* shapesA, const SupportShape* shapesB, const Pose* posesBInA, int count,
                    const QueryOptions& options, QueryCache* caches, Proximity* results);

// Minus infinity < signedDistance for a pair of boxes, exact to rounding: GJK, then EPA from GJK's simplex, then the
// closest feature's exact direction. What signedDistance calls for two boxes without radius.
Proximity signedDistance(const Box& a, const Box& b, const Pose& poseBInA, const QueryOptions& options = {},
                         QueryCache* cache = nullptr);

}  // namespace sunder
