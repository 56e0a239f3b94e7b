// SPDX-License-Identifier: MIT
// Static resolution by minimum penetration vectors: projected Gauss-Seidel on positions, in the order of the pairs. Each
// overlapping pair in turn is pushed apart by its whole depth, shared by those of the two that may move; what that does to
// the neighbours is seen by the pairs after it. A body between obstacles that are closer than it is wide would be pushed
// to and fro for ever: when the overlaps shrink no more, such bodies leave all obstacles at once along the shortest of the
// face directions around it.
#include "sunder/physics/separate.h"

#include <algorithm>
#include <cmath>

#include "sunder/narrowphase/query.h"
#include "sunder/physics/world_internal.h"

namespace sunder {

using namespace math;

namespace {

// The worst overlap has to lose a hundredth within this many iterations, or it is stuck. A chain of n bodies passes a push
// on by one body per iteration in the unlucky direction, so this is the longest chain that is waited for.
constexpr int kPatience = 64;
constexpr double kProgress = 0.99;
constexpr int kEscapes = 8;        // times that stuck bodies may leave their obstacles
constexpr int kEscapeSteps = 64;   // obstacles in a row that one body may have to pass
constexpr double kFreeShare = 1e-6;  // squared length of what locks leave of a unit normal, below which it is nothing

Vec3 freePart(const BodyState& body, const Vec3& v) {
  const std::uint8_t locks = body.def.lockedAxes;
  return {(locks & kLockLinearX) != 0 ? 0 : v.x, (locks & kLockLinearY) != 0 ? 0 : v.y, (locks & kLockLinearZ) != 0 ? 0 : v.z};
}

class Separator {
 public:
  Separator(World::Impl& world, const SeparateSettings& settings) : world_(world), settings_(settings), start_(world.bodies.size()), moved_(world.bodies.size(), 0) {
    for (std::size_t i = 0; i < start_.size(); ++i) start_[i] = load(world.bodies[i].pose.position);
  }

  SeparateReport run() {
    SeparateReport report;
    report.deepestBefore = deepestOverlap();
    double best = HUGE_VAL;
    int patience = kPatience, escapes = kEscapes;
    for (;;) {
      const double deepest = pushApart();
      if (deepest <= settings_.tolerance) break;
      if (++report.iterations >= settings_.maxIterations) {
        report.status = SeparateStatus::IterationLimit;
        break;
      }
      if (deepest < kProgress * best) {
        best = deepest;
        patience = kPatience;
      } else if (--patience == 0) {
        if (escapes-- == 0 || !escapeObstacles()) {
          report.status = SeparateStatus::Stuck;
          break;
        }
        best = HUGE_VAL;
        patience = kPatience;
      }
    }
    finish(report);
    return report;
  }

 private:
  bool mayMove(std::uint32_t index, std::uint32_t other) const {
    const BodyState& body = world_.bodies[index];
    if (body.def.kind != BodyKind::Dynamic || body.frozen) return false;
    const BodyState& partner = world_.bodies[other];
    return partner.def.kind != BodyKind::Dynamic || body.def.dominance <= partner.def.dominance;
  }

  // The depth of a pair, 0 when apart, and the world direction in which B has to go.
  double depthOf(BodyPair& pair, Vec3& normal) {
    if (pair.ignored) return 0;
    const BodyState& a = world_.bodies[pair.a];
    const BodyState& b = world_.bodies[pair.b];
    if (a.def.kind != BodyKind::Dynamic && b.def.kind != BodyKind::Dynamic) return 0;
    if (!overlaps(boundsOf(world_.frames[pair.a], a.def.halfExtents), boundsOf(world_.frames[pair.b], b.def.halfExtents))) return 0;
    QueryOptions options;
    options.maxDistance = 0;
    const Proximity near = signedDistance(Box{a.def.halfExtents}, Box{b.def.halfExtents}, relativePose(a.pose, b.pose), options);
    if (near.beyondMaxDistance || !(near.signedDistance < 0)) return 0;
    normal = rotate(load(a.pose.orientation), load(near.normal));
    return -near.signedDistance;
  }

  double deepestOverlap() {
    world_.updatePairs();
    double deepest = 0;
    Vec3 normal;
    for (const std::uint32_t slot : world_.pairOrder) deepest = std::max(deepest, depthOf(world_.pairs[slot], normal));
    return deepest;
  }

