// SPDX-License-Identifier: MIT
// Still eight lanes: what AVX-512VL has more is 32 registers, which hold the state of a pair of bodies.
#include "contact_kernel.inl"

namespace sunder {

const ContactKernel& contactKernelAvx512() {
  static constexpr ContactKernel kernel = {prepare, warmStart, solveNormals, relax, sweepRigid, goFurther, addWork, takeBack, "avx512"};
  return kernel;
}

}  // namespace sunder
