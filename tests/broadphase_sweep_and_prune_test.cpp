// SPDX-License-Identifier: MIT
#include <sunder/broadphase/sweep_and_prune.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sunder/broadphase/brute_force.h>

namespace {

using namespace sunder;
using Pairs = std::vector<ProxyPair>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

Aabb cube(double x, double y, double z, double half) {
  return {{x - half, y - half, z - half}, {x + half, y + half, z + half}};
}
Aabb unit(double x) { return cube(x, 0, 0, 0.5); }

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

template <class Broadphase>
class BroadphaseCalls : public testing::Test {};
using Both = testing::Types<SweepAndPrune, BruteForce>;
TYPED_TEST_SUITE(BroadphaseCalls, Both);

TYPED_TEST(BroadphaseCalls, PairBeginsStaysAndEnds) {
  TypeParam broadphase;
  const ProxyId a = broadphase.insert(unit(0), false);
  const ProxyId b = broadphase.insert(unit(1.05), false);
  EXPECT_EQ(broadphase.updatePairs().began, (Pairs{{a, b}}));
  EXPECT_EQ(broadphase.pairCount(), 1u);
  EXPECT_EQ(broadphase.move(b, unit(1.06)), MoveStatus::kInside);
  EXPECT_TRUE(broadphase.updatePairs().began.empty());
  EXPECT_EQ(broadphase.move(b, unit(1.5)), MoveStatus::kLeft);
  EXPECT_EQ(broadphase.updatePairs().ended, (Pairs{{a, b}}));
  EXPECT_EQ(broadphase.pairCount(), 0u);
}

TYPED_TEST(BroadphaseCalls, FatBoxHasMarginAndFollowsTheMotion) {
  TypeParam broadphase({0.25, 2.0});
  const ProxyId a = broadphase.insert(cube(0, 0, 0, 1), false, {}, {0.5, -0.5, 0});
  const Aabb fat = broadphase.fatAabb(a);
  EXPECT_EQ(fat.lower, Eigen::Vector3d(-1.25, -2.25, -1.25));
  EXPECT_EQ(fat.upper, Eigen::Vector3d(2.25, 1.25, 1.25));
  EXPECT_EQ(broadphase.move(a, cube(1.25, -1.25, 0, 1), {0.5, -0.5, 0}), MoveStatus::kInside);
  EXPECT_EQ(broadphase.move(a, cube(1.5, 0, 0, 1)), MoveStatus::kLeft);
}

TYPED_TEST(BroadphaseCalls, FatBoxOfAFastMotionShrinksAtRest) {
  TypeParam broadphase({0.25, 2.0});
  const ProxyId a = broadphase.insert(cube(0, 0, 0, 1), false, {}, {0, 0, -1});
  const ProxyId b = broadphase.insert(cube(0, 0, -4, 1), false);
  EXPECT_EQ(broadphase.updatePairs().began, (Pairs{{a, b}}));
  // A little slower: not worth a new box.
  EXPECT_EQ(broadphase.move(a, cube(0, 0, 0, 1), {0, 0, -0.8}), MoveStatus::kInside);
  EXPECT_EQ(broadphase.move(a, cube(0, 0, 0, 1)), MoveStatus::kLeft);
  EXPECT_EQ(broadphase.fatAabb(a).lower, Eigen::Vector3d(-1.25, -1.25, -1.25));
  EXPECT_EQ(broadphase.updatePairs().ended, (Pairs{{a, b}}));
  EXPECT_EQ(broadphase.move(a, cube(0.2, 0, 0, 1)), MoveStatus::kInside);
  // A smaller box.
  EXPECT_EQ(broadphase.move(a, cube(0, 0, 0, 0.4)), MoveStatus::kLeft);
  EXPECT_EQ(broadphase.fatAabb(a).upper, Eigen::Vector3d(0.65, 0.65, 0.65));
  // Infinite on one side, then the same again.
  const Aabb half = {{-kInfinity, 0, 0}, {0, 1, 1}};
  EXPECT_EQ(broadphase.move(b, half), MoveStatus::kLeft);
  EXPECT_EQ(broadphase.move(b, half), MoveStatus::kInside);
}

TYPED_TEST(BroadphaseCalls, NewSettingsHoldForFatBoxesMadeFromThenOn) {
  TypeParam broadphase({0.25, 2.0});
  const ProxyId a = broadphase.insert(cube(0, 0, 0, 1), false);
  broadphase.setSettings({0, 0});
  EXPECT_EQ(broadphase.fatAabb(a).upper, Eigen::Vector3d(1.25, 1.25, 1.25));
  EXPECT_EQ(broadphase.fatAabb(a).lower, Eigen::Vector3d(-1.25, -1.25, -1.25));
  const ProxyId b = broadphase.insert(cube(9, 0, 0, 1), false, {}, {1, 0, 0});
  EXPECT_EQ(broadphase.fatAabb(b).upper, Eigen::Vector3d(10, 1, 1));
  EXPECT_EQ(broadphase.move(a, cube(5, 0, 0, 1), {1, 0, 0}), MoveStatus::kLeft);
  EXPECT_EQ(broadphase.fatAabb(a).lower, Eigen::Vector3d(4, -1, -1));
  EXPECT_NE(refusal([&] { broadphase.setSettings({-1, 0}); }), "accepted");
  EXPECT_NE(refusal([&] { broadphase.setSettings({0, kNan}); }), "accepted");
}

TYPED_TEST(BroadphaseCalls, TouchingBoxesOverlap) {
  TypeParam broadphase({0.0, 0.0});
  broadphase.insert(cube(0, 0, 0, 0.5), false);
  broadphase.insert(cube(1, 1, 1, 0.5), false);
  const ProxyId apart = broadphase.insert(cube(1, 1, 2 + 1e-15, 0.5), false);
  EXPECT_EQ(broadphase.updatePairs().began, (Pairs{{0, 1}}));
  EXPECT_TRUE(broadphase.contains(apart));
}

TYPED_TEST(BroadphaseCalls, StaticProxiesNeverPairWithEachOther) {
  TypeParam broadphase;
  const ProxyId ground = broadphase.insert(unit(0), true), wall = broadphase.insert(unit(0), true);
  EXPECT_TRUE(broadphase.updatePairs().began.empty());
  const ProxyId body = broadphase.insert(unit(0), false);
  EXPECT_EQ(broadphase.updatePairs().began, (Pairs{{ground, body}, {wall, body}}));
  // A static proxy that is moved meets the bodies at its new place.
  EXPECT_EQ(broadphase.move(ground, unit(9)), MoveStatus::kLeft);
  EXPECT_EQ(broadphase.updatePairs().ended, (Pairs{{ground, body}}));
  EXPECT_TRUE(broadphase.isStatic(ground));
  EXPECT_FALSE(broadphase.isStatic(body));
}

TYPED_TEST(BroadphaseCalls, FilterDecidesBeforeAPairIsMade) {
  TypeParam broadphase;
  const ProxyId a = broadphase.insert(unit(0), false, {1, 2});
  const ProxyId b = broadphase.insert(unit(0), false, {2, 4});
  EXPECT_TRUE(broadphase.updatePairs().began.empty());
  broadphase.setFilter(b, {2, 1});
  EXPECT_EQ(broadphase.updatePairs().began, (Pairs{{a, b}}));
  // Off and on between two updates is no change.
  broadphase.setFilter(b, {2, 0});
  broadphase.setFilter(b, {2, 1});
  EXPECT_TRUE(broadphase.updatePairs().ended.empty());
  broadphase.setFilter(a, {0, 2});
  EXPECT_EQ(broadphase.updatePairs().ended, (Pairs{{a, b}}));
}

TYPED_TEST(BroadphaseCalls, IdsAreFreeAfterTheUpdateAndReusedLowestFirst) {
  TypeParam broadphase;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(broadphase.insert(unit(3 * i), false), static_cast<ProxyId>(i));
  broadphase.updatePairs();
  broadphase.remove(3);
  broadphase.remove(1);
  EXPECT_EQ(broadphase.insert(unit(30), false), 5u);
  broadphase.updatePairs();
  EXPECT_EQ(broadphase.insert(unit(40), false), 1u);
  EXPECT_EQ(broadphase.insert(unit(50), false), 3u);
  EXPECT_EQ(broadphase.insert(unit(60), false), 6u);
  EXPECT_EQ(broadphase.size(), 7u);
}

TYPED_TEST(BroadphaseCalls, RemovedAndInsertedAgainEndsAndBegins) {
  TypeParam broadphase;
  const ProxyId a = broadphase.insert(unit(0), false), b = broadphase.insert(unit(0), false);
  broadphase.updatePairs();
  broadphase.remove(a);
  const ProxyId again = broadphase.insert(unit(0), false);
  const PairEvents& events = broadphase.updatePairs();
  EXPECT_EQ(events.ended, (Pairs{{a, b}}));
  EXPECT_EQ(events.began, (Pairs{{b, again}}));
}

TYPED_TEST(BroadphaseCalls, WrongBoundsAreRefusedAndChangeNothing) {
  TypeParam broadphase;
  const ProxyId a = broadphase.insert(unit(0), false);
  EXPECT_NE(refusal([&] { broadphase.insert({{0, 0, 0}, {1, -1, 1}}, false); }).find("lower[1] = 0"), std::string::npos);
  EXPECT_NE(refusal([&] { broadphase.insert({{0, 0, kNan}, {1, 1, 1}}, false); }).find("lower[2] = nan"),
            std::string::npos);
  EXPECT_NE(refusal([&] { broadphase.insert({{0, 0, 0}, {1, 1, kNan}}, true); }).find("upper[2] = nan"),
            std::string::npos);
  EXPECT_NE(refusal([&] { broadphase.insert(unit(0), false, {}, {0, kInfinity, 0}); }).find("displacement[1]"),
            std::string::npos);
  std::vector<ProxyDef> batch{{unit(0), false, {}}, {{{0, 0, 0}, {-1, 0, 0}}, false, {}}};
  std::vector<ProxyId> ids(2), tooFew(1);
  EXPECT_NE(refusal([&] { broadphase.insert(batch, ids); }), "accepted");
  EXPECT_NE(refusal([&] { broadphase.insert(batch, tooFew); }), "accepted");
  EXPECT_EQ(broadphase.move(a, {{1, 0, 0}, {0, 1, 1}}), MoveStatus::kInvalidInput);
  EXPECT_EQ(broadphase.move(a, {{kNan, 0, 0}, {0, 1, 1}}), MoveStatus::kInvalidInput);
  EXPECT_EQ(broadphase.move(a, unit(5), {kNan, 0, 0}), MoveStatus::kInvalidInput);
  EXPECT_EQ(broadphase.move(7, unit(5)), MoveStatus::kUnknownProxy);
  EXPECT_EQ(broadphase.size(), 1u);
  EXPECT_TRUE(contains(broadphase.fatAabb(a), unit(0)));
  EXPECT_NE(refusal([] { TypeParam bad({-1.0, 2.0}); }).find("margin"), std::string::npos);
  EXPECT_NE(refusal([] { TypeParam bad({0.0, kNan}); }).find("lookahead"), std::string::npos);
}

TYPED_TEST(BroadphaseCalls, UnknownIdsAreRefused) {
  TypeParam broadphase;
  const ProxyId a = broadphase.insert(unit(0), false);
  broadphase.remove(a);
  EXPECT_FALSE(broadphase.contains(a));
  EXPECT_NE(refusal([&] { broadphase.remove(a); }).find("id = 0"), std::string::npos);
  EXPECT_NE(refusal([&] { broadphase.setFilter(9, {}); }).find("id = 9"), std::string::npos);
  EXPECT_NE(refusal([&] { broadphase.fatAabb(a); }).find("id = 0"), std::string::npos);
  EXPECT_EQ(broadphase.move(a, unit(1)), MoveStatus::kUnknownProxy);
}

TYPED_TEST(BroadphaseCalls, InfiniteBoxesWork) {
  TypeParam broadphase;
  const ProxyId halfSpace = broadphase.insert({{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, 0}}, true);
  const ProxyId everything = broadphase.insert(
      {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}}, false);
  const ProxyId above = broadphase.insert(cube(1e12, 0, 5, 1), false);
  const ProxyId low = broadphase.insert(cube(0, -1e12, 0.5, 1), false);
  const Pairs want{{halfSpace, everything}, {halfSpace, low}, {everything, above}, {everything, low}};
  EXPECT_EQ(broadphase.updatePairs().began, want);
}

