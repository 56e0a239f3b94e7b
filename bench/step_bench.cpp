// SPDX-License-Identifier: MIT
// Steps one scene with one engine and prints one JSON line; compare_engines.py runs several of these programs in turn.
// Time is the CPU clock of the process, which other programs on the machine disturb less than the wall clock.
#include <sunder/demo/referee.h>
#include <sunder/demo/text.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "step_engine.h"

namespace sunder::bench {
namespace {

struct Arguments {
  std::string scene = "pyr20";
  EngineOptions options;
  int steps = -1;  // -1: as the scene says
  double seconds = 1e9;  // of wall time, after which the run ends early
};

double secondsOf(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double residentMegabytes() {
  long total = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576.0;
}
// Not getrusage: its ru_maxrss also counts the program that started this one, before the exec.
double peakMegabytes() {
  long kilobytes = 0;
  if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr)
      if (std::sscanf(line, "VmHWM: %ld kB", &kilobytes) == 1) break;
    std::fclose(file);
  }
  return static_cast<double>(kilobytes) / 1024.0;
}

// The sample below which `share` of the samples lie.
double quantile(std::vector<double> samples, double share) {
  if (samples.empty()) return 0;
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1) + 0.5);
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string key = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(key + " needs a value");
    const char* value = argv[i + 1];
    if (key == "--scene") {
      arguments.scene = value;
    } else if (key == "--steps") {
      arguments.steps = std::atoi(value);
    } else if (key == "--threads") {
      arguments.options.threads = std::atoi(value);
    } else if (key == "--sleep") {
      arguments.options.sleep = std::strcmp(value, "0") != 0;
    } else if (key == "--seconds") {
      arguments.seconds = std::atof(value);
    } else {
      throw std::invalid_argument("unknown option " + key + "; known: --scene --steps --threads --sleep --seconds");
    }
  }
  return arguments;
}

class Run {
 public:
  Run(const demo::Scene& scene, const Arguments& arguments) : scene_(scene), arguments_(arguments), engine_(makeStepEngine()) {
    const double before = residentMegabytes(), start = secondsOf(CLOCK_PROCESS_CPUTIME_ID);
    engine_->build(scene, arguments.options);
    buildMilliseconds_ = 1e3 * (secondsOf(CLOCK_PROCESS_CPUTIME_ID) - start);
    residentBefore_ = before;
    // The adapter must have reproduced the scene; a float engine may round.
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      if (!((engine_->pose(i).position - scene.bodies[i].def.pose.position).norm() < 1e-3))
        throw std::runtime_error("body '" + scene.bodies[i].name + "' is not where the scene puts it");
  }

  void go() {
    const int steps = arguments_.steps > 0 ? arguments_.steps : scene_.steps;
    const double end = secondsOf(CLOCK_MONOTONIC) + arguments_.seconds;
    cpu_.reserve(static_cast<std::size_t>(steps));
    wall_.reserve(static_cast<std::size_t>(steps));
    for (int step = 1; step <= steps && secondsOf(CLOCK_MONOTONIC) < end; ++step) {
      const double cpu = secondsOf(CLOCK_PROCESS_CPUTIME_ID), wall = secondsOf(CLOCK_MONOTONIC);
      engine_->step(scene_.dt);
      cpu_.push_back(1e3 * (secondsOf(CLOCK_PROCESS_CPUTIME_ID) - cpu));
      wall_.push_back(1e3 * (secondsOf(CLOCK_MONOTONIC) - wall));
      if (step == 1) peak_ = peakMegabytes();
      if (step % 60 == 0) deepestRun_ = std::max(deepestRun_, overlaps().deepest);
    }
    peak_ = std::max(peak_, peakMegabytes());
    last_ = overlaps();
    deepestRun_ = std::max(deepestRun_, last_.deepest);
  }

  std::string json() const {
    std::ostringstream out;
    const auto number = [&out](const char* key, double value) { out << ", \"" << key << "\": " << demo::jsonNumber(value); };
    const auto times = [&](const char* clock, const std::vector<double>& all) {
      // The first steps allocate, and pairs begin all at once: they count in the first step only.
      const std::vector<double> warm(all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(5, all.size() / 4)), all.end());
      const std::vector<double> last(all.begin() + static_cast<std::ptrdiff_t>(all.size() - all.size() / 3), all.end());
      out << ", \"" << clock << "_ms\": {\"median\": " << demo::jsonNumber(quantile(warm, 0.5))
          << ", \"p99\": " << demo::jsonNumber(quantile(warm, 0.99)) << ", \"last_third\": " << demo::jsonNumber(quantile(last, 0.5))
          << ", \"last_third_p99\": " << demo::jsonNumber(quantile(last, 0.99))
          << ", \"first\": " << demo::jsonNumber(all.empty() ? 0 : all[0]) << '}';
    };
    out << "{\"engine\": " << demo::jsonString(engine_->name()) << ", \"details\": " << demo::jsonString(engine_->details())
        << ", \"scene\": " << demo::jsonString(scene_.name) << ", \"bodies\": " << scene_.bodies.size()
        << ", \"steps\": " << cpu_.size() << ", \"threads\": " << arguments_.options.threads
        << ", \"sleep\": " << (arguments_.options.sleep ? "true" : "false");
    times("cpu", cpu_);
    times("wall", wall_);
    number("build_ms", buildMilliseconds_);
    number("memory_mb", peak_ - residentBefore_);
    number("deepest_penetration", isJudged() ? last_.deepest : NAN);
    number("deepest_penetration_run", isJudged() ? deepestRun_ : NAN);
    number("mean_penetration", isJudged() ? last_.mean : NAN);
    out << ", \"overlaps\": " << last_.overlapping << ", \"hash\": \"" << demo::hexadecimal(hash()) << '"' << engine_->counters() << '}';
    return out.str();
  }

 private:
  // The referee sorts along one axis only: fine for piles, minutes for a cube of 100,000 boxes in the air.
  bool isJudged() const { return scene_.bodies.size() <= 30000; }

  demo::Overlaps overlaps() const {
    if (!isJudged()) return {};
    std::vector<demo::RefereeBox> boxes;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyDef& def = scene_.bodies[i].def;
      boxes.push_back({Box{def.halfExtents}, engine_->pose(i), def.kind == BodyKind::Dynamic});
    }
    return demo::measureOverlaps(boxes);
  }

  std::uint64_t hash() const {  // FNV-1a over the bits of the poses
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const Pose pose = engine_->pose(i);
      double values[7];
      std::copy_n(pose.position.data(), 3, values);
      std::copy_n(pose.orientation.coeffs().data(), 4, values + 3);
      unsigned char bytes[sizeof values];
      std::memcpy(bytes, values, sizeof values);
      for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3ull;
    }
    return hash;
  }

  const demo::Scene& scene_;
  const Arguments& arguments_;
  std::unique_ptr<StepEngine> engine_;
  std::vector<double> cpu_, wall_;  // ms per step
  double buildMilliseconds_ = 0, residentBefore_ = 0, peak_ = 0;
  double deepestRun_ = 0;
  demo::Overlaps last_;
};

}  // namespace
}  // namespace sunder::bench

int main(int argc, char** argv) try {
  using namespace sunder;
  const bench::Arguments arguments = bench::parse(argc, argv);
  const demo::Scene scene = demo::builtInScene(arguments.scene);
  bench::Run run(scene, arguments);
  run.go();
  std::cout << run.json() << '\n';
} catch (const std::exception& error) {
  std::cerr << "step_bench: " << error.what() << '\n';
  return 2;
}
