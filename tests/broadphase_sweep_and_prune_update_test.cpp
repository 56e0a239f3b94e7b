// SPDX-License-Identifier: MIT
// The course of an update: few changes and many take different ways through the trees, ids become free, and what was noted
// is forgotten.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <sunder/broadphase/brute_force.h>
#include <sunder/broadphase/sweep_and_prune.h>

namespace {

using namespace sunder;

class Lattice {
 public:
  explicit Lattice(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned bound) { return static_cast<unsigned>(engine_() % bound); }
  Aabb box() {
    Aabb result;
    for (int axis = 0; axis < 3; ++axis) {
      result.lower[axis] = below(24) / 2.0;
      result.upper[axis] = result.lower[axis] + 0.5 + below(3) / 2.0;
    }
    return result;
  }

 private:
  std::mt19937 engine_;
};

void expectSame(SweepAndPrune& tested, BruteForce& referee) {
  const PairEvents &got = tested.updatePairs(), &want = referee.updatePairs();
  EXPECT_EQ(got.began, want.began);
  EXPECT_EQ(got.ended, want.ended);
  EXPECT_EQ(tested.pairCount(), referee.pairCount());
  std::vector<ProxyPair> pairs, wanted;
  tested.pairs(pairs);
  referee.pairs(wanted);
  EXPECT_EQ(pairs, wanted);
}

// From one change among 200 to all of them, of one kind or of all, on both sides of the share from which on a tree is made
// anew.
TEST(SweepAndPruneUpdate, AnyShareOfChangesGivesTheSamePairs) {
  for (const char kind : {'m', 'r', 'i', 'x'})
    for (const unsigned changed : {1u, 10u, 39u, 40u, 41u, 49u, 50u, 51u, 52u, 67u, 100u, 199u, 200u}) {
      SCOPED_TRACE(testing::Message() << kind << changed);
      Lattice lattice(changed);
      SweepAndPrune tested({0, 0});
      BruteForce referee({0, 0});
      for (int i = 0; i < 200; ++i) {
        const Aabb box = lattice.box();
        tested.insert(box, i % 4 == 0);
        referee.insert(box, i % 4 == 0);
      }
      expectSame(tested, referee);
      for (unsigned i = 0; i < changed; ++i) {
        const ProxyId id = i * 200 / changed;
        const char what = kind == 'x' ? "mri"[i % 3] : kind;
        const Aabb box = lattice.box();
        if (what == 'm') {
          tested.move(id, box);
          referee.move(id, box);
        } else if (what == 'r') {
          tested.remove(id);
          referee.remove(id);
        } else {
          EXPECT_EQ(tested.insert(box, i % 5 == 0), referee.insert(box, i % 5 == 0));
        }
      }
      expectSame(tested, referee);
      // The trees that came out of it are sound: another round of small changes.
      for (ProxyId id = 0; id < 200; id += 17) {
        const Aabb box = lattice.box();
        EXPECT_EQ(tested.move(id, box), referee.move(id, box));
      }
      expectSame(tested, referee);
    }
}

// One way or the other, everything may go and come again.
TEST(SweepAndPruneUpdate, EverythingGoesAndComesAgain) {
  Lattice lattice(3);
  SweepAndPrune tested({0, 0});
  BruteForce referee({0, 0});
  for (int round = 0; round < 5; ++round) {
    std::vector<ProxyId> ids;
    for (int i = 0; i < 150; ++i) {
      const Aabb box = lattice.box();
      ids.push_back(tested.insert(box, false));
      EXPECT_EQ(referee.insert(box, false), ids.back());
    }
    expectSame(tested, referee);
    // One at a time in the first rounds, then more and more between two updates.
    for (std::size_t i = 0; i < ids.size(); ++i) {
      tested.remove(ids[i]);
      referee.remove(ids[i]);
      if (i % (1u << (2 * round)) == 0) expectSame(tested, referee);
    }
    expectSame(tested, referee);
    EXPECT_EQ(tested.size(), 0u);
    EXPECT_EQ(tested.pairCount(), 0u);
  }
}

TEST(SweepAndPruneUpdate, WithoutChangesThereAreNoEvents) {
  Lattice lattice(4);
  SweepAndPrune world;
  for (int i = 0; i < 100; ++i) world.insert(lattice.box(), false);
  EXPECT_FALSE(world.updatePairs().began.empty());
  for (int i = 0; i < 3; ++i) {
    const PairEvents& events = world.updatePairs();
    EXPECT_TRUE(events.began.empty() && events.ended.empty());
  }
  // A move to where it is, a filter that it has, a proxy that came and went: no changes either.
  world.move(5, world.fatAabb(5));
  world.setFilter(6, world.filter(6));
  world.remove(world.insert({{0, 0, 0}, {9, 9, 9}}, false));
  const PairEvents& events = world.updatePairs();
  EXPECT_TRUE(events.began.empty() && events.ended.empty());
}

// Free ids are given out lowest first, and only after the update that reported the end of their pairs.
TEST(SweepAndPruneUpdate, IdsAreFreeAfterTheUpdate) {
  std::mt19937 random(5);
  SweepAndPrune world({0, 0});
  const Aabb box = {{0, 0, 0}, {1, 1, 1}};
  std::vector<bool> used, freed;  // freed: removed, not yet updated
  for (int step = 0; step < 3000; ++step) {
    if (random() % 2 == 0) {
      ProxyId lowest = 0;
      while (lowest < used.size() && (used[lowest] || freed[lowest])) ++lowest;
      EXPECT_EQ(world.insert(box, false), lowest);
      if (lowest == used.size()) used.push_back(false), freed.push_back(false);
      used[lowest] = true;
    } else if (const ProxyId id = static_cast<ProxyId>(random() % (used.size() + 1)); id < used.size() && used[id]) {
      world.remove(id);
      used[id] = false;
      freed[id] = true;
    }
    if (random() % 8 == 0) {
      world.updatePairs();
      std::fill(freed.begin(), freed.end(), false);
      const auto alive = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
      EXPECT_EQ(world.size(), alive);
      EXPECT_EQ(world.pairCount(), alive * (alive - (alive > 0)) / 2);
    }
  }
}

}  // namespace
