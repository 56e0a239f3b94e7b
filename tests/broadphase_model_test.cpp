// SPDX-License-Identifier: MIT
// SweepAndPrune against its referee over random operations.
#include "broadphase_model.h"

#include <random>

#include <gtest/gtest.h>

namespace {

using namespace sunder;

struct RandomSource {
  std::mt19937 engine;
  // Not a distribution of <random>: those differ between standard libraries.
  std::uint32_t next(std::uint32_t bound) { return static_cast<std::uint32_t>(engine() % bound); }
};

void run(const BroadphaseSettings& settings, std::size_t capacity, std::size_t perSeed, std::size_t total) {
  std::size_t events = 0;
  for (unsigned seed = 0; seed * perSeed < total; ++seed) {
    RandomSource source{std::mt19937(seed)};
    test::BroadphaseModel<RandomSource> model(source, settings, capacity);
    for (std::size_t i = 0; i < perSeed; ++i) ASSERT_TRUE(model.step()) << model.failure() << ", seed " << seed;
    ASSERT_TRUE(model.update() && model.comparePairs()) << model.failure() << ", seed " << seed;
    events += model.eventsSeen();
  }
  EXPECT_GT(events, total) << "hardly any pairs: the test tests nothing";
}

TEST(BroadphaseModel, FatBoxes) { run({}, 70, 500, 50000); }
// Without margins, boxes on a lattice are equal, touch exactly and part by exactly nothing.
TEST(BroadphaseModel, TightBoxes) { run({0.0, 0.0}, 70, 500, 50000); }
// Enough proxies for several levels of the tree, and for changes that are few among them.
TEST(BroadphaseModel, ManyProxies) { run({0.02, 1.0}, 900, 3000, 6000); }

TEST(BroadphaseModel, LongFatBoxes) { run({}, 70, 500, 500000); }
TEST(BroadphaseModel, LongTightBoxes) { run({0.0, 0.0}, 70, 5000, 500000); }
TEST(BroadphaseModel, LongManyProxies) { run({0.02, 1.0}, 900, 10000, 60000); }

}  // namespace
