// SPDX-License-Identifier: MIT
// What narrowphase_bench.cpp asks of each contender: ours in narrowphase_own.cpp, the peers in peers/.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "../tests/box_pair_families.h"

namespace sunder::bench {

struct PairAnswer {
  bool overlap = false;
  bool flagged = false;         // the contender itself says that it did not get there
  double signedDistance = 0;    // metres; see Contender::measures
  Eigen::Vector3d push{0, 0, 0};  // world axes; overlapping: moving B by it is said to separate them
};

// What the numbers of an answer mean.
enum class Measures { YesNo, Depth, Signed };

class Contender {
 public:
  virtual ~Contender() = default;
  // Everything that is not the query itself happens here. poses.size() == pairs.size().
  virtual void prepare(const std::vector<families::BoxPairCase>& pairs) = 0;
  virtual PairAnswer ask(std::size_t pair) = 0;
  // Between two passes over the pairs. Those that keep a cache see the pairs a little moved, and back at the next pass.
  virtual void nextPass() {}
};

struct Entry {
  std::string name;
  Measures measures;
  std::unique_ptr<Contender> contender;
};

void addOwn(std::vector<Entry>& entries);
void addCcd(std::vector<Entry>& entries);
void addFcl(std::vector<Entry>& entries);
void addBullet(std::vector<Entry>& entries);
void addOde(std::vector<Entry>& entries);

}  // namespace sunder::bench
