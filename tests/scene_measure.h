// SPDX-License-Identifier: MIT
// Scenes run and measured the way the demands of docs/demands.md are stated. Shared by tests and by bench/demands.cpp.
// All scenes here are y up, as the built-in ones.
#pragma once
#include <sunder/demo/random.h>
#include <sunder/demo/referee.h>
#include <sunder/demo/scenes.h>
#include <sunder/physics/world.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sunder::measure {

using Eigen::Vector3d;

// Sleeping off: the solver has to hold the scene itself.
inline WorldDef awake(bool continuous = true) {
  WorldDef def;
  def.sleep = false;
  def.continuous = continuous;
  return def;
}
inline WorldDef withSleep() {
  WorldDef def;
  def.sleep = true;
  return def;
}

// A built-in scene whose dynamic bodies start up to +-millimetres off, along each axis.
inline demo::Scene noisy(const std::string& name, double millimetres, std::uint64_t seed) {
  demo::Scene scene = demo::builtInScene(name);
  if (millimetres > 0) demo::perturb(scene, 1e-3 * millimetres, seed);
  return scene;
}

inline demo::SceneBody& addBox(demo::Scene& scene, const Vector3d& halfExtents, const Vector3d& position) {
  demo::SceneBody& body = scene.bodies.emplace_back();
  body.name = "box" + std::to_string(scene.bodies.size());
  body.def.halfExtents = halfExtents;
  body.def.pose.position = position;
  return body;
}
inline BodyDef& addDynamic(demo::Scene& scene, const Vector3d& halfExtents, const Vector3d& position) {
  return addBox(scene, halfExtents, position).def;
}
inline BodyDef& addStatic(demo::Scene& scene, const Vector3d& halfExtents, const Vector3d& position) {
  BodyDef& def = addBox(scene, halfExtents, position).def;
  def.kind = BodyKind::Static;
  return def;
}
// Body 0 with its top face in the plane y = 0.
inline demo::Scene onGround(const char* name, double half = 50) {
  demo::Scene scene;
  scene.name = name;
  scene.gravity = {0, -9.81, 0};
  addStatic(scene, {half, 1, half}, {0, -1, 0});
  return scene;
}
inline Quaternion about(int axis, double angle) {
  const double c = std::cos(0.5 * angle), s = std::sin(0.5 * angle);
  return {c, axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0};
}

// A scene in a world, and what can be measured of it. Indices are those of the scene's bodies.
class SceneRun {
 public:
  explicit SceneRun(demo::Scene scene, WorldDef def = awake()) : scene_(std::move(scene)), world_(prepared(def, scene_)) {
    for (const demo::SceneBody& body : scene_.bodies) {
      ids_.push_back(world_.addBody(body.def));
      start_.push_back(body.def.pose.position);
      boxes_.push_back({Box{body.def.halfExtents}, body.def.pose, body.def.kind == BodyKind::Dynamic});
    }
  }

  const StepReport& step(int count = 1) {
    for (int i = 0; i < count; ++i) world_.step(scene_.dt);
    steps_ += count;
    return world_.lastReport();
  }
  int stepsIn(double seconds) const { return static_cast<int>(std::lround(seconds / scene_.dt)); }
  void run(double seconds) { step(stepsIn(seconds)); }

