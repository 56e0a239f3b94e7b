// SPDX-License-Identifier: MIT
// Any bytes as two boxes and a pose: no crash, no endless loop, a status for everything, and finite numbers with bounds
// around the answer whenever the input was accepted.
#include <sunder/narrowphase/collide.h>
#include <sunder/narrowphase/collide_boxes.h>
#include <sunder/narrowphase/query.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  double v[14] = {1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0.01};
  std::memcpy(v, data, size < sizeof v ? size : sizeof v);
  const sunder::Box a{{v[0], v[1], v[2]}}, b{{v[3], v[4], v[5]}};
  sunder::Pose pose;
  pose.position = {v[6], v[7], v[8]};
  const double length = std::sqrt(v[9] * v[9] + v[10] * v[10] + v[11] * v[11] + v[12] * v[12]);
  // Bytes hardly ever make a unit quaternion: normalise those that can be.
  const double scale = length > 1e-100 && length < 1e100 ? 1 / length : 1;
  pose.orientation = sunder::Quaternion(scale * v[9], scale * v[10], scale * v[11], scale * v[12]);

  const sunder::Proximity p = signedDistance(a, b, pose);
  if (p.status != sunder::QueryStatus::InvalidInput) {
    if (!std::isfinite(p.signedDistance) || !p.normal.allFinite() || !p.pointOnA.allFinite()) std::abort();
    if (!(p.lowerBound <= p.signedDistance && p.signedDistance <= p.upperBound)) std::abort();
  }
  for (const auto method : {sunder::NarrowphaseMethod::GjkEpa, sunder::NarrowphaseMethod::ClosedForm}) {
    sunder::BoxPairCache cache;
    sunder::BoxCollision c;
    for (int repeat = 0; repeat < 2; ++repeat) {
      collideBoxes(a, b, pose, std::abs(v[13]), method, cache, c);
      if (c.status != sunder::QueryStatus::InvalidInput && !std::isfinite(c.signedDistance)) std::abort();
      for (int i = 0; i < c.manifold.pointCount; ++i)
        if (!c.manifold.points[i].pointOnA.allFinite() || !std::isfinite(c.manifold.points[i].separation)) std::abort();
    }
  }
  // The door for any shapes leads two boxes to the same place.
  sunder::QueryOptions options;
  options.maxDistance = std::abs(v[13]);
  const sunder::Collision door = collide(supportShape(a), supportShape(b), pose, options);
  sunder::BoxPairCache cache;
  sunder::BoxCollision direct;
  collideBoxes(a, b, pose, std::abs(v[13]), sunder::NarrowphaseMethod::GjkEpa, cache, direct);
  if (door.status != direct.status || door.signedDistance != direct.signedDistance ||
      door.manifold.pointCount != direct.manifold.pointCount)
    std::abort();
  return 0;
}
