// SPDX-License-Identifier: MIT
// Supporting features and the patch of two of them, by hand and against plane geometry. Manifolds of whole shapes are
// judged in narrowphase_collide_test.cpp.
#include <gtest/gtest.h>
#include <sunder/narrowphase/contact_patch_internal.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "box_pair_families.h"

namespace sunder {
namespace {

using detail::Feature;
using detail::PatchPoint;
using math::Vec3;

double distance(const Vec3& a, const Vec3& b) { return math::length(a - b); }

TEST(SupportingFeature, OfABoxIsTheFaceThatLooksThere) {
  families::Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const Box box = {random.powers(0.1, 3)};
    const int k = random.below(3);
    const double sign = random.below(2) == 0 ? -1 : 1;
    const Eigen::Vector3d slant = random.inCube(-0.2, 0.2);
    Eigen::Vector3d direction = slant, place = 0.9 * random.inCube(-1, 1).cwiseProduct(box.halfExtents);
    direction[k] = sign;
    direction.normalize();
    place[k] = sign * box.halfExtents[k];
    Feature feature;
    detail::supportingFeature(supportShape(box), {direction[0], direction[1], direction[2]}, {place[0], place[1], place[2]}, 1e-9, feature);
    ASSERT_EQ(feature.count, 4);
    const double* n = &feature.normal.x;
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(n[axis], axis == k ? sign : 0);
    std::set<std::uint16_t> vertices, edges;
    for (int c = 0; c < 4; ++c) {
      const double* p = &feature.corner[c].x;
      for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(std::fabs(p[axis]), box.halfExtents[axis]);
      EXPECT_EQ(p[k], sign * box.halfExtents[k]);
      vertices.insert(feature.vertex[c]);
      edges.insert(feature.edge[c]);
      // Counterclockwise seen from outside.
      const Vec3 along = feature.corner[(c + 1) % 4] - feature.corner[c], then = feature.corner[(c + 2) % 4] - feature.corner[(c + 1) % 4];
      EXPECT_GT(math::dot(math::cross(along, then), feature.normal), 0);
    }
    EXPECT_EQ(vertices.size(), 4u);
    EXPECT_EQ(edges.size(), 4u);
  }
}

// A rectangle in the plane z = height, looking up or down, turned about z.
Feature rectangle(double x, double y, double halfX, double halfY, double height, bool up, double angle = 0) {
  Feature f;
  f.count = 4;
  f.face = 0;
  f.normal = {0, 0, up ? 1.0 : -1.0};
  for (int c = 0; c < 4; ++c) {
    const int corner = up ? c : 3 - c;
    const double u = (corner == 0 || corner == 3 ? 1 : -1) * halfX, v = (corner < 2 ? 1 : -1) * halfY;
    f.corner[c] = {x + std::cos(angle) * u - std::sin(angle) * v, y + std::sin(angle) * u + std::cos(angle) * v, height};
    f.vertex[c] = static_cast<std::uint16_t>(c);
    f.edge[c] = static_cast<std::uint16_t>(c);
  }
  return f;
}

// The separation is along the normal, which looks from A to B: up when A is below.
PatchPoint witnessAt(double x, double y, double zA, double zB, double up = 1) {
  PatchPoint w;
  w.onA = {x, y, zA};
  w.onB = {x, y, zB};
  w.separation = up * (zB - zA);
  w.id = 0;
  return w;
}

// Two rectangles along the axes: the corners are those of the rectangle that they share.
TEST(ContactPatch, OfTwoRectanglesIsWhatTheyShare) {
  families::Random random(2);
  int patches = 0, compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const double ax = random.uniform(0.2, 2), ay = random.uniform(0.2, 2), bx = random.uniform(0.2, 2), by = random.uniform(0.2, 2);
    const double x = random.uniform(-2, 2), y = random.uniform(-2, 2), z = random.uniform(-0.1, 0.1);
    const double left = std::max(-ax, x - bx), right = std::min(ax, x + bx), low = std::max(-ay, y - by), high = std::min(ay, y + by);
    if (right - left < 0.3 || high - low < 0.3) continue;  // corners near to each other may be one
    ++patches;
    const Feature a = rectangle(0, 0, ax, ay, 0, true), b = rectangle(x, y, bx, by, z, false);
    PatchPoint points[4];
    const int count = detail::contactPatch(a, b, {0, 0, 1}, witnessAt(0.5 * (left + right), 0.5 * (low + high), 0, z), 0, 0, 1, points);
    ASSERT_EQ(count, 4) << i;
    for (const double px : {left, right})
      for (const double py : {low, high}) {
        double off = 1e9;
        for (int k = 0; k < count; ++k) off = std::min(off, distance(points[k].onA, {px, py, 0}));
        EXPECT_LT(off, 1e-12) << i;
      }
    std::set<std::uint32_t> ids;
    for (int k = 0; k < count; ++k) {
      EXPECT_NEAR(points[k].separation, z, 1e-12);
      EXPECT_LT(distance(points[k].onB, points[k].onA + points[k].separation * Vec3{0, 0, 1}), 1e-12);
      ids.insert(points[k].id);
    }
    EXPECT_EQ(ids.size(), 4u) << i;
    // Further apart than asked for: nothing but the closest points.
    EXPECT_LE(detail::contactPatch(a, rectangle(x, y, bx, by, 2, false), {0, 0, 1}, witnessAt(0, 0, 0, 2), 0, 0, 1, points), 1);
    // The same from the other side: the ids that idFromTheOtherSide names. (Where a corner of each is in one place, both calls
    // name it after their own B.)
    const auto apart = [](double p, double q) { return std::fabs(p - q) > 0.2; };
    if (!apart(ax, x + bx) || !apart(-ax, x - bx) || !apart(ay, y + by) || !apart(-ay, y - by)) continue;
    ++compared;
    PatchPoint swapped[4];
    const int other = detail::contactPatch(b, a, {0, 0, -1}, witnessAt(0.5 * (left + right), 0.5 * (low + high), z, 0, -1), 0, 0, 1, swapped);
    std::set<std::uint32_t> named;
    for (int k = 0; k < other; ++k) named.insert(detail::idFromTheOtherSide(swapped[k].id));
    EXPECT_EQ(named, ids) << i;
    if (HasFailure()) return;
  }
  EXPECT_GT(patches, 1000);
  EXPECT_GT(compared, 300);
}

