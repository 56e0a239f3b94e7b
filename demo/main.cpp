// SPDX-License-Identifier: MIT
// The `sunder` command. Exit codes: 0 done, 1 the run found something wrong, 2 bad arguments or input.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "sunder/demo/collide_pairs.h"
#include "sunder/demo/progress_bar.h"
#include "sunder/demo/report.h"
#include "sunder/demo/runner.h"
#include "sunder/demo/scene_file.h"
#include "sunder/demo/scenes.h"
#include "sunder/demo/text.h"

namespace sunder::demo {
namespace {

constexpr const char *kGjkEpa = "gjk-epa", *kClosedForm = "closed-form";
constexpr int kDone = 0, kFoundWrong = 1, kBadInput = 2;
constexpr double kHighest = std::numeric_limits<double>::max();
constexpr double kFarthest = 1e15;  // m, as in scene files

struct StepArguments {
  std::string scene, record, csv, json, sleep = "on", ccd = "on", narrowphase = kGjkEpa;
  std::optional<int> steps;
  std::optional<double> seconds, dt;
  double perturb = 0;
  std::uint64_t seed = 0;
  bool quiet = false;
  WorldDef world;
};

void complain(const std::string& text) { std::cerr << "sunder: " << oneLine(text) << '\n'; }

// A number from 0 (or above 0) to `most`. CLI::Range lets NaN pass.
CLI::Validator finite(bool open, double most) {
  return CLI::Validator(
      [open, most](std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && (open ? value > 0 : value >= 0) && value <= most;
        std::string wanted = open ? "must be a number > 0" : "must be a number >= 0";
        if (most < kHighest) wanted += " and at most " + jsonNumber(most);
        return good ? std::string() : wanted + ", got " + text;
      },
      "NUMBER");
}

// CLI11's own conversion takes what is too large for the largest.
CLI::Validator wholeNumber() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t value = 0;
        const auto end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data(), end, value);
        const bool good = parsed.ec == std::errc() && parsed.ptr == end;
        return good ? std::string() : "must be a whole number from 0 to 2^64 - 1, got " + text;
      },
      "NUMBER");
}

void addNarrowphaseOption(CLI::App& app, std::string& name) {
  app.add_option("--narrowphase", name, "how pairs of boxes are compared: " + std::string(kGjkEpa) + " or " + kClosedForm)
      ->check(CLI::IsMember({kGjkEpa, kClosedForm}))
      ->capture_default_str();
}

NarrowphaseMethod narrowphaseMethod(const std::string& name) {
  return name == kClosedForm ? NarrowphaseMethod::ClosedForm : NarrowphaseMethod::GjkEpa;
}

void addStepOptions(CLI::App& app, StepArguments& arguments) {
  app.add_option("SCENE", arguments.scene, "built-in scene, or a scene file whose name ends in .json")->required();
  CLI::Option* steps = app.add_option("--steps", arguments.steps, "number of steps; without it, the scene's")
                           ->check(CLI::Range(0, 1000000000));
  app.add_option("--seconds", arguments.seconds, "simulated time instead of --steps")
      ->check(finite(true, kHighest))
      ->excludes(steps);
  app.add_option("--dt", arguments.dt, "seconds per step; without it, the scene's")->check(finite(true, kLongestStep));
  app.add_option("--substeps", arguments.world.substeps, "solver substeps per step")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--threads", arguments.world.threads, "threads; the result does not depend on it")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--sleep", arguments.sleep, "put resting bodies to sleep")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--ccd", arguments.ccd, "sweep fast bodies")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  addNarrowphaseOption(app, arguments.narrowphase);
  app.add_option("--perturb", arguments.perturb, "move each start position by up to this many metres")
      ->check(finite(false, kFarthest));
  app.add_option("--seed", arguments.seed, "seed of --perturb")->check(wholeNumber())->capture_default_str();
  const CLI::Validator named([](std::string& text) { return std::string(text.empty() ? "needs the name of a file" : ""); }, "FILE");
  app.add_option("--record", arguments.record, "write all poses of every step to this file")->check(named);
  app.add_option("--csv", arguments.csv, "write one line per step to this file")->check(named);
  app.add_option("--json", arguments.json, "write the result to this file; - is standard output")->check(named);
  app.add_flag("--quiet", arguments.quiet, "no progress bar, no table");
}

bool endsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::ofstream openOutput(const std::string& path) {
  std::ofstream out(path);
  if (!out) throw std::runtime_error(path + ": can't be written: " + std::strerror(errno));
  return out;
}

void checkWritten(std::ostream& out, const std::string& path) {
  if (!out.flush()) throw std::runtime_error(path + ": can't be written");
}

// The scene would be lost, or one result among the other. Devices may be named as often as one likes.
void refuseOneFileForTwo(const StepArguments& arguments) {
  std::vector<std::filesystem::path> seen;
  const auto look = [&seen](const std::string& path) {
    std::error_code ignored;
    const auto place = std::filesystem::weakly_canonical(path, ignored);
    const bool isDevice = std::filesystem::exists(place, ignored) && !std::filesystem::is_regular_file(place, ignored);
    if (path.empty() || isDevice) return;
    if (std::find(seen.begin(), seen.end(), place) != seen.end())
      throw std::runtime_error(path + ": is named for two files at once");
    seen.push_back(place);
  };
  if (endsWith(arguments.scene, ".json")) look(arguments.scene);
  look(arguments.record);
  look(arguments.csv);
  if (arguments.json != "-") look(arguments.json);
}

