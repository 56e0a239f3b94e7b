// SPDX-License-Identifier: MIT
// Designs of a sweep and prune that were tried before the one in broadphase/, kept so that they can be measured again. They
// announce pairs of tight boxes, hold no pairs between frames and know no filters: less work than the real one does.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "broadphase_bench.h"

namespace sunder::bench {
namespace {

std::uint64_t sortable(double x) {
  std::uint64_t bits;
  static_assert(sizeof bits == sizeof x);
  std::memcpy(&bits, &x, sizeof bits);
  return bits ^ ((bits >> 63) != 0 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

struct Key {
  std::uint64_t value;
  std::uint32_t index;
};

void radixSort(std::vector<Key>& keys, std::vector<Key>& scratch) {
  scratch.resize(keys.size());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    std::array<std::size_t, 256> start{};
    for (const Key& k : keys) ++start[(k.value >> shift) & 255u];
    if (start[(keys[0].value >> shift) & 255u] == keys.size()) continue;
    std::size_t sum = 0;
    for (std::size_t& s : start) sum += std::exchange(s, sum);
    for (const Key& k : keys) scratch[start[(k.value >> shift) & 255u]++] = k;
    keys.swap(scratch);
  }
}

// Design 1: one axis, the one along which the centres spread most; radix-sorted anew each frame, then swept.
class OneAxis : public Engine {
 public:
  void build(const Frame& frame) override { step(frame); }
  void step(const Frame& frame) override {
    const std::vector<Aabb>& boxes = frame.boxes;
    Eigen::Vector3d sum(0, 0, 0), squares(0, 0, 0);
    for (const Aabb& b : boxes) {
      const Eigen::Vector3d c = b.lower + b.upper;
      sum += c;
      squares += c.cwiseProduct(c);
    }
    int axis = 0;
    (squares - sum.cwiseProduct(sum) / static_cast<double>(boxes.size())).maxCoeff(&axis);
    keys_.clear();
    for (std::uint32_t i = 0; i < boxes.size(); ++i) keys_.push_back({sortable(boxes[i].lower[axis]), i});
    radixSort(keys_, scratch_);
    sorted_.clear();
    for (const Key& k : keys_) sorted_.push_back(boxes[k.index]);
    pairs_ = 0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      const double upper = sorted_[i].upper[axis];
      for (std::size_t j = i + 1; j < sorted_.size() && sorted_[j].lower[axis] <= upper; ++j) {
        pairs_ += overlaps(sorted_[i], sorted_[j]);
      }
    }
  }
  std::size_t pairs() const override { return pairs_; }

 private:
  std::vector<Key> keys_, scratch_;
  std::vector<Aabb> sorted_;
  std::size_t pairs_ = 0;
};

// Design 2: a grid of square columns along x, a level for each power of two of size; each box is in the column of its
// lower corner, and each column is sorted and swept along x, with itself, its neighbours and the coarser levels.
class GridSweep : public Engine {
 public:
  void build(const Frame& frame) override { step(frame); }
  void step(const Frame& frame) override {
    sortIntoColumns(frame.boxes);
    pairs_ = 0;
    for (std::size_t own = 0; own < levels_.size(); ++own) {
      for (std::size_t at = levels_[own].first; at < levels_[own].last; ++at) sweepColumn(at, levels_[own]);
      for (std::size_t coarse = 0; coarse < own; ++coarse) sweepCoarser(levels_[own], levels_[coarse]);
    }
  }
  std::size_t pairs() const override { return pairs_; }

 private:
  struct Level {
    double cell;
    std::size_t first, last;  // columns
    std::unordered_map<std::uint64_t, std::size_t> columnAt;
  };
  struct Column {
    std::int64_t y, z;
    std::size_t first, last;  // boxes
  };
  static std::uint64_t code(std::int64_t y, std::int64_t z) {
    return (static_cast<std::uint64_t>(y + (1 << 30)) << 32) | static_cast<std::uint64_t>(z + (1 << 30));
  }
  static int levelOf(const Aabb& b) { return std::ilogb((b.upper - b.lower).maxCoeff()) + 1; }

