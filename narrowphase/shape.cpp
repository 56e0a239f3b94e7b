// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/shape.h"

#include "sunder/narrowphase/support_internal.h"

namespace sunder {
namespace {

using namespace math;

std::string bad(const char* field, double value, const char* wanted) {
  return std::string(field) + " is " + std::to_string(value) + ", must be " + wanted;
}

bool positive(double x) { return isFinite(x) && x > 0; }

}  // namespace

std::string validate(const Box& box) {
  const double* h = box.halfExtents.data();
  for (int k = 0; k < 3; ++k)
    if (!positive(h[k])) return bad(k == 0 ? "halfExtents.x" : k == 1 ? "halfExtents.y" : "halfExtents.z", h[k], "> 0");
  return {};
}

std::string validate(const Sphere& sphere) {
  return positive(sphere.radius) ? std::string() : bad("radius", sphere.radius, "> 0");
}

std::string validate(const Capsule& capsule) {
  if (!positive(capsule.halfLength)) return bad("halfLength", capsule.halfLength, "> 0");
  return positive(capsule.radius) ? std::string() : bad("radius", capsule.radius, "> 0");
}

}  // namespace sunder
