// SPDX-License-Identifier: MIT
// What a search finds depends on how each of two proxies changed, on which of them is static and on what their filters say.
// So all of that is tried, and the events compared with the definition: a pair begins when it is one now and was none, and
// ends when it was one and is none now.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <sunder/broadphase/sweep_and_prune.h>

namespace {

using namespace sunder;

struct State {
  double place;  // the lower end along x
  CollisionFilter filter;
};
using Maybe = std::optional<State>;

// Boxes of size 2: at 0 and 1 they overlap, 0 and 2 touch, 0 and 3 are apart (a near change, as far as old and new box of
// one proxy overlap), 40 is far from all.
const std::vector<Maybe> kStates = {
    std::nullopt, State{0, {1, 7}}, State{1, {1, 7}}, State{2, {1, 7}}, State{3, {1, 7}}, State{40, {1, 7}}, State{1, {2, 6}}, State{1, {1, 0}},
};

Aabb boxAt(double place) { return {{place, 0, 0}, {place + 2, 1, 1}}; }

bool isPair(const Maybe& a, bool staticA, const Maybe& b, bool staticB) {
  if (!a || !b || (staticA && staticB)) return false;
  if ((a->filter.category & b->filter.mask) == 0 || (b->filter.category & a->filter.mask) == 0) return false;
  return a->place <= b->place + 2 && b->place <= a->place + 2;
}

// Two proxies (and the ids they got) among `others`, which are far away and move never or always.
struct World {
  SweepAndPrune broadphase{BroadphaseSettings{0, 0}};
  std::optional<ProxyId> ids[2];
  std::vector<ProxyId> others;

  void set(int k, const Maybe& before, const Maybe& after, bool isStatic) {
    if (before && !after) {
      broadphase.remove(*ids[k]);
    } else if (!before && after) {
      ids[k] = broadphase.insert(boxAt(after->place), isStatic, after->filter);
    } else if (before && after) {
      broadphase.move(*ids[k], boxAt(after->place));
      broadphase.setFilter(*ids[k], after->filter);
    }
  }
  void moveOthers(double by) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      const double x = 1000 + 10 * static_cast<double>(i) + by;
      broadphase.move(others[i], {{x, 0, 0}, {x + 2, 1, 1}});
    }
  }
};

// All ways from one state of the two to the next and back.
void tryAllChanges(std::size_t others, bool othersMove) {
  for (const bool staticA : {false, true})
    for (const bool staticB : {false, true}) {
      World world;
      for (std::size_t i = 0; i < others; ++i) {
        const double x = 1000 + 10 * static_cast<double>(i);
        world.others.push_back(world.broadphase.insert({{x, 0, 0}, {x + 2, 1, 1}}, i % 3 == 0));
      }
      world.broadphase.updatePairs();
      Maybe a, b;
      int step = 0;
      const auto change = [&](const Maybe& nextA, const Maybe& nextB, bool bFirst) {
        if (bFirst) world.set(1, b, nextB, staticB);
        world.set(0, a, nextA, staticA);
        if (!bFirst) world.set(1, b, nextB, staticB);
        if (othersMove) world.moveOthers(0.25 * (++step % 2));
        const PairEvents& events = world.broadphase.updatePairs();
        const bool was = isPair(a, staticA, b, staticB), is = isPair(nextA, staticA, nextB, staticB);
        std::vector<ProxyPair> pair;
        if (world.ids[0] && world.ids[1]) pair = {{std::min(*world.ids[0], *world.ids[1]), std::max(*world.ids[0], *world.ids[1])}};
        const std::vector<ProxyPair> none;
        EXPECT_EQ(events.began, is && !was ? pair : none);
        EXPECT_EQ(events.ended, was && !is ? pair : none);
        EXPECT_EQ(world.broadphase.pairCount(), is ? 1u : 0u);
        a = nextA;
        b = nextB;
      };
      for (std::size_t from = 0; from < kStates.size() * kStates.size(); ++from)
        for (std::size_t to = 0; to < kStates.size() * kStates.size(); ++to) {
          // An id is free only after the update that saw it go, so a proxy that went comes back in an update of its own.
          change(kStates[from / kStates.size()], kStates[from % kStates.size()], from % 2 == 0);
          change(kStates[to / kStates.size()], kStates[to % kStates.size()], to % 2 == 0);
          if (testing::Test::HasFailure())
            FAIL() << "from " << from << " to " << to << ", static " << staticA << staticB << ", others " << others;
        }
    }
}

TEST(SweepAndPruneSearch, TwoProxiesInOneLeaf) { tryAllChanges(0, false); }
// Several levels, where what did not change is still, and the two are inserted one by one.
TEST(SweepAndPruneSearch, TwoProxiesAmongManyThatRest) { tryAllChanges(100, false); }
// All leaves are searched for, and the trees made anew in each update.
TEST(SweepAndPruneSearch, TwoProxiesAmongManyThatMove) { tryAllChanges(40, true); }

// Many in one place, each with all: every pair is reported once, whichever of the two finds it, in one leaf or in several.
TEST(SweepAndPruneSearch, ACrowdReportsEachPairOnce) {
  for (const std::size_t count : {2u, 7u, 8u, 9u, 16u, 65u})
    for (const std::size_t fixed : {std::size_t{0}, std::size_t{1}, count / 2}) {
      SweepAndPrune world({0, 0});
      std::vector<ProxyPair> all;
      for (std::size_t i = 0; i < count; ++i) world.insert(boxAt(100 * static_cast<double>(i)), i < fixed);
      EXPECT_TRUE(world.updatePairs().began.empty());
      for (ProxyId a = 0; a < count; ++a)
        for (ProxyId b = a + 1; b < count; ++b)
          if (b >= fixed) all.push_back({a, b});
      for (int round = 0; round < 3; ++round) {
        for (ProxyId id = 0; id < count; ++id) world.move(id, boxAt(id % 3));
        EXPECT_EQ(world.updatePairs().began, all) << count << ", " << fixed << " fixed";
        // All stay, but their places in the tree change: nothing to say.
        for (ProxyId id = 0; id < count; ++id) world.move(id, boxAt((id + 1) % 3));
        EXPECT_TRUE(world.updatePairs().began.empty());
        EXPECT_TRUE(world.updatePairs().ended.empty());
        for (ProxyId id = 0; id < count; ++id) world.move(id, boxAt(100.0 * id));
        EXPECT_EQ(world.updatePairs().ended, all) << count << ", " << fixed << " fixed";
      }
    }
}

}  // namespace
