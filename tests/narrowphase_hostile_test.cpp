// SPDX-License-Identifier: MIT
// Input nobody sane hands in, to every public query: sizes a thousand million times apart, caches of other pairs, any maximum
// distance, and NaN, infinity, denormals and 1e300 in every field. Nothing hangs; what is not refused or flagged is right.
#include <sunder/narrowphase/collide.h>
#include <sunder/narrowphase/collide_boxes.h>
#include <sunder/narrowphase/ray_cast.h>
#include <sunder/narrowphase/shape_cast.h>

#include <gtest/gtest.h>

#include <cstring>

#include "convex_families.h"

namespace sunder {
namespace {

using convex::Kind;
using convex::PairCase;
using families::Random;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
constexpr double kSpecial[] = {kNan, kInf, -kInf, 5e-324, -5e-324, 1e-310, 0, -0.0, -1, 1e-200, 1e300, -1e300};

bool allZero(const Eigen::Vector3d& v) { return v.isZero(0); }
bool isUnit(const Eigen::Vector3d& v) { return std::abs(v.norm() - 1) < 1e-9; }

// What is wrong with an answer, whatever the input was; "" when nothing is.
std::string faultOf(const Proximity& r) {
  if (r.status == QueryStatus::InvalidInput)
    return r.signedDistance == 0 && r.lowerBound == 0 && r.upperBound == 0 && allZero(r.normal) && allZero(r.pointOnA) &&
                   allZero(r.pointOnB) ? "" : "refused, but not zero";
  if (!std::isfinite(r.signedDistance) || !(r.lowerBound <= r.signedDistance && r.signedDistance <= r.upperBound)) return "no bounds";
  if (!r.pointOnA.allFinite() || !r.pointOnB.allFinite() || !r.normal.allFinite()) return "not finite";
  return "";
}
std::string faultOf(const Collision& r) {
  if (r.status == QueryStatus::InvalidInput)
    return r.signedDistance == 0 && r.manifold.pointCount == 0 && allZero(r.manifold.normal) ? "" : "refused, but not zero";
  if (!std::isfinite(r.signedDistance) || !(r.errorBound >= 0)) return "not finite";
  if (r.manifold.pointCount > 0 && !isUnit(r.manifold.normal)) return "no unit normal";
  for (int i = 0; i < r.manifold.pointCount; ++i) {
    const ContactPoint& p = r.manifold.points[i];
    if (!p.pointOnA.allFinite() || !p.pointOnB.allFinite() || !std::isfinite(p.separation) || p.featureId == 0) return "point not finite";
  }
  return "";
}
std::string faultOf(const SeparatingPlane& p) {
  if (!p.found) return allZero(p.normal) && p.offset == 0 && p.gap == 0 ? "" : "no plane, but not zero";
  return p.gap > 0 && std::isfinite(p.gap) && std::isfinite(p.offset) && isUnit(p.normal) ? "" : "plane not finite";
}

// Every query on the pair, with any options and cache: each result finite and within its bounds, and all of one mind. Returns
// whether the pair was taken.
bool askEverything(const SupportShape& a, const SupportShape& b, const Pose& pose, const QueryOptions& o, const QueryCache& cache) {
  QueryCache used = cache;
  const Proximity r = signedDistance(a, b, pose, o, &used);
  EXPECT_EQ(faultOf(r), "");
  const bool refused = r.status == QueryStatus::InvalidInput;
  if (!refused) {
    EXPECT_TRUE(isUnit(r.normal)) << r.normal.transpose();
  }
  used = cache;
  const Proximity d = distance(a, b, pose, o, &used);
  EXPECT_EQ(faultOf(d), "");
  used = cache;
  const Penetration p = penetration(a, b, pose, o, &used);
  EXPECT_TRUE(p.depth >= 0 && std::isfinite(p.depth) && std::isfinite(p.separation) && p.lowerBound <= p.upperBound);
  EXPECT_TRUE(p.pointOnA.allFinite() && p.pointOnB.allFinite() && p.normal.allFinite());
  used = cache;
  const SeparatingPlane plane = separatingPlane(a, b, pose, o, &used);
  EXPECT_EQ(faultOf(plane), "");
  used = cache;
  const Collision c = collide(a, b, pose, o, &used);
  EXPECT_EQ(faultOf(c), "");
  used = cache;
  const Intersection i = intersects(a, b, pose, o, &used);
  EXPECT_TRUE(std::isfinite(i.errorBound) && i.separatingAxis.allFinite());
  for (const QueryStatus status : {d.status, p.status, plane.status}) EXPECT_EQ(status == QueryStatus::InvalidInput, refused);
  if (refused) {
    EXPECT_TRUE(!p.overlap && p.depth == 0 && !plane.found);
    return false;
  }
  used = cache;
  Proximity batch;
  EXPECT_EQ(signedDistances(&a, &b, &pose, 1, o, &used, &batch), r.status == QueryStatus::Converged ? 0 : 1);
  EXPECT_EQ(batch.signedDistance, r.signedDistance);
  if (r.status != QueryStatus::Converged) return true;
  if (!r.beyondMaxDistance && std::abs(r.signedDistance) > i.errorBound) {
    EXPECT_EQ(i.overlap, r.signedDistance < 0);
    EXPECT_EQ(p.overlap, r.signedDistance < 0);
    if (o.maxDistance >= 0 && c.status == QueryStatus::Converged) {
      EXPECT_NEAR(c.signedDistance, r.signedDistance, c.errorBound + (r.upperBound - r.lowerBound));
    }
  }
  if (r.beyondMaxDistance) {
    EXPECT_GT(r.signedDistance, o.maxDistance);
  }
  return true;
}

PairCase inFrameOfA(const PairCase& world) {
  PairCase c;
  c.a = convex::copyOf(world.a);
  c.b = convex::copyOf(world.b);
  c.poseB = relativePose(world.poseA, world.poseB);
  return c;
}

// The answer against the referee: bounds at their word, and no wider than some roundings of the lengths that are added up.
void expectRight(const PairCase& c, const Proximity& r, double exact) {
  const double size = c.a.extent() + c.b.extent() + c.poseB.position.cwiseAbs().maxCoeff();
  EXPECT_EQ(r.status, QueryStatus::Converged);
  if (r.beyondMaxDistance) {
    EXPECT_LE(r.lowerBound, exact);
    return;
  }
  EXPECT_LE(r.lowerBound, exact);
  EXPECT_GE(r.upperBound, exact);
  EXPECT_LE(r.upperBound - r.lowerBound, 2e-12 * size);
  EXPECT_NEAR(r.signedDistance, exact, 1e-13 * size);
}

template <class Check>
void forEachPair(std::uint64_t seeds, Check&& check) {
  for (int a = 0; a < static_cast<int>(Kind::Count); ++a)
    for (int b = 0; b < static_cast<int>(Kind::Count); ++b)
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const auto family = static_cast<convex::Family>(seed % static_cast<std::uint64_t>(convex::Family::Tiny));
        SCOPED_TRACE(testing::Message() << convex::name(static_cast<Kind>(a)) << ", " << convex::name(static_cast<Kind>(b)) << ", "
                                        << convex::name(family) << ", seed " << seed);
        Random r(seed * 64 + static_cast<std::uint64_t>(8 * a + b));
        check(inFrameOfA(convex::make(family, static_cast<Kind>(a), static_cast<Kind>(b), seed)), r);
        if (testing::Test::HasFailure()) return;
      }
}

TEST(HostileSizes, RadiiAMillionTimesASmallBoxAndTheReverse) {
  for (int kind = 0; kind < 8; ++kind)
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Random r(seed * 8 + static_cast<std::uint64_t>(kind));
      PairCase c;
      const double large = seed % 2 ? 1e6 : r.power(1e3, 1e9), small = seed % 2 ? 1e-3 : r.power(1e-6, 1e-1);
      const double ofRound = kind & 1 ? large : small, ofBox = kind & 1 ? small : large;
      c.a.kind = kind & 2 ? Kind::Sphere : Kind::Capsule;
      c.a.sphere.radius = ofRound;
      c.a.capsule = {seed % 3 ? ofRound : ofBox, ofRound};
      c.b.kind = kind & 4 ? Kind::Box : Kind::RoundedBox;
      c.b.radius = kind & 4 ? 0 : seed % 5 ? ofRound : ofBox;
      c.b.box.halfExtents = ofBox * r.powers(0.3, 2);
      c.poseB.orientation = r.rotation();
      convex::detail::place(r, c, seed % 4 == 0 ? 0 : (r.below(2) ? 1 : -1) * r.power(1e-12, 1));
      const double exact = convex::Judge<referee::Quad>(c).exact(c);
      QueryCache cache;
      for (const char* start : {"cold", "warm"}) {
        expectRight(c, signedDistance(c.a.support(), c.b.support(), c.poseB, {}, &cache), exact);
        const Pose back = relativePose(c.poseB, Pose());
        EXPECT_NEAR(signedDistance(c.b.support(), c.a.support(), back).signedDistance, exact, 1e-13 * (c.a.extent() + c.b.extent() + large));
        askEverything(c.a.support(), c.b.support(), c.poseB, {}, {});
        if (HasFailure()) FAIL() << start << ", kind " << kind << ", seed " << seed;
      }
    }
}

