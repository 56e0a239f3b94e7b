// SPDX-License-Identifier: MIT
#include "sunder/solver/contact_kernel.h"

#include <cstdlib>
#include <cstring>

namespace sunder {

const ContactKernel& contactKernel() {
#if defined(__x86_64__)
  const char* wanted = std::getenv("SUNDER_INSTRUCTION_SET");
  const auto wants = [wanted](const char* set) { return wanted != nullptr && std::strcmp(wanted, set) == 0; };
  if (wants("baseline")) return contactKernelBaseline();
  if (!wants("avx2") && __builtin_cpu_supports("avx512vl")) return contactKernelAvx512();
  if (__builtin_cpu_supports("avx2")) return contactKernelAvx2();
#endif
  return contactKernelBaseline();
}

}  // namespace sunder
