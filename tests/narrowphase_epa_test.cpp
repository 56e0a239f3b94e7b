// SPDX-License-Identifier: MIT
// EPA by itself: what its own polytope ends with, before anything else may put it right, against the fifteen axes of the
// referee; and the polytope, which has to stay closed whatever is added to it.
#include <sunder/narrowphase/epa_internal.h>
#include <sunder/narrowphase/gjk_internal.h>
#include <sunder/narrowphase/mirrored_polytope_internal.h>
#include <sunder/narrowphase/proximity_internal.h>

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <utility>

#include "box_pair_check.h"
#include "convex_families.h"

namespace sunder {
namespace {

using families::BoxPairCase;
using families::Family;
using families::Random;
using math::Vec3;

math::Difference differenceOf(const BoxPairCase& c) {
  math::Difference d;
  EXPECT_TRUE(math::makeDifference(supportShape(c.a), supportShape(c.b), c.poseB, d));
  return d;
}

math::Vertex vertexAt(double x, double y, double z) { return {{x, y, z}, math::kNoId, {x, y, z}}; }

// A pair in the frame of A, so that rounding of the poses has no part in what is judged.
BoxPairCase pairOf(Family family, std::uint64_t seed) { return families::inFrameOfA(families::pairOfSeed(family, seed)); }

struct Ran {
  bool asked = false;  // GJK left it to EPA
  math::Difference d;
  math::GjkResult gjk;
  math::EpaResult epa;
};
Ran run(const BoxPairCase& c) {
  Ran r;
  r.d = differenceOf(c);
  r.gjk.simplex.count = 0;
  math::gjk(r.d, math::dot(r.d.t, r.d.t) > 0 ? r.d.t : Vec3{1, 0, 0}, HUGE_VAL, 0, r.gjk);
  r.asked = r.gjk.outcome == math::GjkOutcome::Inside || r.gjk.outcome == math::GjkOutcome::Touching;
  if (r.asked) math::epa(r.d, r.gjk.simplex, 0, r.epa);
  return r;
}

// From the nearest face across a face axis, as the queries do.
void fromNearestFace(const math::Difference& d, math::EpaResult& e) {
  int nearest = 0;
  double least = HUGE_VAL;
  for (int k = 0; k < 6; ++k) {
    const Vec3 n = k < 3 ? math::unitAxis(k) : math::column(d.c, k - 3);
    math::Vertex w;
    const double depth = std::min(math::reach(d, n, w), math::reach(d, -n, w));
    if (depth >= least) continue;
    least = depth;
    nearest = k;
  }
  math::epaFromFace(d, nearest, true, e);
}

// 1e-12 of the pair's size (the unit of the difference): a hundredth of the error the queries promise.
constexpr double kAllowed = 1e-12;

// All that EPA says about one pair. Returns false when it flagged its own answer.
bool checkEpa(const Ran& r, const BoxPairCase& c) {
  const math::EpaResult& e = r.epa;
  const double exact = -families::exactDistance(c, true) / r.d.unit;
  EXPECT_LE(e.lowerBound, e.depth);
  EXPECT_LE(e.lowerBound, exact + kAllowed);
  EXPECT_GE(e.depth, exact - kAllowed);
  EXPECT_NEAR(math::length(e.normal), 1, 1e-12);
  math::Vertex w;
  EXPECT_NEAR(math::reach(r.d, e.normal, w), e.depth, kAllowed) << "depth is the reach along the normal";
  EXPECT_FALSE(e.iterationLimit);
  // 64 vertices of the difference, up to 6 evaluations to complete the simplex, one that finds nothing new.
  EXPECT_LE(e.iterations, 71);
  double sum = 0;
  Vec3 nearest{0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    EXPECT_GE(e.weight[k], -1e-9);
    sum += e.weight[k];
    nearest = nearest + e.weight[k] * e.face[k].w;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  if (e.degenerate) return false;
  EXPECT_NEAR(e.depth, exact, kAllowed);
  EXPECT_NEAR(e.lowerBound, exact, kAllowed);
  // The point on the face is where the push leads: off it along the face at most where faces of nearly equal depth meet.
  EXPECT_NEAR(math::length(nearest - e.depth * e.normal), 0, 1e-7);
  return true;
}

// Runs EPA on the pairs of a family; `again` may run it once more, another way.
template <class Again>
void expectExactDepths(Family family, Again&& again) {
  int asked = 0, flagged = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const BoxPairCase c = pairOf(family, seed);
    Ran r = run(c);
    if (!r.asked) continue;
    ++asked;
    again(r);
    if (!checkEpa(r, c)) ++flagged;
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << families::name(family) << ", seed " << seed << '\n' << families::paste(c);
      return;
    }
  }
  EXPECT_GT(asked, 40) << families::name(family);
  // Only where edges are parallel to the last digits may rounding stop it, and it has to say so.
  EXPECT_LE(flagged, asked / 50) << families::name(family);
}

class EpaOnBoxes : public testing::TestWithParam<Family> {};

TEST_P(EpaOnBoxes, ItsOwnPolytopeGivesTheExactDepth) {
  expectExactDepths(GetParam(), [](Ran&) {});
}

// From the octahedron around the centre, whether the origin lies in that or not: where the queries use it, and on all other
// pairs that overlap.
TEST_P(EpaOnBoxes, ItsMirroredPolytopeGivesTheExactDepth) {
  expectExactDepths(GetParam(), [](Ran& r) { fromNearestFace(r.d, r.epa); });
}

// Any of the six faces is a start, and the direction alone is found without looking for points.
TEST_P(EpaOnBoxes, StartsFromAnyFaceAndFindsTheDirectionAlone) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const BoxPairCase c = pairOf(GetParam(), seed);
    const Ran ran = run(c);
    if (!ran.asked) continue;
    const double exact = -families::exactDistance(c, true) / ran.d.unit;
    for (int face = 0; face < 6; ++face) {
      math::EpaResult e;
      math::epaFromFace(ran.d, face, false, e);
      EXPECT_FALSE(e.iterationLimit);
      EXPECT_LE(e.lowerBound, exact + kAllowed);
      math::Vertex w;
      EXPECT_NEAR(math::reach(ran.d, e.normal, w), e.depth, kAllowed);
      if (!e.degenerate) {
        EXPECT_NEAR(e.depth, exact, kAllowed);
      }
    }
    if (HasFailure()) FAIL() << families::name(GetParam()) << ", seed " << seed << '\n' << families::paste(c);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EpaOnBoxes,
                         testing::Values(Family::Overlapping, Family::Shallow, Family::Deep, Family::Contained, Family::Coincident,
                                         Family::KissingFaces, Family::NearParallel, Family::Thin1e3, Family::Thin1e6,
                                         Family::SizeRatio1e6, Family::SameSizeStack, Family::Tiny, Family::Huge),
                         [](const auto& test) { return "Family" + std::to_string(static_cast<int>(test.param)); });

