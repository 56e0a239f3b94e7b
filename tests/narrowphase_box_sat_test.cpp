// SPDX-License-Identifier: MIT
#include <sunder/narrowphase/box_sat.h>

#include <gtest/gtest.h>

#include <sunder/narrowphase/box_pair_internal.h>

#include "box_pair_check.h"
#include "referee.h"

namespace sunder {
namespace {

using families::BoxPairCase;
using families::Family;
using families::Random;

constexpr std::uint64_t kSeed = 20240611;

Quaternion aboutZ(double angle) { return Random::turn({0, 0, angle}); }

// Size of the numbers behind a separation, for relative tolerances.
double sizeOf(const BoxPairCase& c) {
  return c.a.halfExtents.sum() + c.b.halfExtents.sum() + (c.poseB.position - c.poseA.position).cwiseAbs().sum();
}

double refereeDistance(const BoxPairCase& c, bool quad) {
  return quad ? static_cast<double>(referee::exactSignedDistance<referee::Quad>(c.a, c.b, c.poseA, c.poseB).signedDistance)
              : static_cast<double>(referee::exactSignedDistance(c.a, c.b, c.poseA, c.poseB).signedDistance);
}

TEST(BoxSat, KnownPairs) {
  Box a, b;
  a.halfExtents = {1, 2, 3};
  b.halfExtents = {0.5, 0.5, 0.5};
  Pose pose;
  pose.position = {1.4, 0, 0};  // faces overlap by 0.1
  BoxSatResult r = boxSat(a, b, pose);
  EXPECT_EQ(r.status, QueryStatus::Converged);
  EXPECT_NEAR(r.signedDistance, -0.1, 1e-15);
  EXPECT_EQ(r.axis.index, 0);
  EXPECT_EQ(r.normal, Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(r.pointOnA[0], 1);

  pose.position = {-1.7, 0.1, 0};  // apart by 0.2, on the other side
  r = boxSat(a, b, pose);
  EXPECT_NEAR(r.signedDistance, 0.2, 1e-15);
  EXPECT_NEAR(r.normal[0], -1, 1e-12);

  pose.position = {1.5 + 0.03, 2.5 + 0.04, 0};  // edge to edge, parallel: 3-4-5
  r = boxSat(a, b, pose);
  EXPECT_NEAR(r.signedDistance, 0.05, 1e-14);
  EXPECT_NEAR(r.normal[0], 0.6, 1e-12);
  EXPECT_NEAR(r.normal[1], 0.8, 1e-12);

  pose.position = {1 + std::sqrt(0.5) + 0.25, 0, 0};  // an edge of B looks at a face of A
  pose.orientation = aboutZ(std::acos(-1.0) / 4);
  r = boxSat(a, b, pose);
  EXPECT_NEAR(r.signedDistance, 0.25, 1e-14);
  EXPECT_NEAR(r.pointOnB[0], 1.25, 1e-14);
}

TEST(BoxSat, CrossedEdges) {
  // Two unit cubes turned by 45 degrees, one about y and one about x, edge over edge at right angles: the edges meet at
  // sqrt(1/2) above and below the centres.
  const double quarter = std::acos(-1.0) / 4;
  Box a, b;
  Pose pa, pb;
  pa.orientation = Random::turn({0, quarter, 0});
  pb.orientation = Random::turn({quarter, 0, 0});
  for (const double gap : {0.1, 1e-6, -1e-6, -0.1}) {
    pb.position = {0.05, 0.1, 2 * std::sqrt(0.5) + gap};
    const BoxSatResult r = boxSat(a, b, relativePose(pa, pb));
    EXPECT_NEAR(r.signedDistance, gap, 1e-14);
    EXPECT_GE(r.axis.index, 6);
    const Eigen::Vector3d normal = pa.orientation * r.normal;
    EXPECT_NEAR(normal[2], 1, 1e-9) << "gap " << gap;
    const Eigen::Vector3d point = pa.orientation * r.pointOnA;
    EXPECT_NEAR(point[0], 0, 1e-12);  // the edge of A runs along y through 0, the one of B along x at y = 0.1
    EXPECT_NEAR(point[1], 0.1, 1e-12);
    EXPECT_NEAR(point[2], std::sqrt(0.5), 1e-12);
  }
}

TEST(BoxSat, AgreesWithTheRefereeOnAllFamilies) {
  for (const Family family : families::all()) {
    Random random(kSeed + static_cast<std::uint64_t>(family));
    double worst = 0;
    int overlapping = 0;
    const int count = needsQuad(family) ? 400 : 1500;
    for (int i = 0; i < count; ++i) {
      const BoxPairCase c = inFrameOfA(families::make(family, random));
      const BoxSatResult r = boxSat(c.a, c.b, c.poseB);
      const double truth = refereeDistance(c, needsQuad(family));
      overlapping += truth < 0;
      ASSERT_EQ(r.status, QueryStatus::Converged);
      worst = std::max(worst, std::abs(r.signedDistance - truth) / sizeOf(c));
      ASSERT_LE(std::abs(r.signedDistance - truth), 2e-15 * sizeOf(c))
          << name(family) << ", case " << i << ": got " << r.signedDistance << ", want " << truth << "\n" << paste(c);
      ASSERT_LE(r.lowerBound, truth) << name(family) << ", case " << i << "\n" << paste(c);
      ASSERT_GE(r.upperBound, truth) << name(family) << ", case " << i << "\n" << paste(c);
      EXPECT_LE(r.upperBound - r.lowerBound, 1e-14 * sizeOf(c));
    }
    std::printf("[          ] %-30s %4d of %4d overlap, worst error %.1e of the size\n", name(family), overlapping, count, worst);
  }
}

TEST(BoxSat, PosesFarFromTheOrigin) {
  for (const Family family : families::all()) {
    Random random(kSeed + 100 + static_cast<std::uint64_t>(family));
    for (int i = 0; i < 200; ++i) {
      const BoxPairCase c = families::make(family, random);
      const BoxSatResult r = boxSat(c.a, c.b, relativePose(c.poseA, c.poseB));
      const double truth = refereeDistance(c, needsQuad(family));
      // The difference of the positions is exact to its own rounding; nothing of the distance to the origin is left.
      ASSERT_LE(std::abs(r.signedDistance - truth), 1e-14 * sizeOf(c)) << name(family) << ", case " << i << "\n" << paste(c);
    }
  }
}

TEST(BoxSat, MovedByTheAnswerThePairJustTouches) {
  for (const Family family : families::all()) {
    Random random(kSeed + 200 + static_cast<std::uint64_t>(family));
    for (int i = 0; i < 200; ++i) {
      BoxPairCase c = inFrameOfA(families::make(family, random));
      const BoxSatResult r = boxSat(c.a, c.b, c.poseB);
      ASSERT_NEAR(r.normal.norm(), 1, 1e-14);
      c.poseB.position -= r.signedDistance * r.normal;
      const double left = refereeDistance(c, needsQuad(family));
      ASSERT_LE(std::abs(left), 1e-14 * sizeOf(c)) << name(family) << ", case " << i << "\n" << paste(c);
    }
  }
}

TEST(BoxSat, WitnessPointsLieOnTheBoxes) {
  for (const Family family : families::all()) {
    Random random(kSeed + 300 + static_cast<std::uint64_t>(family));
    for (int i = 0; i < 500; ++i) {
      const BoxPairCase c = inFrameOfA(families::make(family, random));
      const BoxSatResult r = boxSat(c.a, c.b, c.poseB);
      const referee::PlacedBox<long double> a(c.a, c.poseA), b(c.b, c.poseB);
      const auto wide = [](const Eigen::Vector3d& v) { return referee::Vector<long double>{v[0], v[1], v[2]}; };
      ASSERT_LE(std::abs(a.outside(wide(r.pointOnA))), 1e-13L * sizeOf(c)) << name(family) << ", case " << i << "\n" << paste(c);
      ASSERT_LE(std::abs(b.outside(wide(r.pointOnB))), 1e-13L * sizeOf(c)) << name(family) << ", case " << i << "\n" << paste(c);
      const Eigen::Vector3d between = r.pointOnB - r.pointOnA;
      ASSERT_LE((between - r.signedDistance * r.normal).norm(), 1e-13 * sizeOf(c)) << name(family) << ", case " << i << "\n" << paste(c);
    }
  }
}

TEST(BoxSat, SwapAndRigidMotion) {
  for (const Family family : families::all()) {
    Random random(kSeed + 400 + static_cast<std::uint64_t>(family));
    for (int i = 0; i < 500; ++i) {
      const BoxPairCase c = families::make(family, random);
      if (family == Family::CentresAt1e8) continue;  // a rotation there loses what the pair is made of
      const double there = boxSat(c.a, c.b, relativePose(c.poseA, c.poseB)).signedDistance;
      const double back = boxSat(c.b, c.a, relativePose(c.poseB, c.poseA)).signedDistance;
      ASSERT_NEAR(there, back, 1e-14 * sizeOf(c)) << name(family) << ", case " << i << "\n" << paste(c);

      Pose motion;
      motion.position = random.direction() * c.a.halfExtents.maxCoeff();
      motion.orientation = random.rotation();
      const auto moved = [&](const Pose& p) {
        Pose q;
        q.position = motion.position + motion.orientation * p.position;
        q.orientation = motion.orientation * p.orientation;
        return q;
      };
      const double elsewhere = boxSat(c.a, c.b, relativePose(moved(c.poseA), moved(c.poseB))).signedDistance;
      const double far = c.poseA.position.norm() + c.poseB.position.norm();
      ASSERT_NEAR(there, elsewhere, 1e-14 * (sizeOf(c) + far)) << name(family) << ", case " << i << "\n" << paste(c);
    }
  }
}

TEST(BoxSat, ScalingByAPowerOfTwoChangesNoBit) {
  for (const Family family : families::all()) {
    Random random(kSeed + 500 + static_cast<std::uint64_t>(family));
    for (int i = 0; i < 200; ++i) {
      BoxPairCase c = inFrameOfA(families::make(family, random));
      const BoxSatResult r = boxSat(c.a, c.b, c.poseB);
      for (const double s : {0x1p-70, 0x1p-1, 0x1p40}) {
        BoxPairCase scaled = c;
        families::detail::scaleBy(scaled, s);
        const BoxSatResult q = boxSat(scaled.a, scaled.b, scaled.poseB);
        ASSERT_EQ(q.signedDistance, s * r.signedDistance) << name(family) << "\n" << paste(c);
        ASSERT_EQ(q.normal, r.normal) << name(family) << "\n" << paste(c);
        ASSERT_EQ(q.pointOnA, s * r.pointOnA) << name(family) << "\n" << paste(c);
      }
    }
  }
}

TEST(BoxSat, NearlyParallelEdgesAreProjectedOnTheAxisAsItIs) {
  // Rounding turns the cross product of nearly parallel edges; the separation must be right for the direction it then has,
  // or noise could win. Judged along that very direction.
  int nearlyParallel = 0;
  for (const Family family : {Family::NearParallel, Family::NearParallelPlates, Family::SameSizeStack}) {
    Random random(kSeed + 600 + static_cast<std::uint64_t>(family));
    for (int n = 0; n < 300; ++n) {
      BoxPairCase c = inFrameOfA(families::make(family, random));
      // Near the identity a rotation matrix from a quaternion keeps the digits of its small entries; a quarter turn away
      // they are differences of numbers near 1.
      if (n % 2) c.poseB.orientation = c.poseB.orientation * Random::turn(std::acos(-1.0) / 2 * Eigen::Vector3d::Unit(random.below(3)));
      detail::BoxPair p;
      ASSERT_TRUE(detail::loadPair(c.a, c.b, c.poseB, p));
      detail::finishPair(p);
      const referee::PlacedBox<long double> a(c.a, c.poseA), b(c.b, c.poseB);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          if (detail::edgeAxisLength(p, i, j) < 1e-14) continue;
          nearlyParallel += detail::edgeAxisLength(p, i, j) < 1e-3;
          const int index = 6 + 3 * i + j;
          const math::Vec3 v = detail::axisVector(p, {index, detail::centreAlong(p, index) < 0, 0});
          const double along = static_cast<double>(referee::gapAlong(a, b, {v.x, v.y, v.z}));
          ASSERT_NEAR(detail::edgeSeparation(p, i, j), along, 2e-15 * sizeOf(c)) << name(family) << "\n" << paste(c);
        }
    }
  }
  EXPECT_GT(nearlyParallel, 500);
}

TEST(BoxSat, RefusesWhatIsNoBoxPair) {
  Box box;
  Pose pose;
  pose.position = {1, 2, 3};
  EXPECT_EQ(boxSat(box, box, pose).status, QueryStatus::Converged);
  for (const double bad : {0.0, -1.0, double(NAN), HUGE_VAL}) {
    Box other;
    other.halfExtents[1] = bad;
    EXPECT_EQ(boxSat(other, box, pose).status, QueryStatus::InvalidInput) << bad;
    EXPECT_EQ(boxSat(box, other, pose).status, QueryStatus::InvalidInput) << bad;
  }
  for (int k = 0; k < 3; ++k)
    for (const double bad : {double(NAN), HUGE_VAL, -HUGE_VAL}) {
      Pose other = pose;
      other.position[k] = bad;
      EXPECT_EQ(boxSat(box, box, other).status, QueryStatus::InvalidInput);
    }
  for (const Quaternion& q : {Quaternion(0, 0, 0, 0), Quaternion(NAN, 0, 0, 0), Quaternion(1, HUGE_VAL, 0, 0), Quaternion(0.1, 0, 0, 0)}) {
    Pose other = pose;
    other.orientation = q;
    const BoxSatResult r = boxSat(box, box, other);
    EXPECT_EQ(r.status, QueryStatus::InvalidInput);
    EXPECT_EQ(r.signedDistance, 0);
    EXPECT_EQ(r.axis.index, -1);
  }
}

// The four points of a manifold that span the patch may leave out a deeper one: the witness came from those, and missed a
// box by 1e-4 of its size in one pair of 30,000.
TEST(BoxSat, WitnessIsTheDeepestPointOfThePatch) {
  using families::Family;
  for (const auto& [family, seed] : {std::pair(Family::Overlapping, 1162), {Family::Deep, 29229}, {Family::NearParallelPlates, 13302},
                                     {Family::Thin1e3, 1597}, {Family::CentresAt1e8, 23914}, {Family::Tiny, 10671}}) {
    const auto c = families::inFrameOfA(families::pairOfSeed(family, static_cast<std::uint64_t>(seed)));
    const BoxSatResult r = boxSat(c.a, c.b, c.poseB);
    const Eigen::Vector3d inB = c.poseB.orientation.normalized().conjugate() * (r.pointOnB - c.poseB.position);
    EXPECT_LE((r.pointOnA.cwiseAbs() - c.a.halfExtents).maxCoeff(), families::allowedError(c)) << families::name(family);
    EXPECT_LE((inB.cwiseAbs() - c.b.halfExtents).maxCoeff(), families::allowedError(c)) << families::name(family);
  }
}

}  // namespace
}  // namespace sunder
