// SPDX-License-Identifier: MIT
#include "sunder/demo/progress_bar.h"

#include <ostream>

#if __has_include(<boost/timer/progress_display.hpp>)
#include <boost/timer/progress_display.hpp>
#define SUNDER_HAS_BOOST 1
#endif

namespace sunder::demo {

#ifdef SUNDER_HAS_BOOST
struct ProgressBar::Impl {
  Impl(unsigned long total, std::ostream& out) : display(total, out) {}
  boost::timer::progress_display display;
};

ProgressBar::ProgressBar(int total, std::ostream& out)
    : impl_(std::make_unique<Impl>(static_cast<unsigned long>(total), out)) {}

void ProgressBar::update(int done) {
  impl_->display += static_cast<unsigned long>(done) - impl_->display.count();
}
#else
struct ProgressBar::Impl {};

ProgressBar::ProgressBar(int, std::ostream&) {}

void ProgressBar::update(int) {}
#endif

ProgressBar::~ProgressBar() = default;

}  // namespace sunder::demo