// One end list of Bullet's was sorted with a handle's two ends changed at once, and stopped early.
TYPED_TEST(BroadphaseCalls, S_bt_2554) {
  TypeParam broadphase({0.0, 0.0});
  const auto span = [](double from, double to) { return Aabb{{from, 0, 0}, {to, 1, 1}}; };
  const ProxyId outer = broadphase.insert(span(0, 3), false), moved = broadphase.insert(span(1, 2), false);
  const ProxyId right = broadphase.insert(span(4, 5.5), false);
  EXPECT_EQ(broadphase.updatePairs().began, (Pairs{{outer, moved}}));
  broadphase.move(moved, span(5, 6));
  const PairEvents& events = broadphase.updatePairs();
  EXPECT_EQ(events.ended, (Pairs{{outer, moved}}));
  EXPECT_EQ(events.began, (Pairs{{moved, right}}));
  EXPECT_EQ(broadphase.move(moved, span(6, 5)), MoveStatus::kInvalidInput);
  EXPECT_EQ(broadphase.move(moved, span(kNan, 5)), MoveStatus::kInvalidInput);
  EXPECT_EQ(broadphase.pairCount(), 1u);
}

TYPED_TEST(BroadphaseCalls, S_ncollide_310) {
  TypeParam broadphase;
  const ProxyId a = broadphase.insert(cube(0, 0, 0, 1), false), b = broadphase.insert(cube(0, 0, 0, 1), false);
  EXPECT_EQ(broadphase.updatePairs().began, (Pairs{{a, b}}));
  broadphase.move(b, cube(3, 0, 0, 1));
  EXPECT_EQ(broadphase.updatePairs().ended, (Pairs{{a, b}}));
  EXPECT_EQ(broadphase.pairCount(), 0u);
}

