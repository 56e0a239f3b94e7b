// SPDX-License-Identifier: MIT
// Pairs of any two of the built-in convex shapes, of every kind that has broken a narrowphase, made from a seed; and what
// every answer on them has to fulfil, judged by the referee of convex_referee.h.
#pragma once
#include <sunder/narrowphase/query.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>

#include "box_pair_families.h"
#include "convex_referee.h"

namespace sunder::convex {

using families::Random;

enum class Kind { Box, Sphere, Capsule, Hull, RoundedBox, RoundedHull, Count };
inline const char* name(Kind k) {
  static const char* const names[] = {"Box", "Sphere", "Capsule", "Hull", "RoundedBox", "RoundedHull"};
  return names[static_cast<int>(k)];
}

enum class Family {
  Random, Shallow, Deep, Contained, Coincident, Kissing, NearParallel, Thin1e3, Thin1e6, SizeRatio1e6, CentresAt1e4,
  CentresAt1e6, CentresAt1e8, Tiny, Huge, Count
};
inline const char* name(Family f) {
  static const char* const names[] = {"random", "shallow 1e-3..1e-12", "deep", "contained", "coincident", "kissing",
    "near parallel", "thin 1:1e3", "thin 1:1e6", "size ratio 1:1e6", "centres at 1e4", "centres at 1e6", "centres at 1e8",
    "scale 1e-6", "scale 1e6"};
  return names[static_cast<int>(f)];
}

// One shape, its own storage, and the points of its core for the referee.
struct AnyShape {
  Kind kind = Kind::Box;
  Box box;
  Sphere sphere;
  Capsule capsule;
  std::unique_ptr<ConvexHull> hull;
  double radius = 0;

  SupportShape support() const {
    switch (kind) {
      case Kind::Sphere: return supportShape(sphere);
      case Kind::Capsule: return supportShape(capsule);
      case Kind::Hull: return supportShape(*hull);
      case Kind::RoundedHull: return rounded(supportShape(*hull), radius);
      case Kind::RoundedBox: return rounded(supportShape(box), radius);
      default: return supportShape(box);
    }
  }
  std::vector<Eigen::Vector3d> corePoints() const {
    const Eigen::Vector3d& h = box.halfExtents;
    std::vector<Eigen::Vector3d> points;
    switch (kind) {
      case Kind::Sphere: return {{0, 0, 0}};
      case Kind::Capsule: return {{0, 0, -capsule.halfLength}, {0, 0, capsule.halfLength}};
      case Kind::Hull:
      case Kind::RoundedHull: return hull->vertices();
      default:
        for (int v = 0; v < 8; ++v) points.push_back({v & 1 ? h[0] : -h[0], v & 2 ? h[1] : -h[1], v & 4 ? h[2] : -h[2]});
        return points;
    }
  }
  double coreRadius() const { return kind == Kind::Sphere ? sphere.radius : kind == Kind::Capsule ? capsule.radius : radius; }
  template <class T>
  referee::Core<T> core() const {
    return referee::makeCore<T>(corePoints(), coreRadius());
  }
  double extent() const {
    double most = 0;
    for (const auto& p : corePoints()) most = std::max(most, p.cwiseAbs().maxCoeff());
    return most + coreRadius();
  }
};

inline AnyShape copyOf(const AnyShape& s) {
  AnyShape copy;
  copy.kind = s.kind;
  copy.box = s.box;
  copy.sphere = s.sphere;
  copy.capsule = s.capsule;
  copy.radius = s.radius;
  if (s.hull) copy.hull = std::make_unique<ConvexHull>(*s.hull);
  return copy;
}

// size: half extents, roughly. Hulls are of four sorts: random points, a prism along z, corners of a box cut by random
// points (big coplanar faces), a double pyramid; some lie beside the origin of their frame.
inline AnyShape makeShape(Kind kind, Random& r, const Eigen::Vector3d& size) {
  AnyShape s;
  s.kind = kind;
  s.box.halfExtents = size;
  s.sphere.radius = size.maxCoeff();
  s.capsule = {size.maxCoeff(), size.minCoeff()};
  if (kind == Kind::RoundedBox || kind == Kind::RoundedHull) s.radius = size.minCoeff() * r.uniform(0.01, 1);
  std::vector<Eigen::Vector3d> points;
  const int sort = r.below(4), count = 4 + r.below(8);
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * 3.14159265358979 * i / count;
    if (sort == 1) {
      for (const double z : {-1.0, 1.0}) points.push_back(size.cwiseProduct(Eigen::Vector3d(std::cos(angle), std::sin(angle), z)));
    } else if (sort == 3) {
      points.push_back(size.cwiseProduct(Eigen::Vector3d(std::cos(angle), std::sin(angle), 0)));
    } else {
      points.push_back(size.cwiseProduct(r.direction()));
    }
  }
  if (sort == 2) for (const double z : {-1.0, 1.0}) points.push_back(size.cwiseProduct(Eigen::Vector3d(z, z, z)));
  if (sort == 3) for (const double z : {-1.0, 1.0}) points.push_back(size.cwiseProduct(Eigen::Vector3d(0, 0, z)));
  if (r.below(3) == 0) {
    const Eigen::Vector3d beside = 3 * size.cwiseProduct(r.direction());
    for (auto& p : points) p += beside;
  }
  if (kind == Kind::Hull || kind == Kind::RoundedHull) s.hull = std::make_unique<ConvexHull>(points);
  return s;
}

