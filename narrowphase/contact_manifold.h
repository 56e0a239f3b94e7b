// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>

#include "sunder/narrowphase/query_status.h"

namespace sunder {

// One point of a contact patch. pointOnB = pointOnA + separation * normal.
struct ContactPoint {
  Eigen::Vector3d pointOnA;
  Eigen::Vector3d pointOnB;
  double separation = 0;        // metres; negative when the shapes overlap here
  std::uint32_t featureId = 0;  // the same pair of features keeps its id while the shapes move little
};

// Up to four points that span the contact patch. Everything in one frame, named by the function that returns it.
struct ContactManifold {
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // unit, from A to B
  int pointCount = 0;
  ContactPoint points[4];
};

// What collide and collideBoxes answer.
struct Collision {
  QueryStatus status = QueryStatus::InvalidInput;
  int iterations = 0;  // support evaluations; 0 where the closed form decided
  // Metres. Euclidean distance when apart, -depth when overlapping, exact to errorBound; only a lower bound of the distance
  // when it is larger than maxDistance.
  double signedDistance = 0;
  double errorBound = 0;     // metres
  ContactManifold manifold;  // in the frame of A; no points when the shapes are further apart than maxDistance
};

}  // namespace sunder
