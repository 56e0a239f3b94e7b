// SPDX-License-Identifier: MIT
// Asks signedDistance about many pairs of boxes of every family and has each answer judged by the exact referee. Resumable:
//   referee_sweep [--pairs N] [--from SEED] [--state FILE] [--threads T]
// N pairs (default 1000000), spread over the families; each seed gives one pair of each. With --state the number of the next
// seed is kept in FILE, and a run that was stopped goes on from there. A failure prints as a test to paste; exit code 1.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

#include "box_pair_check.h"

namespace {

using namespace sunder;

struct Settings {
  std::uint64_t pairs = 1000000, from = 0;
  std::string state;
  unsigned threads = 1;
};

bool parse(int argc, char** argv, Settings& s) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(argv[i + 1], &end, 10);
    const bool number = *end == 0 && end != argv[i + 1];
    if (key == "--pairs" && number) s.pairs = value;
    else if (key == "--from" && number) s.from = value;
    else if (key == "--threads" && number && value > 0) s.threads = static_cast<unsigned>(value);
    else if (key == "--state") s.state = argv[i + 1];
    else return false;
  }
  return argc % 2 == 1;
}

class Sweep {
 public:
  explicit Sweep(const Settings& s) : settings_(s), next_(s.from) {
    if (!s.state.empty()) {
      std::uint64_t saved = 0;
      if (std::ifstream(s.state) >> saved) next_ = std::max(saved, s.from);
    }
    first_ = next_;
    end_ = s.from + (s.pairs + families::all().size() - 1) / families::all().size();
  }

  // Returns the number of failures.
  std::uint64_t run() {
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < settings_.threads; ++t) workers.emplace_back([this] { work(); });
    for (std::thread& w : workers) w.join();
    report(true);
    return failures_;
  }

 private:
  static constexpr std::uint64_t kBlock = 200;

  void work() {
    for (;;) {
      const std::uint64_t begin = next_.fetch_add(kBlock);
      if (begin >= end_) return;
      for (std::uint64_t seed = begin; seed < std::min(begin + kBlock, end_); ++seed)
        for (const families::Family family : families::all()) check(family, seed);
      done_ += std::min(kBlock, end_ - begin);
      report(false);
    }
  }
  void check(families::Family family, std::uint64_t seed) {
    const families::BoxPairCase c = families::pairOfSeed(family, seed);
    const std::string fault = families::faultOf(c, families::needsQuad(family));
    if (fault.empty()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    ++failures_;
    std::cout << families::asTest(family, seed, c, fault) << std::flush;
  }
  void report(bool last) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (!last && seconds - reported_ < 1) return;
    reported_ = seconds;
    const std::uint64_t families = families::all().size(), done = done_, total = end_ > first_ ? end_ - first_ : 0;
    const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
    std::fprintf(stderr, "\r%5.1f %%  %llu pairs, %llu failures, %.0f s, %.0f pairs/s ", 100 * share,
                 static_cast<unsigned long long>(done * families), static_cast<unsigned long long>(failures_), seconds,
                 seconds > 0 ? static_cast<double>(done * families) / seconds : 0.0);
    if (last) std::fputc('\n', stderr);
    // Seeds below this are all done: blocks of other workers may still run, so go back by those.
    const std::uint64_t running = last ? 0 : kBlock * settings_.threads;
    const std::uint64_t reached = std::min<std::uint64_t>(next_, end_);
    if (!settings_.state.empty()) std::ofstream(settings_.state) << (reached > first_ + running ? reached - running : first_);
  }

  Settings settings_;
  std::atomic<std::uint64_t> next_, done_ = 0;
  std::uint64_t first_ = 0, end_ = 0, failures_ = 0;
  double reported_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::fprintf(stderr, "usage: referee_sweep [--pairs N] [--from SEED] [--state FILE] [--threads T]\n");
    return 2;
  }
  return Sweep(settings).run() > 0 ? 1 : 0;
}
