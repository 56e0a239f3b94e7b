// SPDX-License-Identifier: MIT
// What broadphase_bench.cpp asks of an engine: keep `count` boxes, take their new places, find the pairs.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <sunder/broadphase/aabb.h>

namespace sunder::bench {

// One frame: tight boxes, the motion expected until the next frame, and which of the boxes are announced to the engine.
struct Frame {
  std::vector<Aabb> boxes;
  std::vector<Eigen::Vector3d> motion;
  std::vector<std::uint32_t> announced;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual void build(const Frame& frame) = 0;
  virtual void step(const Frame& frame) = 0;
  // Pairs the engine holds now, by its own notion of a box (fat or tight).
  virtual std::size_t pairs() const = 0;
  virtual double bytes() const { return 0; }
};

struct EngineEntry {
  std::string name;
  std::size_t mostBoxes;  // beyond, a single frame takes too long to be worth waiting for
  std::unique_ptr<Engine> (*make)();
};

// Peers that were found when the bench was built.
void addPeers(std::vector<EngineEntry>& engines);
// Designs that were tried and not kept.
void addDesigns(std::vector<EngineEntry>& engines);

}  // namespace sunder::bench
