// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sunder/demo/report.h"
#include "sunder/demo/text.h"

namespace sunder::demo {
namespace {

RunResult shortRun() {
  RunOptions options;
  options.steps = 5;
  options.world.threads = 2;
  return runScene(builtInScene("stack2"), options);
}

TEST(Report, JsonHasTheDocumentedKeysAndTheRunsValues) {
  const RunResult result = shortRun();
  std::ostringstream out;
  writeJson(result, out);
  const nlohmann::json json = nlohmann::json::parse(out.str());
  for (const char* key : {"scene", "steps", "dt", "substeps", "threads", "instruction_set", "hash",
                          "deepest_penetration", "deepest_penetration_run", "mean_penetration", "rms_speed",
                          "energy_start", "energy_end", "asleep", "awake", "pairs", "contacts", "contact_points", "narrowphase_queries",
                          "islands", "colors", "ms_per_step", "bodies"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"median", "p99", "broadphase", "narrowphase", "solver"})
    EXPECT_TRUE(json["ms_per_step"][key].is_number()) << key;
  EXPECT_EQ(json["scene"], "stack2");
  EXPECT_EQ(json["steps"], 5);
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["awake"], result.last.awakeBodies);
  EXPECT_EQ(json["narrowphase_queries"], result.last.narrowphaseQueries);
  EXPECT_EQ(json["hash"], hexadecimal(result.hash));
  ASSERT_EQ(json["bodies"].size(), 3u);
  EXPECT_EQ(json["bodies"][0]["name"], "ground");
  EXPECT_EQ(json["bodies"][2]["position"][1].get<double>(), result.bodies[2].pose.position[1]);
  EXPECT_EQ(json["bodies"][2]["orientation"][0].get<double>(), result.bodies[2].pose.orientation.w());
  for (const char* key : {"linear_velocity", "angular_velocity", "asleep"})
    EXPECT_TRUE(json["bodies"][1].contains(key)) << key;
}

TEST(Report, TableNamesWhatItShows) {
  const RunResult result = shortRun();
  std::ostringstream out;
  printTable(result, out);
  const std::string table = out.str();
  for (const char* part : {"stack2: 3 bodies, 5 steps of 0.0166667 s", "2 threads", "broadphase", "solver", "p99", "pairs", "contacts",
                           "deepest penetration", "rms speed", "energy", "asleep"})
    EXPECT_NE(table.find(part), std::string::npos) << part << " is missing in\n" << table;
  EXPECT_NE(table.find(hexadecimal(result.hash)), std::string::npos);
}

}  // namespace
}  // namespace sunder::demo
