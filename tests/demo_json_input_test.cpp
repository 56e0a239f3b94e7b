// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "demo_files.h"
#include "sunder/demo/json_input.h"

namespace sunder::demo {
namespace {

class JsonInput : public testing::Test {
 protected:
  // What parseJsonFile has against a file of this text, without the name of the file in front.
  std::string problem(const std::string& text) const {
    const std::string path = directory_.write("in.json", text);
    return messageOf([&] { parseJsonFile(path); }).substr(path.size() + 2);
  }
  // The message of a call on the object of this text, which is "body" in "f".
  template <typename Call>
  static std::string problemOf(const std::string& text, const Call& call) {
    const nlohmann::json json = nlohmann::json::parse(text);
    return messageOf([&] { call(JsonObject("f", "body", json)); });
  }

  TemporaryDirectory directory_;
};

TEST_F(JsonInput, ParsesWhatIsJson) {
  EXPECT_EQ(parseJsonFile(directory_.write("a.json", R"( {"a": [1, 2.5, "x", null, true]} )")),
            (nlohmann::json{{"a", {1, 2.5, "x", nullptr, true}}}));
  EXPECT_EQ(parseJsonFile(directory_.write("mark.json", "\xef\xbb\xbf[]")), nlohmann::json::array());  // a byte order mark
}

TEST_F(JsonInput, SaysWhereItIsNone) {
  EXPECT_EQ(problem("{\"a\": 1,\n  b}").substr(0, 17), "line 2, column 3:");
  EXPECT_EQ(problem("").substr(0, 17), "line 1, column 1:");
  EXPECT_EQ(problem("[1] 2").substr(0, 17), "line 1, column 5:");
  EXPECT_NE(problem("\"\xff\"").find("ill-formed UTF-8"), std::string::npos);
  EXPECT_EQ(problem("[1e400]"), "number overflow parsing '1e400'");
}

TEST_F(JsonInput, SaysWhyAFileCanNotBeRead) {
  EXPECT_EQ(messageOf([] { parseJsonFile("/no/such/file"); }), "/no/such/file: can't be opened: No such file or directory");
  EXPECT_EQ(messageOf([] { parseJsonFile("/"); }), "/: is a directory");
}

// /dev/zero never ends: reading it took all memory.
TEST_F(JsonInput, RefusesDevicesAndWhatIsTooLarge) {
  EXPECT_EQ(messageOf([] { parseJsonFile("/dev/zero"); }), "/dev/zero: is a device, not a file");
  EXPECT_EQ(messageOf([] { parseJsonFile("/dev/null"); }), "/dev/null: is a device, not a file");
  const std::string large = directory_.write("large.json", "[]");
  std::filesystem::resize_file(large, (std::uintmax_t{1} << 30) + 1);  // takes no room: the rest is a hole
  EXPECT_EQ(messageOf([&] { parseJsonFile(large); }), large + ": is larger than 1 GiB");
}

TEST_F(JsonInput, ReadsPipesAndFilesOfManyBlocks) {
  const std::string pipe = directory_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string text = "[" + std::string(300000, ' ') + "1]";
  std::thread writer([&] { std::ofstream(pipe) << text; });
  EXPECT_EQ(parseJsonFile(pipe), nlohmann::json::array({1}));
  writer.join();
  EXPECT_EQ(parseJsonFile(directory_.write("blocks.json", text)), nlohmann::json::array({1}));
}

TEST_F(JsonInput, RefusesAKeyThatIsTwiceInOneObject) {
  EXPECT_EQ(problem(R"({"a": 1, "b": {"a": 2}, "a": 3})"), R"(the key "a" is there twice in one object)");
  EXPECT_EQ(problem(R"([{"x": {"a": 1, "a": 1}}])"), R"(the key "a" is there twice in one object)");
  const std::string fine = directory_.write("fine.json", R"([{"a": {"a": 1}}, {"a": [{"a": 2}, {"a": 3}]}])");
  EXPECT_EQ(parseJsonFile(fine)[1]["a"][1]["a"], 3);
}

// What nests deeper than the stack is high crashed the command when the message showed it.
TEST_F(JsonInput, RefusesWhatNestsTooDeep) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_EQ(parseJsonFile(directory_.write("64.json", nested(64))).size(), 1u);
  for (const std::size_t levels : {66u, 1000u, 300000u}) EXPECT_EQ(problem(nested(levels)), "nests deeper than 64 levels") << levels;
  EXPECT_EQ(problem(std::string(300000, '[')), "nests deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_EQ(problem(objects), "nests deeper than 64 levels");
}

TEST_F(JsonInput, MessagesAreOneLine) {
  for (const char* text : {"{\"a\nb\": 1}", "\"\n\"", "{\"a\\nb\": 1, \"a\\nb\": 2}", "\x1b[31m", "[\x7f]", "nul\n"}) {
    const std::string message = problem(text);
    for (const char c : message) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << message;
  }
  EXPECT_EQ(problemOf("{}", [](const JsonObject& o) { o.fail("a", "not\nthis\x1b"); }), "f: body.a: not\\x0athis\\x1b");
  const std::string key = problemOf(R"({"a\nb": 1})", [](const JsonObject& o) { o.allowOnly({"a"}); });
  EXPECT_EQ(key, R"(f: body: unknown key "a\nb")");
}

TEST(JsonInputNames, Indexed) {
  EXPECT_EQ(indexed("bodies", 0), "bodies[0]");
  EXPECT_EQ(indexed("bodies", 1234567), "bodies[1234567]");
}

TEST_F(JsonInput, GivesValuesOfTheRightKind) {
  const nlohmann::json json = nlohmann::json::parse(
      R"({"array": [1], "string": "s", "yes": true, "number": 0.1, "vector": [1, -2, 3e5], "object": {"inner": 7}})");
  const JsonObject object("f", "", json);
  EXPECT_TRUE(object.has("array") && !object.has("inner"));
  EXPECT_NO_THROW(object.allowOnly({"array", "string", "yes", "number", "vector", "object", "more"}));
  EXPECT_EQ(object.array("array").size(), 1u);
  EXPECT_EQ(object.string("string"), "s");
  EXPECT_TRUE(object.boolean("yes"));
  EXPECT_EQ(object.number("number"), 0.1);
  EXPECT_EQ(object.vector3("vector"), Eigen::Vector3d(1, -2, 3e5));
  EXPECT_EQ(object.object("object").number("inner"), 7);
}

TEST_F(JsonInput, NamesPlaceAndValueOfWhatIsNot) {
  const std::string text = R"({"s": "x", "n": 1, "v": [1, "y", 3], "short": [1, 2], "o": {"deep": null}})";
  EXPECT_EQ(problemOf(text, [](const JsonObject& o) { o.number("s"); }), R"(f: body.s: must be a number, got "x")");
  EXPECT_EQ(problemOf(text, [](const JsonObject& o) { o.string("n"); }), "f: body.n: must be a string, got 1");
  EXPECT_EQ(problemOf(text, [](const JsonObject& o) { o.boolean("n"); }), "f: body.n: must be true or false, got 1");
  EXPECT_EQ(problemOf(text, [](const JsonObject& o) { o.array("n"); }), "f: body.n: must be an array, got 1");
  EXPECT_EQ(problemOf(text, [](const JsonObject& o) { o.object("n"); }), "f: body.n: must be an object, got 1");
  EXPECT_EQ(problemOf(text, [](const JsonObject& o) { o.vector3("v"); }), R"(f: body.v[1]: must be a number, got "y")");
  EXPECT_EQ(problemOf(text, [](const JsonObject& o) { o.vector3("short"); }),
            "f: body.short: must be an array of 3 numbers, got [1,2]");
  EXPECT_EQ(problemOf(text, [](const JsonObject& o) { o.object("o").number("deep"); }),
            "f: body.o.deep: must be a number, got null");
  EXPECT_EQ(problemOf(text, [](const JsonObject& o) { o.number("none"); }), R"(f: body: the key "none" is missing)");
  EXPECT_EQ(problemOf("{\"s\": \"" + std::string(1000, 'x') + "\"}", [](const JsonObject& o) { o.number("s"); }),
            "f: body.s: must be a number, got \"" + std::string(56, 'x') + "...");
}

TEST_F(JsonInput, RotationsAreUnitQuaternions) {
  const auto rotation = [](double w, double x, double y, double z) {
    const nlohmann::json json = {{"q", {w, x, y, z}}};
    return JsonObject("f", "body", json).rotation("q");
  };
  // What was printed from a unit quaternion keeps its bits; what was cut to four digits becomes one.
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    const Eigen::Vector4d v = Eigen::Vector4d(normal(random), normal(random), normal(random), normal(random)).normalized();
    const Quaternion same = rotation(v[0], v[1], v[2], v[3]);
    EXPECT_EQ(Eigen::Vector4d(same.w(), same.x(), same.y(), same.z()), v);
    const Eigen::Vector4d cut = (v * 1e4).array().round() / 1e4;
    const Quaternion mended = rotation(cut[0], cut[1], cut[2], cut[3]);
    const Eigen::Vector4d m(mended.w(), mended.x(), mended.y(), mended.z());
    EXPECT_NEAR(m.norm(), 1, 1e-15);
    EXPECT_LT((m - v).norm(), 2e-4);
  }
  EXPECT_NO_THROW(rotation(1.0009, 0, 0, 0));
  EXPECT_EQ(messageOf([&] { rotation(1.0011, 0, 0, 0); }),
            "f: body.q: must be a unit quaternion w, x, y, z, got [1.0011,0.0,0.0,0.0] of length 1.0011");
  for (const double w : {0.0, 0.99, -2.0, 1e300}) EXPECT_NE(messageOf([&] { rotation(w, 0, 0, 0); }), "") << w;
}

}  // namespace
}  // namespace sunder::demo