// One very large box among small ones: each pair once. That it also stays fast is for the bench (family one-huge).
TYPED_TEST(BroadphaseCalls, S_rhusics_8) {
  TypeParam broadphase;
  Pairs want;
  for (int i = 0; i < 1000; ++i) want.push_back({broadphase.insert(unit(3 * i), false), 1000});
  broadphase.insert({{-1e4, -1, -1}, {1e4, 1, 1}}, false);
  EXPECT_EQ(broadphase.updatePairs().began, want);
  EXPECT_TRUE(broadphase.updatePairs().began.empty());
}

// Removing while others overlap on every side: FCL's and coal's sweep read freed memory here.
TYPED_TEST(BroadphaseCalls, RemoveAllInAnyOrder) {
  std::mt19937 random(7);
  TypeParam broadphase;
  std::vector<ProxyId> ids;
  for (int i = 0; i < 300; ++i) ids.push_back(broadphase.insert(cube(i % 10, (i / 10) % 6, i / 60, 0.6), i % 5 == 0));
  EXPECT_GT(broadphase.updatePairs().began.size(), 300u);
  std::size_t ended = 0;
  const std::size_t pairs = broadphase.pairCount();
  std::shuffle(ids.begin(), ids.end(), random);
  for (const ProxyId id : ids) {
    broadphase.remove(id);
    if (id % 3 == 0) ended += broadphase.updatePairs().ended.size();
  }
  ended += broadphase.updatePairs().ended.size();
  EXPECT_EQ(ended, pairs);
  EXPECT_EQ(broadphase.pairCount(), 0u);
  EXPECT_EQ(broadphase.size(), 0u);
}

