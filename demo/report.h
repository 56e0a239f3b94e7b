// SPDX-License-Identifier: MIT
#pragma once
#include <iosfwd>

#include "sunder/demo/runner.h"

namespace sunder::demo {

// The short table at the end of `sunder step`.
void printTable(const RunResult& result, std::ostream& out);

// The same and every body as one JSON object (docs/formats.md).
void writeJson(const RunResult& result, std::ostream& out);

}  // namespace sunder::demo