TEST(HostileCaches, OfOtherPairsOtherShapesOrAnyBytes) {
  constexpr double kMargin = 1e3;
  QueryCache last;
  forEachPair(10, [&](const PairCase& c, Random& r) {
    const double exact = convex::Judge<referee::Quad>(c).exact(c);
    std::uint8_t bytes[sizeof(QueryCache)];
    for (int kind = 0; kind < 4; ++kind) {
      QueryCache cache = last;
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(r.below(256));
      if (kind > 0) std::memcpy(&cache, bytes, kind == 1 ? 12 : sizeof bytes);
      if (kind > 1) for (float& x : cache.axis) x = kind == 2 ? static_cast<float>(r.power(1e-45, 1e38)) : x;
      QueryCache same = cache;
      askEverything(c.a.support(), c.b.support(), c.poseB, {}, cache);
      expectRight(c, signedDistance(c.a.support(), c.b.support(), c.poseB, {}, &same), exact);
      expectRight(c, signedDistance(c.a.support(), c.b.support(), c.poseB, {}, &same), exact);
      for (const NarrowphaseMethod method : {NarrowphaseMethod::GjkEpa, NarrowphaseMethod::ClosedForm}) {
        if (c.a.kind != Kind::Box || c.b.kind != Kind::Box) continue;
        BoxPairCache memory;
        std::memcpy(&memory, bytes, sizeof memory);
        BoxCollision box;
        collideBoxes(c.a.box, c.b.box, c.poseB, kMargin, method, memory, box);
        EXPECT_LE(box.signedDistance, exact + box.errorBound);
        if (box.signedDistance <= kMargin) {
          EXPECT_GE(box.signedDistance, exact - box.errorBound);
        }
        EXPECT_EQ(faultOf(box), "");
      }
      last = same;
    }
  });
}

