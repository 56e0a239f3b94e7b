// SPDX-License-Identifier: MIT
// Hulls of clouds of every kind that has given false faces, at the origin of their frame and up to 1e8 of their size away,
// against a search through all triples of corners in extended precision; and the contacts of a hull that is far away.
#include <sunder/narrowphase/collide.h>
#include <sunder/narrowphase/exact_sum_internal.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "convex_families.h"

namespace sunder {
namespace {

using convex::Kind;
using families::Random;
using referee::Quad;
using Points = std::vector<Eigen::Vector3d>;

double sizeOf(const Points& points) {
  Eigen::Vector3d low = points[0], high = points[0];
  for (const auto& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return (high - low).maxCoeff();
}
double extentOf(const Points& points) {
  double most = 0;
  for (const auto& p : points) most = std::max(most, p.cwiseAbs().maxCoeff());
  return most;
}
// What shape.h says a corner has to stand out by. The unit is the power of two below the size, so up to half of it.
double toleranceOf(const Points& points) { return std::max(1e-12 * sizeOf(points), 32 * 0x1p-52 * extentOf(points)); }

enum class Sort { Lattice, Prism, Ellipsoid, Plate, Needle, CrookedRows, Clusters, Count };

Points lattice(int nx, int ny, int nz, const Eigen::Vector3d& step) {
  Points points;
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 0; z < nz; ++z) points.push_back(step.cwiseProduct(Eigen::Vector3d(x, y, z)));
  return points;
}

// About the size of 1, before it is turned and moved away.
Points makeCloud(Sort sort, Random& r) {
  Points points;
  const int n = 3 + r.below(6);
  switch (sort) {
    case Sort::Lattice: return lattice(2 + r.below(3), 2 + r.below(3), 2 + r.below(3), {0.3, 0.4, 0.5});
    case Sort::Prism:  // with points halfway up and in the middle of its sides
      for (int i = 0; i < n; ++i) {
        const double a = 6.283185307179586 / n, c = std::cos(a * i), s = std::sin(a * i), d = std::cos(a * (i + 1)), t = std::sin(a * (i + 1));
        for (const double z : {-0.5, 0.0, 0.5}) {
          points.push_back({c, s, z});
          points.push_back({0.5 * (c + d), 0.5 * (s + t), z});
        }
      }
      return points;
    case Sort::Ellipsoid: {
      const Eigen::Vector3d axes = r.powers(0.1, 1);
      for (int i = 0; i < 3 * n; ++i) points.push_back(axes.cwiseProduct(r.direction()));
      return points;
    }
    case Sort::Plate:
    case Sort::Needle: {
      const double thin = r.power(1e-9, 1e-2);
      for (int i = 0; i < 2 * n; ++i) points.push_back(Eigen::Vector3d(1, sort == Sort::Plate ? 1 : thin, thin).cwiseProduct(r.direction()));
      return points;
    }
    case Sort::CrookedRows:
    case Sort::Clusters: {  // corners of a box, and points on its edges or around its corners, off by anything
      const double off = r.power(1e-17, 1e-5);
      const Points box = lattice(2, 2, 2, {1, r.uniform(0.1, 1), r.uniform(0.1, 1)});
      points = box;
      for (int i = 0; i < 12; ++i) {
        const std::size_t a = static_cast<std::size_t>(r.below(8)), b = a ^ (std::size_t(1) << r.below(3));
        const double along = sort == Sort::Clusters ? 0 : r.uniform(0, 1);
        const Eigen::Vector3d beside = off * r.direction();
        points.push_back(box[a] + along * (box[b] - box[a]) + beside);
      }
      return points;
    }
    case Sort::Count: break;
  }
  return points;
}

Points placed(const Points& points, const Quaternion& turn, const Eigen::Vector3d& move) {
  Points moved;
  for (const auto& p : points) moved.push_back(turn.toRotationMatrix() * p + move);
  return moved;
}

referee::Vector<Quad> quad(const Eigen::Vector3d& p) { return {Quad(p[0]), Quad(p[1]), Quad(p[2])}; }
double heightOver(const Eigen::Vector3d& normal, const Eigen::Vector3d& on, const Eigen::Vector3d& p) {
  return static_cast<double>(referee::dot(quad(normal), referee::plus(quad(p), Quad(-1), quad(on))));
}

// The corners are some of the points, in order; no point is further from their hull than the tolerance (twice, where several that
// stand out a little go), none of them nearer to that of the others.
void checkCorners(const Points& points, const ConvexHull& hull, bool each) {
  const Points& v = hull.vertices();
  std::size_t next = 0;
  for (const auto& p : points) next += next < v.size() && p == v[next];
  EXPECT_EQ(next, v.size());
  const double tolerance = toleranceOf(points);
  const auto core = referee::makeCore<Quad>(v, 0);
  for (const auto& p : points) EXPECT_LE(convex::Judge<Quad>::outside(core, p), 2 * tolerance);
  for (std::size_t i = 0; each && i < v.size(); ++i) {
    Points others = v;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_GT(convex::Judge<Quad>::outside(referee::makeCore<Quad>(others, 0), v[i]), 0.49 * tolerance) << i;
  }
}

// Of a face as a triangle with its longest side and its area.
double widthOf(const ConvexHull& hull, const ConvexHull::Face& face) {
  const auto at = [&](std::uint32_t k) { return hull.vertices()[hull.loop()[face.first + k % face.count].vertex]; };
  Eigen::Vector3d area(0, 0, 0);
  double side = 0;
  for (std::uint32_t k = 0; k < face.count; ++k) {
    area += (at(k) - at(0)).cross(at(k + 1) - at(0));
    side = std::max(side, (at(k + 1) - at(k)).norm());
  }
  return area.norm() / side;
}

// Each face is a plane that touches the hull from outside, its corners in it to ten tolerances; each triple of corners whose
// plane does so lies in a face. domes: faces may arch, the highest corner in the midst of the others.
void checkFaces(const Points& points, const ConvexHull& hull, bool domes) {
  const Points& v = hull.vertices();
  const double rounding = 1e-15 * sizeOf(points), flatness = 10 * toleranceOf(points) + rounding;
  for (const ConvexHull::Face& face : hull.faces()) {
    ASSERT_GE(face.count, 3u);
    EXPECT_NEAR(face.normal.norm(), 1, 1e-15);
    double high = -HUGE_VAL, low = HUGE_VAL;
    const Eigen::Vector3d& on = v[hull.loop()[face.first].vertex];
    for (std::uint32_t k = 0; k < face.count; ++k) {
      const double height = heightOver(face.normal, on, v[hull.loop()[face.first + k].vertex]);
      high = std::max(high, height);
      low = std::min(low, height);
    }
    EXPECT_LE(high - low, flatness);
    // What rounding does to a corner of a small face leans it out of proportion far away.
    const double allowed = rounding * (1 + sizeOf(points) / widthOf(hull, face));
    for (const auto& p : v) EXPECT_LE(heightOver(face.normal, on, p), high + (domes ? flatness : 0) + allowed) << "a corner above a face";
  }
  const int n = static_cast<int>(v.size());
  const auto at = [&](int i) { return v[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if (j <= i || k <= i || k == j) continue;  // each plane twice, once for either side
        auto normal = referee::cross(referee::plus(quad(at(j)), Quad(-1), quad(at(i))), referee::plus(quad(at(k)), Quad(-1), quad(at(i))));
        bool touches = true;
        for (const auto& p : v) touches = touches && !(referee::dot(normal, referee::plus(quad(p), Quad(-1), quad(at(i)))) > 0);
        if (!touches) continue;
        const Quad length = referee::lengthOf(normal);
        const Eigen::Vector3d unit(double(normal[0] / length), double(normal[1] / length), double(normal[2] / length));
        bool found = false;
        for (const ConvexHull::Face& face : hull.faces()) {
          bool in = face.normal.dot(unit) > 0.49;
          for (const int m : {i, j, k}) in = in && std::abs(heightOver(face.normal, v[hull.loop()[face.first].vertex], at(m))) <= flatness;
          found = found || in;
        }
        EXPECT_TRUE(found) << "a face is missing: " << i << ' ' << j << ' ' << k;
      }
}

// Every side belongs to two faces, once either way; all corners are used; Euler's formula.
void checkClosed(const ConvexHull& hull) {
  std::set<std::pair<int, int>> sides;
  std::set<int> edges, corners;
  for (const ConvexHull::Face& face : hull.faces())
    for (std::uint32_t k = 0; k < face.count; ++k) {
      const ConvexHull::Corner from = hull.loop()[face.first + k], to = hull.loop()[face.first + (k + 1) % face.count];
      EXPECT_TRUE(sides.insert({from.vertex, to.vertex}).second) << "a side in two faces, the same way round";
      edges.insert(from.edge);
      corners.insert(from.vertex);
    }
  for (const auto& side : sides) EXPECT_TRUE(sides.count({side.second, side.first})) << "a hole";
  EXPECT_EQ(sides.size(), 2 * edges.size());
  EXPECT_EQ(corners.size(), hull.vertices().size());
  EXPECT_EQ(static_cast<int>(corners.size()) - static_cast<int>(edges.size()) + static_cast<int>(hull.faces().size()), 2) << "Euler";
}

class ConvexHulls : public testing::TestWithParam<int> {};

TEST_P(ConvexHulls, AreThoseOfASearchThroughAllPlanes) {
  const Sort sort = static_cast<Sort>(GetParam());
  int made = 0;
  std::vector<std::uint64_t> seeds = {75, 81, 87, 137, 315, 339, 507, 638};  // of some sort, GJK alone is wrong about a corner
  for (std::uint64_t seed = 0; seed < 24; ++seed) seeds.push_back(seed);
  for (const std::uint64_t seed : seeds) {
    Random r(seed * 16 + static_cast<std::uint64_t>(sort));
    const Points cloud = makeCloud(sort, r);
    const Quaternion turn = r.below(2) ? r.rotation() : Quaternion(1, 0, 0, 0);
    const Eigen::Vector3d away = (seed % 3 == 0 ? 0 : r.power(1, 1e8)) * r.direction();
    const Points points = placed(cloud, turn, away);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << away.norm() << " away");
    try {
      const ConvexHull hull(points);
      ++made;
      // Where corners stand out by the tolerance and little more, faces may arch and overlap.
      const bool faint = sort == Sort::CrookedRows || sort == Sort::Clusters || sort == Sort::Plate || sort == Sort::Needle;
      checkCorners(points, hull, hull.vertices().size() <= 10 && !faint);
      checkFaces(points, hull, faint);
      if (!faint) checkClosed(hull);
      if (sort == Sort::Lattice) {
        EXPECT_EQ(hull.faces().size(), 6u);
        EXPECT_EQ(hull.vertices().size(), 8u);
      }
    } catch (const std::invalid_argument&) {
      EXPECT_TRUE(sort == Sort::Plate || sort == Sort::Needle) << "refused";  // thinner than rounding
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(made, 15);
}

INSTANTIATE_TEST_SUITE_P(Sorts, ConvexHulls, testing::Range(0, int(Sort::Count)));

TEST(ConvexHullFaces, AreAClosedSurface) {
  Random r(3);
  for (int i = 0; i < 300; ++i) {
    const convex::AnyShape shape = convex::makeShape(Kind::Hull, r, {r.power(1e-3, 10), 1, r.power(0.1, 1e3)});
    checkClosed(*shape.hull);
    if (i < 60) checkFaces(shape.hull->vertices(), *shape.hull, false);
  }
}

// Wheels turned any way: many corners in one plane but for rounding.
TEST(ConvexHullFaces, OfManyCornersInAPlane) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random r(seed);
    const int n = 20 + r.below(60);
    Points wheel;
    for (int i = 0; i < n; ++i)
      for (const double z : {-1.0, 1.0}) wheel.push_back({std::cos(6.283185307179586 * i / n), std::sin(6.283185307179586 * i / n), z});
    const ConvexHull hull(placed(wheel, r.rotation(), r.below(2) * r.vectorOfPower(1, 1e6)));
    EXPECT_EQ(hull.faces().size(), static_cast<std::size_t>(n + 2));
    checkClosed(hull);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

// Exactly representable far away: the very same faces and contacts as at the origin, but for the rounding of the poses.
TEST(ConvexHullContacts, AreTheSameFarFromTheOrigin) {
  int many = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random r(seed);
    const Sort sort = r.below(2) ? Sort::Prism : Sort::Lattice;
    const double far = std::exp2(r.below(27)), grid = std::exp2(-52) * 8 * far;
    Points points = makeCloud(sort, r);
    const Eigen::Vector3d away(far, -2 * far, far / 2);
    Points farPoints;
    for (auto& p : points) {
      for (int k = 0; k < 3; ++k) p[k] = std::nearbyint(p[k] / grid) * grid;
      farPoints.push_back(p + away);
    }
    const ConvexHull hull(farPoints);
    // At the origin the crookedness of the grid would be corners of its own.
    Points corners;
    for (const auto& v : hull.vertices()) corners.push_back(v - away);
    const ConvexHull near(corners);
    ASSERT_EQ(near.vertices().size(), hull.vertices().size());
    const ConvexHull::Face& face = hull.faces()[static_cast<std::size_t>(r.below(static_cast<int>(hull.faces().size())))];
    // That face on the top of a floor, 1e-3 deep.
    Box floor;
    floor.halfExtents = {3, 3, 1};
    Pose pose;
    pose.orientation = Quaternion::FromTwoVectors(face.normal, Eigen::Vector3d(0, 0, -1));
    Eigen::Vector3d middle(0, 0, 0);
    for (std::uint32_t k = 0; k < face.count; ++k) middle += corners[hull.loop()[face.first + k].vertex] / face.count;
    pose.position = Eigen::Vector3d(0, 0, 0.999) - pose.orientation * middle;
    Pose farPose = pose;
    farPose.position -= pose.orientation * away;
    const Collision one = collide(supportShape(floor), supportShape(hull), farPose);
    const Collision other = collide(supportShape(floor), supportShape(near), pose);
    const double allowed = 1e-14 * (1 + 10 * far);
    EXPECT_EQ(one.status, QueryStatus::Converged);
    EXPECT_NEAR(one.signedDistance, other.signedDistance, allowed);
    EXPECT_NEAR(one.signedDistance, -1e-3, allowed);
    EXPECT_NEAR((one.manifold.normal - Eigen::Vector3d(0, 0, 1)).norm(), 0, 1e2 * allowed);
    ASSERT_EQ(one.manifold.pointCount, static_cast<int>(std::min(face.count, 4u))) << seed;
    ASSERT_EQ(one.manifold.pointCount, other.manifold.pointCount) << seed;
    many += one.manifold.pointCount == 4;
    for (int i = 0; i < one.manifold.pointCount; ++i) {
      EXPECT_NEAR(one.manifold.points[i].separation, -1e-3, 1e2 * allowed);
      double nearest = HUGE_VAL;
      for (const auto& v : corners)
        nearest = std::min(nearest, (pose.position + pose.orientation * v - one.manifold.points[i].pointOnB).norm());
      EXPECT_LE(nearest, 1e2 * allowed) << "no corner of the face";
    }
    if (HasFailure()) FAIL() << "seed " << seed << ", " << far << " away";
  }
  EXPECT_GT(many, 150);
}

std::string refusal(const Points& points) {
  try {
    ConvexHull hull(points);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(ConvexHullInput, IsRefusedWhereItSpansNoVolume) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Points cube = lattice(2, 2, 2, {1, 1, 1});
  EXPECT_EQ(refusal(cube), "");
  EXPECT_NE(refusal({cube[0], cube[1], cube[2]}).find("has 3 entries"), std::string::npos);
  for (const double bad : {nan, HUGE_VAL, -HUGE_VAL, 1e101}) {
    Points points = cube;
    points[5].y() = bad;
    EXPECT_NE(refusal(points).find("points [5]"), std::string::npos) << refusal(points);
  }
  Random r(5);
  for (int i = 0; i < 200; ++i) {  // flat, a line, a point; all over the range; a thickness below and above the limit
    const double scale = r.power(1e-80, 1e80), far = r.below(2) ? 0 : r.power(1, 1e6);
    const Quaternion turn = r.rotation();
    const Eigen::Vector3d away = far * r.direction();
    for (const double thick : {0.0, 1e-14, 4.0}) {
      const double z = thick < 1 ? thick : thick * std::max(1e-12, 64 * 0x1p-52 * far);
      Points points = placed(lattice(3, 3, 2, {0.5, 0.5, z}), turn, away);
      for (auto& p : points) p *= scale;
      EXPECT_EQ(refusal(points) == "", thick > 1) << refusal(points) << thick << ' ' << far;
    }
    EXPECT_NE(refusal(placed(lattice(5, 1, 1, {scale, 0, 0}), turn, scale * away)), "");
    EXPECT_NE(refusal(Points(6, scale * r.direction())), "");
  }
  for (auto& bad : {Points(5, {0, 0, 0}), lattice(2, 2, 2, {1e-200, 1e-200, 1e-200}), lattice(2, 2, 2, {5e-324, 5e-324, 5e-324})})
    EXPECT_NE(refusal(bad), "");
  Points sphere;
  for (int i = 0; i < 3000; ++i) sphere.push_back(r.direction());
  EXPECT_NE(refusal(sphere).find("more than 512 corners"), std::string::npos);
  sphere.resize(512);
  EXPECT_EQ(ConvexHull(sphere).vertices().size(), 512u);
}

// Against integers: products of 20 bits each.
TEST(ExactSum, IsExact) {
  Random r(7);
  for (int i = 0; i < 1000; ++i) {
    math::ExactSum sum;
    std::int64_t exact = 0;
    for (int k = 0; k < 8; ++k) {
      const std::int64_t a = r.below(1 << 20) - (1 << 19), b = r.below(1 << 20) - (1 << 19);
      exact += a * b;
      sum.addProduct(double(a) * 0x1p-60, double(b) * 0x1p60);  // the factors' digits are far apart from the sum's unit
      sum.addProduct(double(a) * 0x1p50, double(b) * 0x1p50);
      sum.addProduct(-double(a) * 0x1p50, double(b) * 0x1p50);
    }
    EXPECT_EQ(sum.value(), double(exact));
  }
  math::ExactSum tiny;
  for (const double x : {1e30, 1.0, 1e-30, -1e30, -1.0}) tiny.add(x);
  EXPECT_EQ(tiny.value(), 1e-30);
  math::ExactSum product;
  product.addProduct(1 + 0x1p-52, 1 + 0x1p-52);
  product.add(-(1 + 0x1p-51));
  EXPECT_EQ(product.value(), 0x1p-104);
}

}  // namespace
}  // namespace sunder
