// SPDX-License-Identifier: MIT
// Pairs of boxes of every family (tests/box_pair_families.h) through our queries and through the peers found at
// configuration: wrong answers against the exact referee, and nanoseconds a pair. All contenders are timed in turn, round
// after round, so that a noisy machine hits them alike. Prints Markdown; --json FILE writes the same numbers.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "../tests/box_pair_certificate.h"
#include "narrowphase_bench.h"

namespace sunder::bench {
namespace {

using families::BoxPairCase;
using families::Family;

enum class Fate : unsigned char { None, Answered, Threw };

// In memory shared with the process that asks: a peer may hang or crash.
struct Sheet {
  volatile std::size_t reached;
  Fate fates[100000];
  PairAnswer answers[100000];
};

struct Counts {
  long pairs = 0, overlapping = 0;
  long wrongSign = 0;           // beyond the input's own rounding
  long off = 0, farOff = 0;     // depth: by more than 1e-10 of the larger half extent; by more than a thousandth of itself
  long stillOverlapping = 0;    // moved by the answer, deeper than 1e-4 of the smaller box
  long failed = 0;              // NaN, an exception, no end within two seconds, a crash, or so it says itself
  double median = NAN, low = NAN, high = NAN;  // ns a pair: median and quartiles over the rounds
};

struct FamilyPairs {
  Family family;
  std::vector<BoxPairCase> pairs;
  std::vector<double> exact;
};

FamilyPairs makePairs(Family family, int count) {
  FamilyPairs result{family, {}, {}};
  for (int seed = 0; seed < count; ++seed) {
    result.pairs.push_back(families::pairOfSeed(family, static_cast<std::uint64_t>(seed)));
    result.exact.push_back(families::exactDistance(result.pairs.back(), families::needsQuad(family)));
  }
  return result;
}

// In a process of its own from pair `begin` on.
void askFrom(Contender& contender, std::size_t begin, std::size_t count, Sheet& sheet) {
  for (std::size_t i = begin; i < count; ++i) {
    sheet.reached = i;
    try {
      for (int pass = 0; pass < 2; ++pass) {  // the second time warm, from the moved pair back to the pair itself
        contender.nextPass();
        sheet.answers[i] = contender.ask(i);
      }
      sheet.fates[i] = Fate::Answered;
    } catch (const std::exception&) {
      sheet.fates[i] = Fate::Threw;
    }
  }
  sheet.reached = count;
}

// Pairs on which the contender hangs or dies keep Fate::None. After three of them the rest is left out.
void askAll(Contender& contender, std::size_t count, Sheet& sheet) {
  std::fill(sheet.fates, sheet.fates + count, Fate::None);
  std::size_t begin = 0;
  for (int lost = 0; begin < count && lost < 3; ++lost) {
    sheet.reached = begin;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
      if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
      askFrom(contender, begin, count, sheet);
      _exit(0);
    }
    std::size_t seen = begin;
    for (int still = 0, status = 0; waitpid(child, &status, WNOHANG) == 0; still = sheet.reached == seen ? still + 1 : 0) {
      seen = sheet.reached;
      if (still > 2000) kill(child, SIGKILL);
      usleep(1000);
    }
    begin = sheet.reached + 1;
  }
}

Counts judge(const FamilyPairs& family, Measures measures, const Sheet& sheet) {
  Counts n;
  for (std::size_t i = 0; i < family.pairs.size(); ++i) {
    const BoxPairCase& c = family.pairs[i];
    const PairAnswer& answer = sheet.answers[i];
    const double exact = family.exact[i], allowed = families::allowedError(c);
    ++n.pairs;
    if (exact < -allowed) ++n.overlapping;
    const bool finite = std::isfinite(answer.signedDistance) && answer.push.allFinite();
    if (sheet.fates[i] != Fate::Answered || answer.flagged || !finite) {
      ++n.failed;
      continue;
    }
    if (std::abs(exact) > allowed && answer.overlap != (exact < 0)) ++n.wrongSign;
    const bool judged = measures == Measures::Signed || (measures == Measures::Depth && exact < -allowed && answer.overlap);
    if (!judged) continue;
    const double error = std::abs(answer.signedDistance - exact);
    if (error > allowed) ++n.off;
    if (error > 1e-3 * std::abs(exact) && error > allowed) ++n.farOff;
    if (exact > 0 || answer.push.isZero(0)) continue;
    BoxPairCase pushed = c;
    pushed.poseB.position += answer.push;
    const double size = std::min(c.a.halfExtents.maxCoeff(), c.b.halfExtents.maxCoeff());
    if (families::certificate::largestGap(families::certificate::load(pushed)) < -1e-4 * size - allowed) ++n.stillOverlapping;
  }
  return n;
}

// One pass over the pairs that came back, ns a pair.
double timeOnce(Contender& contender, const std::vector<std::size_t>& good) {
  contender.nextPass();
  double sum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const std::size_t i : good) sum += contender.ask(i).signedDistance;
  const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  [[maybe_unused]] static volatile double sink;  // so that no call is left out
  sink = sum;
  return ns / static_cast<double>(good.size());
}

