// SPDX-License-Identifier: MIT
// What every answer on a pair of boxes has to fulfil, judged by the referee. For tests and the sweep program.
#pragma once
#include <sunder/narrowphase/collide_boxes.h>
#include <sunder/narrowphase/query.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "box_pair_families.h"
#include "referee.h"

namespace sunder::families {

// A pair is made from one number, so that a failure can be made again from its line alone.
inline BoxPairCase pairOfSeed(Family family, std::uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(family));
  return make(family, random);
}

inline double exactDistance(const BoxPairCase& c, bool quad) {
  return quad ? static_cast<double>(referee::exactSignedDistance<referee::Quad>(c.a, c.b, c.poseA, c.poseB).signedDistance)
              : static_cast<double>(referee::exactSignedDistance(c.a, c.b, c.poseA, c.poseB).signedDistance);
}

// 1e-10 of the larger half extent, and what rounding the coordinates alone does.
inline double allowedError(const BoxPairCase& c) {
  const double half = std::max(c.a.halfExtents.maxCoeff(), c.b.halfExtents.maxCoeff());
  const double coordinate = std::max(c.poseA.position.cwiseAbs().maxCoeff(), c.poseB.position.cwiseAbs().maxCoeff());
  return 1e-10 * half + 8e-16 * coordinate;
}

// The witness points lie on the boxes and differ by the answer; empty when they do.
inline std::string witnessesFault(const BoxPairCase& c, const Proximity& r, double allowed) {
  const double parts = (r.pointOnB - r.pointOnA - r.signedDistance * r.normal).norm();
  const Pose poseBInA = relativePose(c.poseA, c.poseB);
  const double outA = (r.pointOnA.cwiseAbs() - c.a.halfExtents).maxCoeff();
  const Eigen::Vector3d onB = poseBInA.orientation.normalized().conjugate() * (r.pointOnB - poseBInA.position);
  const double outB = (onB.cwiseAbs() - c.b.halfExtents).maxCoeff();
  if (parts <= allowed && outA <= 2 * allowed && outB <= 2 * allowed) return "";
  std::ostringstream out;
  if (!(parts <= allowed)) out << "witness points off by " << parts << "; ";
  if (!(outA <= 2 * allowed && outB <= 2 * allowed)) out << "witness outside by " << outA << ", " << outB << "; ";
  return out.str();
}

// What is wrong with the answer; empty when nothing is.
inline std::string faultOf(const BoxPairCase& c, const Proximity& r, double exact, bool quad) {
  const double allowed = allowedError(c);
  std::ostringstream out;
  out.precision(17);
  if (r.status != QueryStatus::Converged) out << "status " << toString(r.status) << "; ";
  if (!(std::abs(r.signedDistance - exact) <= allowed))
    out << "signed distance " << r.signedDistance << ", exact " << exact << ", allowed error " << allowed << "; ";
  if (std::abs(exact) > allowed && (r.signedDistance > 0) != (exact > 0)) out << "sign; ";
  if (!(r.lowerBound <= exact + allowed && exact - allowed <= r.upperBound))
    out << "bounds [" << r.lowerBound << ", " << r.upperBound << "], exact " << exact << "; ";
  if (!(std::abs(r.normal.norm() - 1) < 1e-12)) out << "normal of length " << r.normal.norm() << "; ";
  BoxPairCase pushed = c;
  pushed.poseB.position -= r.signedDistance * (c.poseA.orientation.normalized() * r.normal);
  const double left = exactDistance(pushed, quad);
  if (!(std::abs(left) <= 2 * allowed)) out << "moved by the answer, signed distance is " << left << "; ";
  out << witnessesFault(c, r, allowed);
  return out.str();
}

// Asks cold and again with the cache the first answer left.
inline std::string faultOf(const BoxPairCase& c, bool quad) {
  const double exact = exactDistance(c, quad);
  const Pose poseBInA = relativePose(c.poseA, c.poseB);
  QueryCache cache;
  std::string fault = faultOf(c, signedDistance(c.a, c.b, poseBInA, {}, &cache), exact, quad);
  if (!fault.empty()) return "cold: " + fault;
  fault = faultOf(c, signedDistance(c.a, c.b, poseBInA, {}, &cache), exact, quad);
  return fault.empty() ? fault : "warm: " + fault;
}

// What collideBoxes promises about the distance and its manifold; exact is within `allowed` of the truth.
inline std::string collisionFault(const BoxPairCase& c, double exact) {
  const Pose poseBInA = relativePose(c.poseA, c.poseB);
  const double allowed = 2 * families::allowedError(c);
  const double least = std::min(c.a.halfExtents.minCoeff(), c.b.halfExtents.minCoeff());
  const double maxDistance = 0.1 * least;
  for (const NarrowphaseMethod method : {NarrowphaseMethod::GjkEpa, NarrowphaseMethod::ClosedForm}) {
    BoxPairCache cache;
    for (const char* start : {"cold", "warm"}) {
      BoxCollision r;
      collideBoxes(c.a, c.b, poseBInA, maxDistance, method, cache, r);
      std::ostringstream out;
      out.precision(17);
      out << "collideBoxes, " << (method == NarrowphaseMethod::GjkEpa ? "GJK/EPA, " : "closed form, ") << start << ": ";
      if (r.status != QueryStatus::Converged) return out.str() + "status " + toString(r.status);
      const int points = r.manifold.pointCount;
      if (exact > maxDistance + allowed) {
        out << "apart by " << exact << ", not " << r.signedDistance << ", " << points << " points";
        if (!(r.signedDistance <= exact + allowed) || points > 0) return out.str();
      } else if (exact < maxDistance - allowed) {
        double deepest = std::numeric_limits<double>::infinity();
        for (int i = 0; i < points; ++i) deepest = std::min(deepest, r.manifold.points[i].separation);
        out << "signed distance " << r.signedDistance << ", exact " << exact << ", deepest point " << deepest;
        if (!(std::abs(r.signedDistance - exact) <= allowed)) return out.str();
        if (!(deepest <= exact + 1e-3 * least + allowed)) return out.str();
      }
    }
  }
  return "";
}

// A test to paste.
inline std::string asTest(Family family, std::uint64_t seed, const BoxPairCase& c, const std::string& fault) {
  std::ostringstream out;
  out << "// " << name(family) << ", seed " << seed << ": " << fault << "\nTEST(BoxPairRegression, Family"
      << static_cast<int>(family) << "Seed" << seed << ") {\n" << paste(c)
      << "  const families::BoxPairCase c{A, B, poseA, poseB};\n  EXPECT_EQ(families::faultOf(c, true), \"\");\n"
      << "  EXPECT_EQ(families::collisionFault(c, families::exactDistance(c, true)), \"\");\n}\n";
  return out.str();
}

}  // namespace sunder::families