TEST(HostileMargins, OfAnySizeAndSign) {
  forEachPair(12, [&](const PairCase& c, Random& r) {
    const SupportShape a = c.a.support(), b = c.b.support();
    const double exact = convex::Judge<referee::Quad>(c).exact(c);
    for (const double margin : {0.0, -0.0, 5e-324, 1e-300, 1e-12, 1.0, 1e100, 1e300, kInf, -1e-300, -1e-3, -1e3, -1e300, -kInf, r.power(1e-6, 10)}) {
      QueryOptions o;
      o.maxDistance = margin;
      EXPECT_TRUE(askEverything(a, b, c.poseB, o, {}));
      const Proximity p = signedDistance(a, b, c.poseB, o);
      expectRight(c, p, exact);
      if (p.beyondMaxDistance) {
        EXPECT_GT(exact, margin);
      }
      const Collision near = collide(a, b, c.poseB, o);
      EXPECT_EQ(near.status == QueryStatus::InvalidInput, margin < 0);
      if (margin < 0) continue;
      EXPECT_EQ(near.manifold.pointCount > 0, near.signedDistance <= margin);
      if (near.manifold.pointCount > 0) {
        EXPECT_LE(exact, margin + near.errorBound);
      }
    }
  });
}

// Each number of the input in turn is replaced by each special one. What is taken is right, by the referee.
TEST(HostileNumbers, InEveryFieldOfEveryQueryOnTwoShapes) {
  int taken = 0, refused = 0;
  forEachPair(3, [&](const PairCase& plain, Random&) {
    for (int field = 0; field < 18; ++field)
      for (const double special : kSpecial) {
        PairCase c;
        c.a = convex::copyOf(plain.a);
        c.b = convex::copyOf(plain.b);
        c.poseB = plain.poseB;
        QueryOptions o;
        o.maxDistance = 1e3;
        if (field < 3) c.poseB.position[field] = special;
        else if (field < 7) c.poseB.orientation.coeffs()[field - 3] = special;
        else if (field < 10) c.a.box.halfExtents[field - 7] = special;
        else if (field < 13) c.b.box.halfExtents[field - 10] = special;
        else if (field == 13) (c.a.kind == Kind::Sphere ? c.a.sphere.radius : c.a.kind == Kind::Capsule ? c.a.capsule.radius : c.a.radius) = special;
        else if (field == 14) (c.b.kind == Kind::Sphere ? c.b.sphere.radius : c.b.kind == Kind::Capsule ? c.b.capsule.radius : c.b.radius) = special;
        else if (field == 15) o.maxDistance = special;
        else if (field == 16) o.tolerance = special;
        else c.b.capsule.halfLength = special;
        if ((c.a.kind == Kind::Box || c.a.kind == Kind::Hull) && field == 13) continue;  // these have no radius
        if ((c.b.kind == Kind::Box || c.b.kind == Kind::Hull) && field == 14) continue;
        SCOPED_TRACE(testing::Message() << "field " << field << " = " << special);
        const bool isTaken = askEverything(c.a.support(), c.b.support(), c.poseB, o, {});
        (isTaken ? taken : refused)++;
        if (!isTaken) continue;
        const Proximity r = signedDistance(c.a.support(), c.b.support(), c.poseB, o);
        if (r.status == QueryStatus::Converged && std::abs(special) < 1e100)
          expectRight(c, r, convex::Judge<long double>(c).exact(c));
      }
  });
  EXPECT_GT(taken, 1000);
  EXPECT_GT(refused, 3000);
}

