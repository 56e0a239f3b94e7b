// SPDX-License-Identifier: MIT
// Cubes of 0.2 m that fly into a wall, corner first, restitution 0: what the laws of impact say, whenever in a step it happens.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "physics_bodies.h"

namespace sunder::testing {
namespace {

using Eigen::Matrix3d;

constexpr double kHalf = 0.1;                          // m
constexpr double kInertia = 4 * kHalf * kHalf / 6;     // per mass, m^2

std::vector<Vector3d> cornersOf(const Matrix3d& rotation) {
  std::vector<Vector3d> corners;
  for (int k = 0; k < 8; ++k) corners.push_back(rotation * Vector3d(k & 1 ? kHalf : -kHalf, k & 2 ? kHalf : -kHalf, k & 4 ? kHalf : -kHalf));
  return corners;
}

struct Velocity {
  Vector3d linear, angular;
};

// Impulses per mass at `arms` on a body that must not go on along x, with Coulomb's cone, by Gauss-Seidel: Moreau, "Unilateral
// contact and dry friction in finite freedom dynamics" (1988), restitution 0.
void hit(Velocity& v, const std::vector<Vector3d>& arms, double friction, int sweeps) {
  std::vector<Vector3d> impulses(arms.size(), Vector3d::Zero());
  const auto push = [&](const Vector3d& arm, const Vector3d& change) {
    v.linear += change;
    v.angular += arm.cross(change) / kInertia;
  };
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const Vector3d& arm = arms[i];
      Vector3d velocity = v.linear + v.angular.cross(arm);
      const double normal = std::max(0.0, -impulses[i].x() + velocity.x() / (1 + arm.cross(Vector3d::UnitX()).squaredNorm() / kInertia));
      push(arm, {-normal - impulses[i].x(), 0, 0});
      impulses[i].x() = -normal;
      velocity = v.linear + v.angular.cross(arm);
      const double mass = 1 / (1 + arm.squaredNorm() / kInertia);
      Vector3d tangent(0, impulses[i].y() - mass * velocity.y(), impulses[i].z() - mass * velocity.z());
      if (tangent.norm() > friction * normal) tangent *= friction * normal / tangent.norm();
      push(arm, {0, tangent.y() - impulses[i].y(), tangent.z() - impulses[i].z()});
      impulses[i].y() = tangent.y();
      impulses[i].z() = tangent.z();
    }
}

BodyDef cubeAt(double x, const Quaternion& orientation, double speed, double friction) {
  BodyDef cube = boxAt({x, 0, 0}, {kHalf, kHalf, kHalf});
  cube.pose.orientation = orientation;
  cube.linearVelocity = {speed, 0, 0};
  cube.friction = friction;
  return cube;
}

// The wall's surface is at x = 0.
BodyDef wallOf(double friction, BodyKind kind = BodyKind::Static) {
  BodyDef wall = boxAt({0.5, 0, 0}, {0.5, 50, 50}, kind);
  wall.friction = friction;
  return wall;
}

enum class Partner { Static, Kinematic, Heavy };

// Whether it sticks or slides, wherever it was at the start of the step, of which the solver knows the arms, and whichever of the
// two moves and is the first of the pair.
TEST(PhysicsCornerHit, DoesNotDependOnItsMomentInTheStep) {
  for (const Partner partner : {Partner::Static, Partner::Kinematic, Partner::Heavy})
    for (const double friction : {0.0, 0.3, 20.0}) {
      int tried = 0;
      Numbers numbers(8);
      for (int run = 0; run < 200; ++run) {
        const Quaternion orientation = numbers.rotation();
        const double speed = 200, dt = 1.0 / 960, share = numbers.between(0, 1);
        std::vector<Vector3d> corners = cornersOf(orientation.toRotationMatrix());
        std::sort(corners.begin(), corners.end(), [](const Vector3d& p, const Vector3d& q) { return p.x() > q.x(); });
        if (corners[0].x() - corners[1].x() < 0.07) continue;  // the next corner must not come in the same step
        World world(weightless());
        BodyDef cube = cubeAt(-1 - share * speed * dt, orientation, speed, friction);
        BodyDef wall = wallOf(friction, partner == Partner::Static ? BodyKind::Static : partner == Partner::Kinematic ? BodyKind::Kinematic : BodyKind::Dynamic);
        // Seen by one who flies along with the cube, the wall comes.
        const Vector3d seen = partner == Partner::Static ? Vector3d(0, 0, 0) : cube.linearVelocity;
        wall.linearVelocity = -seen;
        cube.linearVelocity -= seen;
        wall.density *= 1e3;  // 1e9 kg
        if (run % 2 == 0) world.addBody(wall);
        const BodyId id = world.addBody(cube);
        if (run % 2 != 0) world.addBody(wall);
        while (world.linearVelocity(id).x() + seen.x() > 0.99 * speed) world.step(dt);
        Velocity expected = {{speed, 0, 0}, {0, 0, 0}};
        hit(expected, {corners[0]}, friction, 200);
        const auto what = [&] { return ::testing::Message() << run << ", friction " << friction << ", partner " << static_cast<int>(partner); };
        EXPECT_LT((world.linearVelocity(id) + seen - expected.linear).norm(), 0.01 * speed) << what();
        EXPECT_LT((world.angularVelocity(id) - expected.angular).norm(), 0.02 * expected.angular.norm()) << what();
        ++tried;
      }
      EXPECT_GT(tried, 25);
    }
}

// A plank of 3 m that turns in place and meets a post with its side: in a step of 1/60 s it turns by up to 1.7 rad.
TEST(PhysicsCornerHit, DoesNotDependOnTheTurnBefore) {
  for (const double spin : {20.0, 50.0, 100.0})
    for (const double angle : {0.3, 0.45, 0.6, 0.8}) {
      Velocity found[2];
      for (const int fine : {0, 1}) {
        World world(weightless());
        world.addBody(boxAt({1.4, 0, 0}, {0.001, 0.001, 1}, BodyKind::Static));
        BodyDef plank = boxAt({0, 0, 0}, {1.5, 0.05, 0.05});
        plank.pose.orientation = Quaternion(std::cos(angle / 2), 0, 0, std::sin(angle / 2));
        plank.angularVelocity = {0, 0, -spin};
        const BodyId id = world.addBody(plank);
        while (world.linearVelocity(id).y() == 0) world.step(fine == 0 ? kDt : kDt / 64);
        found[fine] = {world.linearVelocity(id), world.angularVelocity(id)};
      }
      EXPECT_LT((found[0].linear - found[1].linear).norm(), 0.04 * found[1].linear.norm()) << spin << " rad/s, from " << angle;
      EXPECT_LT((found[0].angular - found[1].angular).norm(), 0.04 * found[1].angular.norm()) << spin << " rad/s, from " << angle;
    }
}

// A cube goes on turning and hits with other corners. The speed at which it comes back in the end, by steps in which it flies 0.1 mm
// at first.
double reboundByReference(const Quaternion& orientation, double speed, double friction) {
  const double h = 1e-4 / speed;
  Matrix3d rotation = orientation.toRotationMatrix();
  Velocity v = {{speed, 0, 0}, {0, 0, 0}};
  double reach = 0;
  for (const Vector3d& corner : cornersOf(rotation)) reach = std::max(reach, corner.x());
  double x = -reach;
  std::vector<Vector3d> touching;
  for (int i = 0; i < 50000 && !(v.linear.x() < 0 && x < -0.18); ++i) {
    const double angle = v.angular.norm() * h;
    if (angle > 0) rotation = Eigen::AngleAxisd(angle, v.angular.normalized()).toRotationMatrix() * rotation;
    x += h * v.linear.x();
    touching.clear();
    for (const Vector3d& corner : cornersOf(rotation))
      if (x + corner.x() > 0) touching.push_back(corner);
    if (!touching.empty()) hit(v, touching, friction, 100);
  }
  return -v.linear.x();
}

TEST(PhysicsCornerHit, ComesBackAsFastAsItShould) {
  constexpr std::size_t kRuns = 100;
  for (const double friction : {0.2, 0.5}) {
    std::vector<Quaternion> orientations;
    std::vector<double> expected;
    double mean = 0;
    Numbers numbers(3);
    for (std::size_t run = 0; run < kRuns; ++run) {
      orientations.push_back(numbers.rotation());
      expected.push_back(reboundByReference(orientations.back(), 1, friction));  // the same at any speed
      mean += expected.back() / kRuns;
    }
    for (const double speed : {5.0, 20.0, 200.0})
      for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 960}) {
        double found = 0, off = 0;
        for (std::size_t run = 0; run < kRuns; ++run) {
          World world(weightless());
          world.addBody(wallOf(friction));
          const BodyId id = world.addBody(cubeAt(-0.5 - numbers.between(0, 1) * speed * dt, orientations[run], speed, friction));
          for (int i = 0; i < 40 + 4 / (speed * dt); ++i) {
            world.step(dt);
            const double energy = world.linearVelocity(id).squaredNorm() + kInertia * world.angularVelocity(id).squaredNorm();
            ASSERT_LE(energy, (1 + 1e-6) * speed * speed) << run << ", step " << i;
          }
          const double back = -world.linearVelocity(id).x() / speed;
          found += back / kRuns;
          off += std::abs(back - expected[run]) / kRuns;
        }
        // In the coarsest steps a cube turns by whole radians; it is stopped by each corner that hits until the next step.
        const bool turnsFar = speed * dt > 0.5;
        EXPECT_NEAR(found, mean, turnsFar ? 0.035 : 0.02) << friction << ", " << speed << " m/s, dt " << dt;
        EXPECT_LT(off, turnsFar ? 0.05 : 0.032) << friction << ", " << speed << " m/s, dt " << dt;
      }
  }
}

}  // namespace
}  // namespace sunder::testing
