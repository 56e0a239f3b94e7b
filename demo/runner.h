// SPDX-License-Identifier: MIT
// Steps a scene and measures the run.
#pragma once
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "sunder/demo/scenes.h"
#include "sunder/physics/step_report.h"

namespace sunder::demo {

struct RunOptions {
  int steps = -1;                  // -1: as the scene says
  double seconds = 0;              // > 0: instead of steps
  double dt = 0;                   // s; 0: as the scene says
  WorldDef world;                  // substeps, threads, sleep, continuous; the gravity is the scene's
  std::ostream* record = nullptr;  // poses after every step, docs/formats.md
  std::ostream* csv = nullptr;     // one line per step
  std::function<void(int step, int steps)> progress;  // called after every step
};

// Median and 99th percentile over the steps, ms.
struct Timing {
  double median = 0, p99 = 0;
};

struct StageTiming {
  std::string stage;  // "total", "broadphase", ...
  Timing timing;
};

struct BodyResult {
  std::string name;
  Pose pose;
  Eigen::Vector3d linearVelocity, angularVelocity;
  bool asleep = false;
};

struct RunResult {
  std::string scene;
  int steps = 0;
  double dt = 0;
  WorldDef world;
  std::string instructionSet;
  std::uint64_t hash = 0;
  double deepestPenetration = 0;          // metres, after the last step, by the referee
  double deepestPenetrationRun = 0;       // metres, over all steps
  double meanPenetration = 0;             // metres, over the overlapping pairs after the last step
  double rmsSpeed = 0;                    // m/s, over the dynamic bodies
  double energyStart = 0, energyEnd = 0;  // J
  int dynamicBodies = 0, asleep = 0;
  StepReport last;                    // counters of the last step
  std::vector<StageTiming> times;     // "total" first
  std::vector<BodyResult> bodies;     // in the scene's order
  std::vector<std::string> problems;  // what went wrong in the run; empty: nothing
};

// How many steps a run has. Throws std::invalid_argument when `seconds` would be more than 1e9 of them.
int stepCount(const Scene& scene, const RunOptions& options);

// Throws std::invalid_argument when the scene or the options can't be used; the message names the body and the field.
RunResult runScene(const Scene& scene, const RunOptions& options);

}  // namespace sunder::demo
