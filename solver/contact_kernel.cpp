// SPDX-License-Identifier: MIT
#include "sunder/solver/contact_kernel.h"

#include <cstdlib>
#include <cstring>

namespace sunder {

const ContactKernel& contactKernel() {
  const char* wanted = std::getenv("SUNDER_INSTRUCTION_SET");
  const bool baselineWanted = wanted != nullptr && std::strcmp(wanted, "baseline") == 0;
#if defined(__x86_64__)
  if (!baselineWanted && __builtin_cpu_supports("avx2")) return contactKernelAvx2();
#endif
  return contactKernelBaseline();
}

}  // namespace sunder
