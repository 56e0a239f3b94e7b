// SPDX-License-Identifier: MIT
#pragma once
#include <iosfwd>
#include <memory>

namespace sunder::demo {

// A progress bar (Boost.Timer's) on a stream. Without Boost it draws nothing.
class ProgressBar {
 public:
  ProgressBar(int total, std::ostream& out);
  ~ProgressBar();
  // done counts from 1 to total and never falls.
  void update(int done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sunder::demo
