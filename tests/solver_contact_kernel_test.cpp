// SPDX-License-Identifier: MIT
// The kernels of the wider instruction sets give the same bits as the baseline on any blocks, not only on those that the
// scenes of physics_determinism_test.cpp come by.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "solver_kernel_check.h"
#include "solver_wide_check.h"

namespace sunder {
namespace {

#if defined(__x86_64__)
TEST(ContactKernel, Avx2GivesTheBitsOfTheBaseline) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this machine has no AVX2";
  testing::expectSameBitsAsBaseline(contactKernelAvx2());
}

TEST(ContactKernel, Avx512GivesTheBitsOfTheBaseline) {
  if (!__builtin_cpu_supports("avx512vl")) GTEST_SKIP() << "this machine has no AVX-512";
  testing::expectSameBitsAsBaseline(contactKernelAvx512());
}

// What the machine lacks is never chosen, what it has is, unless something narrower is asked for.
TEST(ContactKernel, IsTheWidestThatTheMachineHasOrTheOneAskedFor) {
  const char* before = std::getenv("SUNDER_INSTRUCTION_SET");
  const std::string kept = before != nullptr ? before : "";
  const bool hasAvx2 = __builtin_cpu_supports("avx2"), hasAvx512 = __builtin_cpu_supports("avx512vl");
  const std::string avx2 = hasAvx2 ? "avx2" : "baseline", widest = hasAvx512 ? "avx512" : avx2;
  unsetenv("SUNDER_INSTRUCTION_SET");
  EXPECT_EQ(contactKernel().name, widest);
  for (const auto& [wanted, expected] : {std::pair("baseline", std::string("baseline")), {"avx2", avx2}, {"avx512", widest}, {"sse9", widest}}) {
    setenv("SUNDER_INSTRUCTION_SET", wanted, 1);
    EXPECT_EQ(contactKernel().name, expected) << wanted;
  }
  if (before != nullptr)
    setenv("SUNDER_INSTRUCTION_SET", kept.c_str(), 1);
  else
    unsetenv("SUNDER_INSTRUCTION_SET");
}
#endif

TEST(WideLanes, DoTheArithmeticOfOneFloat) { checkLanes(); }
TEST(WideLanes, Transpose) { checkTranspose(); }
TEST(WideLanes, Vectors) { checkCross(); }

}  // namespace
}  // namespace sunder
