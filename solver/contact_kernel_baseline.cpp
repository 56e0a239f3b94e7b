// SPDX-License-Identifier: MIT
#include "contact_kernel.inl"

namespace sunder {

const ContactKernel& contactKernelBaseline() {
  static constexpr ContactKernel kernel = {prepare, warmStart, solveNormals, relax, sweepRigid, goFurther, addWork, takeBack, "baseline"};
  return kernel;
}

}  // namespace sunder
