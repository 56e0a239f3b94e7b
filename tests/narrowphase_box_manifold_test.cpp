// SPDX-License-Identifier: MIT
#include <sunder/narrowphase/box_manifold.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <algorithm>
#include <set>
#include <vector>

#include <sunder/narrowphase/collide_boxes.h>

#include "box_pair_families.h"
#include "referee.h"

namespace sunder {
namespace {

using families::BoxPairCase;
using families::Random;

constexpr std::uint64_t kSeed = 31415;

struct Corner {
  double x, y, z;
};

// The patch by another way than the library's: the bottom face of B, cut by the four sides of the top of A one after the
// other (Sutherland and Hodgman), in the frame of A. Height over the face in z.
std::vector<Corner> patchOnTopOfA(const BoxPairCase& c) {
  std::vector<Corner> polygon;
  const Pose& pose = c.poseB;
  int down = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs((pose.orientation * Eigen::Vector3d::Unit(k)).z()) > std::abs((pose.orientation * Eigen::Vector3d::Unit(down)).z())) down = k;
  const double side = (pose.orientation * Eigen::Vector3d::Unit(down)).z() > 0 ? -1.0 : 1.0;
  const int k1 = (down + 1) % 3, k2 = (down + 2) % 3;
  for (const auto& [s1, s2] : {std::pair{1.0, 1.0}, {-1.0, 1.0}, {-1.0, -1.0}, {1.0, -1.0}}) {
    Eigen::Vector3d local;
    local[down] = side * c.b.halfExtents[down];
    local[k1] = s1 * c.b.halfExtents[k1];
    local[k2] = s2 * c.b.halfExtents[k2];
    const Eigen::Vector3d p = pose.position + pose.orientation * local;
    polygon.push_back({p.x(), p.y(), p.z() - c.a.halfExtents.z()});
  }
  for (const int axis : {0, 1})
    for (const double sign : {1.0, -1.0}) {
      std::vector<Corner> cut;
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Corner p = polygon[i], q = polygon[(i + 1) % polygon.size()];
        const double dp = sign * (axis ? p.y : p.x) - c.a.halfExtents[axis], dq = sign * (axis ? q.y : q.x) - c.a.halfExtents[axis];
        if (dp <= 0) cut.push_back(p);
        if ((dp < 0) != (dq < 0) && dp != dq) {
          const double s = dp / (dp - dq);
          cut.push_back({p.x + s * (q.x - p.x), p.y + s * (q.y - p.y), p.z + s * (q.z - p.z)});
        }
      }
      polygon = cut;
    }
  return polygon;
}

double area(const std::vector<Corner>& p) {
  double twice = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Corner &a = p[i], &b = p[(i + 1) % p.size()];
    twice += a.x * b.y - a.y * b.x;
  }
  return std::abs(twice) / 2;
}

// Area of the hull of up to four points of a manifold, whatever their order.
double area(const ContactManifold& m) {
  std::vector<Corner> points;
  Corner centre{0, 0, 0};
  for (int i = 0; i < m.pointCount; ++i) {
    points.push_back({m.points[i].pointOnA.x(), m.points[i].pointOnA.y(), 0});
    centre.x += points.back().x / m.pointCount;
    centre.y += points.back().y / m.pointCount;
  }
  std::sort(points.begin(), points.end(), [&](const Corner& p, const Corner& q) {
    return std::atan2(p.y - centre.y, p.x - centre.x) < std::atan2(q.y - centre.y, q.x - centre.x);
  });
  return area(points);
}

const BoxAxis kTopOfA = {2, false, 0};

BoxPairCase onTop(Random& r, double turn, double tilt, double slide) {
  BoxPairCase c;
  for (int k = 0; k < 3; ++k) {
    c.a.halfExtents[k] = r.power(0.2, 2);
    c.b.halfExtents[k] = r.power(0.2, 2);
  }
  const double tiltY = tilt * r.uniform(-1, 1);
  const double tiltX = tilt * r.uniform(-1, 1);
  c.poseB.orientation = Random::turn({tiltX, tiltY, 0}) * Random::turn({0, 0, turn});
  c.poseB.position = {slide * r.uniform(-1, 1) * (c.a.halfExtents.x() + c.b.halfExtents.x()),
                      slide * r.uniform(-1, 1) * (c.a.halfExtents.y() + c.b.halfExtents.y()),
                      c.a.halfExtents.z() + c.b.halfExtents.z()};
  return c;
}

