// SPDX-License-Identifier: MIT
// What islands are solved one by one for: hits, and the loads with which they fall asleep. Not installed.
#pragma once
#include <cstdint>
#include <vector>

#include "sunder/solver/contact_solver.h"

namespace sunder {

// Of contacts that are looked at island by island.
struct IslandContact {
  std::uint32_t root, place;  // of its island, in the order of the pairs
  ContactRef contact;
  bool operator<(const IslandContact& other) const { return root != other.root ? root < other.root : place < other.place; }
};

// Why an island does not fall asleep: it moves, or only the loads that hold it are still to be found.
inline constexpr std::uint8_t kUnheld = 1, kRestless = 2;

// Storage of holdAtRest().
struct RestLoads {
  struct Member {
    std::uint32_t root, index;
    bool operator<(const Member& other) const { return root != other.root ? root < other.root : index < other.index; }
  };
  ContactSolver solver;
  std::vector<Member> bodies;           // of islands that are kUnheld, island by island
  std::vector<IslandContact> contacts;  // theirs
  std::vector<ContactRef> refs;         // of one island ...
  std::vector<Contact> copies;          // ... its contacts ...
  std::vector<float> radius;            // ... and m, per solver body
};

}  // namespace sunder
