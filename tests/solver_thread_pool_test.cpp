// SPDX-License-Identifier: MIT
// Loops that threads share. The names with Threads also run under ThreadSanitizer.
#include <gtest/gtest.h>
#include <sunder/solver/thread_pool.h>

#include <chrono>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace sunder {
namespace {

TEST(ThreadPool, ThreadsSeeEachElementOnce) {
  for (int threads = 1; threads <= 5; ++threads) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const int count : {0, 1, 2, 3, 4, 5, 7, 100, 1001}) {
      std::vector<int> seen(static_cast<std::size_t>(count));
      pool.run(count, 1, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(count), 1)) << threads << " threads";
    }
  }
}

struct Block {
  int begin = -1, end = -1;
  std::thread::id thread;
  bool operator==(const Block& other) const { return begin == other.begin && end == other.end; }
};

std::vector<Block> blocksOf(ThreadPool& pool, int count, int least) {
  std::vector<Block> blocks(static_cast<std::size_t>(pool.threads()));
  pool.runBlocks(count, least, [&](int block, int begin, int end) { blocks[static_cast<std::size_t>(block)] = {begin, end, std::this_thread::get_id()}; });
  return blocks;
}

// What a loop computes may depend on where it is cut, so it is cut at the same places in every run; and so evenly that no
// thread waits long for another.
TEST(ThreadPool, ThreadsGetTheSameBlocksEveryTime) {
  ThreadPool pool(4);
  for (const int count : {4, 10, 1003}) {
    const std::vector<Block> blocks = blocksOf(pool, count, 1);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(blocksOf(pool, count, 1), blocks);
    EXPECT_EQ(blocks.back().end, count);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(blocks[i].begin, i == 0 ? 0 : blocks[i - 1].end);
      EXPECT_NEAR(blocks[i].end - blocks[i].begin, count / 4.0, 1);
      const ThreadPool::Block told = pool.block(static_cast<int>(i), count, 1);
      EXPECT_EQ(std::pair(told.begin, told.end), std::pair(blocks[i].begin, blocks[i].end));
      for (std::size_t k = 0; k < i; ++k) EXPECT_NE(blocks[i].thread, blocks[k].thread);
    }
    EXPECT_EQ(blocks[0].thread, std::this_thread::get_id());
  }
}

TEST(ThreadPool, AShortLoopStaysOnTheCallingThread) {
  ThreadPool pool(3);
  const std::vector<Block> blocks = blocksOf(pool, 99, 100);
  EXPECT_EQ(blocks[0].begin, 0);
  EXPECT_EQ(blocks[0].end, 99);
  EXPECT_EQ(blocks[0].thread, std::this_thread::get_id());
  EXPECT_EQ(blocks[1].begin, -1);  // not called
  EXPECT_EQ(blocksOf(pool, 100, 100)[1].begin, 33);
  EXPECT_EQ(pool.block(0, 99, 100).end, 99);
  for (const int other : {1, 2}) EXPECT_EQ(pool.block(other, 99, 100).begin, pool.block(other, 99, 100).end);
  int calls = 0;
  pool.run(0, 1, [&](int, int) { ++calls; });
  ThreadPool(1).run(0, 0, [&](int, int) { ++calls; });
  EXPECT_EQ(calls, 0);
}

// What one loop has written the next one may read, on another thread; also when the threads have gone to sleep in between,
// or were told that they may, or wait awake.
TEST(ThreadPool, ThreadsHandResultsOverFromLoopToLoop) {
  ThreadPool pool(3);
  pool.rest();
  std::vector<long> values(300), next(300);
  std::iota(values.begin(), values.end(), 0L);
  std::vector<long> expected = values;
  for (int round = 0; round < 300; ++round) {
    if (round % 7 == 0) pool.rest();
    if (round % 50 == 48) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // once after a rest, once without
    pool.run(300, 1, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) next[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>((i + 101) % 300)] + 1;
    });
    values.swap(next);
  }
  for (std::size_t i = 0; i < 300; ++i) expected[i] = static_cast<long>((i + 300 * 101) % 300) + 300;
  EXPECT_EQ(values, expected);
}

TEST(ThreadPool, ThreadsEndWithThePoolUsedOrNot) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool idle(4);
    ThreadPool used(2);
    int parts[2] = {};
    used.runBlocks(2, 1, [&](int block, int, int) { parts[block] = 1; });
    EXPECT_EQ(parts[0] + parts[1], 2);
  }
}

}  // namespace
}  // namespace sunder