std::vector<Counts> run(std::vector<Entry>& entries, const FamilyPairs& family, std::size_t timed, int rounds, Sheet& sheet) {
  std::vector<Counts> counts;
  std::vector<std::vector<std::size_t>> good(entries.size());
  for (std::size_t e = 0; e < entries.size(); ++e) {
    entries[e].contender->prepare(family.pairs);
    askAll(*entries[e].contender, family.pairs.size(), sheet);
    counts.push_back(judge(family, entries[e].measures, sheet));
    for (std::size_t i = 0; i < family.pairs.size() && good[e].size() < timed; ++i)
      if (sheet.fates[i] == Fate::Answered) good[e].push_back(i);
  }
  std::vector<std::vector<double>> times(entries.size());
  for (int round = -1; round < rounds; ++round)  // the first one warms up
    for (std::size_t e = 0; e < entries.size(); ++e) {
      if (good[e].empty()) continue;
      const double ns = timeOnce(*entries[e].contender, good[e]);
      if (round >= 0) times[e].push_back(ns);
    }
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (times[e].empty()) continue;
    std::sort(times[e].begin(), times[e].end());
    const auto at = [&](double share) { return times[e][static_cast<std::size_t>(share * static_cast<double>(times[e].size() - 1))]; };
    counts[e].median = at(0.5);
    counts[e].low = at(0.25);
    counts[e].high = at(0.75);
  }
  return counts;
}

using Table = std::vector<std::vector<Counts>>;  // by family, then by contender

template <class Cell>
void printTable(const std::string& title, const std::vector<Entry>& entries, const Table& table, Cell&& cell) {
  std::cout << "\n### " << title << "\n\n| |";
  for (std::size_t f = 0; f < table.size(); ++f) std::cout << ' ' << static_cast<char>('a' + f) << " |";
  std::cout << "\n|---|";
  for (std::size_t f = 0; f < table.size(); ++f) std::cout << "---:|";
  std::cout << '\n';
  for (std::size_t e = 0; e < entries.size(); ++e) {
    std::string line;
    bool any = false;
    for (const auto& row : table) {
      const std::string text = cell(row[e], entries[e].measures);
      any = any || text != "-";
      line += ' ' + text + " |";
    }
    if (any) std::cout << "| " << entries[e].name << " |" << line << '\n';
  }
}

