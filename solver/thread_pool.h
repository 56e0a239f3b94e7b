// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <type_traits>

namespace sunder {

// A few threads that share loops. run() cuts a range into one block per thread, at the same places every time, so what a
// loop computes does not depend on timing; callers see to it that blocks write to different places. Between loops that
// follow closely the threads spin, since waking a sleeping one takes longer than most of our loops; later they sleep.
class ThreadPool {
 public:
  // The calling thread counts: 1 starts none.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

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

 private:
  using Call = void (*)(void* context, int block, int begin, int end);
  struct Shared;
  void dispatch(int count, Call call, void* context);

  int threads_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace sunder
