// SPDX-License-Identifier: MIT
// Against std::stable_sort, for counts on both sides of the change of method.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <sunder/broadphase/radix_sort_internal.h>

namespace {

using namespace sunder;

TEST(RadixSort, IsAStableSortByTheBitsFromAPlaceUp) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> items, scratch;
  for (const std::size_t count : {0u, 1u, 2u, 50u, 191u, 192u, 193u, 1000u, 5000u})
    for (const unsigned firstBit : {0u, 8u, 32u, 40u, 63u})
      for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xff}, std::uint64_t{0x8080808080808080}, std::uint64_t{0xf0f000000000ffff}, std::uint64_t{0}}) {
        items.resize(count);
        for (std::uint64_t& item : items) item = random() & mask;
        std::vector<std::uint64_t> expected = items;
        std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return a >> firstBit < b >> firstBit; });
        radixSort(items, scratch, firstBit);
        EXPECT_EQ(items, expected) << count << " from bit " << firstBit << ", mask " << mask;
      }
}

TEST(RadixSort, PairsAreSortedByFirstThenSecond) {
  std::mt19937 random(3);
  std::vector<ProxyPair> items, scratch;
  for (const std::size_t count : {10u, 191u, 192u, 3000u}) {
    items.clear();
    for (std::size_t i = 0; i < count; ++i) items.push_back({static_cast<ProxyId>(random() % 50), static_cast<ProxyId>(random())});
    std::vector<ProxyPair> expected = items;
    std::sort(expected.begin(), expected.end());
    radixSort(items, scratch);
    EXPECT_EQ(items, expected);
  }
}

TEST(GrowSlowly, NeverLeavesMuchUnused) {
  std::vector<int> items;
  for (int i = 0; i < 100000; ++i) {
    growSlowly(items);
    const std::size_t capacity = items.capacity();
    items.push_back(i);
    EXPECT_EQ(items.capacity(), capacity) << "push_back had to grow";
    ASSERT_LE(capacity, items.size() + items.size() / 8 + 16);
  }
}

}  // namespace
