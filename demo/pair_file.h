// SPDX-License-Identifier: MIT
#pragma once
#include <sunder/narrowphase/pose.h>
#include <sunder/narrowphase/shape.h>

#include <string>
#include <vector>

namespace sunder::demo {

struct PlacedBox {
  Box box;
  Pose pose;  // in the world
};

struct BoxPair {
  std::string id;
  PlacedBox a, b;
};

// Reads a pair file (docs/formats.md). Throws std::runtime_error whose message names the file, the place and the value.
std::vector<BoxPair> readPairFile(const std::string& path);

}  // namespace sunder::demo
