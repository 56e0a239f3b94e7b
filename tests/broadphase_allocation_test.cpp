// SPDX-License-Identifier: MIT
// A world that goes on as before allocates nothing in the broadphase. This file replaces operator new of the whole test
// program to count.
#include <cmath>
#include <cstdlib>
#include <new>
#include <vector>

#include <gtest/gtest.h>
#include <sunder/broadphase/sweep_and_prune.h>

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort takes this one. With a sanitizer it would not come to the one above by itself.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
// Not inlined: g++ would see memory of "operator new" go to free(), and warn.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace sunder;

TEST(BroadphaseAllocation, NoneWhenTheMotionRepeats) {
  constexpr int kCount = 1500, kPeriod = 40;
  SweepAndPrune broadphase;
  const auto boxAt = [](int i, int frame) {
    // Back and forth, each at its own phase.
    const int phase = std::abs((frame + 7 * i) % kPeriod - kPeriod / 2);
    const Eigen::Vector3d lower(i % 12 + 0.1 * phase, i / 12 % 12 + 0.05 * phase, i / 144);
    return Aabb{lower, {lower[0] + 0.8, lower[1] + 0.8, lower[2] + 0.8}};
  };
  for (int i = 0; i < kCount; ++i) broadphase.insert(boxAt(i, 0), i % 9 == 0);
  std::size_t events = 0, counted = 0;
  for (int frame = 0; frame < 12 * kPeriod; ++frame) {
    const std::size_t before = allocations;
    for (int i = 0; i < kCount; ++i) {
      // A few teleport, and a few leave and come back.
      if (i % 100 == 3) broadphase.move(static_cast<ProxyId>(i), boxAt(i * 31 % kCount, frame));
      broadphase.move(static_cast<ProxyId>(i), boxAt(i, frame), {0.01, 0, 0});
    }
    const ProxyId left = static_cast<ProxyId>(frame % 50);
    broadphase.remove(left);
    const PairEvents& ended = broadphase.updatePairs();
    if (frame >= 10 * kPeriod) events += ended.began.size() + ended.ended.size();
    broadphase.insert(boxAt(static_cast<int>(left), frame), left % 9 == 0);
    const PairEvents& began = broadphase.updatePairs();
    if (frame < 10 * kPeriod) continue;
    events += began.began.size() + began.ended.size();
    counted += allocations - before;
  }
  EXPECT_GT(events, 1000u);
  EXPECT_EQ(counted, 0u);
}

// Loose, so that pairs weigh little; everything moves at once, so that all scratch memory is in use.
TEST(BroadphaseAllocation, MemoryStaysWithinItsPromise) {
  constexpr int kCount = 20000;
  const auto boxAt = [](int i, double x) {
    const Eigen::Vector3d lower(3 * (i % 30) + x, 3 * (i / 30 % 30), 3 * (i / 900));
    return Aabb{lower, {lower[0] + 1, lower[1] + 1, lower[2] + 1}};
  };
  std::vector<ProxyDef> defs;
  for (int i = 0; i < kCount; ++i) defs.push_back({boxAt(i, 0), false, {}});
  std::vector<ProxyId> ids(defs.size());
  SweepAndPrune batch, single;
  batch.insert(defs, ids);
  batch.updatePairs();
  for (int i = 0; i < kCount; ++i) {
    single.insert(defs[static_cast<std::size_t>(i)].box, false);
    if (i % 100 == 0) single.updatePairs();
  }
  for (SweepAndPrune* world : {&batch, &single}) {
    for (int i = 0; i < kCount; ++i) world->move(static_cast<ProxyId>(i), boxAt(i, 1.0));
    world->updatePairs();
    EXPECT_EQ(world->pairCount(), 0u);
  }
  EXPECT_LT(static_cast<double>(batch.memoryBytes()) / kCount, 200.0);
  // Vectors that grew and nodes that are not full: see docs/broadphase.md.
  EXPECT_LT(static_cast<double>(single.memoryBytes()) / kCount, 260.0);
}

}  // namespace
