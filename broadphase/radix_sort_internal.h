// SPDX-License-Identifier: MIT
// Sorting without comparisons, and vectors that grow by an eighth. Not installed.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sunder/broadphase/proxy_pair.h"

namespace sunder {

static inline std::uint64_t sortKey(std::uint64_t x) { return x; }
static inline std::uint64_t sortKey(const ProxyPair& p) { return (static_cast<std::uint64_t>(p.a) << 32) | p.b; }

// Least-significant-digit radix sort of items[0, count) by the bits of their keys from `firstBit` up; equal ones keep
// their order. `scratch` has room for count items. Digits that all keys share are skipped: small numbers cost few passes.
template <class T>
static inline void radixSort(T* items, T* scratch, std::size_t count, unsigned firstBit = 0) {
  // Below this the 256 counters cost more than the comparisons. Not std::stable_sort: that allocates.
  if (count < 192) {
    for (std::size_t i = 1; i < count; ++i) {
      const T moving = items[i];
      const std::uint64_t key = sortKey(moving) >> firstBit;
      std::size_t at = i;
      for (; at > 0 && key < (sortKey(items[at - 1]) >> firstBit); --at) items[at] = items[at - 1];
      items[at] = moving;
    }
    return;
  }
  std::uint64_t all = ~std::uint64_t{0}, any = 0;
  for (std::size_t i = 0; i < count; ++i) {
    all &= sortKey(items[i]);
    any |= sortKey(items[i]);
  }
  const std::uint64_t varying = all ^ any;
  T* from = items;
  T* to = scratch;
  for (unsigned shift = firstBit; shift < 64; shift += 8) {
    if (((varying >> shift) & 255u) == 0) continue;
    std::array<std::size_t, 256> start{};
    for (std::size_t i = 0; i < count; ++i) ++start[(sortKey(from[i]) >> shift) & 255u];
    std::size_t sum = 0;
    for (std::size_t& s : start) sum += std::exchange(s, sum);
    for (std::size_t i = 0; i < count; ++i) to[start[(sortKey(from[i]) >> shift) & 255u]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::copy(from, from + count, items);
}

// Whole vectors; `scratch` only grows.
template <class T>
static inline void radixSort(std::vector<T>& items, std::vector<T>& scratch, unsigned firstBit = 0) {
  if (scratch.size() < items.size()) scratch.resize(items.size());
  radixSort(items.data(), scratch.data(), items.size(), firstBit);
}

// The usual doubling would leave up to half of the memory of a large world unused.
template <class T>
static inline void growSlowly(std::vector<T>& items) {
  if (items.size() == items.capacity()) items.reserve(items.size() + items.size() / 8 + 16);
}

}  // namespace sunder
