// SPDX-License-Identifier: MIT
#include "sunder/solver/thread_pool.h"

#include <atomic>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sunder {
namespace {

// Rounds of the waiting loop before a thread gives its core to others that want it, if there are: some 50 microseconds,
// longer than the gap between two loops of most stages.
constexpr int kSpins = 4000;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

struct ThreadPool::Shared {
  alignas(64) std::atomic<unsigned> round{0};  // a new value starts a loop
  alignas(64) std::atomic<int> running{0};     // workers that have not finished it
  std::atomic<bool> stop{false};
  std::atomic<bool> awake{false};  // workers wait for the next loop without sleeping
  int count = 0;
  Call call = nullptr;
  void* context = nullptr;
  std::vector<std::thread> workers;
};

ThreadPool::ThreadPool(int threads) : threads_(threads), shared_(std::make_unique<Shared>()) {
  for (int i = 1; i < threads; ++i)
    shared_->workers.emplace_back([this, i] {
      Shared& s = *shared_;
      unsigned seen = 0;
      for (;;) {
        for (int spin = 0; s.round.load(std::memory_order_acquire) == seen; ++spin)
          if (spin < kSpins)
            pause();
          else if (s.awake.load(std::memory_order_relaxed))
            std::this_thread::yield();
          else
            s.round.wait(seen, std::memory_order_acquire);
        seen = s.round.load(std::memory_order_acquire);
        if (s.stop.load(std::memory_order_relaxed)) return;
        s.call(s.context, i, cut(i, s.count), cut(i + 1, s.count));
        s.running.fetch_sub(1, std::memory_order_release);
      }
    });
}

ThreadPool::~ThreadPool() {
  shared_->stop.store(true, std::memory_order_relaxed);
  shared_->round.fetch_add(1, std::memory_order_release);
  shared_->round.notify_all();
  for (std::thread& worker : shared_->workers) worker.join();
}

void ThreadPool::dispatch(int count, Call call, void* context) {
  Shared& s = *shared_;
  s.count = count;
  s.call = call;
  s.context = context;
  s.running.store(threads_ - 1, std::memory_order_relaxed);
  const bool asleep = !s.awake.load(std::memory_order_relaxed);
  // Before the round: a worker that has seen the round must not go to sleep on what was before it, as nobody wakes it again.
  s.awake.store(true, std::memory_order_relaxed);
  s.round.fetch_add(1, std::memory_order_release);
  if (asleep) s.round.notify_all();
  call(context, 0, 0, cut(1, count));
  for (int spin = 0; s.running.load(std::memory_order_acquire) != 0; ++spin)
    if (spin < kSpins)
      pause();
    else
      std::this_thread::yield();
}

void ThreadPool::rest() {
  shared_->awake.store(false, std::memory_order_relaxed);
}

}  // namespace sunder
