// SPDX-License-Identifier: MIT
#include "sunder/demo/runner.h"

#include <sunder/physics/world.h>
#include <sunder/solver/contact_kernel.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <stdexcept>

#include "sunder/demo/referee.h"
#include "sunder/demo/text.h"

namespace sunder::demo {
namespace {

struct Stage {
  const char* name;
  double StageTimes::*milliseconds;
};
constexpr Stage kStages[] = {
    {"total", &StageTimes::total},   {"broadphase", &StageTimes::broadphase}, {"narrowphase", &StageTimes::narrowphase},
    {"solver", &StageTimes::solver}, {"islands", &StageTimes::islands},       {"continuous", &StageTimes::continuous},
    {"finish", &StageTimes::finish},
};

Timing timing(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.99)};
}

// One run: the world, its bodies in the scene's order, and what is collected on the way.
class Run {
 public:
  Run(const Scene& scene, const RunOptions& options) : scene_(scene), options_(options), world_(settings()) {
    for (const SceneBody& body : scene.bodies) {
      try {
        ids_.push_back(world_.addBody(body.def));
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("body '" + body.name + "': " + error.what());
      }
      boxes_.push_back({Box{body.def.halfExtents}, body.def.pose, body.def.kind == BodyKind::Dynamic});
    }
    result_.scene = scene.name;
    result_.dt = options.dt > 0 ? options.dt : scene.dt;
    result_.steps = stepCount(scene, options);
    result_.energyStart = world_.energy();
  }

  RunResult go() {
    writeHeaders();
    for (int step = 1; step <= result_.steps; ++step) {
      const StepReport& report = world_.step(result_.dt);
      for (std::size_t i = 0; i < std::size(kStages); ++i)
        samples_[i].push_back(report.milliseconds.*kStages[i].milliseconds);
      noteProblems(report, step);
      measure();
      if (options_.csv != nullptr) writeCsvLine(report, step);
      if (options_.record != nullptr) writeRecord(step);
      if (options_.progress) options_.progress(step, result_.steps);
    }
    if (result_.steps == 0) measure();
    finish();
    return std::move(result_);
  }

 private:
  WorldDef settings() const {
    WorldDef def = options_.world;
    def.gravity = scene_.gravity;
    return def;
  }

  void noteProblems(const StepReport& report, int step) {
    if (report.errors == kStepOk) return;
    const std::string when = "step " + std::to_string(step) + ": ";
    for (const BodyId id : report.frozenBodies) {
      const auto found = std::find(ids_.begin(), ids_.end(), id);
      const std::string name =
          found == ids_.end() ? "?" : scene_.bodies[static_cast<std::size_t>(found - ids_.begin())].name;
      result_.problems.push_back(when + "body '" + name + "' stopped being finite and was frozen");
    }
    if (report.frozenBodies.empty()) result_.problems.push_back(when + "error bits " + std::to_string(report.errors));
  }

  void measure() {
    for (std::size_t i = 0; i < ids_.size(); ++i) boxes_[i].pose = world_.pose(ids_[i]);
    overlaps_ = measureOverlaps(boxes_);
    result_.deepestPenetrationRun = std::max(result_.deepestPenetrationRun, overlaps_.deepest);
  }

