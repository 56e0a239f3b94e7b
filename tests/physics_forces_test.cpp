// SPDX-License-Identifier: MIT
#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;

// One body of 1 kg (a cube of 1 m) in free space.
struct Free {
  World world{weightless()};
  BodyId id;
  explicit Free(BodyDef def = boxAt({0, 0, 0})) {
    def.mass = 1;
    id = world.addBody(def);
  }
};

TEST(Forces, AddUpUntilTheStepAndAreGoneAfterIt) {
  Free f;
  f.world.applyForce(f.id, {1, 0, 0});
  f.world.applyForce(f.id, {2, -1, 0});
  f.world.step(0.5);
  EXPECT_EQ(f.world.linearVelocity(f.id), Vector3d(1.5, -0.5, 0));
  EXPECT_EQ(f.world.pose(f.id).position, Vector3d(0.375, -0.125, 0));  // a t^2 / 2
  f.world.step(0.5);
  EXPECT_EQ(f.world.linearVelocity(f.id), Vector3d(1.5, -0.5, 0));
}

TEST(Forces, ImpulsesActAtOnce) {
  Free f;
  f.world.applyImpulse(f.id, {0, 2, 0});
  EXPECT_EQ(f.world.linearVelocity(f.id), Vector3d(0, 2, 0));
  f.world.applyAngularImpulse(f.id, {0, 0, 1});
  EXPECT_NEAR(f.world.angularVelocity(f.id).z(), 6, 1e-12);  // I = m s^2 / 6
}

TEST(Forces, AtAPointTurn) {
  Free f;
  f.world.applyImpulseAt(f.id, {0, 1, 0}, {0.5, 0, 0});  // torque (0, 0, 0.5)
  EXPECT_NEAR(f.world.linearVelocity(f.id).y(), 1, 1e-12);
  EXPECT_NEAR(f.world.angularVelocity(f.id).z(), 3, 1e-12);
  Free g;
  g.world.applyForceAt(g.id, {0, 1, 0}, {0.5, 0, 0});
  g.world.step(0.1);
  EXPECT_NEAR(g.world.linearVelocity(g.id).y(), 0.1, 1e-12);
  EXPECT_NEAR(g.world.angularVelocity(g.id).z(), 0.3, 1e-12);
  Free h;
  h.world.applyTorque(h.id, {0, 0, 0.5});
  h.world.step(0.1);
  EXPECT_EQ(h.world.angularVelocity(h.id).z(), g.world.angularVelocity(g.id).z());
  EXPECT_EQ(h.world.linearVelocity(h.id), Vector3d(0, 0, 0));
}

// An impulse on a turned body: w = I^-1 L with I in world axes.
TEST(Forces, UseTheInertiaInWorldAxes) {
  BodyDef def = boxAt({3, 2, 1}, {0.1, 0.4, 1.0});
  def.pose.orientation = Quaternion(0.8, 0.2, -0.4, 0.4).normalized();
  Free f(def);
  const Vector3d impulse(0.3, -0.2, 0.7);
  f.world.applyAngularImpulse(f.id, impulse);
  const Eigen::Matrix3d r = def.pose.orientation.toRotationMatrix();
  const Vector3d expected = r * (r.transpose() * impulse).cwiseQuotient(f.world.inertia(f.id));
  EXPECT_LT((f.world.angularVelocity(f.id) - expected).norm(), 1e-12);
}

// A force on a body with contacts goes through the solver: pushed below the cone it stays, above it slides with
// a = F / m - mu g.
TEST(Forces, ActOnBodiesInContact) {
  World world;
  addFloor(world);
  const BodyId id = world.addBody(boxAt({0, 0, 0.5}));
  const double weight = world.mass(id) * 9.81;
  run(world, 0.5);
  for (int i = 0; i < 60; ++i) {
    world.applyForce(id, {0.45 * weight, 0, 0});
    world.step(kDt);
  }
  EXPECT_LT(std::abs(world.pose(id).position.x()), 1e-3);
  for (int i = 0; i < 60; ++i) {
    world.applyForceAt(id, {0.6 * weight, 0, 0}, world.pose(id).position - Vector3d(0, 0, 0.5));  // low: it must not tip
    world.step(kDt);
  }
  EXPECT_NEAR(world.linearVelocity(id).x(), 0.1 * 9.81, 0.01);
}

TEST(Forces, DampingAndGravityScale) {
  BodyDef def = boxAt({0, 0, 0});
  def.linearVelocity = {1, 0, 0};
  def.angularVelocity = {0, 0, 1};
  def.linearDamping = 2;
  def.angularDamping = 3;
  Free f(def);
  run(f.world, 1, 0.01);
  EXPECT_NEAR(f.world.linearVelocity(f.id).x(), std::exp(-2), 1e-13);
  EXPECT_NEAR(f.world.angularVelocity(f.id).z(), std::exp(-3), 1e-13);

  World world;
  BodyDef light = boxAt({0, 0, 0});
  light.gravityScale = -0.5;
  const BodyId balloon = world.addBody(light);
  run(world, 1);
  EXPECT_NEAR(world.linearVelocity(balloon).z(), 0.5 * 9.81, 1e-9);
  world.setGravityScale(balloon, 0);
  run(world, 1);
  EXPECT_NEAR(world.linearVelocity(balloon).z(), 0.5 * 9.81, 1e-9);
}

