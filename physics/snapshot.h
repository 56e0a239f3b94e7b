// SPDX-License-Identifier: MIT
// The head of a snapshot, see World::save(). All numbers are stored with the lowest byte first.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace sunder {

inline constexpr std::uint32_t kSnapshotVersion = 5;

struct SnapshotInfo {
  std::uint32_t version = 0;
  std::uint64_t size = 0;  // bytes after the head
  std::uint64_t hash = 0;  // of those bytes: equal snapshots have equal hashes
};

// What is wrong with a snapshot - not one, another version, cut off, altered - or an empty string; then info is filled.
std::string inspectSnapshot(std::span<const std::uint8_t> bytes, SnapshotInfo& info);

}  // namespace sunder
