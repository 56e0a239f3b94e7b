// SPDX-License-Identifier: MIT
#include "contact_kernel.inl"

namespace sunder {

const ContactKernel& contactKernelAvx2() {
  static constexpr ContactKernel kernel = {prepare, warmStart, solveNormals, relax, sweepRigid, goFurther, addWork, takeBack, "avx2"};
  return kernel;
}

}  // namespace sunder
