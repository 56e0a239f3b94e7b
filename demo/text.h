// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>

namespace sunder::demo {

// The shortest decimal text that reads back as the same double; "null" for NaN and infinity, which JSON lacks.
std::string jsonNumber(double value);

// In quotes, escaped.
std::string jsonString(const std::string& text);

// For a terminal: on one line, control characters as \x1b.
std::string oneLine(const std::string& text);

// 0x and 16 digits.
std::string hexadecimal(std::uint64_t value);

}  // namespace sunder::demo
