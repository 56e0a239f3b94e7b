// SPDX-License-Identifier: MIT
#pragma once
#include <compare>
#include <cstdint>
#include <vector>

namespace sunder {

// Index of a box in a broadphase. A removed proxy's id is free again after the next updatePairs(), which reports the end
// of its pairs; free ids are reused lowest first. So within one update an id means one box only.
using ProxyId = std::uint32_t;

// Two proxies whose fat boxes overlap; a < b always.
struct ProxyPair {
  ProxyId a = 0;
  ProxyId b = 0;
  auto operator<=>(const ProxyPair&) const = default;
};

// What changed between the last two updates. Both lists are sorted by (a, b) and free of duplicates, and no pair is in
// both of them.
struct PairEvents {
  std::vector<ProxyPair> began;
  std::vector<ProxyPair> ended;
};

// Proxies a and b are paired when (a.category & b.mask) and (b.category & a.mask) are both non-zero.
struct CollisionFilter {
  std::uint32_t category = 1;
  std::uint32_t mask = 0xffffffffu;
  bool operator==(const CollisionFilter&) const = default;
};

inline bool accepts(const CollisionFilter& a, const CollisionFilter& b) {
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

}  // namespace sunder