// The origin may be outside: EPA then ends with a direction that separates the boxes.
TEST(Epa, FromAFaceAPairThatIsApartIsProvenApart) {
  int proven = 0;
  for (const Family family : {Family::Near, Family::Overlapping, Family::KissingEdges})
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const BoxPairCase c = pairOf(family, seed);
      const math::Difference d = differenceOf(c);
      const double exact = families::exactDistance(c, true) / d.unit;
      math::EpaResult e;
      fromNearestFace(d, e);
      if (exact > 2 * tolerances::kRounding) {
        ++proven;
        EXPECT_LT(e.depth, 0);
        math::Vertex w;
        EXPECT_EQ(math::reach(d, e.normal, w), e.depth);
        EXPECT_LE(-e.depth, exact + kAllowed);
      } else {
        EXPECT_GE(e.depth, -exact - kAllowed);
      }
      if (HasFailure()) FAIL() << families::name(family) << ", seed " << seed << '\n' << families::paste(c);
    }
  EXPECT_GT(proven, 200);
}

// Two points of the difference, three in a line, one point twice: EPA completes what GJK stopped with.
TEST(Epa, StartsFromAnySimplex) {
  const BoxPairCase c = pairOf(Family::Deep, 3);
  const math::Difference d = differenceOf(c);
  const double exact = -families::exactDistance(c, true) / d.unit;
  for (int count = 1; count <= 3; ++count)
    for (std::uint32_t id = 0; id < 64; ++id) {
      math::Simplex s;
      s.count = count;
      for (int k = 0; k < count; ++k) s.vertex[k] = math::boxVertex(d, (id + static_cast<std::uint32_t>(k * k)) % 64);
      math::EpaResult e;
      math::epa(d, s, 0, e);
      EXPECT_FALSE(e.degenerate || e.iterationLimit);
      EXPECT_NEAR(e.depth, exact, kAllowed) << count << " vertices from " << id;
      s.vertex[count - 1] = s.vertex[0];  // a double vertex
      math::epa(d, s, 0, e);
      EXPECT_NEAR(e.depth, exact, kAllowed) << count << " vertices from " << id;
    }
  // Four vertices in one plane: the corners of a face of A, B's corner the same.
  for (std::uint32_t corner = 0; corner < 8; ++corner)
    for (int axis = 0; axis < 3; ++axis) {
      const std::uint32_t p = 1u << (axis + 1) % 3, q = 1u << (axis + 2) % 3, id = corner << 3;
      math::Simplex s;
      s.count = 4;
      s.vertex[0] = math::boxVertex(d, id);
      s.vertex[1] = math::boxVertex(d, id | p);
      s.vertex[2] = math::boxVertex(d, id | p | q);
      s.vertex[3] = math::boxVertex(d, id | q);
      math::EpaResult e;
      math::epa(d, s, 0, e);
      EXPECT_FALSE(e.degenerate || e.iterationLimit);
      EXPECT_NEAR(e.depth, exact, kAllowed) << corner << ' ' << axis;
    }
}

