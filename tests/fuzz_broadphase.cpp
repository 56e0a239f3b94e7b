// SPDX-License-Identifier: MIT
// libFuzzer target: sequences of operations on SweepAndPrune and its referee, which must agree on everything.
#include <cstdio>
#include <cstdlib>

#include "broadphase_model.h"

namespace {

// The fuzzer's bytes as numbers; zeros behind their end.
struct ByteSource {
  const std::uint8_t* data;
  std::size_t size;
  std::size_t at = 0;
  std::uint32_t next(std::uint32_t bound) {
    std::uint32_t value = at < size ? data[at++] : 0;
    if (bound > 256) value |= (at < size ? data[at++] : 0u) << 8;
    return value % bound;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteSource source{data, size};
  const sunder::BroadphaseSettings settings =
      source.next(2) ? sunder::BroadphaseSettings{} : sunder::BroadphaseSettings{0.0, 0.0};
  sunder::test::BroadphaseModel<ByteSource> model(source, settings, 300);
  bool good = true;
  while (good && source.at < size) good = model.step();
  good = good && model.update() && model.comparePairs();
  if (!good) {
    std::fprintf(stderr, "%s\n", model.failure().c_str());
    std::abort();
  }
  return 0;
}