  void move(std::uint32_t index, const Vec3& by) {
    BodyState& body = world_.bodies[index];
    store(body.pose.position, load(body.pose.position) + by);
    world_.frames[index] = frameOf(body.pose);
    moved_[index] = 1;
    changed_.push_back(index);
  }

  void updateBroadphase() {
    for (const std::uint32_t i : changed_) world_.broadphase.move(i, boundsOf(world_.frames[i], world_.bodies[i].def.halfExtents));
    changed_.clear();
    world_.updatePairs();
  }

  // One sweep. Returns the deepest overlap that it met.
  double pushApart() {
    double deepest = 0;
    for (const std::uint32_t slot : world_.pairOrder) {
      BodyPair& pair = world_.pairs[slot];
      Vec3 normal = {0, 0, 0};
      const double depth = depthOf(pair, normal);
      if (depth <= settings_.tolerance) continue;
      deepest = std::max(deepest, depth);
      const Vec3 alongA = freePart(world_.bodies[pair.a], normal), alongB = freePart(world_.bodies[pair.b], normal);
      const double shareA = mayMove(pair.a, pair.b) ? dot(alongA, alongA) : 0, shareB = mayMove(pair.b, pair.a) ? dot(alongB, alongB) : 0;
      if (!(shareA + shareB > kFreeShare)) continue;
      // Half of the tolerance more, so that rounding does not leave the pair just above it.
      const double push = (depth + 0.5 * settings_.tolerance) / (shareA + shareB);
      if (shareA > 0) move(pair.a, -push * alongA);
      if (shareB > 0) move(pair.b, push * alongB);
    }
    updateBroadphase();
    return deepest;
  }

  // How far box X, moved by `offset`, has to go along d to leave box Y: the least way over the 15 axes of the separating
  // axis test that d leads out along. 0 when they do not overlap there.
  double wayOut(std::uint32_t x, std::uint32_t y, const Vec3& offset, const Vec3& d) const {
    const BodyFrame& fx = world_.frames[x];
    const BodyFrame& fy = world_.frames[y];
    const double* hx = world_.bodies[x].def.halfExtents.data();
    const double* hy = world_.bodies[y].def.halfExtents.data();
    const auto axisOf = [](const BodyFrame& f, int i) { return Vec3{f.rotation[3 * i], f.rotation[3 * i + 1], f.rotation[3 * i + 2]}; };
    const Vec3 apart = offset + Vec3{fx.position[0] - fy.position[0], fx.position[1] - fy.position[1], fx.position[2] - fy.position[2]};
    double way = HUGE_VAL;
    for (int k = 0; k < 15; ++k) {
      Vec3 axis = k < 3 ? axisOf(fx, k) : k < 6 ? axisOf(fy, k - 3) : cross(axisOf(fx, (k - 6) / 3), axisOf(fy, (k - 6) % 3));
      const double size = length(axis);
      if (size < 1e-6) continue;  // parallel edges: the face axes decide
      axis = (1 / size) * axis;
      double reach = 0;
      for (int i = 0; i < 3; ++i) reach += hx[i] * std::fabs(dot(axis, axisOf(fx, i))) + hy[i] * std::fabs(dot(axis, axisOf(fy, i)));
      const double along = dot(apart, axis), speed = dot(d, axis);
      if (reach - std::fabs(along) <= settings_.tolerance) return 0;  // separated along this axis
      if (std::fabs(speed) < 1e-9) continue;
      const double exit = (reach - (speed > 0 ? along : -along)) / std::fabs(speed);
      way = std::min(way, exit);
    }
    return way;
  }

  // How far a body has to go along d to be clear of everything that it must not push. HUGE_VAL: there is no such way.
  double wayOutOfAll(std::uint32_t index, const Vec3& d) {
    const BodyState& body = world_.bodies[index];
    double way = 0;
    for (int step = 0; step < kEscapeSteps; ++step) {
      BodyFrame there = world_.frames[index];
      const Vec3 offset = way * d;
      there.position[0] += offset.x;
      there.position[1] += offset.y;
      there.position[2] += offset.z;
      double further = 0;
      world_.broadphase.visitOverlaps(boundsOf(there, body.def.halfExtents), [&](ProxyId other) {
        const std::uint32_t low = std::min(index, other), high = std::max(index, other);
        const PairRule* rule = world_.findRule(low, high);
        if (other == index || mayMove(other, index) || (rule != nullptr && rule->ignored)) return true;
        if (accepts(body.def.filter, world_.bodies[other].def.filter)) further = std::max(further, wayOut(index, other, offset, d));
        return true;
      });
      if (further == 0) return way;
      way += further + 0.5 * settings_.tolerance;
      if (!(way < HUGE_VAL)) return way;
    }
    return HUGE_VAL;
  }