TEST(HostileNumbers, InDirections) {
  forEachPair(3, [&](const PairCase& c, Random& r) {
    const SupportShape a = c.a.support(), b = c.b.support();
    const Eigen::Vector3d direction = r.direction();
    const double gap = gapAlong(a, b, c.poseB, direction), size = c.a.extent() + c.b.extent() + c.poseB.position.norm();
    // Its length plays no part, as far as it has one.
    for (const double scale : {1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300, 1.7e308})
      EXPECT_NEAR(gapAlong(a, b, c.poseB, scale * direction), gap, 1e-14 * size) << scale;
    for (int k = 0; k < 3; ++k)
      for (const double special : kSpecial) {
        Eigen::Vector3d bad = Eigen::Vector3d::Zero();
        bad[k] = special;
        const double along = gapAlong(a, b, c.poseB, bad);
        EXPECT_EQ(isSeparating(a, b, c.poseB, bad), along > 0);
        if (!std::isfinite(special) || special == 0) {
          EXPECT_EQ(along, 0);
        } else {
          EXPECT_NEAR(along, gapAlong(a, b, c.poseB, std::copysign(1.0, special) * Eigen::Vector3d::Unit(k)), 1e-14 * size);
        }
      }
  });
}

TEST(HostileNumbers, InRays) {
  forEachPair(2, [&](const PairCase& c, Random& r) {
    Ray plain;
    plain.origin = c.a.extent() * r.vector(0, 3);
    plain.direction = -plain.origin;
    plain.maxFraction = 2;
    for (int field = 0; field < 7; ++field)
      for (const double special : kSpecial) {
        Ray ray = plain;
        (field < 3 ? ray.origin[field] : field < 6 ? ray.direction[field - 3] : ray.maxFraction) = special;
        SCOPED_TRACE(testing::Message() << "field " << field << " = " << special);
        std::vector<RayHit> hits = {rayCast(c.a.support(), ray)};
        if (c.a.kind == Kind::Box) hits.push_back(rayCast(c.a.box, ray));
        if (c.a.kind == Kind::Sphere) hits.push_back(rayCast(c.a.sphere, ray));
        for (const RayHit& hit : hits) {
          if (std::isnan(special) || (std::isinf(special) && field < 6)) {
            EXPECT_EQ(hit.status, QueryStatus::InvalidInput);
          }
          EXPECT_TRUE(std::isfinite(hit.fraction) && hit.normal.allFinite() && hit.point.allFinite());
          if (!hit.hit) continue;
          EXPECT_NE(hit.status, QueryStatus::InvalidInput);
          EXPECT_TRUE(hit.fraction >= 0 && hit.fraction <= ray.maxFraction);
          if (hit.status != QueryStatus::Converged || hit.startsInside) continue;
          const double size = c.a.extent() + ray.origin.cwiseAbs().maxCoeff();
          EXPECT_NEAR(convex::Judge<referee::Quad>::outside(c.a.core<referee::Quad>(), hit.point), 0, 1e-9 * size);
        }
        // No end of the ray is the same as one far behind the shape.
        if (field == 6 && special == kInf) {
          ray.maxFraction = 100;
          EXPECT_EQ(hits[0].hit, rayCast(c.a.support(), ray).hit);
          EXPECT_EQ(hits[0].status, QueryStatus::Converged);
        }
      }
  });
}

