// SPDX-License-Identifier: MIT
#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;

// Every lock, for a body that is hit, pushed, tumbled over and leaned on: what is locked never moves, to the bit.
TEST(Locks, LockedComponentsNeverMoveUnderContacts) {
  for (int locks = 1; locks < 64; ++locks) {
    World world;
    addFloor(world);
    BodyDef def = boxAt({0.1, 0.2, 0.6}, {0.4, 0.5, 0.6});
    def.pose.orientation = Quaternion(0.99, 0.05, -0.04, 0.1).normalized();
    def.lockedAxes = static_cast<std::uint8_t>(locks);
    def.linearVelocity = {1, 2, -3};
    def.angularVelocity = {3, -2, 1};
    def.restitution = 0.4;
    const BodyId id = world.addBody(def);
    // The two that fall on it and push it from the side.
    BodyDef other = boxAt({0.3, 0.1, 2.2});
    world.addBody(other);
    other.pose.position = {-2, 0.4, 0.7};
    other.linearVelocity = {6, 0, 0};
    world.addBody(other);
    const Vector3d start = world.pose(id).position;
    for (int step = 0; step < 120; ++step) {
      world.step(kDt);
      for (int k = 0; k < 3; ++k) {
        if ((locks & (kLockLinearX << k)) != 0) {
          ASSERT_EQ(world.linearVelocity(id)[k], 0) << "locks " << locks << " step " << step;
          ASSERT_EQ(world.pose(id).position[k], start[k]) << "locks " << locks << " step " << step;
        }
        if ((locks & (kLockAngularX << k)) != 0) {
          ASSERT_EQ(world.angularVelocity(id)[k], 0) << "locks " << locks << " step " << step;
        }
      }
      if ((locks & kLockRotation) == kLockRotation) {
        ASSERT_EQ(world.pose(id).orientation.coeffs(), def.pose.orientation.coeffs().normalized());
      }
    }
  }
}

// A light body held in the air by its locks is a table: a heavy one stands on it as on something static.
TEST(Locks, ALightLockedBodyCarriesAHeavyOne) {
  World world;
  BodyDef table = boxAt({0, 0, 0}, {1, 1, 0.1});
  table.mass = 1;
  table.lockedAxes = kLockLinearZ | kLockRotation;
  table.friction = 1;
  const BodyId id = world.addBody(table);
  BodyDef load = boxAt({0, 0, 0.6});
  load.mass = 1e5;
  const BodyId heavy = world.addBody(load);
  for (int i = 0; i < 120; ++i) {
    world.step(kDt);
    ASSERT_EQ(world.pose(id).position.z(), 0);
    ASSERT_NEAR(world.pose(heavy).position.z(), 0.6, 1e-3) << "step " << i;
  }
}

// A body on a rail along x that lies askew to the contact: the push of a wedge must go along the rail only. A heavy box
// with velocity v along the wedge's normal meets it; momentum along x is shared, z is taken by the lock.
TEST(Locks, AnObliqueHitMovesALockedBodyAlongItsFreeAxisOnly) {
  World world(weightless());
  BodyDef slider = boxAt({0, 0, 0});
  slider.mass = 1;
  slider.lockedAxes = kLockLinearY | kLockLinearZ | kLockRotation;
  slider.friction = 0;
  slider.pose.orientation = Quaternion(std::cos(0.4), 0, std::sin(0.4), 0);
  const BodyId id = world.addBody(slider);
  BodyDef hammer = slider;
  hammer.lockedAxes = kLockRotation;
  const Vector3d normal = slider.pose.orientation * Vector3d(1, 0, 0);  // the face that is hit looks along -normal
  hammer.pose.position = -1.05 * normal;
  hammer.linearVelocity = 2 * normal;
  const BodyId other = world.addBody(hammer);
  run(world, 0.5);
  // One impulse p along n, restitution 0: the velocities along n are equal after it. p n^2 (1 + nx^2) = 2.
  const double p = 2 / (1 + normal.x() * normal.x());
  EXPECT_NEAR(world.linearVelocity(id).x(), p * normal.x(), 1e-3);
  EXPECT_NEAR((world.linearVelocity(other) - (2 - p) * normal).norm(), 0, 1e-3);
}

// Free rotation with one axis locked: the momentum in the plane of the other two is constant, so is the energy.
TEST(Locks, OneLockedAxisKeepsEnergy) {
  World world(weightless());
  BodyDef def = boxAt({0, 0, 0}, {0.2, 0.5, 1});
  def.pose.orientation = Quaternion(0.8, 0.2, -0.4, 0.4).normalized();
  def.angularVelocity = {0, 2, 1};
  def.lockedAxes = kLockAngularX;
  const BodyId id = world.addBody(def);
  const double start = world.energy();
  double worst = 0;
  for (int i = 0; i < 600; ++i) {
    world.step(kDt);
    worst = std::max(worst, std::abs(world.energy() / start - 1));
    ASSERT_EQ(world.angularVelocity(id).x(), 0);
  }
  EXPECT_LT(worst, 0.01);
}

// The inertia about a free axis is that of the whole body about it, not what is left of the inverse tensor: 1 / I_zz.
TEST(Locks, InertiaAboutTheFreeAxisIsWhole) {
  World world(weightless());
  BodyDef def = boxAt({0, 0, 0}, {0.2, 0.5, 1});
  def.pose.orientation = Quaternion(0.8, 0.2, -0.4, 0.4).normalized();
  def.lockedAxes = kLockAngularX | kLockAngularY;
  const BodyId id = world.addBody(def);
  const Eigen::Matrix3d r = def.pose.orientation.toRotationMatrix();
  const Eigen::Matrix3d inertia = r * world.inertia(id).asDiagonal() * r.transpose();
  world.applyAngularImpulse(id, {5, 7, 1});
  EXPECT_NEAR(world.angularVelocity(id).z(), 1 / inertia(2, 2), 1e-12);
}

TEST(Locks, SettersKeepThem) {
  World world(weightless());
  const BodyId id = world.addBody(boxAt({0, 0, 0}));
  world.setLinearVelocity(id, {1, 2, 3});
  world.setLockedAxes(id, kLockLinearY | kLockAngularZ);
  EXPECT_EQ(world.linearVelocity(id), Vector3d(1, 0, 3));
  world.setLinearVelocity(id, {4, 5, 6});
  world.setAngularVelocity(id, {4, 5, 6});
  world.applyImpulseAt(id, {1, 1, 1}, {1, 0, 0});
  EXPECT_EQ(world.linearVelocity(id).y(), 0);
  EXPECT_EQ(world.angularVelocity(id).z(), 0);
  EXPECT_THROW(world.setLockedAxes(id, 64), std::invalid_argument);
  EXPECT_EQ(world.definition(id).lockedAxes, kLockLinearY | kLockAngularZ);
}

}  // namespace
}  // namespace sunder