TEST(BoxManifold, FeatureIdsGoThereAndBack) {
  std::set<std::uint32_t> seen;
  const auto check = [&](const BoxFeature& f) {
    const std::uint32_t id = encodeBoxFeature(f);
    EXPECT_NE(id, 0u);
    EXPECT_TRUE(seen.insert(id).second);
    const BoxFeature g = decodeBoxFeature(id);
    EXPECT_EQ(g.kind, f.kind);
    EXPECT_EQ(g.first, f.first);
    EXPECT_EQ(g.second, f.second);
  };
  for (int vertex = 0; vertex < 8; ++vertex)
    for (int face = 0; face < 7; ++face)
      for (const BoxFeatureKind kind : {BoxFeatureKind::VertexOfA, BoxFeatureKind::VertexOfB})
        check({kind, static_cast<std::uint8_t>(vertex), static_cast<std::uint8_t>(face)});
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) check({BoxFeatureKind::Edges, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)});
  EXPECT_EQ(decodeBoxFeature(0).kind, BoxFeatureKind::None);
  EXPECT_EQ(decodeBoxFeature(0xffffffffu).kind, BoxFeatureKind::None);
}

// The named feature must be where the point is.
void expectFeatureAt(const BoxPairCase& c, const ContactPoint& point, double room, const std::string& what) {
  const BoxFeature f = decodeBoxFeature(point.featureId);
  const Eigen::Vector3d inB = c.poseB.orientation.conjugate() * (point.pointOnB - c.poseB.position);
  const auto atVertex = [&](const Eigen::Vector3d& p, const Box& box, int bits) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(p[k], (bits >> k & 1 ? 1 : -1) * box.halfExtents[k], room) << what;
  };
  const auto onEdge = [&](const Eigen::Vector3d& p, const Box& box, int edge) {
    const int k1 = (edge / 4 + 1) % 3, k2 = (edge / 4 + 2) % 3;
    EXPECT_NEAR(p[k1], (edge & 1 ? 1 : -1) * box.halfExtents[k1], room) << what;
    EXPECT_NEAR(p[k2], (edge & 2 ? 1 : -1) * box.halfExtents[k2], room) << what;
  };
  if (f.kind == BoxFeatureKind::VertexOfA) atVertex(point.pointOnA, c.a, f.first);
  if (f.kind == BoxFeatureKind::VertexOfB) atVertex(inB, c.b, f.first);
  if (f.kind == BoxFeatureKind::Edges) {
    onEdge(point.pointOnA, c.a, f.first);
    onEdge(inB, c.b, f.second);
  }
}

TEST(BoxManifold, PointsAreCornersOfTheTruePatch) {
  Random r(kSeed);
  double leastShare = 1;
  for (int i = 0; i < 4000; ++i) {
    const double turn = i % 4 == 0 ? r.power(1e-9, 1e-2) : r.uniform(-3, 3), tilt = i % 3 == 0 ? 0 : r.power(1e-9, 0.3);
    const BoxPairCase c = onTop(r, turn, tilt, i % 2 ? 1.05 : 0.3);
    const std::vector<Corner> patch = patchOnTopOfA(c);
    const ContactManifold m = boxAxisManifold(c.a, c.b, c.poseB, kTopOfA, 1e9);
    const std::string what = "seed " + std::to_string(kSeed) + ", case " + std::to_string(i) + "\n" + paste(c);
    if (area(patch) < 1e-9) continue;  // touching along a line: either way
    ASSERT_GE(m.pointCount, 3) << what;
    ASSERT_LE(m.pointCount, 4) << what;
    double deepest = HUGE_VAL, deepestKept = HUGE_VAL;
    for (const Corner& corner : patch) deepest = std::min(deepest, corner.z);
    const double shortest = std::min({c.a.halfExtents.x(), c.a.halfExtents.y(), c.b.halfExtents.minCoeff()});
    for (int k = 0; k < m.pointCount; ++k) {
      const ContactPoint& p = m.points[k];
      deepestKept = std::min(deepestKept, p.separation);
      double nearest = HUGE_VAL;
      for (const Corner& corner : patch)
        nearest = std::min(nearest, (p.pointOnB - Eigen::Vector3d(corner.x, corner.y, corner.z + c.a.halfExtents.z())).norm());
      ASSERT_LE(nearest, 1e-9) << "point " << k << ", " << what;
      ASSERT_EQ(p.pointOnA.z(), c.a.halfExtents.z()) << what;
      // Names have room on corners of aligned faces, see kSameCorner in the source.
      expectFeatureAt(c, p, 0.0501 * std::sqrt(2.0) * std::max({c.a.halfExtents.x(), c.a.halfExtents.y(), c.b.halfExtents.maxCoeff()}), what);
    }
    ASSERT_LE(deepestKept, deepest + 2e-3 * shortest) << what;
    if (tilt > 0) continue;  // the deepest point, wherever it is, may have taken a place
    leastShare = std::min(leastShare, area(m) / area(patch));
    ASSERT_GE(area(m), (patch.size() <= 4 ? 0.98 : 0.5) * area(patch) - 1e-9) << patch.size() << " corners, " << what;
  }
  std::printf("[          ] the kept points span at least %.2f of the patch\n", leastShare);
}

