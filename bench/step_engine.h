// SPDX-License-Identifier: MIT
// What the stepping benchmark asks of an engine. Each program links the measuring loop (step_bench.cpp) with one engine,
// so that engines share neither memory nor flags.
#pragma once
#include <sunder/demo/scenes.h>

#include <cstddef>
#include <memory>
#include <string>

namespace sunder::bench {

struct EngineOptions {
  int threads = 1;
  bool sleep = false;  // bodies at rest may fall asleep
};

class StepEngine {
 public:
  virtual ~StepEngine() = default;
  // Makes the scene's bodies in its order, with the engine's own defaults wherever the scene says nothing. Throws
  // std::invalid_argument when the engine can't do what the options ask for.
  virtual void build(const demo::Scene& scene, const EngineOptions& options) = 0;
  virtual void step(double dt) = 0;
  // World pose of the centre of body `body` of the scene.
  virtual Pose pose(std::size_t body) const = 0;
  virtual std::string name() const = 0;     // with the version
  virtual std::string details() const = 0;  // settings in words
  // Further JSON members about the run, each one with ", " in front.
  virtual std::string counters() const { return {}; }
};

std::unique_ptr<StepEngine> makeStepEngine();

}  // namespace sunder::bench