// v' = g - c v: the same at any time step, in the air and on a floor without friction.
TEST(Forces, DampingIsThatOfTheEquation) {
  for (const double c : {1e-9, 0.01, 2.0, 10.0, 300.0, 1e12})
    for (const double dt : {1.0 / 30, 1.0 / 60, 1.0 / 240}) {
      World world(awakeWorld());
      BodyDef def = boxAt({0, 0, 100});
      def.linearVelocity = {3, 0, 5};
      def.linearDamping = def.angularDamping = c;
      def.angularVelocity = {0, 0, 2};
      const BodyId free = world.addBody(def);
      BodyDef floor = boxAt({0, 0, -0.5}, {50, 50, 0.5}, BodyKind::Static);
      floor.friction = 0;
      world.addBody(floor);
      def.pose.position = {0, 0, 0.5};
      def.linearVelocity = {3, 0, 0};
      def.angularVelocity.setZero();
      const BodyId slider = world.addBody(def);
      run(world, 1, dt);
      const double keep = std::exp(-c), gain = -std::expm1(-c) / c, fall = c < 1e-6 ? 0.5 : (1 - gain) / c;
      EXPECT_NEAR(world.linearVelocity(free).x(), 3 * keep, 1e-12) << c << ", " << dt;
      EXPECT_NEAR(world.linearVelocity(free).z(), 5 * keep - 9.81 * gain, 1e-9) << c << ", " << dt;
      EXPECT_NEAR(world.pose(free).position.x(), 3 * gain, 1e-12) << c << ", " << dt;
      EXPECT_NEAR(world.pose(free).position.z(), 100 + 5 * gain - 9.81 * fall, 1e-8) << c << ", " << dt;
      EXPECT_NEAR(world.angularVelocity(free).z(), 2 * keep, 1e-12) << c << ", " << dt;
      EXPECT_NEAR(world.linearVelocity(slider).x(), 3 * keep, 2e-4) << c << ", " << dt;
    }
}

// ... also with a torque: w' = a - c w.
TEST(Forces, DampingOfATurnThatIsDriven) {
  WorldDef settings;
  settings.gravity.setZero();
  for (const double c : {0.1, 2.0, 20.0})
    for (const double rate : {30.0, 240.0}) {
      World world(settings);
      BodyDef def = boxAt({0, 0, 0});
      def.angularDamping = c;
      def.allowSleep = false;
      const BodyId id = world.addBody(def);
      for (int i = 0; i < rate; ++i) {
        world.applyTorque(id, Vector3d(0, 0, 2) * world.mass(id) / 6);  // 2 rad/s^2
        world.step(1 / rate);
      }
      const double expected = 2 / c * (1 - std::exp(-c));
      EXPECT_NEAR(world.angularVelocity(id).z(), expected, 1e-9 * expected) << "damping " << c << ", rate " << rate;
    }
}

// At rest there is nothing to damp.
TEST(Forces, ADampedBodyReportsItsWeight) {
  for (const double c : {0.5, 20.0, 1000.0}) {
    WorldDef settings;
    settings.sleep = false;
    World world(settings);
    addFloor(world);
    BodyDef def = boxAt({0, 0, 0.5});
    def.linearDamping = def.angularDamping = c;
    const BodyId lower = world.addBody(def);
    def.pose.position.z() = 1.5;
    const BodyId upper = world.addBody(def);
    run(world, 5);
    const double weight = 9.81 * world.mass(upper) * kDt;
    EXPECT_NEAR(world.contactImpulse(upper).z(), weight, 1e-3 * weight) << "damping " << c;
    EXPECT_NEAR(world.contactImpulse(lower).z(), weight, 1e-3 * weight) << "damping " << c;  // 58 % less with 1000 before
  }
}

TEST(Forces, RefuseWhatIsNotFiniteAndBodiesThatAreNotDynamic) {
  Free f;
  const BodyId wall = f.world.addBody(boxAt({9, 0, 0}, {1, 1, 1}, BodyKind::Static));
  const auto hash = f.world.stateHash();
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    const Vector3d v(0, bad, 0), one(1, 0, 0);
    EXPECT_THROW(f.world.applyForce(f.id, v), std::invalid_argument);
    EXPECT_THROW(f.world.applyForceAt(f.id, v, one), std::invalid_argument);
    EXPECT_THROW(f.world.applyForceAt(f.id, one, v), std::invalid_argument);
    EXPECT_THROW(f.world.applyTorque(f.id, v), std::invalid_argument);
    EXPECT_THROW(f.world.applyImpulse(f.id, v), std::invalid_argument);
    EXPECT_THROW(f.world.applyImpulseAt(f.id, one, v), std::invalid_argument);
    EXPECT_THROW(f.world.applyAngularImpulse(f.id, v), std::invalid_argument);
  }
  EXPECT_THROW(f.world.applyForce(wall, {1, 0, 0}), std::invalid_argument);
  EXPECT_THROW(f.world.applyImpulse(wall, {1, 0, 0}), std::invalid_argument);
  f.world.applyForce(f.id, {1.5e308, 0, 0});
  EXPECT_THROW(f.world.applyForce(f.id, {1.5e308, 0, 0}), std::invalid_argument);  // their sum
  EXPECT_EQ(f.world.stateHash(), hash);
}

}  // namespace
}  // namespace sunder
