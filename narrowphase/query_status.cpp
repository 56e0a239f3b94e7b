// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/query_status.h"

namespace sunder {

const char* toString(QueryStatus status) {
  switch (status) {
    case QueryStatus::Converged: return "converged";
    case QueryStatus::IterationLimit: return "iteration_limit";
    case QueryStatus::Degenerate: return "degenerate";
    case QueryStatus::InvalidInput: return "invalid_input";
  }
  return "unknown";
}

}  // namespace sunder
