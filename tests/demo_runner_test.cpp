// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "sunder/demo/runner.h"
#include "sunder/demo/text.h"

namespace sunder::demo {
namespace {

RunOptions steps(int count) {
  RunOptions options;
  options.steps = count;
  return options;
}

TEST(Runner, FreeFallIsAsPhysicsSays) {
  const Scene scene = builtInScene("fall8");
  const RunResult result = runScene(scene, steps(60));
  EXPECT_EQ(result.steps, 60);
  EXPECT_NEAR(result.rmsSpeed, 9.81, 0.01);
  EXPECT_NEAR(result.energyEnd, result.energyStart, 0.01 * std::abs(result.energyStart));
  EXPECT_EQ(result.last.contacts, 0);
  EXPECT_EQ(result.deepestPenetrationRun, 0);
  EXPECT_EQ(result.dynamicBodies, 8);
  EXPECT_TRUE(result.problems.empty());
  ASSERT_EQ(result.bodies.size(), scene.bodies.size());
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    EXPECT_EQ(result.bodies[i].name, scene.bodies[i].name);
    const double fallen = scene.bodies[i].def.pose.position[1] - result.bodies[i].pose.position[1];
    EXPECT_NEAR(fallen, 0.5 * 9.81, 0.1);
  }
}

TEST(Runner, StackStands) {
  const RunResult result = runScene(builtInScene("stack5"), steps(300));
  EXPECT_LT(result.deepestPenetrationRun, 0.005);
  EXPECT_NEAR(result.bodies[5].pose.position[1], 4.5, 0.01);
  EXPECT_NEAR(result.bodies[5].pose.position[0], 0, 0.01);
  EXPECT_EQ(result.last.contacts > 0 || result.asleep == 5, true);
}

TEST(Runner, SameRunSameHashOtherRunOtherHash) {
  const Scene scene = builtInScene("stackj4");
  const RunResult first = runScene(scene, steps(30));
  EXPECT_EQ(first.hash, runScene(scene, steps(30)).hash);
  EXPECT_NE(first.hash, runScene(scene, steps(31)).hash);
  Scene moved = scene;
  perturb(moved, 1e-9, 1);
  EXPECT_NE(first.hash, runScene(moved, steps(30)).hash);
}

TEST(Runner, ThreadsDoNotChangeTheHash) {
  const Scene scene = builtInScene("pyr8");
  const RunResult one = runScene(scene, steps(40));
  for (const int threads : {2, 3, 4}) {
    RunOptions options = steps(40);
    options.world.threads = threads;
    EXPECT_EQ(runScene(scene, options).hash, one.hash) << threads << " threads";
  }
}

TEST(Runner, TakesTimeFromStepsSecondsOrScene) {
  const Scene scene = builtInScene("fall1");
  EXPECT_EQ(runScene(scene, RunOptions{}).steps, scene.steps);
  EXPECT_EQ(runScene(scene, steps(0)).steps, 0);
  RunOptions options;
  options.seconds = 1;
  EXPECT_EQ(runScene(scene, options).steps, 60);
  options.dt = 0.3;
  EXPECT_EQ(runScene(scene, options).steps, 4);
  EXPECT_EQ(runScene(scene, options).dt, 0.3);
}

TEST(Runner, ReportsProgressAndOneLinePerStep) {
  std::ostringstream csv, record;
  std::vector<int> progress;
  RunOptions options = steps(3);
  options.csv = &csv;
  options.record = &record;
  options.progress = [&](int step, int total) {
    EXPECT_EQ(total, 3);
    progress.push_back(step);
  };
  const RunResult result = runScene(builtInScene("stack2"), options);
  EXPECT_EQ(progress, (std::vector<int>{1, 2, 3}));
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(csv.str()), 1 + 3);
  EXPECT_EQ(lines(record.str()), 1 + 1 + 3);  // header, start, steps
  EXPECT_NE(csv.str().find(hexadecimal(result.hash)), std::string::npos);
  EXPECT_NE(record.str().find(hexadecimal(result.hash)), std::string::npos);
  const std::string header = csv.str().substr(0, csv.str().find('\n'));
  const std::string last = csv.str().substr(csv.str().rfind('\n', csv.str().size() - 2) + 1);
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), std::count(last.begin(), last.end(), ','));
}

TEST(Runner, NamesTheBodyThatCanNotBeUsed) {
  Scene scene = builtInScene("stack2");
  scene.bodies[2].def.halfExtents[1] = -1;
  try {
    runScene(scene, steps(1));
    FAIL() << "was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 13), "body 'box2': ");
  }
}

// A body fast enough to overflow stops being finite: it is named, and the run goes on.
TEST(Runner, NamesTheBodyThatStoppedBeingFinite) {
  Scene scene = builtInScene("fall2");
  scene.bodies[1].def.linearVelocity[0] = std::numeric_limits<double>::max();
  scene.dt = 16;
  const RunResult result = runScene(scene, steps(3));
  ASSERT_FALSE(result.problems.empty());
  EXPECT_NE(result.problems[0].find("step 1: body 'box1'"), std::string::npos) << result.problems[0];
  EXPECT_TRUE(result.bodies[0].pose.position.allFinite());
}

}  // namespace
}  // namespace sunder::demo
