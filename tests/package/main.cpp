// SPDX-License-Identifier: MIT
// A user of the library, compiled with flags of its own. Prints the hash of a short run, which must not depend on them.
#include <sunder/broadphase/aabb.h>
#include <sunder/narrowphase/query.h>
#include <sunder/physics/world.h>

#include <Eigen/Dense>
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdio>

#if __has_include(<sunder/narrowphase/math_internal.h>) || __has_include(<narrowphase/pose.h>) || \
    __has_include(<sunder/demo/scenes.h>)
#error "something else than the public <sunder/...> headers can be reached"
#endif

// The layout that the library was built with, whatever the alignment of Eigen's types is here.
static_assert(sizeof(sunder::Pose) == 56 && alignof(sunder::Pose) == 8);
static_assert(offsetof(sunder::Pose, orientation) == 24);
static_assert(sizeof(sunder::Aabb) == 48 && alignof(sunder::Aabb) == 8);
static_assert(sizeof(sunder::ContactPoint) == 64 && alignof(sunder::ContactPoint) == 8);
static_assert(alignof(sunder::BodyDef) == 8 && alignof(sunder::Proximity) == 8);

// Makes this program hold its own copies of the Eigen functions that a library might have used: if the library's
// results depended on one of them, the flags of this file would change the hash.
static double useEigen() {
  volatile double hidden = 0.25;  // not known to the compiler
  const double seed = hidden;
  Eigen::Vector3d a(seed, 1.1, 2.3), b(0.7, seed, 1.9);
  Eigen::Matrix3d m = a * b.transpose() + Eigen::Matrix3d::Identity();
  sunder::Quaternion q(seed, a[0], b[1], 0.5);
  q.normalize();
  const Eigen::Vector3d c = q * (m * a).cross(m.inverse() * b) + (q * q.conjugate()).toRotationMatrix() * a;
  return c.dot(a) + c.norm() + c.normalized().squaredNorm();
}

int main() {
  if (!(useEigen() > 0)) return 1;
  sunder::World world;
  sunder::BodyDef ground;
  ground.kind = sunder::BodyKind::Static;
  ground.halfExtents = {20, 20, 1};
  ground.pose.position = {0, 0, -1};
  world.addBody(ground);
  sunder::BodyId top;
  for (int i = 0; i < 6; ++i) {
    sunder::BodyDef box;
    box.pose.position = {0.01 * i, -0.007 * i, 0.5 + 1.02 * i};
    box.pose.orientation = sunder::Quaternion(1, 0, 0, 0.02 * i);
    box.pose.orientation.coeffs() /= std::sqrt(1 + 0.0004 * i * i);
    box.angularVelocity = {0.1, 0.2 * i, 0.3};
    top = world.addBody(box);
  }
  for (int step = 0; step < 180; ++step)
    if (world.step(1.0 / 60).errors != sunder::kStepOk) return 1;
  if (!(world.pose(top).position[2] > 0.4)) return 1;
  // One query by itself, too.
  const sunder::Box cube;
  sunder::Pose pose;
  pose.position = {0.9, 0.1, 0.2};
  const sunder::Proximity proximity = signedDistance(cube, cube, pose);
  if (proximity.status != sunder::QueryStatus::Converged) return 1;
  std::printf("%016" PRIx64 " %a\n", world.stateHash(), proximity.signedDistance);
}
