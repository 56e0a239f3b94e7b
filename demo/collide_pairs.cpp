// SPDX-License-Identifier: MIT
#include "sunder/demo/collide_pairs.h"

#include <sunder/narrowphase/box_sat.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

namespace sunder::demo {
namespace {

using Json = nlohmann::ordered_json;
using Eigen::Vector3d;

Json toJson(const Vector3d& v) {
  return {v[0], v[1], v[2]};
}

Proximity closedForm(const Box& a, const Box& b, const Pose& poseBInA) {
  const BoxSatResult r = boxSat(a, b, poseBInA);
  return {r.status,     false,    r.signedDistance, r.lowerBound, r.upperBound, r.normal,
          r.pointOnA, r.pointOnB, 0};
}

}  // namespace

PairAnswer collidePair(const BoxPair& pair, NarrowphaseMethod method) {
  const Pose& frame = pair.a.pose;
  const Pose bInA = relativePose(frame, pair.b.pose);
  const auto point = [&](const Vector3d& p) -> Vector3d { return frame.position + frame.orientation * p; };
  PairAnswer answer;
  answer.proximity = method == NarrowphaseMethod::GjkEpa ? signedDistance(pair.a.box, pair.b.box, bInA)
                                                         : closedForm(pair.a.box, pair.b.box, bInA);
  Proximity& p = answer.proximity;
  if (p.status != QueryStatus::InvalidInput) {
    p.normal = frame.orientation * p.normal;
    p.pointOnA = point(p.pointOnA);
    p.pointOnB = point(p.pointOnB);
  }
  BoxPairCache cache;
  BoxCollision collision;
  // A manifold has points only where the boxes touch or overlap; 0 is the margin.
  collideBoxes(pair.a.box, pair.b.box, bInA, 0, method, cache, collision);
  answer.manifold = collision.manifold;
  answer.manifold.normal = frame.orientation * collision.manifold.normal;
  for (int i = 0; i < answer.manifold.pointCount; ++i) {
    answer.manifold.points[i].pointOnA = point(collision.manifold.points[i].pointOnA);
    answer.manifold.points[i].pointOnB = point(collision.manifold.points[i].pointOnB);
  }
  return answer;
}

void writeAnswer(const BoxPair& pair, const PairAnswer& answer, std::ostream& out) {
  const Proximity& p = answer.proximity;
  Json points = Json::array();
  for (int i = 0; i < answer.manifold.pointCount; ++i) {
    const ContactPoint& c = answer.manifold.points[i];
    const Vector3d middle = 0.5 * (c.pointOnA + c.pointOnB);
    points.push_back({{"position", toJson(middle)}, {"separation", c.separation}, {"feature_id", c.featureId}});
  }
  const Json line = {{"id", pair.id},
                     {"status", toString(p.status)},
                     {"overlap", p.signedDistance <= 0},
                     {"signed_distance", p.signedDistance},
                     {"normal", toJson(p.normal)},
                     {"point_on_a", toJson(p.pointOnA)},
                     {"point_on_b", toJson(p.pointOnB)},
                     {"error_bound", p.upperBound - p.lowerBound},
                     {"iterations", p.iterations},
                     {"manifold", points}};
  out << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

bool isSound(const PairAnswer& answer) {
  const Proximity& p = answer.proximity;
  bool finite =
      std::isfinite(p.signedDistance) && p.normal.allFinite() && p.pointOnA.allFinite() && p.pointOnB.allFinite();
  for (int i = 0; i < answer.manifold.pointCount; ++i)
    finite = finite && answer.manifold.points[i].pointOnA.allFinite();
  return finite && p.status == QueryStatus::Converged;
}

}  // namespace sunder::demo
