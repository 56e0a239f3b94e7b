// SPDX-License-Identifier: MIT
// The sunder command as a person uses it: exit codes, standard output, one clear line on standard error.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "demo_files.h"
#include "sunder/demo/scene_file.h"

namespace sunder::demo {
namespace {

class Command : public testing::Test {
 protected:
  CommandResult sunder(const std::string& arguments) const { return runCommand(directory_, arguments); }

  // Exit code 2, nothing on standard output, and one line on standard error that has the part in it.
  void expectRefused(const std::string& arguments, const std::string& part) const {
    const CommandResult result = sunder(arguments);
    SCOPED_TRACE("sunder " + arguments + "\n" + result.error);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1);
    EXPECT_EQ(result.error.substr(0, 8), "sunder: ");
    EXPECT_NE(result.error.find(part), std::string::npos);
  }

  TemporaryDirectory directory_;
};

TEST_F(Command, HelpAndVersion) {
  const CommandResult help = sunder("--help");
  EXPECT_EQ(help.exitCode, 0);
  for (const char* part : {"step", "collide", "scenes"}) EXPECT_NE(help.out.find(part), std::string::npos) << part;
  const CommandResult stepHelp = sunder("step --help");
  EXPECT_EQ(stepHelp.exitCode, 0);
  for (const char* part : {"--steps", "--seconds", "--dt", "--substeps", "--threads", "--sleep", "--ccd",
                           "--narrowphase", "--perturb", "--seed", "--record", "--csv", "--json", "--quiet"})
    EXPECT_NE(stepHelp.out.find(part), std::string::npos) << part;
  const CommandResult version = sunder("--version");
  EXPECT_EQ(version.exitCode, 0);
  EXPECT_EQ(version.out.substr(0, 7), "sunder ");
}

TEST_F(Command, ScenesListsThemAndPrintsOne) {
  const CommandResult list = sunder("scenes");
  EXPECT_EQ(list.exitCode, 0);
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 17);
  EXPECT_NE(list.out.find("pyrN"), std::string::npos);
  const CommandResult one = sunder("scenes stack3");
  EXPECT_EQ(one.exitCode, 0);
  EXPECT_EQ(one.out, toSceneFile(builtInScene("stack3")));
}

TEST_F(Command, StepPrintsATableAndWritesFiles) {
  const CommandResult result =
      sunder("step stack3 --steps 10 --threads 2 --json '" + directory_.file("out.json") + "' --csv '" +
             directory_.file("out.csv") + "' --record '" + directory_.file("rec") + "'");
  EXPECT_EQ(result.exitCode, 0) << result.error;
  EXPECT_EQ(result.error, "");
  EXPECT_NE(result.out.find("deepest penetration"), std::string::npos);
  const auto json = nlohmann::json::parse(directory_.read("out.json"));
  EXPECT_EQ(json["steps"], 10);
  EXPECT_NE(result.out.find(json["hash"].get<std::string>()), std::string::npos);
  const std::string csv = directory_.read("out.csv"), record = directory_.read("rec");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 11);
  EXPECT_EQ(std::count(record.begin(), record.end(), '\n'), 12);
  std::istringstream lines(record);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

TEST_F(Command, QuietIsQuietAndJsonGoesToStandardOutput) {
  const CommandResult quiet = sunder("step stack3 --steps 2 --quiet");
  EXPECT_EQ(quiet.exitCode, 0);
  EXPECT_EQ(quiet.out + quiet.error, "");
  const CommandResult json = sunder("step stack3 --steps 2 --json -");
  EXPECT_EQ(nlohmann::json::parse(json.out)["scene"], "stack3");
}

TEST_F(Command, ASceneFileRunsAsTheBuiltInSceneDoes) {
  const std::string path = directory_.write("rain.json", sunder("scenes rain60").out);
  const auto builtIn = nlohmann::json::parse(sunder("step rain60 --steps 60 --quiet --json -").out);
  const auto file = nlohmann::json::parse(sunder("step '" + path + "' --steps 60 --quiet --json -").out);
  EXPECT_EQ(builtIn["hash"], file["hash"]);
  EXPECT_EQ(builtIn["bodies"], file["bodies"]);
}

TEST_F(Command, OptionsReachTheWorld) {
  const auto run = [&](const std::string& options) {
    return nlohmann::json::parse(sunder("step stackj3 --steps 20 --quiet --json - " + options).out);
  };
  const auto plain = run("");
  EXPECT_EQ(plain["substeps"], 8);
  EXPECT_EQ(run("--substeps 4")["substeps"], 4);
  EXPECT_NE(run("--substeps 4")["hash"], plain["hash"]);
  EXPECT_EQ(run("--dt 0.01")["dt"], 0.01);
  EXPECT_EQ(run("--threads 3")["hash"], plain["hash"]);
  EXPECT_NE(run("--perturb 0.001")["hash"], plain["hash"]);
  EXPECT_NE(run("--perturb 0.001 --seed 1")["hash"], run("--perturb 0.001 --seed 2")["hash"]);
  EXPECT_EQ(nlohmann::json::parse(sunder("step fall1 --seconds 0.5 --quiet --json -").out)["steps"], 30);
}

TEST_F(Command, SleepCanBeSwitchedOff) {
  const std::string base = "step stack1 --steps 240 --quiet --json - --sleep ";
  EXPECT_EQ(nlohmann::json::parse(sunder(base + "on").out)["asleep"], 1);
  EXPECT_EQ(nlohmann::json::parse(sunder(base + "off").out)["asleep"], 0);
}