struct PairCase {
  AnyShape a, b;
  Pose poseA, poseB;
};

namespace detail {

inline Eigen::Vector3d toEigen(const referee::Vector<double>& v) { return {v[0], v[1], v[2]}; }

// A random direction, or a face normal of a core, or the cross product of an edge of each: where contacts are.
inline Eigen::Vector3d contactDirection(Random& r, const referee::Core<double>& a, const referee::Core<double>& b) {
  const auto normal = [&](const referee::Core<double>& c) -> Eigen::Vector3d {
    if (c.triangles.empty()) return r.direction();
    const auto& t = c.triangles[static_cast<std::size_t>(r.below(static_cast<int>(c.triangles.size())))];
    const Eigen::Vector3d p = toEigen(c.vertices[t[0]]), q = toEigen(c.vertices[t[1]]), s = toEigen(c.vertices[t[2]]);
    return (q - p).normalized().cross((s - p).normalized());
  };
  const auto edge = [&](const referee::Core<double>& c) -> Eigen::Vector3d {
    if (c.edges.empty()) return r.direction();
    const auto& e = c.edges[static_cast<std::size_t>(r.below(static_cast<int>(c.edges.size())))];
    return (toEigen(c.vertices[e.second]) - toEigen(c.vertices[e.first])).normalized();
  };
  const int kind = r.below(4);
  Eigen::Vector3d n;
  if (kind == 0) n = r.direction();
  if (kind == 1) n = normal(a);
  if (kind == 2) n = normal(b);
  if (kind == 3) {
    const Eigen::Vector3d edgeA = edge(a);
    n = edgeA.cross(edge(b));
  }
  if (!(n.norm() > 1e-6)) n = r.direction();
  const double sign = r.below(2) ? 1 : -1;
  return sign * n.normalized();
}

// Puts B beside A: their projections on some contact direction overlap by `overlap` of the smaller extent.
inline void place(Random& r, PairCase& c, double overlap) {
  Pose turned = c.poseB, turnedA = c.poseA;
  turned.position.setZero();
  turnedA.position.setZero();
  const auto a = referee::placed(c.a.core<double>(), turnedA), b = referee::placed(c.b.core<double>(), turned);
  const Eigen::Vector3d n = contactDirection(r, a, b);
  const double gap = referee::coreGapAlong(a, b, {n[0], n[1], n[2]}), small = std::min(c.a.extent(), c.b.extent());
  Eigen::Vector3d middleA(0, 0, 0), middleB(0, 0, 0);
  for (const auto& p : a.vertices) middleA += toEigen(p) / static_cast<double>(a.vertices.size());
  for (const auto& p : b.vertices) middleB += toEigen(p) / static_cast<double>(b.vertices.size());
  const Eigen::Vector3d way = r.direction();
  Eigen::Vector3d side = middleA - middleB + r.uniform(0, 0.5) * small * way;
  side -= side.dot(n) * n;
  c.poseB.position = c.poseA.position + side - (gap + overlap * small) * n;
}

inline void makeCoincident(Random& r, PairCase& c, Kind kindA, Kind kindB, std::uint64_t seed, const Eigen::Vector3d& size) {
  if (kindA == kindB && r.below(2)) {
    Random one(seed), two(seed);
    c.a = makeShape(kindA, one, size);
    c.b = makeShape(kindB, two, size);
  }
  if (r.below(2)) c.poseB.orientation = c.poseA.orientation;
  c.poseB.position = c.poseA.position;
}

// Upright one above the other, with a gap of 0 or of an ulp either way along z.
inline void makeKissing(Random& r, PairCase& c) {
  c.poseA = c.poseB = Pose();
  double top = -1e300, bottom = 1e300;
  for (const auto& p : c.a.corePoints()) top = std::max(top, p.z());
  for (const auto& p : c.b.corePoints()) bottom = std::min(bottom, p.z());
  const double z = (top + c.a.coreRadius()) - (bottom - c.b.coreRadius());
  const int ulps = r.below(3) - 1;
  c.poseB.position = {0, 0, ulps ? std::nextafter(z, ulps * HUGE_VAL) : z};
  if (!r.below(2)) return;
  const double y = r.uniform(-1, 1);
  const double x = r.uniform(-1, 1);
  c.poseB.position += 0.3 * std::min(c.a.extent(), c.b.extent()) * Eigen::Vector3d(x, y, 0);
}

// B's faces look at faces of A: the same kind of prism or box, or A's own hull seen in a mirror, turned a little.
inline void makeNearParallel(Random& r, PairCase& c) {
  c.poseB.orientation = (c.poseA.orientation * Random::turn(r.vectorOfPower(1e-9, 1e-3))).normalized();
  if (c.a.hull && c.b.hull) {
    std::vector<Eigen::Vector3d> mirrored = c.a.hull->vertices();
    for (auto& p : mirrored) p = -p;
    c.b.hull = std::make_unique<ConvexHull>(mirrored);
  }
  place(r, c, r.uniform(-0.1, 0.3));
}

}  // namespace detail