  World& world() { return world_; }
  const demo::Scene& scene() const { return scene_; }
  double time() const { return steps_ * scene_.dt; }
  int size() const { return static_cast<int>(ids_.size()); }
  int last() const { return size() - 1; }
  BodyId id(int i) const { return ids_[at(i)]; }
  bool isDynamic(int i) const { return boxes_[at(i)].movable; }
  Vector3d position(int i) const { return world_.pose(id(i)).position; }
  Vector3d velocity(int i) const { return world_.linearVelocity(id(i)); }
  Vector3d angularVelocity(int i) const { return world_.angularVelocity(id(i)); }
  Vector3d moved(int i) const { return position(i) - start_[at(i)]; }
  double sideways(int i) const { return std::hypot(moved(i)[0], moved(i)[2]); }
  // From here on moved() is counted.
  void markStart() {
    for (int i = 0; i < size(); ++i) start_[at(i)] = position(i);
  }
  // The axis of body i, in world coordinates.
  Vector3d axis(int i, int k) const {
    const Quaternion& q = world_.pose(id(i)).orientation;
    const double w = q.w(), x = q.x(), y = q.y(), z = q.z();
    if (k == 0) return {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
    if (k == 1) return {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)};
    return {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
  }
  // Angle between the body's y axis and the vertical, rad.
  double tilt(int i) const { return std::acos(std::clamp(axis(i, 1)[1], -1.0, 1.0)); }
  double lowestCorner(int i) const {
    const Vector3d& h = scene_.bodies[at(i)].def.halfExtents;
    double y = position(i)[1];
    for (int k = 0; k < 3; ++k) y -= h[k] * std::abs(axis(i, k)[1]);
    return y;
  }

  // By the exact referee, over all pairs with a dynamic body.
  demo::Overlaps overlaps() {
    for (int i = 0; i < size(); ++i) boxes_[at(i)].pose = world_.pose(id(i));
    return demo::measureOverlaps(boxes_);
  }
  double rmsSpeed() const {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < size(); ++i)
      if (isDynamic(i)) sum += velocity(i).squaredNorm(), ++count;
    return count == 0 ? 0 : std::sqrt(sum / count);
  }
  double maxSpeed() const {
    double most = 0;
    for (int i = 0; i < size(); ++i)
      if (isDynamic(i)) most = std::max(most, velocity(i).norm());
    return most;
  }
  // Dynamic bodies that went more than `limit` sideways or `drop` down.
  int fallen(double limit = 0.5, double drop = 3.0) const {
    int count = 0;
    for (int i = 0; i < size(); ++i)
      if (isDynamic(i) && !(sideways(i) <= limit && -moved(i)[1] <= drop)) ++count;
    return count;
  }
  int awakeBodies() const {
    int count = 0;
    for (int i = 0; i < size(); ++i) count += isDynamic(i) && world_.isAwake(id(i)) ? 1 : 0;
    return count;
  }
  double kineticEnergy() const {
    double sum = 0;
    for (int i = 0; i < size(); ++i)
      if (isDynamic(i)) sum += kineticEnergy(i);
    return sum;
  }
  double kineticEnergy(int i) const {
    const Vector3d w = angularVelocity(i), moments = world_.inertia(id(i));
    double twice = world_.mass(id(i)) * velocity(i).squaredNorm();
    for (int k = 0; k < 3; ++k) twice += moments[k] * std::pow(axis(i, k).dot(w), 2);
    return 0.5 * twice;
  }
  Vector3d momentum() const {
    Vector3d sum = Vector3d::Zero();
    for (int i = 0; i < size(); ++i)
      if (isDynamic(i)) sum += world_.mass(id(i)) * velocity(i);
    return sum;
  }
  // About the body's own centre.
  Vector3d spinMomentum(int i) const {
    Vector3d sum = Vector3d::Zero();
    const Vector3d moments = world_.inertia(id(i));
    for (int k = 0; k < 3; ++k) sum += moments[k] * axis(i, k).dot(angularVelocity(i)) * axis(i, k);
    return sum;
  }
  // About the origin.
  Vector3d angularMomentum() const {
    Vector3d sum = Vector3d::Zero();
    for (int i = 0; i < size(); ++i)
      if (isDynamic(i)) sum += spinMomentum(i) + world_.mass(id(i)) * position(i).cross(velocity(i));
    return sum;
  }
  bool isFinite() const {
    for (int i = 0; i < size(); ++i)
      if (!position(i).allFinite() || !velocity(i).allFinite()) return false;
    return true;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static WorldDef prepared(WorldDef def, const demo::Scene& scene) {
    def.gravity = scene.gravity;
    return def;
  }

  demo::Scene scene_;
  World world_;
  std::vector<BodyId> ids_;
  std::vector<Vector3d> start_;
  std::vector<demo::RefereeBox> boxes_;
  int steps_ = 0;
};

// What is asked of piles that should stand. Lengths in metres.
struct Standing {
  int fallen = 0;       // bodies
  double drift = 0;     // of the top, sideways, at the end: since `driftFrom` seconds
  double sink = 0;      // of the top, below where a pile of rigid boxes has it
  double deepest = 0;   // penetration after the last step
  double worst = 0;     // penetration at any whole second, from the second one on
  double mean = 0;      // penetration
  double rmsSpeed = 0;  // m/s, after the last step
};

// `top` is the last body; `topAt` its height in a pile of rigid boxes. The first second is for the noise to settle when
// driftFrom is 1.
inline Standing measureStanding(SceneRun& run, double seconds, double topAt, double driftFrom) {
  Standing result;
  const int perSecond = run.stepsIn(1), steps = run.stepsIn(seconds);
  Vector3d reference = run.position(run.last());
  for (int k = 1; k <= steps; ++k) {
    run.step();
    if (k == run.stepsIn(driftFrom)) reference = run.position(run.last());
    if (k % perSecond == 0 && k > perSecond) result.worst = std::max(result.worst, run.overlaps().deepest);
  }
  const Vector3d end = run.position(run.last());
  const demo::Overlaps overlaps = run.overlaps();
  result.fallen = run.fallen();
  result.drift = std::hypot(end[0] - reference[0], end[2] - reference[2]);
  result.sink = topAt - end[1];
  result.deepest = overlaps.deepest;
  result.worst = std::max(result.worst, overlaps.deepest);
  result.mean = overlaps.mean;
  result.rmsSpeed = run.rmsSpeed();
  return result;
}

// The worst of several runs.
inline Standing worstOf(const Standing& a, const Standing& b) {
  return {a.fallen + b.fallen,          std::max(a.drift, b.drift), std::max(a.sink, b.sink),
          std::max(a.deepest, b.deepest), std::max(a.worst, b.worst), std::max(a.mean, b.mean),
          std::max(a.rmsSpeed, b.rmsSpeed)};
}

// Stack, pyramid or heavy scene `name`, with 0 (exact), 1, ..., `seeds` millimetres of noise.
inline Standing measureSeeds(const std::string& name, double seconds, double topAt, int firstSeed, int seeds) {
  Standing worst;
  worst.sink = -std::numeric_limits<double>::infinity();
  for (int seed = firstSeed; seed <= seeds; ++seed) {
    SceneRun run(noisy(name, std::min(seed, 5), static_cast<std::uint64_t>(seed)));
    worst = worstOf(worst, measureStanding(run, seconds, topAt, seed == 0 ? 0 : 1));
  }
  return worst;
}

// Seconds until everything sleeps; `limit` when it does not by then.
inline double timeToSleep(SceneRun& run, double limit) {
  while (run.time() < limit) {
    run.step();
    if (run.awakeBodies() == 0) return run.time();
  }
  return limit;
}

}  // namespace sunder::measure
