// SPDX-License-Identifier: MIT
// Machines without SSE2 or AVX get lanes in plain C++. No such machine is at hand, so this file has the kernel compiled as
// if it were one, and compares it with the others. (CMakeLists.txt switches FMA off for it, as for the library.)
#include <gtest/gtest.h>

#include "solver_kernel_check.h"

#undef __AVX__
#undef __SSE2__
#include "../solver/contact_kernel.inl"
#include "solver_wide_check.h"

namespace sunder {
namespace {

TEST(PlainKernel, GivesTheBitsOfTheBaseline) {
  static constexpr ContactKernel kernel = {prepare, warmStart, solveNormals, relax, sweepRigid, goFurther, addWork, takeBack, "plain"};
  testing::expectSameBitsAsBaseline(kernel);
}

TEST(PlainLanes, DoTheArithmeticOfOneFloat) { checkLanes(); }
TEST(PlainLanes, Transpose) { checkTranspose(); }
TEST(PlainLanes, Vectors) { checkCross(); }

}  // namespace
}  // namespace sunder
