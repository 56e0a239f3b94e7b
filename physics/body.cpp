// SPDX-License-Identifier: MIT
#include "sunder/physics/body.h"

#include <charconv>
#include <cmath>

namespace sunder {
namespace {

std::string shown(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

std::string badVector(const char* name, const Eigen::Vector3d& v) {
  for (int i = 0; i < 3; ++i)
    if (!std::isfinite(v[i])) return std::string("body: ") + name + "[" + std::to_string(i) + "] is " + shown(v[i]) + ", must be finite";
  return {};
}

std::string badNumber(const char* name, double value, double least, bool leastAllowed, double most) {
  if (std::isfinite(value) && (leastAllowed ? value >= least : value > least) && value <= most) return {};
  std::string text = std::string("body: ") + name + " is " + shown(value) + ", must be ";
  if (!std::isfinite(least)) return text + "finite";
  text += (leastAllowed ? ">= " : "> ") + shown(least);
  if (std::isfinite(most)) text += " and <= " + shown(most);
  return text;
}

constexpr double kNoLimit = HUGE_VAL;

}  // namespace

std::string validatePose(const Pose& pose) {
  if (std::string text = badVector("position", pose.position); !text.empty()) return text;
  const double* q = pose.orientation.coeffs().data();
  double squared = 0;
  for (int i = 0; i < 4; ++i) {
    if (!std::isfinite(q[i])) return "body: orientation has a component that is " + shown(q[i]) + ", must be finite";
    squared += q[i] * q[i];
  }
  // Any quaternion that is clearly a rotation is taken and normalized; what is left of 0 or overflows is refused.
  if (!(squared > 1e-12 && squared < 1e12)) return "body: orientation has length " + shown(std::sqrt(squared)) + ", must be a rotation (length 1)";
  return {};
}

std::string validate(const BodyDef& def) {
  if (std::string text = badVector("half_extents", def.halfExtents); !text.empty()) return text;
  for (int i = 0; i < 3; ++i)
    if (!(def.halfExtents[i] > 0)) return "body: half_extents[" + std::to_string(i) + "] is " + shown(def.halfExtents[i]) + ", must be > 0";
  if (std::string text = validatePose(def.pose); !text.empty()) return text;
  if (std::string text = badVector("linear_velocity", def.linearVelocity); !text.empty()) return text;
  if (std::string text = badVector("angular_velocity", def.angularVelocity); !text.empty()) return text;
  if (std::string text = badVector("surface_velocity", def.surfaceVelocity); !text.empty()) return text;
  struct Number {
    const char* name;
    double value, least;
    bool leastAllowed;
    double most;
  };
  const Number numbers[] = {
      {"density", def.density, 0, false, kNoLimit},
      {"mass", def.mass, 0, true, kNoLimit},
      {"friction", def.friction, 0, true, kNoLimit},
      {"restitution", def.restitution, 0, true, 1},
      {"linear_damping", def.linearDamping, 0, true, kNoLimit},
      {"angular_damping", def.angularDamping, 0, true, kNoLimit},
      {"gravity_scale", def.gravityScale, -kNoLimit, true, kNoLimit},
  };
  for (const Number& number : numbers)
    if (std::string text = badNumber(number.name, number.value, number.least, number.leastAllowed, number.most); !text.empty()) return text;
  if (def.lockedAxes > 63) return "body: locked_axes is " + std::to_string(def.lockedAxes) + ", must be a combination of AxisLock";
  if (def.kind == BodyKind::Dynamic) {
    const double mass = def.mass > 0 ? def.mass : 8 * def.halfExtents[0] * def.halfExtents[1] * def.halfExtents[2] * def.density;
    // The solver works with inverse masses and inertias in float lanes: beyond these they over- or underflow.
    if (!(mass > 1e-15 && mass < 1e15)) return "body: mass is " + shown(mass) + " kg, must be between 1e-15 and 1e15";
  }
  return {};
}

}  // namespace sunder