TEST(HostileNumbers, InCasts) {
  forEachPair(2, [&](const PairCase& c, Random& r) {
    const SupportShape a = c.a.support(), b = c.b.support();
    const double size = c.a.extent() + c.b.extent();
    const bool overlap = signedDistance(a, b, c.poseB).signedDistance <= 1e-9 * size;
    for (int k = 0; k < 3; ++k)
      for (const double special : kSpecial) {
        Eigen::Vector3d move = size * r.direction();
        move[k] = special;
        SCOPED_TRACE(testing::Message() << "translation " << move.transpose());
        const ShapeCastHit hit = shapeCast(a, b, c.poseB, move);
        EXPECT_TRUE(hit.fraction >= 0 && hit.fraction <= 1 && hit.normal.allFinite() && hit.point.allFinite());
        if (!std::isfinite(special)) {
          EXPECT_EQ(hit.status, QueryStatus::InvalidInput);
        }
        if (!hit.hit) continue;
        EXPECT_NE(hit.status, QueryStatus::InvalidInput);
        if (!overlap) {
          EXPECT_FALSE(hit.startsInTouch);
        }
      }
  });
}

TEST(HostileNumbers, InTimesOfImpact) {
  const Box box;
  for (int field = 0; field < 20; ++field)
    for (const double special : kSpecial) {
      Motion a, b;
      b.pose.position = {3, 0.1, 0.2};
      b.linearVelocity = {-1, 0, 0};
      b.angularVelocity = {0.1, 0.2, 0.3};
      double maxTime = 4;
      Motion& m = field < 10 ? a : b;
      const int k = field % 10;
      (k < 3 ? m.pose.position[k] : k < 6 ? m.linearVelocity[k - 3] : k < 9 ? m.angularVelocity[k - 6] : field < 10 ? maxTime : m.pose.orientation.coeffs()[0]) = special;
      SCOPED_TRACE(testing::Message() << "field " << field << " = " << special);
      const TimeOfImpact hit = timeOfImpact(box, a, box, b, maxTime);
      if (!std::isfinite(special)) {
        EXPECT_EQ(hit.status, QueryStatus::InvalidInput);
      }
      EXPECT_TRUE(std::isfinite(hit.time) && hit.time >= 0 && hit.normal.allFinite() && hit.point.allFinite());
      EXPECT_TRUE(!hit.hit || (hit.time <= maxTime && hit.status != QueryStatus::InvalidInput));
      EXPECT_TRUE(!hit.startsInTouch || std::abs(a.pose.position.x() - b.pose.position.x()) <= 2);
    }
}

// Support functions that break their promise: NaN, infinity or nonsense in some directions, or something else each time. The
// queries end, and what they hand out is finite or refused.
TEST(HostileShapes, SupportFunctionsThatLie) {
  struct Liar {
    int kind;
    mutable Random random;
  };
  const SupportFunction support = [](const void* shape, const Eigen::Vector3d& n, Eigen::Vector3d& p) {
    const Liar& liar = *static_cast<const Liar*>(shape);
    p = n.cwiseSign();
    const bool lie = liar.kind >= 4 || (n.x() * n.y() > 0 && std::abs(n.z()) > 0.1 * std::abs(n.x()));
    if (!lie) return;
    if (liar.kind == 0) p.setConstant(kNan);
    if (liar.kind == 1) p.y() = kInf;
    if (liar.kind == 2) p *= 1e300;
    if (liar.kind == 3) p = -p;
    if (liar.kind == 4) p = liar.random.direction();
    if (liar.kind == 5) p = n;  // not even a set
    if (liar.kind == 6) p = 1e-320 * n.normalized();
  };
  const Box box;
  for (int kind = 0; kind < 7; ++kind)
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      Random r(seed);
      const Liar liar{kind, Random(seed)};
      const SupportShape shape{&liar, support, 0, 1, SupportShape::Kind::User}, good = supportShape(box);
      Pose pose;
      pose.position = seed % 10 == 0 ? Eigen::Vector3d(0, 0, 0) : r.vector(0, 2);
      pose.orientation = r.rotation();
      SCOPED_TRACE(testing::Message() << "kind " << kind << ", seed " << seed);
      const SupportShape& b = seed % 2 ? shape : good;
      for (const Proximity& p : {signedDistance(shape, b, pose), distance(shape, b, pose)}) {
        EXPECT_EQ(faultOf(p), "");
      }
      EXPECT_EQ(faultOf(separatingPlane(shape, b, pose)), "");
      const Collision c = collide(shape, b, pose, {.maxDistance = 1});
      if (c.status != QueryStatus::InvalidInput) {
        EXPECT_TRUE(std::isfinite(c.signedDistance));
      }
      const ShapeCastHit hit = shapeCast(shape, b, pose, {1, 2, 3});
      EXPECT_TRUE(std::isfinite(hit.fraction) && hit.normal.allFinite());
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace sunder
