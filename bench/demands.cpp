// SPDX-License-Identifier: MIT
// Runs the scenes of docs/demands.md and prints the table: demanded, measured, met. All scenes at 60 Hz, sleeping off
// unless said, with the settings of a default WorldDef.
//   demands            all rows (minutes)
//   demands PREFIX...  the rows whose name starts with one of these
#include <cstdio>
#include <cstring>
#include <functional>

#include "scene_rows.h"

namespace {

using namespace sunder;
using namespace sunder::measure;

struct Outcome {
  std::string measured;
  bool met = false;
};
struct Row {
  std::string scene, demanded;
  std::function<Outcome()> measure;
};

template <typename... Values>
std::string text(const char* format, Values... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

constexpr double kMillimetre = 1e-3;

// The exact scene, then five seeds of noise of 1 to 5 mm.
Outcome pile(const std::string& name, double seconds, double topAt, double sinkLimit, double driftLimit, double depthLimit) {
  const Standing exact = measureSeeds(name, seconds, topAt, 0, 0);
  const Standing noise = measureSeeds(name, seconds, topAt, 1, 5);
  const auto one = [](const char* which, const Standing& s) {
    return text("%s: %s, sink %.2f, drift %.2f, depth %.3f (worst %.3f), rms %.1e m/s", which,
                s.fallen == 0 ? "stands" : text("%d fell", s.fallen).c_str(), 1e3 * s.sink, 1e3 * s.drift, 1e3 * s.deepest,
                1e3 * s.worst, s.rmsSpeed);
  };
  const auto holds = [&](const Standing& s) {
    return s.fallen == 0 && s.sink < sinkLimit && s.drift < driftLimit && s.deepest < depthLimit;
  };
  return {one("exact", exact) + "; " + one("noise", noise), holds(exact) && holds(noise)};
}

constexpr double kNone = 1e9;  // no limit

Outcome stack(int n, double sink, double drift) {
  return pile("stack" + std::to_string(n), 60, n - 0.5, sink * kMillimetre, drift * kMillimetre, kNone);
}
// The jitter is the noise: drift since the first second.
Outcome jitteredStack(int n, double drift) {
  SceneRun run(demo::builtInScene("stackj" + std::to_string(n)));
  const Standing s = measureStanding(run, 60, n - 0.5, 1);
  return {text("%s, drift %.2f, sink %.2f, depth %.3f, rms %.1e m/s", s.fallen == 0 ? "stands" : "falls", 1e3 * s.drift,
               1e3 * s.sink, 1e3 * s.deepest, s.rmsSpeed),
          s.fallen == 0 && s.drift < drift * kMillimetre};
}
Outcome pyramid(int n, double depth, double drift) {
  Outcome result = pile("pyr" + std::to_string(n), 10, n - 0.5, kNone, drift * kMillimetre, depth * kMillimetre);
  SceneRun run(demo::builtInScene("pyr" + std::to_string(n)), withSleep());
  const double asleep = timeToSleep(run, 10);
  result.measured += text("; asleep after %.2f s", asleep);
  result.met = result.met && asleep <= 2;
  return result;
}
Outcome heavy(const std::string& name, double topAt, double limit) {
  const Standing s = measureSeeds(name, 60, topAt, 0, 5);
  return {text("%s, depth %.3f (worst %.3f), sink %.2f, drift %.2f, rms %.1e m/s", s.fallen == 0 ? "stands" : "falls",
               1e3 * s.deepest, 1e3 * s.worst, 1e3 * s.sink, 1e3 * s.drift, s.rmsSpeed),
          s.fallen == 0 && s.deepest < limit * kMillimetre && s.sink < limit * kMillimetre};
}
Outcome rain(int count) {
  const Rain r = measureRain(count, 10);
  return {text("deepest %.2f, mean %.3f, worst %.1f in the run, %d lost, energy rises by %.1e of the start",
               1e3 * r.deepest, 1e3 * r.mean, 1e3 * r.worst, r.lost, r.energyRise),
          r.finite && r.lost == 0 && r.deepest <= 0.010 && r.mean < 0.001 && r.energyRise <= 1e-5};
}
Outcome cards() {
  SceneRun run(demo::builtInScene("cards"));
  const double top = run.position(run.last())[1];
  const Standing s = measureStanding(run, 10, top, 0);
  return {text("%s, top off %.3f, sink %.3f, depth %.3f, rms %.1e m/s", run.fallen(0.5, 0.3) == 0 ? "stands" : "falls",
               1e3 * s.drift, 1e3 * s.sink, 1e3 * s.deepest, s.rmsSpeed),
          run.fallen(0.5, 0.3) == 0 && s.drift < kMillimetre};
}
Outcome slides() {
  const double distance = measureIncline(355, 5), expected = expectedIncline(355, 5);
  return {text("%.5f m, exact %.5f: %+.3f %%", distance, expected, 100 * (distance / expected - 1)),
          std::abs(distance / expected - 1) < 1e-3};
}
Outcome holds() {
  const double creep = measureIncline(373, 10);
  return {text("%.4f mm", 1e3 * creep), creep < 0.1 * kMillimetre};
}
Outcome cone() {
  const Slide a = measureSlide(0), b = measureSlide(45), c = measureSlide(30);
  const double exact = expectedSlide();
  return {text("%.5f / %.5f / %.5f m at 0 / 45 / 30 degrees (exact %.5f), off the line %.3f mm, yaw %.1e rad", a.distance,
               b.distance, c.distance, exact, 1e3 * std::max(b.offLine, c.offLine), std::max(b.yaw, c.yaw)),
          std::abs(b.distance / a.distance - 1) < 1e-3 && std::abs(c.distance / a.distance - 1) < 1e-3};
}
Outcome bounce(double restitution, double angle, double limit, bool frictionless) {
  SceneRun run = droppedCube(restitution, 2.5, angle, frictionless ? 0 : 0.5);
  const double atHit = run.position(1)[1] - 2.5;
  const Bounces b = measureBounces(run, atHit, 1, 4);
  const double expected = expectedEdgeApex(restitution, 2.5, angle), apex = b.apexes.empty() ? 0 : b.apexes[0];
  return {text("%.4f m, exact %.4f: %+.2f %%", apex, expected, 100 * (apex / expected - 1)),
          std::abs(apex / expected - 1) < limit};
}
Outcome flatBounce(double restitution) {
  SceneRun run = droppedCube(restitution, 2.5);
  const Bounces b = measureBounces(run, 0.5, 1, 4);
  const double expected = restitution * restitution * 2.5, apex = b.apexes.empty() ? 0 : b.apexes[0];
  if (restitution > 0)
    return {text("%.4f m, exact %.4f: %+.2f %%, sideways %.2f mm", apex, expected, 100 * (apex / expected - 1), 1e3 * b.sideways),
            std::abs(apex / expected - 1) < 0.02};
  return {text("rises %.4f mm", 1e3 * apex), apex < 0.5 * kMillimetre};
}
Outcome manyBounces() {
  SceneRun run = droppedCube(1, 2.5);
  const Bounces b = measureBounces(run, 0.5, 20, 40);
  const double most = b.apexes.empty() ? 0 : *std::max_element(b.apexes.begin(), b.apexes.end());
  const double last = b.apexes.empty() ? 0 : b.apexes.back();
  return {text("%zu bounces, the last %+.3f %%, the highest %+.3f %%", b.apexes.size(), 100 * (last / 2.5 - 1), 100 * (most / 2.5 - 1)),
          b.apexes.size() == 20 && last > 0.99 * 2.5 && most <= 2.5};
}
Outcome spin(int speed, int flips) {
  SceneRun run(demo::builtInScene("spin" + std::to_string(speed)));
  const Spin s = measureSpin(run, 60);
  return {text("%d flips, energy %.1e, momentum %.1e", s.flips, s.energy, s.momentum),
          s.flips == flips && s.energy < 1e-3 && s.momentum < 1e-2};
}
Outcome dominoes() {
  const Dominoes ours = measureDominoes(1), reference = measureDominoes(16);
  const double off = ours.lastFell / reference.lastFell - 1;
  return {text("%d fell, the last after %.3f s, reference %.3f s (%d fell): %+.2f %%", ours.toppled, ours.lastFell,
               reference.lastFell, reference.toppled, 100 * off),
          ours.toppled == 200 && std::abs(off) < 0.02};
}
Outcome shots(const char* name) {
  const Shots s = measureShots(name);
  return {text("%d of %d tunnel, momentum %.6f of the start", s.tunnelled, s.lanes, s.momentum), s.tunnelled == 0};
}
Outcome plank() {
  int through = 0, runs = 0;
  for (const double speed : {20.0, 50.0, 100.0, 200.0})
    for (const double turn : {5.0, 20.0, 60.0})
      for (int i = 0; i < 4; ++i, ++runs) through += measurePlank(speed, turn, -10 - 0.25 * i * speed / 60) > 0 ? 1 : 0;
  return {text("%d of %d through", through, runs), through == 0};
}
Outcome headOn() {
  int through = 0, runs = 0;
  for (const double speed : {20.0, 60.0, 120.0, 200.0})
    for (int i = 0; i < 4; ++i, ++runs) through += headOnHolds(speed, 0.25 * i * speed / 60) ? 0 : 1;
  return {text("%d of %d through", through, runs), through == 0};
}
Outcome overlapping(bool gravity) {
  OverlapStart worst;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const OverlapStart s = measureOverlapStart(10, gravity, seed);
    worst = {std::max(worst.excess, s.excess), std::max(worst.overlap, s.overlap), std::max(worst.reach, s.reach)};
  }
  return {text("%.3f m/s beyond gravity's share, overlap %.4f mm after 3 s, %.2f m apart", worst.excess, 1e3 * worst.overlap, worst.reach),
          worst.excess < 1 && worst.overlap < 0.5 * kMillimetre};
}

const std::vector<Row> kRows = {
    {"stack10, 60 s", "stands; sink < 1, drift < 1", [] { return stack(10, 1, 1); }},
    {"stack20, 60 s", "stands; sink < 4, drift < 3", [] { return stack(20, 4, 3); }},
    {"stack50, 60 s", "stands; sink < 20, drift < 30", [] { return stack(50, 20, 30); }},
    {"stackj10, 60 s", "drift < 5", [] { return jitteredStack(10, 5); }},
    {"stackj20, 60 s", "drift < 10", [] { return jitteredStack(20, 10); }},
    {"pyr20, 10 s", "stands; depth < 0.5, drift < 1, asleep in 2 s", [] { return pyramid(20, 0.5, 1); }},
    {"pyr50, 10 s", "stands; depth < 1, drift < 10, asleep in 2 s", [] { return pyramid(50, 1, 10); }},
    {"pyr100, 10 s", "stands; depth < 2, drift < 50, asleep in 2 s", [] { return pyramid(100, 2, 50); }},
    {"heavy100, 60 s", "depth < 1", [] { return heavy("heavy100", 1.5, 1); }},
    {"heavy1000, 60 s", "depth < 5", [] { return heavy("heavy1000", 1.5, 5); }},
    {"heavyup1000, 60 s", "stands; < 10", [] { return heavy("heavyup1000", 1.5, 10); }},
    {"heavys100, 60 s", "stands; < 10", [] { return heavy("heavys100", 5.5, 10); }},
    {"heavys1000, 60 s", "stands; < 10", [] { return heavy("heavys1000", 5.5, 10); }},
    {"rain1000, 10 s", "deepest <= 10, mean < 1, none lost, energy never grows (< 1e-5)", [] { return rain(1000); }},
    {"rain5000, 10 s", "deepest <= 10, mean < 1, none lost, energy never grows (< 1e-5)", [] { return rain(5000); }},
    {"cards, 10 s", "top off < 1", cards},
    {"incline355, 5 s", "within 0.1 % of the exact answer", slides},
    {"incline373, 10 s", "< 0.1", holds},
    {"slide0, slide45", "same distance within 0.1 %", cone},
    {"bounce, restitution 0", "stays down", [] { return flatBounce(0); }},
    {"bounce, restitution 0.5", "apex within 2 %", [] { return flatBounce(0.5); }},
    {"bounce, restitution 1", "apex within 2 %", [] { return flatBounce(1); }},
    {"bounce, restitution 1, 20 times", "within 1 %, never above", manyBounces},
    {"edge bounce, 45 degrees, restitution 0.5", "apex within 5 %", [] { return bounce(0.5, 0.7853981633974483, 0.05, false); }},
    {"edge bounce, 45 degrees, restitution 1", "apex within 5 %", [] { return bounce(1, 0.7853981633974483, 0.05, false); }},
    {"edge bounce, 40 degrees, restitution 1", "apex within 5 %", [] { return bounce(1, 0.6981317007977318, 0.05, true); }},
    {"edge bounce, 30 degrees, restitution 1", "apex within 5 %", [] { return bounce(1, 0.5235987755982988, 0.05, true); }},
    {"spin5, 60 s", "12 flips, energy < 0.1 %, momentum < 1 %", [] { return spin(5, 12); }},
    {"spin20, 60 s", "47 flips, energy < 0.1 %, momentum < 1 %", [] { return spin(20, 47); }},
    {"domino", "all fall; the last within 2 % of substeps / 16", dominoes},
    {"shotS_200", "0 tunnel", [] { return shots("shotS_200"); }},
    {"shotD_200", "0 tunnel", [] { return shots("shotD_200"); }},
    {"spinning plank, 5 cm wall", "0 through", plank},
    {"head-on", "0 through", headOn},
    {"10 boxes inside each other, no gravity", "< 1 m/s, no overlap (< 0.5) after 3 s", [] { return overlapping(false); }},
    {"10 boxes inside each other, on the ground", "< 1 m/s, no overlap (< 0.5) after 3 s", [] { return overlapping(true); }},
};

}  // namespace

int main(int argc, char** argv) {
  std::printf("| scene | demanded (mm) | measured (mm) | met |\n|---|---|---|---|\n");
  int missed = 0;
  for (const Row& row : kRows) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; ++i) wanted = wanted || row.scene.compare(0, std::strlen(argv[i]), argv[i]) == 0;
    if (!wanted) continue;
    const Outcome outcome = row.measure();
    missed += outcome.met ? 0 : 1;
    std::printf("| %s | %s | %s | %s |\n", row.scene.c_str(), row.demanded.c_str(), outcome.measured.c_str(), outcome.met ? "yes" : "**no**");
    std::fflush(stdout);
  }
  return missed == 0 ? 0 : 1;
}
