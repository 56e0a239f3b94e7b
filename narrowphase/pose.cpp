// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/pose.h"

#include "sunder/narrowphase/math_internal.h"

namespace sunder {

Pose relativePose(const Pose& a, const Pose& b) {
  using namespace math;
  const Quat qa = load(a.orientation);
  Pose result;
  store(result.position, transposeTimes(toMatrix(qa), load(b.position) - load(a.position)));
  store(result.orientation, conjugate(qa) * load(b.orientation));
  return result;
}

}  // namespace sunder