// Hulls have faces of many corners, so that the nearest face is a fan of triangles in one plane, and slivers.
TEST(Epa, ItsOwnPolytopeGivesTheExactDepthOfHulls) {
  using convex::Kind;
  int asked = 0;
  for (const convex::Family family : {convex::Family::Random, convex::Family::Deep, convex::Family::Coincident, convex::Family::Contained,
                                      convex::Family::Thin1e3, convex::Family::Thin1e6, convex::Family::NearParallel})
    for (const auto& [kindA, kindB] : {std::pair(Kind::Hull, Kind::Hull), {Kind::Box, Kind::Hull}, {Kind::Hull, Kind::Capsule}, {Kind::Sphere, Kind::Hull}})
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        convex::PairCase c = convex::make(family, kindA, kindB, seed);
        c.poseB = relativePose(c.poseA, c.poseB);
        c.poseA = Pose();
        const SupportShape a = c.a.support(), b = c.b.support();
        math::Difference d;
        ASSERT_TRUE(math::makeDifference(a, b, c.poseB, d));
        math::GjkResult gjk;
        gjk.simplex.count = 0;
        math::gjk(d, {1, 0, 0}, HUGE_VAL, 0, gjk);
        if (gjk.outcome != math::GjkOutcome::Inside && gjk.outcome != math::GjkOutcome::Touching) continue;
        ++asked;
        math::EpaResult e;
        math::epa(d, gjk.simplex, 0, e);
        const double exact = -(convex::Judge<referee::Quad>(c).exact(c) + a.radius + b.radius) / d.unit;
        EXPECT_NEAR(e.depth, exact, kAllowed);
        EXPECT_LE(e.lowerBound, exact + kAllowed);
        EXPECT_FALSE(e.iterationLimit || e.degenerate);
        Vec3 nearest{0, 0, 0};
        for (int k = 0; k < 3; ++k) nearest = nearest + e.weight[k] * e.face[k].w;
        EXPECT_NEAR(math::length(nearest - e.depth * e.normal), 0, 1e-7);
        if (HasFailure()) FAIL() << convex::name(family) << ' ' << convex::name(kindA) << ' ' << convex::name(kindB) << ' ' << seed;
      }
  EXPECT_GT(asked, 300);
}