// Turned against each other: the points lie in both, on the sides of at least one, and span half of what is shared.
TEST(ContactPatch, OfTurnedRectanglesLiesInBoth) {
  families::Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const double ax = random.uniform(0.5, 2), ay = random.uniform(0.5, 2), bx = random.uniform(0.5, 2), by = random.uniform(0.5, 2);
    const double angle = random.uniform(-3, 3), x = random.uniform(-0.3, 0.3), y = random.uniform(-0.3, 0.3);
    PatchPoint points[4];
    const int count = detail::contactPatch(rectangle(0, 0, ax, ay, 0, true), rectangle(x, y, bx, by, -0.01, false, angle), {0, 0, 1},
                                           witnessAt(0, 0, 0, -0.01), 0, 0, 1, points);
    ASSERT_EQ(count, 4) << i;
    for (int k = 0; k < count; ++k) {
      const Vec3 p = points[k].onA;
      const double u = std::cos(angle) * (p.x - x) + std::sin(angle) * (p.y - y), v = std::cos(angle) * (p.y - y) - std::sin(angle) * (p.x - x);
      const double inA = std::max(std::fabs(p.x) - ax, std::fabs(p.y) - ay), inB = std::max(std::fabs(u) - bx, std::fabs(v) - by);
      EXPECT_LE(std::max(inA, inB), 1e-9) << i;
      EXPECT_NEAR(std::max(inA, inB), 0, 1e-9) << i << ": inside of both";
    }
  }
}

// A segment on a face, and segments that cross: two points, and one.
TEST(ContactPatch, OfSegments) {
  const auto segment = [](Vec3 from, Vec3 to) {
    Feature f;
    f.count = 2;
    f.face = 0;
    f.normal = {0, 0, 0};
    f.corner[0] = from;
    f.corner[1] = to;
    f.vertex[0] = 0, f.vertex[1] = 1, f.edge[0] = f.edge[1] = 0;
    return f;
  };
  const Feature ground = rectangle(0, 0, 1, 1, 0, true);
  PatchPoint points[4];
  ASSERT_EQ(detail::contactPatch(ground, segment({-3, 0.25, 0}, {0.5, 0.25, 0}), {0, 0, 1}, witnessAt(0, 0.25, 0, 0), 0, 0, 1, points), 2);
  const double lowX = std::min(points[0].onA.x, points[1].onA.x), highX = std::max(points[0].onA.x, points[1].onA.x);
  EXPECT_NEAR(lowX, -1, 1e-12);
  EXPECT_NEAR(highX, 0.5, 1e-12);
  const int crossing = detail::contactPatch(segment({-1, 0, 0}, {1, 0, 0}), segment({0.25, -1, 0.1}, {0.25, 1, 0.1}), {0, 0, 1}, witnessAt(0.25, 0, 0, 0.1), 0, 0, 1, points);
  ASSERT_EQ(crossing, 1);
  EXPECT_LT(distance(points[0].onA, {0.25, 0, 0}), 1e-12);
  EXPECT_NEAR(points[0].separation, 0.1, 1e-12);
}

}  // namespace
}  // namespace sunder