  void sortIntoColumns(const std::vector<Aabb>& boxes) {
    keys_.clear();
    for (std::uint32_t i = 0; i < boxes.size(); ++i) keys_.push_back({sortable(boxes[i].lower[0]), i});
    radixSort(keys_, scratch_);
    // Stable: by x, then by column, then by level from the coarsest.
    for (Key& k : keys_) {
      const double cell = std::ldexp(1.0, levelOf(boxes[k.index]));
      k.value = code(static_cast<std::int64_t>(std::floor(boxes[k.index].lower[1] / cell)),
                     static_cast<std::int64_t>(std::floor(boxes[k.index].lower[2] / cell)));
    }
    radixSort(keys_, scratch_);
    std::vector<std::uint64_t> columns;
    for (const Key& k : keys_) columns.push_back(k.value);
    std::vector<std::uint32_t> byLevel(keys_.size());
    for (std::uint32_t i = 0; i < keys_.size(); ++i) byLevel[i] = i;
    std::stable_sort(byLevel.begin(), byLevel.end(), [&](std::uint32_t a, std::uint32_t b) {
      return levelOf(boxes[keys_[a].index]) > levelOf(boxes[keys_[b].index]);
    });
    sorted_.clear();
    columns_.clear();
    levels_.clear();
    int level = 0;
    std::uint64_t column = 0;
    for (std::uint32_t i : byLevel) {
      const Aabb& box = boxes[keys_[i].index];
      const bool newLevel = sorted_.empty() || levelOf(box) != level;
      if (newLevel) {
        level = levelOf(box);
        levels_.push_back({std::ldexp(1.0, level), columns_.size(), columns_.size(), {}});
      }
      if (newLevel || columns[i] != column) {
        column = columns[i];
        levels_.back().columnAt[column] = columns_.size();
        columns_.push_back({static_cast<std::int64_t>(column >> 32) - (1 << 30),
                            static_cast<std::int64_t>(column & 0xffffffffu) - (1 << 30), sorted_.size(), 0});
      }
      sorted_.push_back(box);
      columns_.back().last = sorted_.size();
      levels_.back().last = columns_.size();
    }
  }
  // Two sorted lists, merged: each box looks at those of the other list that start inside it.
  void sweepLists(const Column& a, const Column& b) {
    std::size_t i = a.first, j = b.first;
    while (i < a.last && j < b.last) {
      if (sorted_[i].lower[0] <= sorted_[j].lower[0]) {
        scan(i++, j, b.last);
      } else {
        scan(j++, i, a.last);
      }
    }
  }
  void scan(std::size_t box, std::size_t from, std::size_t last) {
    for (; from < last && sorted_[from].lower[0] <= sorted_[box].upper[0]; ++from) {
      pairs_ += overlaps(sorted_[box], sorted_[from]);
    }
  }
  void sweepColumn(std::size_t at, const Level& level) {
    const Column& own = columns_[at];
    for (std::size_t i = own.first; i < own.last; ++i) scan(i, i + 1, own.last);
    constexpr int kForward[4][2] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}};
    for (const auto& step : kForward) {
      const auto found = level.columnAt.find(code(own.y + step[0], own.z + step[1]));
      if (found != level.columnAt.end()) sweepLists(own, columns_[found->second]);
    }
  }
  void sweepCoarser(const Level& fine, const Level& coarse) {
    for (std::size_t at = fine.first; at < fine.last; ++at) {
      const Column& own = columns_[at];
      // Boxes of the coarse level are at most a cell wide and lie in the column of their lower corner.
      const double y = static_cast<double>(own.y) * fine.cell, z = static_cast<double>(own.z) * fine.cell;
      const auto cellOf = [&](double v) { return static_cast<std::int64_t>(std::floor(v / coarse.cell)); };
      for (std::int64_t cy = cellOf(y) - 1; cy <= cellOf(y + 2 * fine.cell); ++cy) {
        for (std::int64_t cz = cellOf(z) - 1; cz <= cellOf(z + 2 * fine.cell); ++cz) {
          const auto found = coarse.columnAt.find(code(cy, cz));
          if (found != coarse.columnAt.end()) sweepLists(own, columns_[found->second]);
        }
      }
    }
  }

  std::vector<Key> keys_, scratch_;
  std::vector<Aabb> sorted_;
  std::vector<Column> columns_;
  std::vector<Level> levels_;
  std::size_t pairs_ = 0;
};

template <class T>
std::unique_ptr<Engine> makeEngine() {
  return std::make_unique<T>();
}

}  // namespace

void addDesigns(std::vector<EngineEntry>& engines) {
  engines.push_back({"one axis", 100000, makeEngine<OneAxis>});
  engines.push_back({"grid sweep", 1000000, makeEngine<GridSweep>});
}

}  // namespace sunder::bench
