// SPDX-License-Identifier: MIT
// Raw bytes as shapes and poses: every query ends, answers finite numbers or flags the input, and keeps its own promises.
#include <sunder/narrowphase/collide.h>
#include <sunder/narrowphase/query.h>
#include <sunder/narrowphase/ray_cast.h>
#include <sunder/narrowphase/shape_cast.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace {

using namespace sunder;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t byte() { return size_ > 0 ? (--size_, *data_++) : std::uint8_t{0}; }
  // Small integers, dyadic fractions and powers as well as any bits: touching and degenerate pairs are found by the first.
  double number() {
    const std::uint8_t kind = byte();
    if (kind < 100) return (static_cast<int>(byte()) - 128) / 16.0;
    if (kind < 140) return std::ldexp(static_cast<double>(byte()) - 128, byte() % 80 - 40);
    std::uint8_t raw[8];
    for (std::uint8_t& b : raw) b = byte();
    double x;
    std::memcpy(&x, raw, 8);
    return x;
  }
  Eigen::Vector3d vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  Pose pose() {
    Pose p;
    p.position = vector();
    const std::uint8_t kind = byte();
    if (kind < 80) return p;
    const double w = number();
    const Eigen::Vector3d v = vector();
    p.orientation = Quaternion(w, v.x(), v.y(), v.z());
    if (kind < 230) p.orientation.normalize();
    return p;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

struct Shapes {
  Box box;
  Sphere sphere;
  Capsule capsule;
  std::optional<ConvexHull> hull;
  SupportShape pick(Bytes& in) {
    switch (in.byte() % 6) {
      case 0: box.halfExtents = in.vector(); return supportShape(box);
      case 1: sphere.radius = in.number(); return supportShape(sphere);
      case 2: capsule = {in.number(), in.number()}; return supportShape(capsule);
      case 3: box.halfExtents = in.vector(); return rounded(supportShape(box), in.number());
      default: break;
    }
    std::vector<Eigen::Vector3d> points(4 + in.byte() % 12);
    for (Eigen::Vector3d& p : points) p = in.vector();
    try {
      hull.emplace(points);
    } catch (const std::invalid_argument&) {
      return supportShape(box);
    }
    return in.byte() % 2 ? supportShape(*hull) : rounded(supportShape(*hull), in.number());
  }
};

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Proximity& r) {
  if (r.status == QueryStatus::InvalidInput) {
    require(r.signedDistance == 0 && r.normal.isZero(0));
    return;
  }
  require(std::isfinite(r.signedDistance) && r.normal.allFinite() && r.pointOnA.allFinite() && r.pointOnB.allFinite());
  require(std::abs(r.normal.norm() - 1) < 1e-9);
  require(r.lowerBound <= r.upperBound);
}

void check(const Collision& c, double maxDistance, double size) {
  if (c.status == QueryStatus::InvalidInput) {
    require(c.signedDistance == 0 && c.manifold.pointCount == 0);
    return;
  }
  require(std::isfinite(c.signedDistance) && c.errorBound >= 0 && c.manifold.pointCount >= 0 && c.manifold.pointCount <= 4);
  require((c.manifold.pointCount > 0) == (c.signedDistance <= maxDistance));
  for (int i = 0; i < c.manifold.pointCount; ++i) {
    const ContactPoint& p = c.manifold.points[i];
    require(p.featureId != 0 && p.pointOnA.allFinite() && p.pointOnB.allFinite() && std::isfinite(p.separation));
    require((p.pointOnB - p.pointOnA - p.separation * c.manifold.normal).norm() <= 1e-9 * (size + c.errorBound));
    for (int k = 0; k < i; ++k) require(c.manifold.points[k].featureId != p.featureId);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  Shapes first, second;
  const SupportShape a = first.pick(in), b = second.pick(in);
  const Pose pose = in.pose();
  QueryCache cache;
  check(signedDistance(a, b, pose, {}, &cache));
  check(signedDistance(a, b, pose, {}, &cache));
  intersects(a, b, pose);
  penetration(a, b, pose);
  distance(a, b, pose);
  separatingPlane(a, b, pose);
  QueryOptions margin;
  margin.maxDistance = std::abs(in.number());
  QueryCache manifoldCache;
  const double pairSize = a.extent + a.radius + b.extent + b.radius + pose.position.cwiseAbs().maxCoeff();
  for (int repeat = 0; repeat < 2; ++repeat) check(collide(a, b, pose, margin, &manifoldCache), margin.maxDistance, pairSize);
  const Eigen::Vector3d move = in.vector();
  const ShapeCastHit cast = shapeCast(a, b, pose, move);
  require(!cast.hit || (cast.fraction >= 0 && cast.fraction <= 1));
  const RayHit ray = rayCast(a, {pose.position, move, std::abs(in.number())});
  require(!ray.hit || std::isfinite(ray.fraction));
  Motion motionA, motionB;
  motionA.angularVelocity = in.vector();
  motionB.pose = pose;
  motionB.linearVelocity = move;
  const TimeOfImpact impact = timeOfImpact(first.box, motionA, second.box, motionB, 1);
  require(!impact.hit || (impact.time >= 0 && impact.time <= 1));
  return 0;
}