TEST_F(Command, CollideWritesOneLinePerPair) {
  const CommandResult result = sunder("collide '" SUNDER_SOURCE_DIR "/demo/seed-article.json'");
  EXPECT_EQ(result.exitCode, 0) << result.error;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 10);
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

TEST_F(Command, BadArgumentsAreRefused) {
  expectRefused("", "subcommand");
  expectRefused("fly", "unknown command 'fly'");
  expectRefused("step", "SCENE");
  expectRefused("step stack3 --stesp 4", "--stesp");
  expectRefused("step stack3 --steps -1", "--steps");
  expectRefused("step stack3 --steps x", "--steps");
  expectRefused("step stack3 --steps 1 --seconds 1", "--seconds");
  expectRefused("step stack3 --seconds 0", "--seconds");
  expectRefused("step stack3 --seconds 1e300", "more than 1e9 steps");
  expectRefused("step stack3 --dt nan", "nan");
  expectRefused("step stack3 --dt 0", "--dt");
  expectRefused("step stack3 --dt inf", "inf");
  expectRefused("step stack3 --dt 1e308", "--dt: must be a number > 0 and at most 1e+06, got 1e308");
  expectRefused("step stack3 --seconds nan", "--seconds");
  expectRefused("step stack3 --substeps 65", "--substeps");
  for (const char* threads : {"0", "-1", "100000", "two", "''"})
    expectRefused(std::string("step stack3 --threads ") + threads, "--threads");
  expectRefused("step stack3 --sleep maybe", "maybe");
  expectRefused("step stack3 --perturb -1", "--perturb");
  expectRefused("step stack3 --perturb 1e308", "--perturb");
  for (const char* seed : {"-1", "1.5", "18446744073709551616", "x"})
    expectRefused(std::string("step stack3 --perturb 1 --seed ") + seed, "--seed: must be a whole number");
  expectRefused("step stack3 --json ''", "--json: needs the name of a file");
  expectRefused("step stack3 stack4", "stack4");
  expectRefused("scenes tower", "unknown scene 'tower'");
}

TEST_F(Command, BadInputIsRefused) {
  expectRefused("step tower", "unknown scene 'tower'");
  expectRefused("step stack0", "stack0");
  expectRefused("step missing.json", "missing.json: can't be opened");
  expectRefused("collide missing.json", "missing.json: can't be opened");
  expectRefused("collide /dev/zero", "/dev/zero: is a device");
  expectRefused("step '" + directory_.write("broken.json", "{") + "'", "line 1, column 2");
  expectRefused("collide '" + directory_.write("broken.json", "{") + "'", "line 1, column 2");
  expectRefused("step '" +
                    directory_.write("key.json", R"({"format": "sunder-scene", "version": 1, "bodies": [], "x": 1})") +
                    "'",
                "unknown key \"x\"");
  expectRefused("step stack3 --steps 1 --json /no/such/directory/out.json",
                "/no/such/directory/out.json: can't be written");
  const std::string nan =
      R"({"format": "sunder-scene", "version": 1, "bodies": [{"half_extents": [1, NaN, 1], "position": [0, 0, 0]}]})";
  expectRefused("step '" + directory_.write("nan.json", nan) + "'", "column");
}

// One line, whatever is in the names.
TEST_F(Command, MessagesAreOneLine) {
  expectRefused("step \"$(printf 'a\\nb.json')\"", "a\\x0ab.json: can't be opened");
  const std::string box = R"("half_extents": [1, 1, 1], "position": [0, 0, 0]})";
  const std::string twice = R"({"format": "sunder-scene", "version": 1, "bodies": [{"name": "a\nb", )" + box + R"(, {"name": "a\nb", )" + box + "]}";
  expectRefused("step '" + directory_.write("twice.json", twice) + "'", "a\\x0ab");
}

TEST_F(Command, AFullDiskIsAnError) {
  for (const char* arguments : {"scenes", "scenes stack3", "--help", "step stack3 --steps 1", "collide '" SUNDER_SOURCE_DIR "/demo/seed-article.json'"}) {
    const int status = std::system((std::string("'" SUNDER_COMMAND "' ") + arguments + " >/dev/full 2>'" + directory_.file("error") + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2) << arguments;
    EXPECT_EQ(directory_.read("error"), "sunder: standard output: can't be written\n");
  }
  for (const char* option : {"--csv", "--json", "--record"})
    expectRefused(std::string("step stack3 --steps 1 --quiet ") + option + " /dev/full", "/dev/full: can't be written");
}

TEST_F(Command, OneFileForTwoIsRefused) {
  const std::string scene = directory_.write("scene.json", sunder("scenes stack3").out), before = directory_.read("scene.json");
  expectRefused("step '" + scene + "' --json '" + scene + "'", "is named for two files at once");
  expectRefused("step '" + scene + "' --record '" + directory_.file("./scene.json") + "'", "is named for two files at once");
  expectRefused("step stack3 --csv '" + directory_.file("x") + "' --json '" + directory_.file("y/../x") + "'", "two files at once");
  EXPECT_EQ(directory_.read("scene.json"), before);
  EXPECT_FALSE(std::filesystem::exists(directory_.file("x")));
  EXPECT_EQ(sunder("step stack3 --steps 1 --quiet --csv /dev/null --json /dev/null").exitCode, 0);
}

// Nothing is changed by a run that is refused: an old result stays.
TEST_F(Command, ARefusedRunLeavesOldFilesAlone) {
  const std::string old = directory_.write("old.json", "old");
  expectRefused("step tower --json '" + old + "'", "tower");
  EXPECT_EQ(directory_.read("old.json"), "old");
}

}  // namespace
}  // namespace sunder::demo