// Found by the fuzzer: all faces of the octahedron are slivers, and the direction that EPA starts from was never set.
TEST(Epa, StartsFromAnOctahedronWithoutVolume) {
  const Box a{{2.3864966543318292e+64, 1.5880732216379034e+64, 10843961792567994.0}};
  const Box b{{1.2556210810500168e+93, 11969861362550406.0, 2.410825500452972e+64}};
  Pose pose;
  pose.position = {4.2599332228613614e-29, 9.7473322443500422e-110, 1.6403417635321755e-312};
  pose.orientation = Quaternion(2.7631030951166039e-174, 0.73004469933796279, 0.68339939784034298, 0);
  math::Difference d;
  ASSERT_TRUE(math::makeDifference(supportShape(a), supportShape(b), pose, d));
  for (const double garbage : {0.0, 1e300, -1e300}) {
    math::EpaResult e;
    e.normal = {garbage, garbage, garbage};
    fromNearestFace(d, e);
    EXPECT_EQ(math::length(e.normal), 1);
    math::Vertex w;
    EXPECT_EQ(e.depth, math::reach(d, e.normal, w));
  }
  const Proximity r = signedDistance(a, b, pose);
  EXPECT_LE(r.lowerBound, -2.4108e+64);
  EXPECT_GE(r.upperBound, -2.4109e+64);
}

// Sticks up to 1e20 times as long as the other box is wide, where faces are slivers and rounding stops EPA: it ends by itself,
// with bounds that hold, and says so where they have not met.
TEST(Epa, FlagsWhatItCannotDecide) {
  int flagged = 0, asked = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Random r(seed);
    BoxPairCase c;
    const double ratio = seed % 3 == 0 ? 1e20 : seed % 3 == 1 ? 1e8 : 1e3;
    for (int k = 0; k < 3; ++k) {
      c.a.halfExtents[k] = r.uniform(0.2, 2);
      c.b.halfExtents[k] = r.power(1 / ratio, ratio);
    }
    if (r.below(2)) c.poseB.orientation = r.rotation();
    families::detail::place(r, c, r.below(2) ? r.power(1e-15, 1) : r.uniform(0, 1));
    if (r.below(8) == 0) c.poseB.position.setZero();
    Ran ran = run(c);
    if (!ran.asked) continue;
    ++asked;
    for (const bool mirrored : {false, true}) {
      if (mirrored) fromNearestFace(ran.d, ran.epa);
      const math::EpaResult& e = ran.epa;
      flagged += e.degenerate;
      EXPECT_FALSE(e.iterationLimit);
      const bool apart = mirrored && e.depth < -tolerances::kRounding;
      EXPECT_TRUE(e.degenerate || apart || e.depth - e.lowerBound <= tolerances::kRounding) << e.depth << ' ' << e.lowerBound;
      EXPECT_NEAR(math::length(e.normal), 1, 1e-12);
      math::Vertex w;
      EXPECT_NEAR(math::reach(ran.d, e.normal, w), e.depth, kAllowed);
      EXPECT_LE(e.lowerBound, e.depth);
      EXPECT_NEAR(e.weight[0] + e.weight[1] + e.weight[2], 1, 1e-12);
      if (HasFailure()) FAIL() << "seed " << seed << (mirrored ? ", mirrored" : "");
    }
  }
  EXPECT_GT(asked, 1000);
  EXPECT_GT(flagged, 50);
}

// A difference without volume has depth 0 along a direction in which it has no width.
TEST(Epa, FlatDifferencesHaveDepthZero) {
  const Capsule capsule{1, 0.25};
  Pose pose;
  for (const auto& turn : {Quaternion(1, 0, 0, 0), Quaternion(std::sqrt(0.5), std::sqrt(0.5), 0, 0)}) {
    pose.orientation = turn;
    const SupportShape a = supportShape(capsule);
    math::Difference d;
    ASSERT_TRUE(math::makeDifference(a, a, pose, d));
    math::Simplex s;
    s.count = 1;
    s.vertex[0] = math::support(d, {0, 0, 1});
    math::EpaResult e;
    math::epa(d, s, 0, e);
    EXPECT_EQ(e.depth, 0);
    EXPECT_EQ(e.lowerBound, 0);
    math::Vertex w;
    EXPECT_NEAR(math::reach(d, e.normal, w), 0, 1e-15);
    EXPECT_NEAR(math::reach(d, -e.normal, w), 0, 1e-15);
  }
}

