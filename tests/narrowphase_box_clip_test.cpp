// SPDX-License-Identifier: MIT
// One face clipped to another, against a polygon cut by half planes one after the other (Sutherland and Hodgman, CACM
// 17(1), 1974), and the frame it is done in, against the boxes' own corners.
#include <gtest/gtest.h>
#include <sunder/narrowphase/box_clip_internal.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "box_pair_families.h"

namespace sunder {
namespace {

using detail::BoxPair;
using detail::ClipPoint;
using detail::FacePair;
using Eigen::Vector3d;

struct Case {
  Box a, b;
  Pose pose;  // B in A
  BoxPair pair;
  BoxAxis axis;
};

// Two boxes and a face axis, as a contact has them: the centres on both sides of the face, B turned by any angle, by a small
// one, or not at all.
Case makeCase(families::Random& random) {
  Case c;
  c.a = {random.powers(0.2, 5)};
  c.b = {random.powers(0.2, 5)};
  c.axis.index = random.below(6);
  c.axis.negative = random.below(2) == 0;
  Quaternion turn = random.rotation();
  const int kind = random.below(3);
  if (kind < 2) {  // about the reference axis, and a little about any other
    const Vector3d small = random.inCube(-0.02, 0.02);
    const double angle = kind == 0 ? random.uniform(-0.005, 0.005) : random.uniform(-3, 3);
    Quaternion about(std::cos(angle / 2), 0, 0, 0);
    (&about.x())[c.axis.index % 3] = std::sin(angle / 2);
    turn = (Quaternion(1, small[0], small[1], small[2]).normalized() * about).normalized();
  }
  c.pose.orientation = turn;
  c.pose.position = random.inCube(-2, 2);
  EXPECT_TRUE(detail::loadPair(c.a, c.b, c.pose, c.pair));
  detail::finishPair(c.pair);
  return c;
}

// A corner of a box, by the bits of its number, in the frame of A.
Vector3d cornerOf(const Case& c, bool ofB, int vertex) {
  Vector3d local = ofB ? c.b.halfExtents : c.a.halfExtents;
  for (int k = 0; k < 3; ++k) local[k] *= (vertex >> k & 1) != 0 ? 1 : -1;
  return ofB ? Vector3d(c.pose.position + c.pose.orientation * local) : local;
}

TEST(BoxClip, TheFrameIsThatOfTheFaces) {
  families::Random random(1);
  for (int i = 0; i < 5000; ++i) {
    const Case c = makeCase(random);
    const FacePair f = detail::makeFacePair(c.pair, c.axis);
    EXPECT_EQ(f.referenceIsB, c.axis.index >= 3);
    const Vector3d& half = f.referenceIsB ? c.b.halfExtents : c.a.halfExtents;
    EXPECT_EQ(f.hp, half[f.p]);
    EXPECT_EQ(f.hq, half[f.q]);
    const Quaternion turn = f.referenceIsB ? c.pose.orientation : Quaternion(1, 0, 0, 0);
    const double up = f.up != 0 ? 1 : -1;
    const Vector3d ex = turn * Vector3d::Unit(f.p), ey = turn * Vector3d::Unit(f.q), ez = up * (turn * Vector3d::Unit(f.k));
    // The reference face looks along the normal when it is A's, and against it when it is B's.
    const Vector3d normal = (c.axis.negative ? -1 : 1) * (turn * Vector3d::Unit(f.k));
    EXPECT_NEAR(ez.dot(normal), f.referenceIsB ? -1 : 1, 1e-12);
    const Vector3d origin = (f.referenceIsB ? c.pose.position : Vector3d(0, 0, 0)) + half[f.k] * ez;
    double lowest = 1e9, highest = -1e9;
    for (int vertex = 0; vertex < 8; ++vertex) {
      const double z = ez.dot(cornerOf(c, !f.referenceIsB, vertex) - origin);
      lowest = std::min(lowest, z);
      highest = std::max(highest, z);
    }
    for (const int s1 : {0, 1})
      for (const int s2 : {0, 1}) {
        const Vector3d d = cornerOf(c, !f.referenceIsB, detail::incidentVertex(f, s1, s2)) - origin;
        const Vector3d seen(ex.dot(d), ey.dot(d), ez.dot(d));
        for (int k = 0; k < 3; ++k)
          EXPECT_NEAR(f.c[k] + (s1 != 0 ? 1 : -1) * f.e1[k] + (s2 != 0 ? 1 : -1) * f.e2[k], seen[k], 1e-13) << i;
      }
    EXPECT_LE(f.c[2], 0.5 * (lowest + highest) + 1e-12) << "the face that looks away";
    EXPECT_TRUE(f.e1[0] >= 0 && f.e2[1] >= 0);
    if (HasFailure()) FAIL() << i;
  }
}

struct Corner {
  double x, y;
};

std::vector<Corner> intersection(const FacePair& f) {
  std::vector<Corner> polygon;
  for (const auto& [s1, s2] : {std::pair{1.0, 1.0}, {-1.0, 1.0}, {-1.0, -1.0}, {1.0, -1.0}})
    polygon.push_back({f.c[0] + s1 * f.e1[0] + s2 * f.e2[0], f.c[1] + s1 * f.e1[1] + s2 * f.e2[1]});
  for (const bool alongY : {false, true})
    for (const double sign : {1.0, -1.0}) {
      const auto over = [&](const Corner& p) { return sign * (alongY ? p.y : p.x) - (alongY ? f.hq : f.hp); };
      std::vector<Corner> cut;
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Corner p = polygon[i], q = polygon[(i + 1) % polygon.size()];
        if (over(p) <= 0) cut.push_back(p);
        if ((over(p) < 0) != (over(q) < 0) && over(p) != over(q)) {
          const double s = over(p) / (over(p) - over(q));
          cut.push_back({p.x + s * (q.x - p.x), p.y + s * (q.y - p.y)});
        }
      }
      polygon = cut;
    }
  return polygon;
}

// Height of the incident plane over a place.
double heightAt(const FacePair& f, double x, double y) {
  const double dx = x - f.c[0], dy = y - f.c[1], d = f.e1[0] * f.e2[1] - f.e1[1] * f.e2[0];
  return f.c[2] + f.e1[2] * (dx * f.e2[1] - dy * f.e2[0]) / d + f.e2[2] * (dy * f.e1[0] - dx * f.e1[1]) / d;
}

TEST(BoxClip, PointsAreCornersOfTheIntersection) {
  families::Random random(2);
  int four = 0, more = 0, none = 0;
  for (int i = 0; i < 20000; ++i) {
    const Case c = makeCase(random);
    const FacePair f = detail::makeFacePair(c.pair, c.axis);
    if (std::fabs(f.e1[0] * f.e2[1] - f.e1[1] * f.e2[0]) < 1e-3) continue;  // seen from the side
    const std::vector<Corner> corners = intersection(f);
    ClipPoint points[4];
    const int count = detail::clipFaces(f, HUGE_VAL, points);
    // Corners nearer to each other than this may be one to either.
    const double same = 1e-9 * (f.hp + f.hq + std::fabs(f.c[0]) + std::fabs(f.c[1]));
    double lowest = HUGE_VAL;
    for (const Corner& corner : corners) lowest = std::min(lowest, heightAt(f, corner.x, corner.y));
    for (int k = 0; k < count; ++k) {
      double off = HUGE_VAL;
      for (const Corner& corner : corners) off = std::min(off, std::hypot(corner.x - points[k].x, corner.y - points[k].y));
      EXPECT_LE(off, same) << i << ": no corner of the patch";
      EXPECT_NEAR(points[k].z, heightAt(f, points[k].x, points[k].y), 1e-9 * (1 + std::fabs(points[k].z))) << i;
      for (int m = 0; m < k; ++m) EXPECT_NE(points[k].id, points[m].id) << i;
    }
    if (corners.empty()) {
      EXPECT_EQ(count, 0) << i;
      ++none;
    } else if (corners.size() == 4 && !f.aligned) {
      ++four;
      for (const Corner& corner : corners) {
        double off = HUGE_VAL;
        for (int k = 0; k < count; ++k) off = std::min(off, std::hypot(corner.x - points[k].x, corner.y - points[k].y));
        EXPECT_LE(off, same) << i << ": a corner is missing";
      }
    } else if (corners.size() > 4) {
      ++more;
      EXPECT_GE(count, 3) << i;
    }
    ClipPoint deepest;
    ASSERT_EQ(detail::deepestPoint(f, -HUGE_VAL, deepest), !corners.empty() || count > 0) << i;
    EXPECT_TRUE(corners.empty() || std::fabs(deepest.z - lowest) <= 1e-9 * (1 + std::fabs(lowest))) << i;
    // Only what is near enough.
    if (count > 0) {
      const double limit = points[0].z;
      const int near = detail::clipFaces(f, limit, points);
      for (int k = 0; k < near; ++k) EXPECT_LE(points[k].z, limit) << i;
    }
    if (HasFailure()) FAIL() << i;
  }
  EXPECT_GT(four, 1000);
  EXPECT_GT(more, 1000);
  EXPECT_GT(none, 300);
}

}  // namespace
}  // namespace sunder