TEST(BoxManifold, NamesAreExactWhereFacesAreNotAligned) {
  Random r(kSeed + 1);
  for (int i = 0; i < 1000; ++i) {
    const BoxPairCase c = onTop(r, r.uniform(0.3, 1.2), 1e-3, 0.6);
    const ContactManifold m = boxAxisManifold(c.a, c.b, c.poseB, kTopOfA, 1e9);
    std::set<std::uint32_t> ids;
    for (int k = 0; k < m.pointCount; ++k) {
      expectFeatureAt(c, m.points[k], 1e-9, paste(c));
      ids.insert(m.points[k].featureId);
    }
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(m.pointCount));
  }
}

TEST(BoxManifold, TheSamePointsFromEitherReferenceFace) {
  // Top of A or bottom of B as the reference: same ids, points within the tilt.
  Random r(kSeed + 2);
  for (int i = 0; i < 500; ++i) {
    const double tilt = 1e-6;
    const BoxPairCase c = onTop(r, i % 2 ? r.uniform(0.1, 1) : r.power(1e-9, 1e-3), tilt, 0.4);
    const ContactManifold one = boxAxisManifold(c.a, c.b, c.poseB, kTopOfA, 1e9);
    int down = 0;
    for (int k = 1; k < 3; ++k)
      if (std::abs((c.poseB.orientation * Eigen::Vector3d::Unit(k)).z()) > 0.9) down = k;
    const bool negative = (c.poseB.orientation * Eigen::Vector3d::Unit(down)).z() < 0;
    const ContactManifold two = boxAxisManifold(c.a, c.b, c.poseB, {3 + down, negative, 0}, 1e9);
    ASSERT_LE((one.normal - two.normal).norm(), 3 * tilt) << paste(c);
    const auto find = [](const ContactManifold& m, std::uint32_t id) {
      for (int k = 0; k < m.pointCount; ++k)
        if (m.points[k].featureId == id) return k;
      return -1;
    };
    if (patchOnTopOfA(c).size() > 4) continue;  // which four of more corners are kept may depend on the face's own axes
    ASSERT_EQ(one.pointCount, two.pointCount) << paste(c);
    for (int k = 0; k < one.pointCount; ++k) {
      const int other = find(two, one.points[k].featureId);
      ASSERT_GE(other, 0) << paste(c);
      ASSERT_LE((one.points[k].pointOnA - two.points[other].pointOnA).norm(), 1e-5) << paste(c);
    }
  }
}

TEST(BoxManifold, OctagonKeepsFourStableCorners) {
  // A square turned by 45 degrees over another: eight corners, all alike. Noise must not change which are kept.
  Random r(kSeed + 3);
  std::set<std::uint32_t> first;
  for (int i = 0; i < 500; ++i) {
    BoxPairCase c;
    c.poseB.orientation = Random::turn({1e-6 * r.uniform(-1, 1), 1e-6 * r.uniform(-1, 1), std::acos(-1.0) / 4 + 1e-6 * r.uniform(-1, 1)});
    c.poseB.position = {1e-6 * r.uniform(-1, 1), 1e-6 * r.uniform(-1, 1), 0.999};
    ASSERT_EQ(patchOnTopOfA(c).size(), 8u);
    const ContactManifold m = boxAxisManifold(c.a, c.b, c.poseB, kTopOfA, 1);
    ASSERT_EQ(m.pointCount, 4);
    std::set<std::uint32_t> ids;
    for (int k = 0; k < 4; ++k) ids.insert(m.points[k].featureId);
    if (i == 0) first = ids;
    ASSERT_EQ(ids, first) << i;
    EXPECT_GE(area(m), 0.68 * area(patchOnTopOfA(c)));
  }
}

