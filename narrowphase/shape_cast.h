// SPDX-License-Identifier: MIT
#pragma once
#include "sunder/narrowphase/query.h"

namespace sunder {

// Shapes that overlap at the start hit at fraction 0 with the normal of the penetration (startsInTouch). Shapes that only
// touch at the start, to within the tolerance, hit at fraction 0 if they move towards each other and do not hit if they
// slide along or move apart. Shapes that do not move relative to each other hit only when they overlap at the start.
struct ShapeCastHit {
  QueryStatus status = QueryStatus::InvalidInput;
  bool hit = false;
  bool startsInTouch = false;
  double fraction = 0;  // of the translation. No hit: the shapes are proven apart up to here (1 when Converged)
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // unit, A to B, frame of A
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   // where they touch, frame of A
  int iterations = 0;                                // distance queries
};

// First contact of B, which moves by translation (metres, frame of A) without turning, with A at rest. Conservative
// advancement: each step moves B up to the separating plane of the closest points, which is exact for linear motion, so
// polytopes end after a few faces (the linear case of Mirtich, PhD thesis, Berkeley 1996, section 2.3). Round shapes stop
// within 1e-10 of the shapes' size, and all within what rounding does to positions on the way.
ShapeCastHit shapeCast(const SupportShape& a, const SupportShape& b, const Pose& poseBInA,
                       const Eigen::Vector3d& translation);

// A body's motion over a step: constant velocities, world frame; the pose turns around its own position. Metres, radians
// and seconds.
struct Motion {
  Pose pose;
  Eigen::Vector3d linearVelocity = Eigen::Vector3d::Zero();
  Eigen::Vector3d angularVelocity = Eigen::Vector3d::Zero();
};

// The pose after time seconds.
Pose poseAt(const Motion& motion, double time);

struct TimeOfImpact {
  QueryStatus status = QueryStatus::InvalidInput;
  bool hit = false;
  bool startsInTouch = false;
  double time = 0;  // seconds. No hit: the boxes are proven apart up to here (maxTime when Converged)
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // unit, A to B, world frame, at that time
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   // world frame
  int iterations = 0;                                // distance queries
};

// First contact of two boxes that move and turn, 0 <= time <= maxTime (seconds, finite), by conservative advancement with
// the bound on the closing speed along the separating normal of Mirtich (section 2.3): linear velocity along it plus the
// angular velocity across it times the boxes' radius. Never steps over a contact; reports it when the boxes are within
// 1e-9 of their size, from outside. The rule for a start in touch is that of shapeCast, with that bound as the closing
// speed.
TimeOfImpact timeOfImpact(const Box& a, const Motion& motionA, const Box& b, const Motion& motionB, double maxTime);

}  // namespace sunder
