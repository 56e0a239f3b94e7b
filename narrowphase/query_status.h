// SPDX-License-Identifier: MIT
#pragma once

namespace sunder {

// How a query ended. Every result carries one; only Converged promises the error bound beside it.
enum class QueryStatus {
  Converged,
  IterationLimit,  // the bound beside the result is what was reached
  Degenerate,      // rounding left nothing to decide with: the answer is the best known one
  InvalidInput,    // NaN, infinity, a quaternion that is no rotation, an extent <= 0: no answer
};

const char* toString(QueryStatus status);

}  // namespace sunder
