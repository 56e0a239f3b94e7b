// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sunder/demo/collide_pairs.h"
#include "sunder/demo/json_input.h"
#include "sunder/demo/referee.h"

namespace sunder::demo {
namespace {

using Eigen::Vector3d;

const std::map<std::string, BoxPair>& articlePairs() {
  static const auto pairs = [] {
    std::map<std::string, BoxPair> result;
    for (const BoxPair& pair : readPairFile(SUNDER_SOURCE_DIR "/demo/seed-article.json")) result[pair.id] = pair;
    return result;
  }();
  return pairs;
}

// The poses in the file are rounded to double, and so is the answer: a few spacings of the largest coordinate (5).
constexpr double kTolerance = 4e-15;

// Everything that holds for each pair: the stated signed distance, and B moved by depth * normal just touches.
void expectAnswer(const std::string& id, double signedDistance) {
  SCOPED_TRACE(id);
  const BoxPair& pair = articlePairs().at(id);
  const Proximity p = collidePair(pair).proximity;
  EXPECT_EQ(p.status, QueryStatus::Converged);
  EXPECT_NEAR(p.signedDistance, signedDistance, kTolerance);
  EXPECT_NEAR(p.normal.norm(), 1, kTolerance);
  EXPECT_LT((p.pointOnA + p.signedDistance * p.normal - p.pointOnB).norm(), 2 * kTolerance);
  RefereeBox a{pair.a.box, pair.a.pose, true}, b{pair.b.box, pair.b.pose, true};
  b.pose.position -= p.signedDistance * p.normal;
  EXPECT_NEAR(separation(a, b), 0, 2 * kTolerance);
}

// The push that the article states: depth times the normal.
void expectPush(const std::string& id, const Vector3d& push) {
  SCOPED_TRACE(id);
  const Proximity p = collidePair(articlePairs().at(id)).proximity;
  EXPECT_LT((-p.signedDistance * p.normal - push).norm(), 2 * kTolerance);
}

Vector3d pushOf(const std::string& id) {
  const Proximity p = collidePair(articlePairs().at(id)).proximity;
  return -p.signedDistance * p.normal;
}

const double kR = std::sqrt(0.5);  // R (x, y, 0) = kR (x - y, x + y, 0)

TEST(ArticlePairs, SameBoxTwiceIsPushedOutThroughAFace) {
  expectAnswer("article-01-same-box", -2);
  const Vector3d push = pushOf("article-01-same-box");
  const double alongFaces[3] = {std::abs(kR * (push[0] + push[1])), std::abs(kR * (push[1] - push[0])),
                                std::abs(push[2])};
  EXPECT_NEAR(*std::max_element(alongFaces, alongFaces + 3), 2, kTolerance);
}

TEST(ArticlePairs, OverlapIsPushedAlongTheTurnedY) {
  expectAnswer("article-02-overlap", -0.5);
  expectPush("article-02-overlap", {-0.5 * kR, 0.5 * kR, 0});
}

TEST(ArticlePairs, ApartByOne) {
  expectAnswer("article-03-apart", 1);
  expectPush("article-03-apart", {kR, -kR, 0});  // minus the distance times the normal
}

TEST(ArticlePairs, StarIsPushedByExactlyTwoUpOrDown) {
  expectAnswer("article-04-star", -2);
  const Proximity p = collidePair(articlePairs().at("article-04-star")).proximity;
  EXPECT_EQ(p.signedDistance, -2.0);  // the original article finds 2.001
  EXPECT_EQ(std::abs(p.normal[2]), 1.0);
}

TEST(ArticlePairs, TouchingFacesHaveDepthAndDistanceZero) {
  expectAnswer("article-05-touching", 0);
}

TEST(ArticlePairs, LongBoxesAreSeparatedAlongZ) {
  expectAnswer("article-06-long", -2);
  EXPECT_NEAR(std::abs(pushOf("article-06-long")[2]), 2, kTolerance);
}

TEST(ArticlePairs, CrossedBoxesAreSeparatedAlongZ) {
  expectAnswer("article-07-crossed", -2);
  EXPECT_NEAR(std::abs(pushOf("article-07-crossed")[2]), 2, kTolerance);
}

TEST(ArticlePairs, CrossedBoxesApartByOne) {
  expectAnswer("article-08-crossed-apart", 1);
  expectPush("article-08-crossed-apart", {0, 0, -1});
}

// Derived: in the frame of A, B's near edge is at x = kR * (kR * 10) - 4 = 1, A's own face; by mirror symmetry about
// the plane x = 0 the two near edges lie on it, at y = -5 kR + kR - 4 kR = -8 kR. So the boxes touch along that edge.
TEST(ArticlePairs, LeaningBoxesTouchAlongOneEdge) {
  expectAnswer("article-09-edges", 0);
  const Proximity p = collidePair(articlePairs().at("article-09-edges")).proximity;
  EXPECT_NEAR(p.pointOnA[0], 0, kTolerance);
  EXPECT_NEAR(p.pointOnA[1], -8 * kR, kTolerance);
  EXPECT_LE(std::abs(p.pointOnA[2]), 1 + kTolerance);
  // Any direction between the two faces' normals separates them; none has a part along the edge.
  EXPECT_NEAR(p.normal[2], 0, kTolerance);
  EXPECT_GE(p.normal[0], kR - kTolerance);
}

TEST(ArticlePairs, ContainedBoxIsPushedOutThroughTheNearestFace) {
  expectAnswer("article-10-contained", -4);
  expectPush("article-10-contained", {-4 * kR, 4 * kR, 0});
}

// The same answers are in the file, for readers and for other programs.
TEST(ArticlePairs, FileStatesTheSameAnswers) {
  const nlohmann::json file = parseJsonFile(SUNDER_SOURCE_DIR "/demo/seed-article.json");
  ASSERT_EQ(file["cases"].size(), 10u);
  for (const auto& item : file["cases"]) {
    const std::string id = item["id"];
    expectAnswer(id, item["expect"]["signed_distance"]);
    const auto& normal = item["expect"]["normal"];
    if (normal.is_null()) continue;
    const Vector3d stated(normal[0], normal[1], normal[2]);
    EXPECT_LT((collidePair(articlePairs().at(id)).proximity.normal - stated).norm(), kTolerance) << id;
  }
}

TEST(CollidePairs, ManifoldLiesBetweenTheBoxesAndIsEmptyWhenApart) {
  const PairAnswer overlap = collidePair(articlePairs().at("article-02-overlap"));
  ASSERT_EQ(overlap.manifold.pointCount, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(overlap.manifold.points[i].separation, -0.5, kTolerance);
    EXPECT_NEAR(std::abs(overlap.manifold.points[i].pointOnA[2]), 1, kTolerance);
  }
  EXPECT_EQ(collidePair(articlePairs().at("article-03-apart")).manifold.pointCount, 0);
}

// Two algorithms, one answer: distances to rounding, and the same points of the manifold.
TEST(CollidePairs, BothMethodsGiveTheSameAnswers) {
  for (const auto& [id, pair] : articlePairs()) {
    const PairAnswer gjkEpa = collidePair(pair, NarrowphaseMethod::GjkEpa);
    const PairAnswer closedForm = collidePair(pair, NarrowphaseMethod::ClosedForm);
    EXPECT_NEAR(closedForm.proximity.signedDistance, gjkEpa.proximity.signedDistance, 1e-13) << id;
    EXPECT_EQ(closedForm.proximity.iterations, 0);  // it was the closed form that answered
    EXPECT_GT(gjkEpa.proximity.iterations, 0);
    ASSERT_EQ(closedForm.manifold.pointCount, gjkEpa.manifold.pointCount) << id;
    for (int i = 0; i < gjkEpa.manifold.pointCount; ++i) {
      EXPECT_EQ(closedForm.manifold.points[i].featureId, gjkEpa.manifold.points[i].featureId) << id;
      EXPECT_EQ(closedForm.manifold.points[i].pointOnA, gjkEpa.manifold.points[i].pointOnA) << id;
    }
  }
}

TEST(CollidePairs, WritesOneJsonLineWithEveryKey) {
  const BoxPair& pair = articlePairs().at("article-02-overlap");
  std::ostringstream out;
  writeAnswer(pair, collidePair(pair), out);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  const nlohmann::json line = nlohmann::json::parse(text);
  for (const char* key : {"id", "status", "overlap", "signed_distance", "normal", "point_on_a", "point_on_b",
                          "error_bound", "iterations", "manifold"})
    EXPECT_TRUE(line.contains(key)) << key;
  EXPECT_EQ(line["id"], pair.id);
  EXPECT_EQ(line["status"], "converged");
  EXPECT_EQ(line["overlap"], true);
  EXPECT_EQ(line["manifold"].size(), 4u);
  for (const char* key : {"position", "separation", "feature_id"})
    EXPECT_TRUE(line["manifold"][0].contains(key)) << key;
}

TEST(CollidePairs, UnsoundAnswersAreRecognised) {
  PairAnswer answer = collidePair(articlePairs().at("article-02-overlap"));
  EXPECT_TRUE(isSound(answer));
  PairAnswer limit = answer, broken = answer;
  limit.proximity.status = QueryStatus::IterationLimit;
  broken.proximity.normal[1] = NAN;
  EXPECT_FALSE(isSound(limit));
  EXPECT_FALSE(isSound(broken));
}

}  // namespace
}  // namespace sunder::demo