inline PairCase make(Family family, Kind kindA, Kind kindB, std::uint64_t seed) {
  using namespace detail;
  Random r((seed * 64 + static_cast<std::uint64_t>(family)) * 64 + static_cast<std::uint64_t>(kindA) * 8 + static_cast<std::uint64_t>(kindB));
  Eigen::Vector3d sizeA = r.powers(0.3, 2), sizeB = r.powers(0.3, 2);
  if (family == Family::Thin1e3 || family == Family::Thin1e6) {
    const double ratio = family == Family::Thin1e3 ? 1e-3 : 1e-6;
    sizeA[r.below(3)] *= ratio;
    if (r.below(2)) sizeB[r.below(3)] *= ratio;
  }
  if (family == Family::Contained) sizeB *= 0.02;
  if (family == Family::SizeRatio1e6) (r.below(2) ? sizeA : sizeB) *= 1e6;
  if (family == Family::Tiny || family == Family::Huge) {
    sizeA *= family == Family::Tiny ? 1e-6 : 1e6;
    sizeB *= family == Family::Tiny ? 1e-6 : 1e6;
  }
  PairCase c;
  c.a = makeShape(kindA, r, sizeA);
  c.b = makeShape(kindB, r, sizeB);
  c.poseA.orientation = r.rotation();
  c.poseB.orientation = r.rotation();
  switch (family) {
    case Family::Shallow: place(r, c, r.power(1e-12, 1e-3)); break;
    case Family::Deep: place(r, c, r.uniform(0.5, 2)); break;
    case Family::Contained: place(r, c, r.uniform(1, 20)); break;
    case Family::Coincident: makeCoincident(r, c, kindA, kindB, seed, sizeA); break;
    case Family::Kissing: makeKissing(r, c); break;
    case Family::NearParallel: makeNearParallel(r, c); break;
    case Family::CentresAt1e4:
    case Family::CentresAt1e6:
    case Family::CentresAt1e8:
      c.poseA.position = (family == Family::CentresAt1e4 ? 1e4 : family == Family::CentresAt1e6 ? 1e6 : 1e8) * r.direction();
      place(r, c, r.uniform(-0.5, 1));
      break;
    default: place(r, c, r.uniform(-0.5, 1));
  }
  return c;
}

