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

// Every lock, for a box that falls, slides, is hit and turned by a torque: finite, and no energy from nowhere. Bodies without locks gain
// up to 3 % of an impact's energy in a step, when they roll off an edge.
TEST(Locks, EveryLockIsFiniteAndGainsNoEnergy) {
  Numbers numbers(6);
  for (int locks = 1; locks < 64; ++locks)
    for (int sample = 0; sample < 4; ++sample) {
      WorldDef worldDef;
      worldDef.sleep = false;
      World world(worldDef);
      addFloor(world);
      BodyDef def = boxAt({0, 0, 0}, Vector3d(0.6, 0.6, 0.6) + numbers.vector(0.4));
      def.pose.orientation = numbers.rotation();
      def.pose.position.z() = def.halfExtents.norm() + numbers.between(0, 0.5);
      def.lockedAxes = static_cast<std::uint8_t>(locks);
      def.linearVelocity = numbers.vector(3);
      def.angularVelocity = numbers.vector(10);
      def.friction = numbers.between(0, 1);
      const BodyId id = world.addBody(def);
      BodyDef other = boxAt({-3, numbers.between(-0.3, 0.3), numbers.between(0.9, 1.2)});
      other.pose.orientation = numbers.rotation();
      other.linearVelocity = {6, 0, 0};
      if (sample % 2 == 1) other.lockedAxes = static_cast<std::uint8_t>(numbers.between(0, 64));
      const BodyId second = world.addBody(other);
      // What the two start with above the floor, at least: the energy that an impact may be about.
      const double scale = world.energy();
      double last = scale;
      for (int i = 0; i < 240; ++i) {
        const bool isTurned = i >= 100 && i < 110;
        if (isTurned) world.applyTorque(id, numbers.vector(200));
        ASSERT_EQ(world.step(kDt).errors, kStepOk) << "locks " << locks << " sample " << sample << " step " << i;
        if (!isTurned) {
          ASSERT_LT(world.energy() - last, 0.03 * scale) << "locks " << locks << " sample " << sample << " step " << i;
        }
        last = world.energy();
        for (const BodyId body : {id, second})
          for (int k = 0; k < 6; ++k) {
            const double v = k < 3 ? world.linearVelocity(body)[k] : world.angularVelocity(body)[k - 3];
            if ((world.definition(body).lockedAxes >> k & 1) != 0) {
              ASSERT_EQ(v, 0) << "locks " << locks << " sample " << sample << " step " << i;
            }
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

// The body's momentum I w along its free axes, kg m^2/s.
Vector3d freeMomentum(const World& world, BodyId id) {
  const Eigen::Matrix3d r = world.pose(id).orientation.toRotationMatrix();
  Vector3d momentum = r * world.inertia(id).asDiagonal() * r.transpose() * world.angularVelocity(id);
  for (int k = 0; k < 3; ++k)
    if ((world.definition(id).lockedAxes & (kLockAngularX << k)) != 0) momentum[k] = 0;
  return momentum;
}

// A box of random shape and attitude that turns with `speed` (rad/s) about an axis at a right angle to axis k, which is locked.
BodyDef spinningBox(Numbers& numbers, const Vector3d& position, double least, int k, double speed) {
  BodyDef def = boxAt(position);
  for (double& h : def.halfExtents) h = least * std::pow(1 / least, numbers.between(0, 1));
  def.pose.orientation = numbers.rotation();
  def.lockedAxes = static_cast<std::uint8_t>(kLockAngularX << k);
  Vector3d axis = numbers.vector(1) + 0.01 * Vector3d::Ones();
  axis[k] = 0;
  def.angularVelocity = speed * axis.normalized();
  return def;
}

// Free rotation with one axis locked: the torque of the lock is along that axis and does no work. So the momentum along the other two is
// constant, and the energy is, for boxes of up to 20 : 1 and however far they turn in a step.
TEST(Locks, OneLockedAxisKeepsEnergyAndMomentumAtAnySpeed) {
  Numbers numbers(1);
  for (const double speed : {1.0, 10.0, 100.0, 1000.0})
    for (int sample = 0; sample < 30; ++sample) {
      World world(weightless());
      const BodyDef def = spinningBox(numbers, {0, 0, 0}, 0.05, sample % 3, speed);
      const BodyId id = world.addBody(def);
      const double energy = world.energy();
      const Vector3d momentum = freeMomentum(world, id);
      for (int i = 0; i < 100; ++i) {
        world.step(kDt);
        ASSERT_NEAR(world.energy() / energy, 1, 1e-12) << speed << " rad/s, sample " << sample << " step " << i;
        ASSERT_LT((freeMomentum(world, id) - momentum).norm(), 5e-4 * momentum.norm()) << speed << " rad/s, sample " << sample << " step " << i;
        ASSERT_EQ(world.angularVelocity(id)[sample % 3], 0);
      }
    }
}

// ... and it turns the way that it turns in small steps.
TEST(Locks, OneLockedAxisTurnsAsInSmallSteps) {
  Numbers numbers(2);
  for (int sample = 0; sample < 20; ++sample) {
    const BodyDef def = spinningBox(numbers, {0, 0, 0}, 0.2, sample % 3, 5);
    Quaternion ends[2];
    for (int fine = 0; fine < 2; ++fine) {
      World world(weightless());
      const BodyId id = world.addBody(def);
      run(world, 1, fine == 1 ? kDt / 32 : kDt);
      ends[fine] = world.pose(id).orientation;
    }
    EXPECT_LT(ends[0].angularDistance(ends[1]), 5e-3) << "sample " << sample;
  }
}

// The same bodies fall on a floor. Speculative contacts, hits and sweeps turn them otherwise than they would by themselves.
TEST(Locks, OneLockedAxisGainsNoEnergyFromContacts) {
  Numbers numbers(3);
  for (const double speed : {10.0, 40.0, 60.0, 250.0, 1000.0})
    for (const double rate : {60.0, 240.0})
      for (int sample = 0; sample < 20; ++sample) {
        WorldDef worldDef;
        worldDef.sleep = false;
        World world(worldDef);
        addFloor(world);
        BodyDef def = spinningBox(numbers, {0, 0, 2}, 0.2, sample % 3, speed);
        def.friction = sample % 2 == 0 ? 0 : 0.5;
        world.addBody(def);
        const double energy = world.energy();
        for (int i = 0; i < static_cast<int>(2 * rate); ++i) {
          world.step(1 / rate);
          ASSERT_LT(world.energy() / energy, 1 + 1e-3) << speed << " rad/s, " << rate << " Hz, sample " << sample << " step " << i;
        }
      }
}

// Along the normal of a floor nothing can move of a body whose locks hold it there, but rounding leaves 1e-16 of its mobility, above or
// below 0, when the floor or the body is turned. Bodies of every lock start up to 1 cm deep; on some lies another one.
TEST(Locks, NothingIsThrownAlongALockedNormal) {
  Numbers numbers(4);
  const auto quarters = [&](const Vector3d& axis) {
    return Quaternion(Eigen::AngleAxisd(std::floor(numbers.between(0, 4)) * 1.5707963267948966, axis));
  };
  for (int locks = 1; locks < 64; ++locks)
    for (int sample = 0; sample < 10; ++sample) {
      World world;
      BodyDef floor = boxAt({0, 0, -10}, {10, 10, 10}, BodyKind::Static);
      floor.pose.orientation = quarters(Vector3d::Unit(sample % 3)) * quarters(Vector3d::UnitZ());
      world.addBody(floor);
      BodyDef def = boxAt({0, 0, 0}, Vector3d(0.6, 0.6, 0.6) + numbers.vector(0.4));
      def.pose.orientation = sample % 2 == 0 ? Quaternion(Eigen::AngleAxisd(numbers.between(0, 6), Vector3d::UnitZ()))
                                             : numbers.rotation();
      const double height = def.pose.orientation.toRotationMatrix().row(2).cwiseAbs().dot(def.halfExtents);
      def.pose.position.z() = height - numbers.between(0, 0.01);
      def.lockedAxes = static_cast<std::uint8_t>(locks);
      def.linearVelocity = numbers.vector(1);
      def.angularVelocity = numbers.vector(1);
      const BodyId id = world.addBody(def);
      BodyDef upper = boxAt({0, 0, 2 * height + 0.19}, {0.3, 0.3, 0.2});
      upper.lockedAxes = static_cast<std::uint8_t>(numbers.between(0, 64));
      const bool hasUpper = sample >= 5;
      if (hasUpper) world.addBody(upper);
      for (int i = 0; i < 60; ++i) {
        ASSERT_EQ(world.step(kDt).errors, kStepOk) << "locks " << locks << " sample " << sample << " step " << i;
        // Between two others a body may be where none of its locks lets it out, and is pressed without end.
        if (!hasUpper) {
          ASSERT_LT(world.linearVelocity(id).norm() + world.angularVelocity(id).norm(), 10) << "locks " << locks << " sample " << sample << " step " << i;
        }
      }
    }
}

// A body on a rail has friction along it: v' = -mu g v / sqrt(v^2 + u^2), where u is the speed with which a belt runs under it across the
// rail. The contact's frame is turned against the rail by any angle.
TEST(Locks, ABodyOnARailHasTheFrictionOfItsRail) {
  Numbers numbers(5);
  for (int sample = 0; sample < 30; ++sample) {
    World world;
    const double friction = numbers.between(0.2, 1), start = numbers.between(2, 6), across = sample % 3 == 0 ? numbers.between(-4, 4) : 0;
    BodyDef floor = boxAt({0, 0, -0.5}, {50, 50, 0.5}, across != 0 ? BodyKind::Kinematic : BodyKind::Static);
    floor.friction = friction;
    floor.linearVelocity = {0, across, 0};
    floor.pose.orientation = Quaternion(Eigen::AngleAxisd(numbers.between(0, 6), Vector3d::UnitZ()));
    world.addBody(floor);
    BodyDef def = boxAt({0, 0, 0.5});
    def.friction = friction;
    def.lockedAxes = kLockLinearY | kLockRotation;
    def.linearVelocity = {start, 0, 0};
    def.pose.orientation = Quaternion(Eigen::AngleAxisd(numbers.between(0, 6), Vector3d::UnitZ()));
    const BodyId id = world.addBody(def);
    double v = start;
    for (int i = 0; i < 60; ++i) {
      world.step(kDt);
      for (int k = 0; k < 1000; ++k) v = std::max(0.0, v - 1e-3 * kDt * friction * 9.81 * v / std::hypot(v, across, 1e-9));
      ASSERT_NEAR(world.linearVelocity(id).x(), v, 5e-3 * start) << "sample " << sample << " step " << i;
    }
  }
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
