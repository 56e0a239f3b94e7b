// SPDX-License-Identifier: MIT
#pragma once
#include <sunder/physics/world.h>

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

namespace sunder::demo {

struct SceneBody {
  std::string name;  // unique within the scene
  BodyDef def;
};

// What is simulated and for how long. SI units, world axes.
struct Scene {
  std::string name;
  Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.81);
  double dt = 1.0 / 60.0;
  int steps = 600;  // when the command line does not say
  std::vector<SceneBody> bodies;
};

// Seconds; what files and the command take. A longer step squares to more than the solver's floats hold.
inline constexpr double kLongestStep = 1e6;

struct SceneInfo {
  std::string pattern;      // "stackN": N stands for a number
  std::string example;      // a name that works
  std::string description;  // one line
};

// The built-in scenes in the order in which they are listed.
const std::vector<SceneInfo>& builtInScenes();

// Makes a built-in scene; y is up in all of them. Throws std::invalid_argument naming an unknown scene or a parameter
// out of range.
Scene builtInScene(const std::string& name);

// Moves the start of every dynamic body by up to +-amount metres along each world axis. The same seed gives the same
// displacements on every machine.
void perturb(Scene& scene, double amount, std::uint64_t seed);

}  // namespace sunder::demo