  // Moves each body that overlaps something it must not push out of all of that. False: none could be moved.
  bool escapeObstacles() {
    std::vector<ProxyPair> obstacles;  // (body, obstacle)
    for (const std::uint32_t slot : world_.pairOrder) {
      BodyPair& pair = world_.pairs[slot];
      Vec3 normal;
      if (depthOf(pair, normal) <= settings_.tolerance) continue;
      const bool movesA = mayMove(pair.a, pair.b), movesB = mayMove(pair.b, pair.a);
      if (movesA == movesB) continue;
      obstacles.push_back(movesA ? ProxyPair{pair.a, pair.b} : ProxyPair{pair.b, pair.a});
    }
    std::sort(obstacles.begin(), obstacles.end());
    bool escaped = false;
    for (auto first = obstacles.begin(); first != obstacles.end();) {
      const std::uint32_t index = first->a;
      const BodyState& body = world_.bodies[index];
      double shortest = HUGE_VAL;
      Vec3 best = {0, 0, 0};
      const auto tryFaces = [&](const BodyFrame& frame) {
        for (int k = 0; k < 6; ++k) {
          const double sign = k < 3 ? 1.0 : -1.0;
          const double* axis = frame.rotation + 3 * (k % 3);
          const Vec3 d = freePart(body, {sign * axis[0], sign * axis[1], sign * axis[2]});
          if (dot(d, d) < kFreeShare) continue;
          const double way = wayOutOfAll(index, d) * length(d);
          if (!(way < shortest)) continue;
          shortest = way;
          best = (way / length(d)) * d;
        }
      };
      tryFaces(world_.frames[index]);
      for (; first != obstacles.end() && first->a == index; ++first) tryFaces(world_.frames[first->b]);
      if (!(shortest < HUGE_VAL) || shortest == 0) continue;
      move(index, best);
      escaped = true;
    }
    updateBroadphase();
    return escaped;
  }

  void finish(SeparateReport& report) {
    for (std::uint32_t i = 0; i < moved_.size(); ++i) {
      if (moved_[i] == 0) continue;
      const double distance = length(load(world_.bodies[i].pose.position) - start_[i]);
      if (distance == 0) continue;
      ++report.movedBodies;
      report.largestMove = std::max(report.largestMove, distance);
      world_.clocks[i].now += distance;
      world_.resetTrend(i);
      world_.disturb(i);
    }
    Vec3 normal;
    for (const std::uint32_t slot : world_.pairOrder) {
      BodyPair& pair = world_.pairs[slot];
      const double depth = depthOf(pair, normal);
      report.deepest = std::max(report.deepest, depth);
      if (depth <= settings_.tolerance) continue;
      report.overlaps.push_back({{pair.a, world_.bodies[pair.a].generation}, {pair.b, world_.bodies[pair.b].generation}, depth});
    }
  }

  World::Impl& world_;
  SeparateSettings settings_;
  std::vector<Vec3> start_;
  std::vector<std::uint8_t> moved_;
  std::vector<std::uint32_t> changed_;
};

}  // namespace

const char* toString(SeparateStatus status) {
  switch (status) {
    case SeparateStatus::Separated: return "separated";
    case SeparateStatus::IterationLimit: return "iteration limit";
    case SeparateStatus::Stuck: return "stuck";
  }
  return "unknown";
}

SeparateReport World::separate(const SeparateSettings& settings) {
  require(settings.maxIterations >= 1, "separate: maxIterations is " + std::to_string(settings.maxIterations) + ", must be >= 1");
  require(std::isfinite(settings.tolerance) && settings.tolerance > 0, "separate: tolerance is " + std::to_string(settings.tolerance) + ", must be > 0");
  return Separator(*impl_, settings).run();
}

}  // namespace sunder
