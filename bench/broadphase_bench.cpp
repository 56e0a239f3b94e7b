// SPDX-License-Identifier: MIT
// Broadphases side by side: families of boxes, ways of moving, sizes. Each frame is given to all engines in turn, so that
// whatever else the machine does falls on all of them; times are CPU time of this thread.
//   broadphase_bench [--sizes 1000,10000] [--families pile,...] [--motions little,...] [--engines sunder,...] [--frames N]
//                    [--designs]
#include "broadphase_bench.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <random>
#include <sstream>

#include <sunder/broadphase/sweep_and_prune.h>

namespace {

using namespace sunder;
using namespace sunder::bench;

class SunderEngine : public Engine {
 public:
  void build(const Frame& frame) override {
    std::vector<ProxyDef> defs;
    for (const Aabb& box : frame.boxes) defs.push_back({box, false, {}});
    ids_.resize(defs.size());
    broadphase_.insert(defs, ids_);
    broadphase_.updatePairs();
  }
  void step(const Frame& frame) override {
    for (const std::uint32_t i : frame.announced) broadphase_.move(ids_[i], frame.boxes[i], frame.motion[i]);
    broadphase_.updatePairs();
  }
  std::size_t pairs() const override { return broadphase_.pairCount(); }
  double bytes() const override { return static_cast<double>(broadphase_.memoryBytes()); }