TEST(BoxManifold, TheDeepestCornerOfManyIsKept) {
  // Eight corners, tilted so that one of those the directions would drop is the deepest by far.
  Random r(kSeed + 4);
  int octagons = 0;
  for (int i = 0; i < 2000; ++i) {
    BoxPairCase c;
    const double around = r.uniform(0, 6.28);
    c.poseB.orientation = Random::turn({0.1 * std::cos(around), 0.1 * std::sin(around), 0}) * Random::turn({0, 0, r.uniform(0.5, 1)});
    c.poseB.position = {0, 0, 0.999};
    const std::vector<Corner> patch = patchOnTopOfA(c);
    octagons += patch.size() == 8;
    double deepest = HUGE_VAL, kept = HUGE_VAL;
    for (const Corner& corner : patch) deepest = std::min(deepest, corner.z);
    const ContactManifold m = boxAxisManifold(c.a, c.b, c.poseB, kTopOfA, 1e9);
    for (int k = 0; k < m.pointCount; ++k) kept = std::min(kept, m.points[k].separation);
    ASSERT_LE(kept, deepest + 1.001e-3 * 0.5) << paste(c);
  }
  EXPECT_GT(octagons, 500);
}

// A plate (B) lies across the upper edge of a bar (A), tilted along it by 0.02 rad, and touches it with one of its edges. Where the
// edge of the bar leaves the plate's face, at the plate's other edge or at its own end, it touches next.
TEST(BoxManifold, AnEdgeLeavesTheFaceAtAnotherPoint) {
  const double tilt = 0.02, depth = 0.001, c = std::sqrt(0.5);
  const Quaternion upright(std::cos(std::numbers::pi / 8), -std::sin(std::numbers::pi / 8), 0, 0);  // z goes to (0, c, c)
  for (const double sign : {1.0, -1.0})
    for (const double end : {0.5, 0.03}) {  // of the bar, from the middle of the plate
      const Box bar{{0.5, 0.1, 0.1}}, plate{{0.1, 0.15, 0.02}};
      const Quaternion tilted(std::cos(tilt / 2), 0, sign * std::sin(tilt / 2), 0);  // the side x = sign * 0.1 goes down
      Pose pose;
      pose.orientation = upright * tilted;
      // The lower side of the plate, at its edge, is `depth` below the bar's edge. In the direction -sign the bar ends at `end`.
      const double height = 0.1 * std::sin(tilt) + 0.02 * std::cos(tilt) - depth;
      pose.position = Eigen::Vector3d(sign * (end - 0.5), 0.1, 0.1) + height * Eigen::Vector3d(0, c, c);
      const BoxAxis axis{6 + 1, false, 0};  // x of the bar, y of the plate
      const ContactManifold direct = boxAxisManifold(bar, plate, pose, axis, 0.005);
      ASSERT_EQ(direct.pointCount, 2) << sign << " " << end;
      EXPECT_LT((direct.normal - Eigen::Vector3d(0, c, c)).norm(), 1e-12);
      EXPECT_NEAR(direct.points[0].separation, -depth, 1e-12);
      const bool leavesAtEdge = end > 0.1;
      const double along = leavesAtEdge ? 0.2 * std::cos(tilt) : 0.1 * std::cos(tilt) - 0.02 * std::sin(tilt) + end;
      EXPECT_NEAR(direct.points[1].separation, -depth + along * std::tan(tilt), 1e-4);
      const BoxFeature second = decodeBoxFeature(direct.points[1].featureId);
      EXPECT_EQ(second.kind, leavesAtEdge ? BoxFeatureKind::Edges : BoxFeatureKind::VertexOfA);
      const int across = second.second ^ decodeBoxFeature(direct.points[0].featureId).second;
      EXPECT_TRUE(!leavesAtEdge || across == 2) << across;  // the plate's edge on the other side of the face
      // Not where it is further than the caller wants, nor deep inside.
      EXPECT_EQ(boxAxisManifold(bar, plate, pose, axis, direct.points[1].separation - 1e-6).pointCount, 1);
      pose.position -= 0.012 * Eigen::Vector3d(0, c, c);
      EXPECT_EQ(boxAxisManifold(bar, plate, pose, axis, 0.005).pointCount, 1);
    }
}

