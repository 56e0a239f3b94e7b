// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sunder/narrowphase/query_status.h>

namespace sunder {
namespace {

// The names are part of the format of `sunder collide`.
TEST(QueryStatus, HasNames) {
  EXPECT_STREQ(toString(QueryStatus::Converged), "converged");
  EXPECT_STREQ(toString(QueryStatus::IterationLimit), "iteration_limit");
  EXPECT_STREQ(toString(QueryStatus::Degenerate), "degenerate");
  EXPECT_STREQ(toString(QueryStatus::InvalidInput), "invalid_input");
  EXPECT_STREQ(toString(static_cast<QueryStatus>(99)), "unknown");
}

}  // namespace
}  // namespace sunder