 private:
  SweepAndPrune broadphase_;
  std::vector<ProxyId> ids_;
};

using Random = std::mt19937_64;
double uniform(Random& random, double from, double to) {
  return from + (to - from) * static_cast<double>(random() >> 11) * 0x1p-53;
}
Eigen::Vector3d inCube(Random& random, double side) {
  const double x = uniform(random, 0, side), y = uniform(random, 0, side), z = uniform(random, 0, side);
  return {x, y, z};
}
Aabb boxAt(const Eigen::Vector3d& lower, double x, double y, double z) {
  return {lower, lower + Eigen::Vector3d(x, y, z)};
}
Aabb randomBox(Random& random, const Eigen::Vector3d& lower) {
  const double x = uniform(random, 0.5, 1), y = uniform(random, 0.5, 1), z = uniform(random, 0.5, 1);
  return boxAt(lower, x, y, z);
}

// uniform: a fifth of space is filled. pile: boxes in a heap; as they lie turned, the bounds of neighbours overlap.
// wall: one layer, 10 boxes high, bricks 3 cm apart that overlap all in one axis. sparse: hardly any pairs. cluster: 1000 boxes each, crowded, far apart. one-huge: uniform and one that
// covers half of them. falling: a loose cloud.
std::vector<Aabb> makeFamily(const std::string& family, std::size_t n, Random& random) {
  std::vector<Aabb> boxes;
  const double count = static_cast<double>(n);
  const double side = std::cbrt(count * 0.42 / 0.2), loose = std::cbrt(count * 0.42 / 0.02);
  Eigen::Vector3d centre(0, 0, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (family == "pile") {
      const std::size_t s = static_cast<std::size_t>(std::ceil(std::cbrt(count)));
      const Eigen::Vector3d cell(double(i % s), double(i / s % s), double(i / (s * s)));
      const Eigen::Vector3d size = Eigen::Vector3d(0.9, 0.9, 0.9) + inCube(random, 0.4);
      boxes.push_back(boxAt(cell + inCube(random, 0.2), size[0], size[1], size[2]));
    } else if (family == "wall") {
      const Eigen::Vector3d cell(double(i / 10), 0, double(i % 10));
      boxes.push_back(boxAt(cell + 0.05 * inCube(random, 1), 0.97, 0.97, 0.97));
    } else if (family == "sparse") {
      boxes.push_back(randomBox(random, inCube(random, 10 * side)));
    } else if (family == "cluster") {
      if (i % 1000 == 0) centre = inCube(random, 100 * side);
      boxes.push_back(randomBox(random, centre + inCube(random, 10)));
    } else if (family == "falling") {
      boxes.push_back(randomBox(random, inCube(random, loose)));
    } else {
      boxes.push_back(randomBox(random, inCube(random, side)));
    }
  }
  if (family == "one-huge") boxes[n / 2] = boxAt({0, 0, 0}, side, side, side / 2);
  return boxes;
}

// little: everything at half a metre a second and a 60th of a second a frame. percent: one in a hundred jumps by up to
// 0.3 m. none: all are announced where they are. teleport: all trade places. fall: everything at 6 to 8 m/s downwards.
void moveFrame(const std::string& motion, Frame& frame, std::vector<Eigen::Vector3d>& velocity, Random& random) {
  const std::size_t n = frame.boxes.size();
  if (motion == "percent") {
    frame.announced.clear();
    for (std::size_t i = 0; i < std::max<std::size_t>(n / 100, 1); ++i) {
      frame.announced.push_back(static_cast<std::uint32_t>(random() % n));
    }
    for (const std::uint32_t i : frame.announced) {
      const Eigen::Vector3d by = inCube(random, 0.6) - Eigen::Vector3d(0.3, 0.3, 0.3);
      frame.boxes[i] = {frame.boxes[i].lower + by, frame.boxes[i].upper + by};
    }
  } else if (motion == "teleport") {
    for (std::size_t i = n; i-- > 1;) std::swap(frame.boxes[i], frame.boxes[random() % (i + 1)]);
  } else if (motion == "little" || motion == "fall") {
    for (std::size_t i = 0; i < n; ++i) {
      frame.motion[i] = velocity[i] / 60;
      frame.boxes[i] = {frame.boxes[i].lower + frame.motion[i], frame.boxes[i].upper + frame.motion[i]};
    }
  }
}

double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A slow engine gets fewer frames: none begins after this much time.
constexpr double kPatience = 3;  // seconds

struct Result {
  double build = 0, frame = 0, pairs = 0, bytes = 0;
  int frames = 0;
};
using Results = std::map<std::string, Result>;

Results measure(const std::string& family, const std::string& motion, std::size_t n, int frames,
                const std::vector<EngineEntry>& entries) {
  Random random(n);
  Frame frame;
  frame.boxes = makeFamily(family, n, random);
  frame.motion.assign(n, Eigen::Vector3d(0, 0, 0));
  std::vector<Eigen::Vector3d> velocity(n);
  for (std::size_t i = 0; i < n; ++i) {
    frame.announced.push_back(static_cast<std::uint32_t>(i));
    const Eigen::Vector3d direction = inCube(random, 2) - Eigen::Vector3d(1, 1, 1);
    velocity[i] = motion == "fall" ? Eigen::Vector3d(0.1 * direction[0], 0.1 * direction[1], direction[2] - 7)
                                   : Eigen::Vector3d(0.5 * direction.normalized());
  }
  std::vector<std::unique_ptr<Engine>> engines;
  Results results;
  for (const EngineEntry& entry : entries) {
    engines.push_back(n <= entry.mostBoxes ? entry.make() : nullptr);
    if (!engines.back()) continue;
    const double start = cpuSeconds();
    engines.back()->build(frame);
    results[entry.name].build = cpuSeconds() - start;
  }
  for (int f = -1; f < frames; ++f) {
    moveFrame(motion, frame, velocity, random);
    for (std::size_t e = 0; e < engines.size(); ++e) {
      Result& result = results[entries[e].name];
      if (!engines[e] || result.frame > kPatience) continue;
      const double start = cpuSeconds();
      engines[e]->step(frame);
      // The first frame only warms up.
      if (f < 0) continue;
      result.frame += cpuSeconds() - start;
      ++result.frames;
    }
  }
  for (std::size_t e = 0; e < engines.size(); ++e) {
    if (!engines[e]) continue;
    results[entries[e].name].frame /= std::max(1, results[entries[e].name].frames);
    results[entries[e].name].pairs = static_cast<double>(engines[e]->pairs());
    results[entries[e].name].bytes = engines[e]->bytes();
  }
  return results;
}

std::vector<std::string> splitList(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

struct Options {
  std::vector<std::string> sizes = {"1000", "10000", "100000"};
  std::vector<std::string> families = {"uniform", "pile", "wall", "sparse", "cluster", "one-huge", "falling"};
  std::vector<std::string> motions = {"little", "percent", "none", "teleport", "fall"};
  std::vector<std::string> engines;
  int frames = 0;
  bool designs = false;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--designs") {
      options.designs = true;
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (name == "--sizes" && !value.empty()) {
      options.sizes = splitList(value);
    } else if (name == "--families" && !value.empty()) {
      options.families = splitList(value);
    } else if (name == "--motions" && !value.empty()) {
      options.motions = splitList(value);
    } else if (name == "--engines" && !value.empty()) {
      options.engines = splitList(value);
    } else if (name == "--frames" && std::atoi(value.c_str()) > 0) {
      options.frames = std::atoi(value.c_str());
    } else {
      std::fprintf(stderr, "broadphase_bench: bad argument %s %s\n", name.c_str(), value.c_str());
      std::exit(2);
    }
  }
  return options;
}

// The exponent p of time ~ n^p between two sizes.
double growth(double before, double after, double ratio) { return std::log(after / before) / std::log(ratio); }

void runCase(const std::string& family, const std::string& motion, const Options& options,
             const std::vector<EngineEntry>& entries) {
  Results previous;
  double previousSize = 0;
  for (const std::string& size : options.sizes) {
    const std::size_t n = std::strtoull(size.c_str(), nullptr, 10);
    const int frames = options.frames > 0 ? options.frames : static_cast<int>(std::clamp<std::size_t>(2000000 / n, 4, 60));
    const Results results = measure(family, motion, n, frames, entries);
    for (const EngineEntry& entry : entries) {
      const auto found = results.find(entry.name);
      if (found == results.end() || found->second.frames == 0) continue;
      const Result& r = found->second;
      std::printf("%-9s %-9s %8zu  %-18s %10.4f ms/frame %9.1f ns/box %11.0f pairs %9.2f ms build", family.c_str(),
                  motion.c_str(), n, entry.name.c_str(), 1e3 * r.frame, 1e9 * r.frame / double(n), r.pairs,
                  1e3 * r.build);
      if (r.bytes > 0) std::printf(" %6.1f bytes/box", r.bytes / double(n));
      if (const auto before = previous.find(entry.name); before != previous.end()) {
        std::printf("  n^%.2f", growth(before->second.frame, r.frame, double(n) / previousSize));
      }
      std::printf("\n");
    }
    std::fflush(stdout);
    previous = results;
    previousSize = static_cast<double>(n);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::vector<EngineEntry> all{
      {"sunder", 100000000, []() -> std::unique_ptr<Engine> { return std::make_unique<SunderEngine>(); }}};
  addPeers(all);
  if (options.designs) addDesigns(all);
  std::vector<EngineEntry> entries;
  for (const EngineEntry& entry : all) {
    const bool wanted = options.engines.empty() || std::find(options.engines.begin(), options.engines.end(),
                                                             entry.name) != options.engines.end();
    if (wanted) entries.push_back(entry);
  }
  for (const std::string& family : options.families) {
    for (const std::string& motion : options.motions) {
      // Everything falls in one family only.
      if ((motion == "fall") != (family == "falling") && motion != "none") continue;
      runCase(family, motion, options, entries);
    }
  }
  return 0;
}