// A ball about a point inside: the storage ends first, the bounds hold, and the answer is flagged unless they meet.
TEST(Epa, CurvedShapesEndWithinTheirBounds) {
  static const double radius = 1;
  const SupportShape ball = supportShape(&radius, [](const void*, const Eigen::Vector3d& n, Eigen::Vector3d& p) { p = n.normalized(); });
  const Sphere point{1e-3};
  Random random(8);
  for (int i = 0; i < 50; ++i) {
    Pose pose;
    pose.position = random.vector(0, 0.999);
    math::Difference d;
    const SupportShape p = supportShape(point);
    ASSERT_TRUE(math::makeDifference(ball, p, pose, d));
    math::Simplex s;
    s.count = 1;
    s.vertex[0] = math::support(d, {0, 0, 1});
    math::EpaResult e;
    math::epa(d, s, 1e-6, e);
    const double exact = (1 - pose.position.norm()) / d.unit;
    EXPECT_LE(e.lowerBound, exact + 1e-15);
    EXPECT_GE(e.depth, exact - 1e-15);
    EXPECT_TRUE(e.iterationLimit || e.depth - e.lowerBound <= 1e-6);
    EXPECT_NEAR(e.depth, exact, 0.02);
  }
}

using TestPolytope = math::Polytope;
const math::Simplex kRegular = {{vertexAt(1, 1, 1), vertexAt(-1, -1, 1), vertexAt(-1, 1, -1), vertexAt(1, -1, -1)}, 4};


// Every edge belongs to two faces that run along it in opposite directions, and they know each other: a closed surface.
void expectClosed(const TestPolytope& p) {
  std::map<std::pair<int, int>, int> ofEdge;
  int faces = 0;
  for (int f = 0; f < p.faceCount(); ++f) {
    if (!p.inUse(f)) continue;
    ++faces;
    for (int k = 0; k < 3; ++k) {
      const auto edge = std::pair<int, int>(p.face(f).vertex[k], p.face(f).vertex[(k + 1) % 3]);
      EXPECT_TRUE(ofEdge.emplace(edge, f).second) << "edge taken twice";
    }
  }
  for (const auto& [edge, f] : ofEdge) {
    const auto back = ofEdge.find({edge.second, edge.first});
    ASSERT_TRUE(back != ofEdge.end()) << "a hole";
    bool known = false;
    for (int k = 0; k < 3; ++k)
      known |= p.face(f).vertex[k] == edge.first && p.face(f).neighbour[k] == back->second &&
               p.face(back->second).vertex[p.face(f).neighbourEdge[k]] == edge.second;
    EXPECT_TRUE(known) << "neighbours do not know each other";
  }
  EXPECT_EQ(2 * ofEdge.size(), std::size_t(6 * faces));
}

// What is added lies anywhere: on faces, on edges, off by an ulp, far inside by mistake, or where it should.
TEST(Polytope, StaysClosedWhateverIsAdded) {
  for (int kind = 0; kind < 5; ++kind)
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Random r(seed * 8 + static_cast<std::uint64_t>(kind));
      const auto p = std::make_unique<TestPolytope>(kRegular);
      expectClosed(*p);
      for (int i = 0; i < 60; ++i) {
        const int f = p->nearestFace();
        ASSERT_GE(f, 0);
        const auto& face = p->face(f);
        Vec3 w = {r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1)};
        if (kind == 0) w = (2 / math::length(w)) * w;
        if (kind == 1) w = {double(r.below(3) - 1), double(r.below(3) - 1), double(r.below(3) - 1)};
        if (kind == 2) w = p->vertex(face.vertex[0]).w + 1e-15 * w;
        if (kind == 3) w = 0.5 * (p->vertex(face.vertex[0]).w + p->vertex(face.vertex[1]).w) + r.power(1e-17, 1) * face.normal;
        ASSERT_TRUE(p->add(f, {w, math::kNoId, w}));
        expectClosed(*p);
        if (testing::Test::HasFailure()) FAIL() << "kind " << kind << ", seed " << seed << ", vertex " << i;
      }
    }
}

