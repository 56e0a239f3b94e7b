// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "sunder/demo/text.h"

namespace sunder::demo {
namespace {

TEST(Text, NumbersReadBackAsTheSameBits) {
  for (const double value : {0.1, 1.0 / 3, 1e300, -4.9e-324, 0.0166666666666666664}) {
    EXPECT_EQ(std::strtod(jsonNumber(value).c_str(), nullptr), value);
  }
  EXPECT_EQ(jsonNumber(0.1), "0.1");
  EXPECT_EQ(jsonNumber(NAN), "null");
  EXPECT_EQ(jsonNumber(-INFINITY), "null");
}

TEST(Text, StringsAreEscaped) {
  EXPECT_EQ(jsonString("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
  EXPECT_EQ(jsonString(""), "\"\"");
}

TEST(Text, OneLineHasNoControlCharacters) {
  EXPECT_EQ(oneLine("plain \xc3\xa4 text"), "plain \xc3\xa4 text");
  EXPECT_EQ(oneLine("a\nb\t\x1b[31m\x7f"), "a\\x0ab\\x09\\x1b[31m\\x7f");
  EXPECT_EQ(oneLine(""), "");
}

TEST(Text, HashesHaveSixteenDigits) {
  EXPECT_EQ(hexadecimal(0xabcu), "0x0000000000000abc");
  EXPECT_EQ(hexadecimal(~std::uint64_t{0}), "0xffffffffffffffff");
}

}  // namespace
}  // namespace sunder::demo
