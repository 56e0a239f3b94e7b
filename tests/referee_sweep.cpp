// SPDX-License-Identifier: MIT
// Asks signedDistance and collideBoxes about many pairs of boxes of every family, cold and warm, and has each answer judged
// in extended precision. Resumable:
//   referee_sweep [--pairs N] [--from SEED] [--state FILE] [--threads T] [--full-every K]
// N pairs (default 1000000), spread over the families; each seed gives one pair of each. With --state the number of the next
// seed is kept in FILE, and a run that was stopped goes on from there. Answers are proven right by a certificate (see
// box_pair_certificate.h); every Kth seed (default 64) and what it cannot prove goes to the full referee. A failure
// prints as a test to paste; exit code 1.
#include <sunder/demo/progress_bar.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "box_pair_certificate.h"

namespace {

using namespace sunder;
using families::BoxPairCase;
using families::Family;

struct Settings {
  std::uint64_t pairs = 1000000, from = 0, fullEvery = 64;
  std::string state;
  unsigned threads = 1;
};

class Sweep {
 public:
  explicit Sweep(const Settings& s) : settings_(s), next_(s.from) {
    if (!s.state.empty()) {
      std::uint64_t saved = 0;
      if (std::ifstream(s.state) >> saved) next_ = std::max(saved, s.from);
    }
    first_ = next_;
    const std::uint64_t families = families::all().size();
    end_ = std::max<std::uint64_t>(s.from + (s.pairs + families - 1) / families, first_);
    // Boost's bar wants to know its end, and counts in int.
    if (isatty(STDERR_FILENO) != 0 && end_ > first_)
      bar_ = std::make_unique<demo::ProgressBar>(static_cast<int>((end_ - first_ + kBlock - 1) / kBlock), std::cerr);
  }

  // Returns the number of failures.
  std::uint64_t run() {
    const auto start = std::chrono::steady_clock::now();
    running_.assign(settings_.threads, first_);
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < settings_.threads; ++t) workers.emplace_back([this, t] { work(t); });
    for (std::thread& w : workers) w.join();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::uint64_t pairs = (end_ - first_) * families::all().size();
    std::cout << pairs << " pairs (seeds " << first_ << " to " << end_ << "), " << failures_ << " failures, " << full_
              << " judged by the full referee, " << seconds << " s\n";
    return failures_;
  }

 private:
  static constexpr std::uint64_t kBlock = 500;

  void work(unsigned thread) {
    for (;;) {
      const std::uint64_t begin = take(thread);
      if (begin >= end_) return;
      for (std::uint64_t seed = begin; seed < std::min(begin + kBlock, end_); ++seed)
        for (const Family family : families::all()) check(family, seed);
    }
  }
  // The next block for this thread, whose last one is done by now.
  std::uint64_t take(unsigned thread) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::uint64_t begin = next_;
    next_ = std::min(next_ + kBlock, end_);
    running_[thread] = begin;
    // Seeds below every block that still runs are done.
    if (!settings_.state.empty())
      std::ofstream(settings_.state) << *std::min_element(running_.begin(), running_.end()) << '\n';
    if (begin > first_ && bar_ != nullptr) bar_->update(++blocks_);
    return begin;
  }

  void check(Family family, std::uint64_t seed) {
    const BoxPairCase c = families::pairOfSeed(family, seed);
    const Pose poseBInA = relativePose(c.poseA, c.poseB);
    const bool quad = families::needsQuad(family);
    const families::certificate::Pair pair = families::certificate::load(c);
    double exact = 0, judged = 0;
    bool refereed = false;
    QueryCache cache;
    for (const char* start : {"cold: ", "warm: "}) {
      const Proximity r = signedDistance(c.a, c.b, poseBInA, {}, &cache);
      if (families::isCertified(c, pair, r, judged) && seed % settings_.fullEvery != 0) {
        exact = judged;
        continue;
      }
      if (!refereed) exact = families::exactDistance(c, quad);
      refereed = true;
      const std::string fault = families::faultOf(c, r, exact, quad);
      if (!fault.empty()) return fail(family, seed, c, start + fault);
    }
    full_ += refereed ? 1 : 0;
    const std::string fault = families::collisionFault(c, exact);
    if (!fault.empty()) fail(family, seed, c, fault);
  }
  void fail(Family family, std::uint64_t seed, const BoxPairCase& c, const std::string& fault) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++failures_;
    std::cout << families::asTest(family, seed, c, fault) << std::flush;
  }

  Settings settings_;
  std::uint64_t next_, first_ = 0, end_ = 0;
  std::vector<std::uint64_t> running_;  // per thread: the start of its block
  std::atomic<std::uint64_t> failures_ = 0, full_ = 0;
  int blocks_ = 0;
  std::unique_ptr<demo::ProgressBar> bar_;
  std::mutex mutex_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Judges the answers on pairs of boxes of every family", "referee_sweep");
  app.add_option("--pairs", settings.pairs, "pairs, over all families")->capture_default_str();
  app.add_option("--from", settings.from, "first seed")->capture_default_str();
  app.add_option("--state", settings.state, "file that keeps the next seed: a stopped run goes on from there");
  app.add_option("--threads", settings.threads, "threads")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--full-every", settings.fullEvery, "every Kth seed goes to the full referee")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return Sweep(settings).run() > 0 ? 1 : 0;
}