TEST(BoxManifold, OnlyPointsWithinTheDistance) {
  BoxPairCase c;
  c.poseB.orientation = Random::turn({0, 0.1, 0});
  c.poseB.position = {0, 0, 1.05};
  const ContactManifold all = boxAxisManifold(c.a, c.b, c.poseB, kTopOfA, 1);
  ASSERT_EQ(all.pointCount, 4);
  const ContactManifold some = boxAxisManifold(c.a, c.b, c.poseB, kTopOfA, 0.02);
  ASSERT_EQ(some.pointCount, 2);
  for (int k = 0; k < 2; ++k) EXPECT_LE(some.points[k].separation, 0.02);
  c.poseB.position = {3, 0, 1};
  EXPECT_EQ(boxAxisManifold(c.a, c.b, c.poseB, kTopOfA, 1).pointCount, 0) << "nothing over the face";
  EXPECT_EQ(boxAxisManifold(c.a, c.b, c.poseB, {15, false, 0}, 1).pointCount, 0) << "no such axis";
  EXPECT_EQ(boxAxisManifold(c.a, c.b, c.poseB, {-1, false, 0}, 1).pointCount, 0);
  c.a.halfExtents[0] = NAN;
  EXPECT_EQ(boxAxisManifold(c.a, c.b, c.poseB, kTopOfA, 1).pointCount, 0);
}

TEST(BoxManifold, EveryFaceAndSignByTurningTheScene) {
  // The same contact seen from all 24 x 24 orientations of the two boxes' own axes: all give the same world points.
  const double right = std::acos(-1.0) / 2;
  std::vector<Quaternion> turns;
  for (int up = 0; up < 6; ++up)
    for (int spin = 0; spin < 4; ++spin) {
      const Quaternion lift = up < 4 ? Random::turn({right * up, 0, 0}) : Random::turn({0, up == 4 ? right : -right, 0});
      turns.push_back(lift * Random::turn({0, 0, right * spin}));
    }
  const Eigen::Vector3d halfA(0.7, 0.5, 0.3), halfB(0.25, 0.6, 0.4);
  const Quaternion twist = Random::turn({0, 0, 0.4});
  for (const Quaternion& ta : turns)
    for (const Quaternion& tb : turns) {
      Box a, b;
      a.halfExtents = (ta.conjugate() * halfA).cwiseAbs();
      b.halfExtents = (tb.conjugate() * halfB).cwiseAbs();
      Pose pa, pb;
      pa.orientation = ta;
      pb.orientation = twist * tb;
      pb.position = {0.3, 0.2, 0.695};
      BoxPairCache cache;
      BoxCollision r;
      collideBoxes(a, b, relativePose(pa, pb), 0.01, NarrowphaseMethod::ClosedForm, cache, r);
      ASSERT_NEAR(r.signedDistance, -0.005, 1e-14);
      ASSERT_LE((pa.orientation * r.manifold.normal - Eigen::Vector3d(0, 0, 1)).norm(), 1e-14);
      ASSERT_EQ(r.manifold.pointCount, 4);
      BoxPairCase seen;
      seen.a.halfExtents = halfA;
      seen.b.halfExtents = halfB;
      seen.poseB.position = pb.position;
      seen.poseB.orientation = twist;
      const std::vector<Corner> patch = patchOnTopOfA(seen);
      for (int k = 0; k < 4; ++k) {
        const Eigen::Vector3d p = pa.orientation * r.manifold.points[k].pointOnB;
        double nearest = HUGE_VAL;
        for (const Corner& corner : patch)
          nearest = std::min(nearest, (p - Eigen::Vector3d(corner.x, corner.y, corner.z + halfA.z())).norm());
        ASSERT_LE(nearest, 1e-12);
        BoxPairCase own;
        own.a = a;
        own.b = b;
        own.poseB = relativePose(pa, pb);
        expectFeatureAt(own, r.manifold.points[k], 1e-9, "turned scene");
      }
    }
}

}  // namespace
}  // namespace sunder
