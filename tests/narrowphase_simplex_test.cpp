// SPDX-License-Identifier: MIT
// The nearest point of a simplex to the origin, against every face of it tried in extended precision.
#include <sunder/narrowphase/simplex_internal.h>

#include <gtest/gtest.h>

#include <span>

#include "convex_referee.h"
#include "box_pair_families.h"

namespace sunder {
namespace {

using families::Random;
using math::Simplex;
using math::Vec3;
using Real = referee::Vector<long double>;

Simplex simplexOf(std::span<const Vec3> points) {
  Simplex s;
  s.count = 0;
  for (const Vec3& p : points) s.vertex[s.count++] = {p, math::kNoId, p};
  return s;
}

Real real(const Vec3& p) { return {p.x, p.y, p.z}; }

// Squared distance of the origin from the hull of the points; 0 also when it is inside a tetrahedron.
long double exactSquared(const std::vector<Vec3>& points) {
  const Real origin{0, 0, 0};
  const std::size_t n = points.size();
  long double best = -1;
  const auto look = [&](long double square) { best = square >= 0 && (best < 0 || square < best) ? square : best; };
  for (std::size_t i = 0; i < n; ++i) {
    look(referee::dot(real(points[i]), real(points[i])));
    for (std::size_t j = i + 1; j < n; ++j) {
      look(referee::edgeEdgeSquared(origin, origin, real(points[i]), real(points[j])));
      for (std::size_t k = j + 1; k < n; ++k)
        look(referee::pointTriangleSquared(origin, real(points[i]), real(points[j]), real(points[k])));
    }
  }
  if (n < 4) return best;
  int inside = 0;
  for (std::size_t i = 0; i < 4; ++i) {  // on the side of vertex i, seen from the face opposite to it
    const Real p = real(points[(i + 1) % 4]), q = real(points[(i + 2) % 4]), r = real(points[(i + 3) % 4]);
    const Real normal = referee::cross(referee::plus(q, -1.0L, p), referee::plus(r, -1.0L, p));
    const long double origins = -referee::dot(normal, p), vertexs = referee::dot(normal, referee::plus(real(points[i]), -1.0L, p));
    inside += origins * vertexs > 0;
  }
  return inside == 4 ? 0 : best;
}

// The reduced simplex, its point and its weights belong together and are the nearest; true when the origin is inside.
bool check(const std::vector<Vec3>& points) {
  Simplex s = simplexOf(points);
  math::NearestPoint nearest{};
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, math::length(p));
  const double exact = static_cast<double>(referee::root(exactSquared(points)));
  if (!math::reduce(s, nearest)) {
    EXPECT_EQ(points.size(), 4u);
    EXPECT_EQ(s.count, 4);
    EXPECT_LE(exact, 1e-12 * size);
    return true;
  }
  EXPECT_NEAR(math::length(nearest.v), exact, 1e-12 * size);
  EXPECT_NEAR(nearest.vv, math::dot(nearest.v, nearest.v), 1e-15 * size * size);
  EXPECT_GE(s.count, 1);
  EXPECT_LE(s.count, 3);
  double weight[3];
  math::weightsOf(s, nearest.v, weight);
  double sum = 0;
  Vec3 again{0, 0, 0};
  for (int i = 0; i < s.count; ++i) {
    EXPECT_GE(weight[i], -1e-9);
    sum += weight[i];
    again = again + weight[i] * s.vertex[i].w;
    bool given = false;
    for (const Vec3& p : points) given |= math::samePoint(p, s.vertex[i].w);
    EXPECT_TRUE(given);
  }
  EXPECT_NEAR(sum, 1, 1e-15);
  EXPECT_NEAR(math::length(again - nearest.v), 0, 1e-10 * size);
  return false;
}

// GJK adds a vertex on the far side of the face it came from: the last vertex lies beyond the origin as seen from the
// nearest point of the others. Only such simplices are asked about.
std::vector<Vec3> asGjkMakesThem(Random& r, int count, double flat) {
  for (;;) {
    std::vector<Vec3> points;
    const Eigen::Vector3d offset = r.vector(0, 1);
    for (int i = 0; i < count; ++i)
      points.push_back({r.uniform(-1, 1) + offset[0], r.uniform(-1, 1) + offset[1], flat * (r.uniform(-1, 1) + offset[2])});
    if (count == 1) return points;
    Simplex s = simplexOf(std::span(points).first(points.size() - 1));
    math::NearestPoint nearest{};
    // All vertices of the face are needed: GJK reduces first.
    if (math::reduce(s, nearest) && s.count == count - 1 && math::dot(nearest.v, points.back()) < nearest.vv) return points;
  }
}

TEST(Simplex, RandomOnesAgainstAllFaces) {
  int inside = 0;
  for (int count = 1; count <= 4; ++count) {
    Random r(static_cast<std::uint64_t>(count));
    for (int i = 0; i < 20000; ++i) {
      inside += check(asGjkMakesThem(r, count, 1));
      if (HasFailure()) FAIL() << count << " vertices, number " << i;
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST(Simplex, NearlyFlatOnesAgainstAllFaces) {
  for (int count = 3; count <= 4; ++count) {
    Random r(static_cast<std::uint64_t>(10 + count));
    for (int i = 0; i < 20000; ++i) {
      check(asGjkMakesThem(r, count, r.power(1e-12, 1e-1)));
      if (HasFailure()) FAIL() << count << " vertices, number " << i;
    }
  }
}

TEST(Simplex, OriginOnAVertexAnEdgeOrAFace) {
  const Vec3 a{1, 0, 0}, b{-1, 0, 0}, c{0, 1, 0}, d{0, -1, 0}, e{0, 0, 1}, o{0, 0, 0};
  for (const std::vector<Vec3>& points : {std::vector<Vec3>{o}, {a, o}, {a, b}, {a, c, o}, {c, a, b}, {{1, -1, 0}, {-1, -1, 0}, c},
                                          {a, c, e, o}, {{1, -1, 0}, {-1, -1, 0}, c, e}, {a, e, c, b}, {a, c, b, d}}) {
    Simplex s = simplexOf(points);
    math::NearestPoint nearest{};
    if (!math::reduce(s, nearest)) continue;  // inside, as rounding has it
    EXPECT_LE(nearest.vv, 1e-30);
  }
}

// An edge that passes by the origin at a distance of a few roundings of its length: the nearest point is still across the edge to
// as many digits as it has, or GJK would see a far end of the edge as nearer than any other vertex and stop.
TEST(Simplex, NearestPointOfAnEdgeIsAcrossIt) {
  Random r(5);
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Vector3d along = r.direction(), other = r.direction(), beside = r.power(1e-14, 1) * along.cross(other);
    const double start = r.uniform(-1, 0), end = r.uniform(0, 1);
    const Eigen::Vector3d a = start * along + beside, b = end * along + beside;
    Simplex s = simplexOf(std::vector<Vec3>{{a.x(), a.y(), a.z()}, {b.x(), b.y(), b.z()}});
    const Vec3 edge = s.vertex[1].w - s.vertex[0].w;
    math::NearestPoint nearest{};
    math::reduce(s, nearest);
    if (s.count < 2) continue;
    EXPECT_LE(std::abs(math::dot(nearest.v, edge)), 1e-15 * std::sqrt(nearest.vv) * math::length(edge)) << beside.norm();
  }
}

// Slivers far from the origin: a cross product of doubles would keep no digit of some of these normals.
TEST(Simplex, NormalsOfSliversHaveAllTheirDigits) {
  Random r(6);
  const auto quad = [](const Vec3& p) { return referee::Vector<referee::Quad>{p.x, p.y, p.z}; };
  for (int i = 0; i < 5000; ++i) {
    const Eigen::Vector3d along = r.direction(), a = r.direction(), b = a + r.uniform(-1, 1) * along,
                          c = a + r.uniform(-1, 1) * along + r.power(1e-14, 1e-1) * r.direction();
    const Simplex s = simplexOf(std::vector<Vec3>{{a.x(), a.y(), a.z()}, {b.x(), b.y(), b.z()}, {c.x(), c.y(), c.z()}});
    const auto p = quad(s.vertex[0].w), ab = referee::plus(quad(s.vertex[1].w), referee::Quad(-1), p),
               ac = referee::plus(quad(s.vertex[2].w), referee::Quad(-1), p), exact = referee::cross(ab, ac);
    const auto n = quad(math::areaVector(s.vertex[0], s.vertex[1], s.vertex[2]));
    const auto off = referee::plus(n, referee::Quad(-1), exact);
    EXPECT_LE(double(referee::root(referee::dot(off, off))), 5e-14 * double(referee::root(referee::dot(exact, exact)))) << i;
  }
}

// Sums and products of two doubles each are exact to some 1e-31 of their terms.
TEST(DoubleDouble, HasTwiceTheDigits) {
  Random r(7);
  const auto value = [](const math::DoubleDouble& x) { return referee::Quad(x.high) + x.low; };
  for (int i = 0; i < 5000; ++i) {
    const math::DoubleDouble a = math::twoSum(r.uniform(-1, 1), 1e-17 * r.uniform(-1, 1)),
                             b = math::twoSum(i % 2 ? r.uniform(-1, 1) : -a.high, 1e-17 * r.uniform(-1, 1));
    const auto small = [](const referee::Quad& x) { return std::abs(double(x)); };
    const double terms = std::abs(a.high) + std::abs(b.high);
    EXPECT_LE(small(value(a + b) - (value(a) + value(b))), 1e-31 * terms);
    EXPECT_LE(small(value(a - b) - (value(a) - value(b))), 1e-31 * terms);
    EXPECT_LE(small(value(a * b) - value(a) * value(b)), 1e-31 * small(value(a) * value(b)));
  }
}

// Vertices that coincide, lie on one line or in one plane: a point of the simplex comes back, and the nearest one.
TEST(Simplex, DegenerateOnes) {
  const Vec3 p{1, 2, 3}, q{1.5, 1, 3}, m = 0.5 * (p + q);
  check({p, p});
  check({p, q, m});
  check({p, m, q});
  check({p, p, q});
  check({p, q, m, p});
  check({p, p, p, p});
  check({{1, 0, 1}, {0, 1, 1}, {-1, 0, 1}, {0, -1, 1}});
  check({{2, 0, 1}, {3, 1, 1}, {3, 0, 1}, {2, 1, 1}});
}

}  // namespace
}  // namespace sunder
