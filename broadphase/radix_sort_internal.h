// SPDX-License-Identifier: MIT
// Least-significant-digit radix sort of 64-bit keys. Not installed.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace sunder {

// Sorts keys[0, count) by their bits from `firstBit` up; equal ones keep their order. `scratch` has room for count keys.
// Digits that all keys share are skipped, so that small numbers cost few passes.
static inline void radixSort(std::uint64_t* keys, std::uint64_t* scratch, std::size_t count, unsigned firstBit) {
  // Below this the 256 counters cost more than the comparisons.
  if (count < 192) {
    std::stable_sort(keys, keys + count,
                     [firstBit](std::uint64_t a, std::uint64_t b) { return (a >> firstBit) < (b >> firstBit); });
    return;
  }
  std::uint64_t all = ~std::uint64_t{0}, any = 0;
  for (std::size_t i = 0; i < count; ++i) {
    all &= keys[i];
    any |= keys[i];
  }
  const std::uint64_t varying = all ^ any;
  std::uint64_t* from = keys;
  std::uint64_t* to = scratch;
  for (unsigned shift = firstBit; shift < 64; shift += 8) {
    if (((varying >> shift) & 255u) == 0) continue;
    std::array<std::size_t, 256> start{};
    for (std::size_t i = 0; i < count; ++i) ++start[(from[i] >> shift) & 255u];
    std::size_t sum = 0;
    for (std::size_t& s : start) sum += std::exchange(s, sum);
    for (std::size_t i = 0; i < count; ++i) to[start[(from[i] >> shift) & 255u]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + count, keys);
}

// Whole vectors; `scratch` only grows.
static inline void radixSort(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& scratch,
                             unsigned firstBit = 0) {
  if (scratch.size() < keys.size()) scratch.resize(keys.size());
  radixSort(keys.data(), scratch.data(), keys.size(), firstBit);
}

}  // namespace sunder