  double rmsSpeed() const {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (!boxes_[i].movable) continue;
      sum += world_.linearVelocity(ids_[i]).squaredNorm();
      ++count;
    }
    return count == 0 ? 0 : std::sqrt(sum / count);
  }

  void writeHeaders() {
    if (options_.csv != nullptr) {
      *options_.csv << "step,time";
      for (const Stage& stage : kStages) *options_.csv << ',' << stage.name << "_ms";
      *options_.csv << ",awake,pairs,contacts,contact_points,islands,deepest_penetration,rms_speed,energy,hash\n";
    }
    if (options_.record != nullptr) {
      *options_.record << "{\"format\": \"sunder-recording\", \"version\": 1, \"scene\": " << jsonString(result_.scene)
                       << ", \"dt\": " << jsonNumber(result_.dt) << ", \"bodies\": [";
      for (std::size_t i = 0; i < ids_.size(); ++i) {
        const Eigen::Vector3d& h = boxes_[i].box.halfExtents;
        *options_.record << (i == 0 ? "" : ", ") << "{\"name\": " << jsonString(scene_.bodies[i].name)
                         << ", \"half_extents\": [" << jsonNumber(h[0]) << ", " << jsonNumber(h[1]) << ", "
                         << jsonNumber(h[2]) << "]}";
      }
      *options_.record << "]}\n";
      writeRecord(0);
    }
  }

  void writeCsvLine(const StepReport& report, int step) {
    std::ostream& out = *options_.csv;
    out << step << ',' << jsonNumber(step * result_.dt);
    for (const Stage& stage : kStages) out << ',' << jsonNumber(report.milliseconds.*stage.milliseconds);
    out << ',' << report.awakeBodies << ',' << report.pairs << ',' << report.contacts << ',' << report.contactPoints
        << ',' << report.islands << ',' << jsonNumber(overlaps_.deepest) << ',' << jsonNumber(rmsSpeed()) << ','
        << jsonNumber(world_.energy()) << ',' << hexadecimal(world_.stateHash()) << '\n';
  }

  void writeRecord(int step) {
    std::ostream& out = *options_.record;
    out << "{\"step\": " << step << ", \"hash\": \"" << hexadecimal(world_.stateHash()) << "\", \"poses\": [";
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const Pose& pose = world_.pose(ids_[i]);
      const Quaternion& q = pose.orientation;
      out << (i == 0 ? "[" : ", [");
      for (const double value : {pose.position[0], pose.position[1], pose.position[2], q.w(), q.x(), q.y()})
        out << jsonNumber(value) << ", ";
      out << jsonNumber(q.z()) << ']';
    }
    out << "]}\n";
  }

  void finish() {
    const StepReport& last = world_.lastReport();
    result_.world = world_.settings();
    result_.instructionSet = contactKernel().name;
    result_.hash = world_.stateHash();
    result_.deepestPenetration = overlaps_.deepest;
    result_.meanPenetration = overlaps_.mean;
    result_.rmsSpeed = rmsSpeed();
    result_.energyEnd = world_.energy();
    result_.last = last;
    for (std::size_t i = 0; i < std::size(kStages); ++i)
      result_.times.push_back({kStages[i].name, timing(samples_[i])});
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const BodyId id = ids_[i];
      const bool asleep = boxes_[i].movable && !world_.isAwake(id);
      result_.dynamicBodies += boxes_[i].movable ? 1 : 0;
      result_.asleep += asleep ? 1 : 0;
      result_.bodies.push_back(
          {scene_.bodies[i].name, world_.pose(id), world_.linearVelocity(id), world_.angularVelocity(id), asleep});
    }
  }

  const Scene& scene_;
  const RunOptions& options_;
  World world_;
  std::vector<BodyId> ids_;
  std::vector<RefereeBox> boxes_;  // poses after the last step
  Overlaps overlaps_;
  std::vector<double> samples_[std::size(kStages)];
  RunResult result_;
};

}  // namespace

int stepCount(const Scene& scene, const RunOptions& options) {
  if (!(options.seconds > 0)) return options.steps >= 0 ? options.steps : scene.steps;
  const double dt = options.dt > 0 ? options.dt : scene.dt, steps = std::ceil(options.seconds / dt - 1e-9);
  if (!(steps <= 1e9))
    throw std::invalid_argument("seconds: " + jsonNumber(options.seconds) + " are more than 1e9 steps of " + jsonNumber(dt) + " s");
  return static_cast<int>(steps);
}

RunResult runScene(const Scene& scene, const RunOptions& options) {
  return Run(scene, options).go();
}

}  // namespace sunder::demo