std::string percent(long part, long whole) {
  if (whole == 0) return "-";
  if (part == 0) return "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

void print(const std::vector<Entry>& entries, const std::vector<FamilyPairs>& all, const Table& table) {
  std::cout << "Families: ";
  for (std::size_t f = 0; f < all.size(); ++f)
    std::cout << (f ? "; " : "") << static_cast<char>('a' + f) << ' ' << families::name(all[f].family);
  std::cout << ". " << all[0].pairs.size() << " pairs each.\n";
  printTable("Nanoseconds a pair, median", entries, table, [](const Counts& c, Measures) {
    return std::isnan(c.median) ? std::string("-") : std::to_string(std::lround(c.median));
  });
  printTable("Spread: quartiles of the rounds, half their distance in % of the median", entries, table, [](const Counts& c, Measures) {
    return std::isnan(c.median) ? std::string("-") : std::to_string(std::lround(50 * (c.high - c.low) / c.median));
  });
  printTable("Wrong sign, % of the pairs", entries, table,
             [](const Counts& c, Measures) { return percent(c.wrongSign, c.pairs - c.failed); });
  const auto judged = [](const Counts& c, Measures m) {
    return m == Measures::YesNo ? 0 : m == Measures::Signed ? c.pairs - c.failed : c.overlapping;
  };
  printTable("Depth (or distance) off by more than a thousandth / by more than 1e-10 of the half extent, %", entries, table,
             [&](const Counts& c, Measures m) {
               const long whole = judged(c, m);
               return whole == 0 ? std::string("-") : percent(c.farOff, whole) + " / " + percent(c.off, whole);
             });
  printTable("Moved by the answer, still overlapping by more than 1e-4 of the size, %", entries, table,
             [&](const Counts& c, Measures m) { return m == Measures::YesNo ? "-" : percent(c.stillOverlapping, c.overlapping); });
  printTable("NaN, exception, hang, crash, or flagged by itself (count; after three hangs the rest of a family counts)", entries,
             table, [](const Counts& c, Measures) { return std::to_string(c.failed); });
}

nlohmann::ordered_json toJson(const std::vector<Entry>& entries, const std::vector<FamilyPairs>& all, const Table& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t f = 0; f < all.size(); ++f)
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const Counts& c = table[f][e];
      rows.push_back({{"contender", entries[e].name}, {"family", families::name(all[f].family)}, {"pairs", c.pairs},
                      {"overlapping", c.overlapping}, {"wrong_sign", c.wrongSign}, {"off_1e-10", c.off}, {"off_1e-3", c.farOff},
                      {"still_overlapping", c.stillOverlapping}, {"failed", c.failed}, {"ns_median", c.median},
                      {"ns_quartile_low", c.low}, {"ns_quartile_high", c.high}});
    }
  return rows;
}

}  // namespace
}  // namespace sunder::bench

int main(int argc, char** argv) {
  using namespace sunder::bench;
  int pairs = 1000, timed = 200, rounds = 21;
  std::string json, only;
  CLI::App app("Pairs of boxes: wrong answers and nanoseconds, ours and the peers'", "narrowphase_bench");
  app.add_option("--pairs", pairs, "pairs a family that are judged")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--timed", timed, "how many of them are timed")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--rounds", rounds, "timing rounds")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--only", only, "contenders whose name holds this");
  app.add_option("--json", json, "write the numbers to this file");
  CLI11_PARSE(app, argc, argv);

  std::vector<Entry> entries;
  addOwn(entries);
#if defined(SUNDER_BENCH_PAIR_CCD)
  addCcd(entries);
#endif
#if defined(SUNDER_BENCH_PAIR_FCL)
  addFcl(entries);
#endif
#if defined(SUNDER_BENCH_PAIR_BULLET)
  addBullet(entries);
#endif
#if defined(SUNDER_BENCH_PAIR_ODE)
  addOde(entries);
#endif
  std::erase_if(entries, [&](const Entry& e) { return e.name.find(only) == std::string::npos; });
  void* shared = mmap(nullptr, sizeof(Sheet), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;

  std::vector<FamilyPairs> all;
  Table table;
  for (const sunder::families::Family family : sunder::families::all()) {
    all.push_back(makePairs(family, pairs));
    std::cerr << sunder::families::name(family) << '\n';
    table.push_back(run(entries, all.back(), static_cast<std::size_t>(timed), rounds, *static_cast<Sheet*>(shared)));
  }
  print(entries, all, table);
  if (!json.empty() && !(std::ofstream(json) << toJson(entries, all, table).dump(1) << '\n').flush()) {
    std::cerr << json << ": can't be written\n";
    return 2;
  }
  return 0;
}