// The hull of points on a sphere: convex, with 2 V - 4 faces, all points inside or on it.
TEST(Polytope, IsTheHullOfPointsInGeneralPosition) {
  Random r(4);
  for (int round = 0; round < 20; ++round) {
    const auto p = std::make_unique<TestPolytope>(math::Simplex{{vertexAt(0.9, 0.1, 0.1), vertexAt(-0.9, 0.2, 0.1), vertexAt(0, 0.8, -0.5), vertexAt(0, -0.7, -0.6)}, 4});
    for (int i = 0; i < 100; ++i) {
      const Eigen::Vector3d d = r.direction();
      const math::Vertex w = vertexAt(d.x(), d.y(), d.z());
      int seen = -1;
      for (int f = 0; f < p->faceCount() && seen < 0; ++f)
        if (p->inUse(f) && math::dot(p->face(f).normal, w.w) > p->face(f).distance) seen = f;
      if (seen < 0) continue;
      ASSERT_TRUE(p->add(seen, w));
      EXPECT_TRUE(p->holds(w));
    }
    int faces = 0;
    std::vector<bool> used(static_cast<std::size_t>(p->vertexCount()), false);
    for (int f = 0; f < p->faceCount(); ++f) {
      if (!p->inUse(f)) continue;
      ++faces;
      for (const auto v : p->face(f).vertex) used[v] = true;
      for (int v = 0; v < p->vertexCount(); ++v)
        EXPECT_LE(math::dot(p->face(f).normal, p->vertex(v).w), p->face(f).distance + 1e-12);
    }
    EXPECT_EQ(faces, 2 * std::count(used.begin(), used.end(), true) - 4);
  }
}

// By its id where it has one, by its place where not: EPA must not add a vertex twice.
TEST(Polytope, HoldsWhatWasAdded) {
  const auto named = [](double x, double y, double z, std::uint32_t id) { return math::Vertex{{x, y, z}, id, {x, y, z}}; };
  const auto p = std::make_unique<TestPolytope>(math::Simplex{{named(1, 1, 1, 0), named(-1, -1, 1, 63), named(-1, 1, -1, 7), named(1, -1, -1, 8)}, 4});
  for (const std::uint32_t id : {0u, 63u, 7u, 8u}) EXPECT_TRUE(p->holds(named(9, 9, 9, id))) << id;
  for (const std::uint32_t id : {1u, 6u, 62u, 31u}) EXPECT_FALSE(p->holds(named(1, 1, 1, id))) << id;
  ASSERT_TRUE(p->add(p->nearestFace(), named(2, 2, 2, 31)));
  EXPECT_TRUE(p->holds(named(0, 0, 0, 31)));
  EXPECT_FALSE(p->holds(vertexAt(3, 3, 3)));
  ASSERT_TRUE(p->add(p->nearestFace(), vertexAt(3, 3, 3)));
  EXPECT_TRUE(p->holds(vertexAt(3, 3, 3)));
}

// The whole surface, images and all: every edge belongs to two faces that run along it in opposite directions, and they know
// each other.
int expectClosed(const math::MirroredPolytope& p) {
  std::map<std::pair<int, int>, int> ofEdge;
  int faces = 0;
  for (int f = 0; f < p.faceCount(); ++f) {
    if (!p.inUse(f)) continue;
    ++faces;
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(ofEdge.emplace(std::pair(p.cornerIndex(f, k), p.cornerIndex(f, (k + 1) % 3)), f).second);
  }
  for (int f = 0; f < p.faceCount(); ++f)
    for (int k = 0; p.inUse(f) && k < 3; ++k) {
      const auto back = ofEdge.find({p.cornerIndex(f, (k + 1) % 3), p.cornerIndex(f, k)});
      if (back == ofEdge.end()) ADD_FAILURE() << "a hole";
      else EXPECT_EQ(p.neighbour(f, k), back->second);
    }
  return faces;
}

