// SPDX-License-Identifier: MIT
// The bar is Boost's, so what is tested is that it moves with the work, and how little it writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "sunder/demo/progress_bar.h"

namespace sunder::demo {
namespace {

constexpr int kTicks = 51;  // a full bar, from 0 % to 100 %

long ticksIn(const std::ostringstream& out) {
  const std::string text = out.str();
  return std::count(text.begin(), text.end(), '*');
}

class ProgressBarTest : public testing::Test {
 protected:
#if !__has_include(<boost/timer/progress_display.hpp>)
  void SetUp() override { GTEST_SKIP() << "there is no Boost: nothing is drawn"; }
#endif
  std::ostringstream out;
};

TEST_F(ProgressBarTest, GrowsWithTheWorkAndEndsWithALine) {
  for (const int total : {1, 2, 7, 50, 51, 600, 123457}) {
    out.str("");
    ProgressBar bar(total, out);
    for (int done = 1; done <= total; ++done) {
      bar.update(done);
      if (total > 1000 && done % 97 != 0 && done != total) continue;
      EXPECT_NEAR(static_cast<double>(ticksIn(out)), (kTicks - 1.0) * done / total, 2) << done << " of " << total;
    }
    EXPECT_EQ(ticksIn(out), kTicks) << total;
    EXPECT_EQ(out.str().back(), '\n');
    EXPECT_LT(out.str().size(), 200u);  // not a line per step
  }
}

TEST_F(ProgressBarTest, MaySkip) {
  ProgressBar bar(1000, out);
  bar.update(500);
  EXPECT_NEAR(static_cast<double>(ticksIn(out)), kTicks / 2.0, 1);
  bar.update(1000);
  EXPECT_EQ(ticksIn(out), kTicks);
}

TEST_F(ProgressBarTest, TakesAsManyStepsAsThereCanBe) {
  constexpr int kMost = std::numeric_limits<int>::max();
  ProgressBar bar(kMost, out);
  EXPECT_EQ(ticksIn(out), 0);
  bar.update(kMost / 4);
  EXPECT_NEAR(static_cast<double>(ticksIn(out)), kTicks / 4.0, 1);
  bar.update(kMost);
  EXPECT_EQ(ticksIn(out), kTicks);
}

TEST_F(ProgressBarTest, OneThatIsNotFinishedJustEnds) {
  { ProgressBar(100, out).update(30); }
  EXPECT_NEAR(static_cast<double>(ticksIn(out)), 0.3 * kTicks, 1);
}

}  // namespace
}  // namespace sunder::demo