// Random add, remove, off and on in one step, move: no duplicate pair, no pair of a removed proxy.
TEST(SweepAndPrune, S_physx_sap) {
  std::mt19937 random(11);
  SweepAndPrune broadphase;
  BruteForce referee;
  std::vector<ProxyId> alive;
  Pairs current;
  const auto number = [&](unsigned bound) { return static_cast<int>(random() % bound); };
  const auto place = [&] {
    const int z = number(3), y = number(12), x = number(12);  // one draw per declarator: a call's arguments have no order
    return cube(x, y, z, 0.6);
  };
  for (int operation = 0; operation < 100000; ++operation) {
    const std::size_t at = alive.empty() ? 0 : random() % alive.size();
    const unsigned kind = random() % 8;
    if (kind == 0 || kind == 3 || alive.empty()) {
      const Aabb box = place();
      if (kind == 3 && !alive.empty()) {
        broadphase.remove(alive[at]);
        referee.remove(alive[at]);
        alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (alive.size() > 120) {
        continue;
      }
      alive.push_back(broadphase.insert(box, kind == 3));
      ASSERT_EQ(alive.back(), referee.insert(box, kind == 3));
    } else if (kind == 1) {
      broadphase.remove(alive[at]);
      referee.remove(alive[at]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (kind < 7) {
      const Aabb box = place();
      ASSERT_EQ(broadphase.move(alive[at], box), referee.move(alive[at], box));
    }
    if (operation % 20 != 0) continue;
    const PairEvents& events = broadphase.updatePairs();
    Pairs next;
    std::set_difference(current.begin(), current.end(), events.ended.begin(), events.ended.end(),
                        std::back_inserter(next));
    ASSERT_EQ(next.size() + events.ended.size(), current.size()) << "a pair ended that was none";
    current.clear();
    std::merge(next.begin(), next.end(), events.began.begin(), events.began.end(), std::back_inserter(current));
    referee.updatePairs();
    Pairs want;
    referee.pairs(want);
    ASSERT_EQ(current, want);
    for (const ProxyPair& pair : current) ASSERT_TRUE(broadphase.contains(pair.a) && broadphase.contains(pair.b));
  }
}

}  // namespace
