// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "demo_files.h"
#include "sunder/demo/collide_pairs.h"
#include "sunder/demo/pair_file.h"

namespace sunder::demo {
namespace {

const std::string kA = R"("a": {"half": [1, 2, 3], "pos": [4, 5, 6], "quat_wxyz": [0, 1, 0, 0]})";
const std::string kB = R"("b": {"half": [1, 1, 1], "pos": [0, 0, 0], "quat_wxyz": [1, 0, 0, 0]})";

class PairFile : public testing::Test {
 protected:
  std::vector<BoxPair> read(const std::string& text) const {
    return readPairFile(directory_.write("pairs.json", text));
  }
  std::string problem(const std::string& text) const {
    const std::string message = messageOf([&] { read(text); });
    return message.substr(std::min(message.size(), directory_.file("pairs.json: ").size()));
  }
  TemporaryDirectory directory_;
};

TEST_F(PairFile, ReadsPairsAndIgnoresOtherKeys) {
  const auto pairs = read(R"({"about": 1, "cases": [{"id": "first", "kind": "x", )" + kA + ", " + kB + "}, {" + kA +
                          ", " + kB + "}]}");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].id, "first");
  EXPECT_EQ(pairs[1].id, "1");
  EXPECT_EQ(pairs[0].a.box.halfExtents, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(pairs[0].a.pose.position, Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(pairs[0].a.pose.orientation.x(), 1);
  EXPECT_EQ(pairs[0].b.pose.orientation.w(), 1);
}

TEST_F(PairFile, NamesPlaceAndValueOfWhatIsWrong) {
  EXPECT_EQ(problem(R"({"case": []})"), R"(the key "cases" is missing)");
  EXPECT_EQ(problem(R"({"cases": [{)" + kA + "}]}"), R"(cases[0]: the key "b" is missing)");
  EXPECT_EQ(problem(R"({"cases": [{)" + kA + R"(, "b": {"half": [1, 0, 1]}}]})"),
            "cases[0].b.half[1]: must be > 0, got 0.0");
  EXPECT_EQ(problem(R"({"cases": [{)" + kA + R"(, "b": {"half": [1, 1, 1], "pos": [null, 0, 0]}}]})"),
            "cases[0].b.pos[0]: must be a number, got null");
  EXPECT_EQ(
      problem(R"({"cases": [{)" + kA + R"(, "b": {"half": [1, 1, 1], "pos": [0, 0, 0], "quat_wxyz": [2, 0, 0, 0]}}]})"),
      "cases[0].b.quat_wxyz: must be a unit quaternion w, x, y, z, got [2,0,0,0] of length 2.0");
}

// What the queries would call invalid is refused before any answer is printed.
TEST_F(PairFile, RefusesWhatTheQueriesDoNotTake) {
  const auto pair = [](const std::string& half, const std::string& place) {
    return R"({"cases": [{)" + kA + R"(, "b": {"half": [1, )" + half + R"(, 1], "pos": [0, 0, )" + place +
           R"(], "quat_wxyz": [1, 0, 0, 0]}}]})";
  };
  EXPECT_EQ(problem(pair("1e100", "0")), "cases[0].b.half[1]: must be between 1e-99 and 1e99, got 1e+100");
  EXPECT_EQ(problem(pair("1e-100", "0")), "cases[0].b.half[1]: must be between 1e-99 and 1e99, got 1e-100");
  EXPECT_EQ(problem(pair("1", "-1e308")), "cases[0].b.pos[2]: must be between -1e99 and 1e99, got -1e+308");
  for (const char* half : {"1e99", "1e-99", "1"})
    for (const char* place : {"1e99", "-1e99", "0"})
      for (const NarrowphaseMethod method : {NarrowphaseMethod::GjkEpa, NarrowphaseMethod::ClosedForm})
        EXPECT_TRUE(isSound(collidePair(read(pair(half, place))[0], method))) << half << ' ' << place;
}

TEST_F(PairFile, RefusesAnIdThatIsThereTwice) {
  const std::string pair = kA + ", " + kB + "}";
  EXPECT_EQ(problem(R"({"cases": [{"id": "x", )" + pair + R"(, {"id": "x", )" + pair + "]}"), R"(cases[1].id: "x" is the id of another pair, too)");
  EXPECT_EQ(problem(R"({"cases": [{"id": "1", )" + pair + R"(, {)" + pair + "]}"), R"(cases[1].id: "1" is the id of another pair, too)");
  EXPECT_EQ(read(R"({"cases": [{"id": "x", )" + pair + R"(, {"id": "y", )" + pair + "]}").size(), 2u);
}

TEST_F(PairFile, ReadsTheArticlesPairs) {
  const auto pairs = readPairFile(SUNDER_SOURCE_DIR "/demo/seed-article.json");
  EXPECT_EQ(pairs.size(), 10u);
}

}  // namespace
}  // namespace sunder::demo
