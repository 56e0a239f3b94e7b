// SPDX-License-Identifier: MIT
#include <sunder/demo/text.h>
#include <sunder/physics/world.h>

#include <vector>

#include "step_engine.h"

namespace sunder::bench {
namespace {

struct Stage {
  const char* name;
  double StageTimes::*milliseconds;
};
constexpr Stage kStages[] = {
    {"broadphase", &StageTimes::broadphase}, {"narrowphase", &StageTimes::narrowphase}, {"solver", &StageTimes::solver},
    {"islands", &StageTimes::islands},       {"continuous", &StageTimes::continuous},   {"finish", &StageTimes::finish},
};

class SunderEngine : public StepEngine {
 public:
  void build(const demo::Scene& scene, const EngineOptions& options) override {
    WorldDef def;
    def.gravity = scene.gravity;
    def.threads = options.threads;
    def.sleep = options.sleep;
    world_ = std::make_unique<World>(def);
    for (const demo::SceneBody& body : scene.bodies) ids_.push_back(world_->addBody(body.def));
  }

  void step(double dt) override {
    const StepReport& report = world_->step(dt);
    std::vector<double> row;
    for (const Stage& stage : kStages) row.push_back(report.milliseconds.*stage.milliseconds);
    stages_.push_back(row);
  }

  Pose pose(std::size_t body) const override { return world_->pose(ids_[body]); }
  std::string name() const override { return "Sunder"; }
  std::string details() const override { return std::to_string(world_->settings().substeps) + " substeps"; }

  // Wall time of each stage, mean over the last third of the run, and the counters of the last step.
  std::string counters() const override {
    const StepReport& report = world_->lastReport();
    std::string text = ", \"stages_ms\": {";
    const std::size_t first = stages_.size() - stages_.size() / 3;
    for (std::size_t stage = 0; stage < std::size(kStages); ++stage) {
      double sum = 0;
      for (std::size_t i = first; i < stages_.size(); ++i) sum += stages_[i][stage];
      text += std::string(stage > 0 ? ", \"" : "\"") + kStages[stage].name + "\": ";
      text += demo::jsonNumber(sum / static_cast<double>(std::max<std::size_t>(1, stages_.size() - first)));
    }
    text += "}, \"pairs\": " + std::to_string(report.pairs) + ", \"contacts\": " + std::to_string(report.contacts);
    text += ", \"contact_points\": " + std::to_string(report.contactPoints) + ", \"awake\": " + std::to_string(report.awakeBodies);
    text += ", \"queries\": " + std::to_string(report.narrowphaseQueries) + ", \"colors\": " + std::to_string(report.colors);
    return text + ", \"state_hash\": \"" + demo::hexadecimal(world_->stateHash()) + '"';
  }

 private:
  std::unique_ptr<World> world_;
  std::vector<BodyId> ids_;
  std::vector<std::vector<double>> stages_;
};

}  // namespace

std::unique_ptr<StepEngine> makeStepEngine() { return std::make_unique<SunderEngine>(); }

}  // namespace sunder::bench
