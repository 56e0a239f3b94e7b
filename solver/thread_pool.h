// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <type_traits>

namespace sunder {

// A few threads that share loops. run() cuts a range into one block per thread, at the same places every time, so what a
// loop computes does not depend on timing; callers see to it that blocks write to different places. The block of a number
// runs on the same thread every time, and finds in its cache what it wrote there in the last loop.
// Once a loop was shared the threads stay awake until rest(): to wake a sleeping one takes longer than most of our loops.
class ThreadPool {
 public:
  struct Block {
    int begin, end;
  };

  // The calling thread counts: 1 starts none.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // Which part of [0, count) run() gives to a block; the first has all of a range that is not shared.
  Block block(int number, int count, int least) const {
    if (threads_ == 1 || count < least) return {0, number == 0 ? count : 0};
    return {cut(number, count), cut(number + 1, count)};
  }

  // work(begin, end) over [0, count). Fewer than `least` elements stay on the calling thread. Not reentrant.
  template <class Work>
  void run(int count, int least, Work&& work) {
    runBlocks(count, least, [&work](int, int begin, int end) { work(begin, end); });
  }
  // work(block, begin, end): the same with the number of the block, in the order of the elements, below threads().
  template <class Work>
  void runBlocks(int count, int least, Work&& work) {
    if (threads_ == 1 || count < least) {
      if (count > 0) work(0, 0, count);
      return;
    }
    dispatch(count, [](void* context, int block, int begin, int end) { (*static_cast<std::remove_reference_t<Work>*>(context))(block, begin, end); },
             const_cast<void*>(static_cast<const void*>(&work)));
  }
  // No loop follows soon: the threads may sleep.
  void rest();

 private:
  using Call = void (*)(void* context, int block, int begin, int end);
  struct Shared;
  void dispatch(int count, Call call, void* context);
  int cut(int block, int count) const { return static_cast<int>(static_cast<long long>(count) * block / threads_); }

  int threads_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace sunder
