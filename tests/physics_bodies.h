// SPDX-License-Identifier: MIT
// What the tests of World share: short ways to add bodies and to step. z is up.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "sunder/physics/world.h"

namespace sunder::testing {

inline constexpr double kDt = 1.0 / 60.0;
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Eigen::Vector3d;

inline BodyDef boxAt(const Vector3d& position, const Vector3d& halfExtents = {0.5, 0.5, 0.5}, BodyKind kind = BodyKind::Dynamic) {
  BodyDef def;
  def.kind = kind;
  def.halfExtents = halfExtents;
  def.pose.position = position;
  return def;
}

// A static slab with its top at z = 0.
inline BodyId addFloor(World& world, BodyKind kind = BodyKind::Static) { return world.addBody(boxAt({0, 0, -0.5}, {50, 50, 0.5}, kind)); }

inline std::vector<BodyId> addStack(World& world, int count, double offset = 0) {
  std::vector<BodyId> ids;
  for (int i = 0; i < count; ++i) ids.push_back(world.addBody(boxAt({(i % 2 == 0 ? 1 : -1) * offset, 0, 0.5 + i})));
  return ids;
}

inline void run(World& world, double seconds, double dt = kDt) {
  for (int i = 0; i < static_cast<int>(seconds / dt + 0.5); ++i) ASSERT_EQ(world.step(dt).errors, kStepOk);
}

// Steps until the body sleeps; the time it took, or the limit.
inline double timeToSleep(World& world, BodyId id, double limit) {
  double time = 0;
  for (; time < limit && world.isAwake(id); time += kDt) world.step(kDt);
  return time;
}

inline bool pushEachOther(const World& world, const std::vector<BodyId>& bodies) {
  return std::any_of(bodies.begin(), bodies.end(), [&](BodyId id) { return world.contactImpulse(id).norm() > 0; });
}

// Random numbers that are the same with every library.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * static_cast<double>(engine_()) / 4294967296.0; }
  Vector3d vector(double bound) {
    const double x = between(-bound, bound), y = between(-bound, bound), z = between(-bound, bound);
    return {x, y, z};
  }
  Quaternion rotation() {
    for (;;) {
      const Vector3d v = vector(1);
      const double w = between(-1, 1), square = v.squaredNorm() + w * w;
      if (square > 0.1 && square < 1) return Quaternion(w, v[0], v[1], v[2]).normalized();
    }
  }
  Pose pose(double bound) {
    const Vector3d position = vector(bound);
    return {position, rotation()};
  }

 private:
  std::mt19937 engine_;
};

inline WorldDef awakeWorld(int substeps = 8) {
  WorldDef def;
  def.sleep = false;
  def.substeps = substeps;
  return def;
}

inline WorldDef weightless() {
  WorldDef def;
  def.gravity.setZero();
  return def;
}

}  // namespace sunder::testing
