// SPDX-License-Identifier: MIT
#pragma once
#include <compare>
#include <cstdint>
#include <vector>

namespace sunder {

// Index of a box in a broadphase. Ids of removed proxies are reused, lowest first.
using ProxyId = std::uint32_t;

// Two proxies whose boxes overlap; a < b always.
struct ProxyPair {
  ProxyId a = 0;
  ProxyId b = 0;
  auto operator<=>(const ProxyPair&) const = default;
};

// What changed since the last update. Both lists are sorted and free of duplicates.
struct PairEvents {
  std::vector<ProxyPair> began;
  std::vector<ProxyPair> ended;
};

// Bodies a and b are paired when (a.category & b.mask) and (b.category & a.mask) are both non-zero.
struct CollisionFilter {
  std::uint32_t category = 1;
  std::uint32_t mask = 0xffffffffu;
};

}  // namespace sunder