int step(StepArguments& arguments) {
  Scene scene = endsWith(arguments.scene, ".json") ? readSceneFile(arguments.scene) : builtInScene(arguments.scene);
  if (arguments.perturb > 0) perturb(scene, arguments.perturb, arguments.seed);

  RunOptions options;
  options.world = arguments.world;
  options.world.sleep = arguments.sleep == "on";
  options.world.continuous = arguments.ccd == "on";
  options.world.narrowphase = narrowphaseMethod(arguments.narrowphase);
  options.steps = arguments.steps.value_or(-1);
  options.seconds = arguments.seconds.value_or(0);
  options.dt = arguments.dt.value_or(0);

  stepCount(scene, options);  // refuses too many, before any file is written
  refuseOneFileForTwo(arguments);
  // All files are opened before the run: a wrong path must not cost an hour of simulation.
  std::ofstream record, csv, json;
  if (!arguments.record.empty()) record = openOutput(arguments.record), options.record = &record;
  if (!arguments.csv.empty()) csv = openOutput(arguments.csv), options.csv = &csv;
  const bool jsonToStdout = arguments.json == "-";
  if (!arguments.json.empty() && !jsonToStdout) json = openOutput(arguments.json);

  std::unique_ptr<ProgressBar> bar;
  if (!arguments.quiet && isatty(STDERR_FILENO) != 0)
    options.progress = [&bar](int done, int total) {
      if (bar == nullptr) bar = std::make_unique<ProgressBar>(total, std::cerr);
      bar->update(done);
    };
  const RunResult result = runScene(scene, options);

  if (options.record != nullptr) checkWritten(record, arguments.record);
  if (options.csv != nullptr) checkWritten(csv, arguments.csv);
  if (!arguments.json.empty()) {
    writeJson(result, jsonToStdout ? std::cout : json);
    if (!jsonToStdout) checkWritten(json, arguments.json);
  }
  if (!arguments.quiet) printTable(result, jsonToStdout ? std::cerr : std::cout);
  for (const std::string& problem : result.problems) complain(result.scene + ": " + problem);
  return result.problems.empty() ? kDone : kFoundWrong;
}

int collide(const std::string& path, NarrowphaseMethod method) {
  bool sound = true;
  for (const BoxPair& pair : readPairFile(path)) {
    const PairAnswer answer = collidePair(pair, method);
    writeAnswer(pair, answer, std::cout);
    if (isSound(answer)) continue;
    sound = false;
    complain(path + ": pair '" + pair.id + "': status " + toString(answer.proximity.status));
  }
  return sound ? kDone : kFoundWrong;
}

void listScenes() {
  for (const SceneInfo& info : builtInScenes())
    std::cout << info.pattern << std::string(12 - info.pattern.size(), ' ') << info.description
              << (info.pattern == info.example ? "" : " (" + info.example + ")") << '\n';
}

int run(int argc, char** argv) {
  CLI::App app("Oriented boxes that collide and move", "sunder");
  app.set_version_flag("--version", "sunder " SUNDER_VERSION);
  app.require_subcommand(1);
  StepArguments stepArguments;
  CLI::App* stepCommand = app.add_subcommand("step", "simulate a scene and print a table");
  addStepOptions(*stepCommand, stepArguments);
  std::string pairs, method = kGjkEpa, sceneName;
  CLI::App* collideCommand = app.add_subcommand("collide", "query the box pairs of a file, one JSON line each");
  collideCommand->add_option("PAIRS", pairs, "pair file")->required();
  addNarrowphaseOption(*collideCommand, method);
  CLI::App* scenesCommand = app.add_subcommand("scenes", "list the built-in scenes");
  scenesCommand->add_option("NAME", sceneName, "print this scene as a scene file instead");
  // CLI11 would only say that a subcommand is missing.
  if (argc > 1 && argv[1][0] != '-' &&
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == argv[1]; }).empty())
    throw std::invalid_argument("unknown command '" + std::string(argv[1]) + "'; there are step, collide and scenes");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    complain(error.what());
    return kBadInput;
  }
  if (*stepCommand) return step(stepArguments);
  if (*collideCommand) return collide(pairs, narrowphaseMethod(method));
  if (sceneName.empty()) {
    listScenes();
  } else {
    std::cout << toSceneFile(builtInScene(sceneName));
  }
  return kDone;
}

}  // namespace
}  // namespace sunder::demo

int main(int argc, char** argv) {
  try {
    const int code = sunder::demo::run(argc, argv);
    sunder::demo::checkWritten(std::cout, "standard output");
    return code;
  } catch (const std::exception& error) {
    sunder::demo::complain(error.what());
    return sunder::demo::kBadInput;
  }
}