// 1e-10 of the larger extent, and what rounding the coordinates alone does.
inline double allowedError(const PairCase& c) {
  const double coordinate = std::max(c.poseA.position.cwiseAbs().maxCoeff(), c.poseB.position.cwiseAbs().maxCoeff());
  return 1e-10 * std::max(c.a.extent(), c.b.extent()) + 8e-16 * coordinate;
}

// The judge's view of a pair: both cores placed, seen from A's position.
template <class T>
struct Judge {
  referee::Core<T> localA, localB;
  explicit Judge(const PairCase& c) : localA(c.a.core<T>()), localB(c.b.core<T>()) {}
  double exact(const PairCase& c, const Eigen::Vector3d& push = Eigen::Vector3d::Zero()) const {
    const auto a = referee::placed(localA, c.poseA, c.poseA.position), b = referee::placed(localB, c.poseB, c.poseA.position);
    auto moved = b;
    for (auto& p : moved.vertices) p = referee::plus(p, T(1), {T(push[0]), T(push[1]), T(push[2])});
    return static_cast<double>(referee::exactSignedDistance(a, moved));
  }
  // How far a point of the shape's own frame is outside of it.
  static double outside(const referee::Core<T>& core, const Eigen::Vector3d& p) {
    referee::Core<T> point;
    point.vertices.push_back({T(p[0]), T(p[1]), T(p[2])});
    return static_cast<double>(referee::exactSignedDistance(core, point));
  }
};

// What is wrong with an answer; empty when nothing is.
template <class T>
std::string faultOf(const PairCase& c, const Judge<T>& judge, const Pose& poseBInA, double exact, const Proximity& r) {
  const double allowed = allowedError(c);
  std::ostringstream out;
  out.precision(17);
  if (r.status != QueryStatus::Converged) out << "status " << toString(r.status) << "; ";
  if (!(std::abs(r.signedDistance - exact) <= allowed)) out << "signed distance " << r.signedDistance << ", exact " << exact << "; ";
  if (std::abs(exact) > allowed && (r.signedDistance > 0) != (exact > 0)) out << "sign; ";
  if (!(r.lowerBound <= exact + allowed && exact - allowed <= r.upperBound))
    out << "bounds [" << r.lowerBound << ", " << r.upperBound << "], exact " << exact << "; ";
  if (!(std::abs(r.normal.norm() - 1) < 1e-12)) out << "normal of length " << r.normal.norm() << "; ";
  const Eigen::Vector3d push = -r.signedDistance * (c.poseA.orientation.normalized() * r.normal);
  const double left = judge.exact(c, push);
  if (!(std::abs(left) <= 2 * allowed)) out << "moved by the answer, signed distance is " << left << "; ";
  const double parts = (r.pointOnB - r.pointOnA - r.signedDistance * r.normal).norm();
  if (!(parts <= allowed)) out << "witness points off by " << parts << "; ";
  const Eigen::Vector3d inB = poseBInA.orientation.normalized().conjugate() * (r.pointOnB - poseBInA.position);
  const double outA = judge.outside(judge.localA, r.pointOnA), outB = judge.outside(judge.localB, inB);
  if (!(outA <= 2 * allowed && outB <= 2 * allowed)) out << "witness outside by " << outA << ", " << outB << "; ";
  return out.str();
}

// Asks cold and again with the cache the first answer left.
template <class T>
std::string faultOf(const PairCase& c) {
  const Judge<T> judge(c);
  const double exact = judge.exact(c);
  const Pose poseBInA = relativePose(c.poseA, c.poseB);
  const SupportShape a = c.a.support(), b = c.b.support();
  QueryCache cache;
  for (const char* start : {"cold: ", "warm: "}) {
    const std::string fault = faultOf(c, judge, poseBInA, exact, signedDistance(a, b, poseBInA, {}, &cache));
    if (!fault.empty()) return start + fault;
  }
  return {};
}

}  // namespace sunder::convex