// Any vertex of the difference over any face, in any order, also those that lie inside or in a plane of it: boxes with
// parallel faces have many of these.
TEST(MirroredPolytope, StaysClosedWhateverIsAdded) {
  for (const Family family : {Family::Deep, Family::Coincident, Family::NearParallel, Family::KissingFaces, Family::Thin1e6})
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const math::Difference d = differenceOf(pairOf(family, seed));
      Random r(seed);
      const auto any = [&] { return math::boxVertex(d, static_cast<std::uint32_t>(r.below(64))); };
      const math::Vertex first = any(), second = any(), third = any();
      const auto distinct = [](const math::Vertex& v, const math::Vertex& w) { return v.id != w.id && v.id != (w.id ^ 63); };
      if (!distinct(first, second) || !distinct(first, third) || !distinct(second, third)) continue;
      const math::Vertex start[] = {first, second, third};
      math::MirroredPolytope p(d, start);
      expectClosed(p);
      for (int i = 0; i < 100; ++i) {
        const math::Vertex w = any();
        if (p.holds(w)) continue;
        int f = r.below(p.faceCount());
        while (!p.inUse(f)) f = r.below(p.faceCount());
        ASSERT_TRUE(p.add(r.below(2) ? p.nearestFace() : f, w));
        EXPECT_TRUE(p.holds(w) && p.holds(math::boxVertex(d, w.id ^ 63)));
        expectClosed(p);
        if (testing::Test::HasFailure()) FAIL() << families::name(family) << ", seed " << seed << ", vertex " << i;
      }
    }
}

// With every vertex that some face sees it is the hull: convex, nothing outside, and as many faces as a triangulation has.
TEST(MirroredPolytope, IsTheHullOfTheDifference) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const math::Difference d = differenceOf(pairOf(Family::Deep, seed));
    const math::Vertex start[] = {math::support(d, {1, 1, 1}), math::support(d, {1, -1, -1}), math::support(d, {-1, 1, -1})};
    math::MirroredPolytope p(d, start);
    for (int turn = 0; turn < 2; ++turn)
      for (std::uint32_t id = 0; id < 64; ++id) {
        const math::Vertex w = math::boxVertex(d, id);
        int seen = -1;
        for (int f = 0; f < p.faceCount() && seen < 0; ++f)
          if (p.inUse(f) && math::dot(p.normal(f), w.w) > p.planeDistance(f) + 1e-13) seen = f;
        if (seen < 0) continue;
        ASSERT_FALSE(p.holds(w));
        ASSERT_TRUE(p.add(seen, w));
      }
    std::map<int, int> corners;
    double nearest = HUGE_VAL;
    for (int f = 0; f < p.faceCount(); ++f) {
      if (!p.inUse(f)) continue;
      nearest = std::min(nearest, p.planeDistance(f));
      for (int k = 0; k < 3; ++k) ++corners[p.cornerIndex(f, k)];
      for (std::uint32_t id = 0; id < 64; ++id)
        EXPECT_LE(math::dot(p.normal(f), math::boxVertex(d, id).w), p.planeDistance(f) + 1e-12);
    }
    EXPECT_EQ(expectClosed(p), 2 * int(corners.size()) - 4);
    EXPECT_NEAR(p.key(p.nearestFace()), nearest, 1e-15);
  }
}

TEST(Polytope, FullStorageIsRefusedAndLeavesTheSurfaceClosed) {
  const auto p = std::make_unique<TestPolytope>(kRegular);
  Random r(6);
  int added = 4;
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector3d d = (2 + 0.01 * i) * r.direction();
    added += p->add(p->nearestFace(), vertexAt(d.x(), d.y(), d.z()));
  }
  EXPECT_EQ(added, tolerances::kMaxEpaVertices);
  EXPECT_EQ(p->vertexCount(), tolerances::kMaxEpaVertices);
  expectClosed(*p);
}

}  // namespace
}  // namespace sunder
