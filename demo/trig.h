// SPDX-License-Identifier: MIT
#pragma once

namespace sunder::demo {

struct SinCos {
  double sin = 0, cos = 0;
};

// Sine and cosine of an angle in radians, |angle| <= 1000, correctly rounded but for a chance of about 1e-12. The
// built-in scenes are made with it, since libm's results differ in the last bit between machines (it picks FMA code
// where there is FMA), and one bit in a start pose changes the hash of the whole run.
SinCos sinCos(double angle);

}  // namespace sunder::demo
