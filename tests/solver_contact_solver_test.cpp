// SPDX-License-Identifier: MIT
// Single contacts and small groups of them against closed forms. The tests of World (physics_*_test.cpp) judge whole
// scenes; here it is one solve, and the expected numbers come from the laws of impact and friction, in double.
#include <gtest/gtest.h>

#include <cmath>

#include "solver_scene.h"

namespace sunder {
namespace {

using testing::Matrix3d;
using testing::BodyInput;
using testing::TestRandom;
using testing::SolverScene;
using testing::Vector3d;

const Vector3d kUp(0, 0, 1);

// The solver works in float: a few roundings per substep, of velocities of some metres per second.
constexpr double kRounding = 2e-5;
// m/s: the loads of four points start alike and settle over some steps; until then they leave this of velocity.
constexpr double kSettling = 1e-3;

void expectNear(const Vector3d& found, const Vector3d& expected, double tolerance, const char* what) {
  EXPECT_LE((found - expected).norm(), tolerance) << what << ": " << found.transpose() << ", expected " << expected.transpose();
}

// Without restitution both go on together, with it they part at its share of the speed.
TEST(ContactSolver, HeadOnHit) {
  TestRandom random(1);
  for (const double e : {0.0, 0.3, 1.0})
    for (const int substeps : {1, 2, 8})
      for (int i = 0; i < 20; ++i) {
        SolverScene scene;
        scene.settings.substeps = substeps;
        const Vector3d n = random.direction();
        const double m1 = random.number(0.1, 10), m2 = random.number(0.1, 10), v1 = random.number(1, 4), v2 = random.number(-4, 0);
        scene.bodies = {{.mass = m1, .position = -n, .velocity = v1 * n}, {.mass = m2, .position = n, .velocity = v2 * n}};
        scene.touch(0, 1, n, {Vector3d::Zero()}, 0.5, e);
        scene.solve();
        const double common = (m1 * v1 + m2 * v2) / (m1 + m2), parting = e * (v1 - v2);
        expectNear(scene.bodies[0].velocity, (common - m2 / (m1 + m2) * parting) * n, kRounding, "first");
        expectNear(scene.bodies[1].velocity, (common + m1 / (m1 + m2) * parting) * n, kRounding, "second");
        EXPECT_LE(scene.bodies[0].angularVelocity.norm() + scene.bodies[1].angularVelocity.norm(), kRounding);
      }
}

// A free body hits the ground anywhere on its surface: j = -(1 + e) v_n / (1/m + (r x n) . I^-1 (r x n)). The ground may be
// either of the two bodies of the contact.
TEST(ContactSolver, HitBesideTheCentreOfMass) {
  TestRandom random(2);
  for (const bool groundIsA : {true, false})
    for (const double e : {0.0, 0.5, 1.0})
      for (int i = 0; i < 50; ++i) {
        const double mass = random.number(0.5, 5);
        const Vector3d n = random.direction(), r = random.vector(0.7), v = random.vector(3), w = random.vector(3);
        BodyInput body = {.mass = mass, .inertia = random.inertia(mass), .position = random.vector(2), .velocity = v, .angularVelocity = w};
        const double closing = n.dot(v + w.cross(r));
        if (closing > -0.6) continue;  // slower hits do not bounce (0.5 m/s) or are no hits (0.25 m/s)
        const Matrix3d inverse = body.inertia.inverse();
        const double impulse = -(1 + e) * closing / (1 / mass + r.cross(n).dot(inverse * r.cross(n)));
        SolverScene scene;
        scene.settings.substeps = 1 + i % 8;
        scene.bodies = {testing::immovable(), body};
        if (groundIsA)
          scene.touch(0, 1, n, {body.position + r}, 0, e);
        else
          scene.touch(1, 0, -n, {body.position + r}, 0, e);
        scene.solve();
        expectNear(scene.bodies[1].velocity, v + impulse / mass * n, kRounding * 5, "velocity");
        expectNear(scene.bodies[1].angularVelocity, w + inverse * r.cross(impulse * n), kRounding * 10, "angular velocity");
      }
}

// A mass without extent lands: friction takes what it can of the tangential velocity, at most mu times the normal impulse,
// against the direction of sliding.
TEST(ContactSolver, FrictionOfAHitStaysOnTheConeOfCoulomb) {
  TestRandom random(3);
  int stuck = 0, slid = 0;
  for (int i = 0; i < 200; ++i) {
    const double mass = random.number(0.5, 5), friction = random.number(0, 1.5), e = 0.5 * random.below(3);
    const Vector3d n = random.direction(), tangent = n.cross(random.direction()).normalized();
    const double down = random.number(0.7, 3), along = random.number(0, 4);
    SolverScene scene;
    scene.settings.substeps = 1 + i % 8;
    scene.bodies = {testing::immovable(), {.mass = mass, .inertia = Matrix3d::Zero(), .position = n, .velocity = along * tangent - down * n}};
    scene.touch(0, 1, n, {Vector3d::Zero()}, friction, e);
    scene.solve();
    const double left = std::max(0.0, along - friction * (1 + e) * down);
    (left > 0 ? slid : stuck) += 1;
    expectNear(scene.bodies[1].velocity, left * tangent + e * down * n, kRounding, "velocity");
  }
  EXPECT_GT(stuck, 30);
  EXPECT_GT(slid, 30);
}

// A solid ball that lands sliding: it rolls off with 5/7 of its speed, or, where friction is too small for that, keeps
// sliding with what mu v_n takes from it.
TEST(ContactSolver, ABallThatLandsSlidingRolls) {
  for (const double friction : {0.05, 0.1, 0.2, 0.4, 1.0}) {
    const double mass = 2, radius = 0.3, speed = 2, down = 1.5;
    SolverScene scene;
    scene.bodies = {testing::immovable(),
                    {.mass = mass, .inertia = 0.4 * mass * radius * radius * Matrix3d::Identity(), .position = {0, 0, radius}, .velocity = {speed, 0, -down}}};
    scene.touch(0, 1, kUp, {Vector3d::Zero()}, friction);
    scene.solve();
    const double lost = std::min(2.0 / 7 * speed, friction * down);
    expectNear(scene.bodies[1].velocity, {speed - lost, 0, 0}, kRounding, "velocity");
    expectNear(scene.bodies[1].angularVelocity, {0, 2.5 * lost / radius, 0}, kRounding * 10, "angular velocity");
  }
}

std::vector<Vector3d> squareAt(const Vector3d& centre, double half) {
  return {centre + Vector3d(half, half, 0), centre + Vector3d(-half, half, 0), centre + Vector3d(-half, -half, 0), centre + Vector3d(half, -half, 0)};
}

// A plate that lies on the ground, pushed down by its weight.
SolverScene plateOnGround(double friction) {
  SolverScene scene;
  scene.gravity = {0, 0, -9.81};
  const double mass = 3, half = 0.5;
  const Matrix3d inertia = (mass * half * half / 3 * Vector3d(1, 1, 2)).asDiagonal();
  scene.bodies = {testing::immovable(), {.mass = mass, .inertia = inertia}};
  scene.touch(0, 1, kUp, squareAt(Vector3d::Zero(), half), friction);
  return scene;
}

TEST(ContactSolver, SlidingLosesMuGPerSecondInEveryDirection) {
  for (int i = 0; i < 16; ++i) {
    SolverScene scene = plateOnGround(0.4);
    const Vector3d direction(std::cos(0.4 * i), std::sin(0.4 * i), 0);
    scene.bodies[1].velocity = 2 * direction;
    for (int step = 1; step <= 20; ++step) {
      scene.solve();
      expectNear(scene.bodies[1].velocity, (2 - 0.4 * 9.81 * step / 60) * direction, kSettling, "velocity");
      const Contact& contact = scene.contacts[0];
      double load = 0;
      for (const Contact::Point& point : contact.points) load += static_cast<double>(point.totalImpulse);
      EXPECT_NEAR(load, 3 * 9.81 / 60, 3 * kSettling);
      const Vector3d force = Eigen::Map<const Eigen::Vector3f>(contact.totalFrictionImpulse).cast<double>();
      expectNear(force, -0.4 * load * direction, 1e-4, "friction impulse");
    }
  }
}

// Turning on the spot: each corner drags with mu times its load, at its distance from the centre.
TEST(ContactSolver, TwistIsLimitedByTheLeversOfTheLoads) {
  SolverScene scene = plateOnGround(0.3);
  scene.bodies[1].angularVelocity = {0, 0, 4};
  const double moment = scene.bodies[1].inertia(2, 2), lever = 0.5 * std::sqrt(2.0);
  for (int step = 1; step <= 10; ++step) {
    scene.solve();
    const double expected = 4 - 0.3 * lever * 3 * 9.81 / moment * step / 60;
    EXPECT_NEAR(scene.bodies[1].angularVelocity.z(), expected, kSettling);
    EXPECT_NEAR(scene.bodies[1].velocity.norm(), 0, kSettling);
  }
}

// A conveyor: the surface of A moves, so what lies on it is dragged along, no faster than friction allows.
TEST(ContactSolver, SurfaceVelocityIsReachedAndNotPassed) {
  SolverScene scene = plateOnGround(0.5);
  scene.contacts[0].surfaceVelocity[0] = 0.2f;
  scene.solve();
  expectNear(scene.bodies[1].velocity, {0.5 * 9.81 / 60, 0, 0}, kSettling, "after one step");
  for (int step = 0; step < 10; ++step) scene.solve();
  expectNear(scene.bodies[1].velocity, {0.2, 0, 0}, kSettling, "after eleven");
}

// Action is reaction, whatever the masses, gaps, frictions and the order of the contacts. The contact points of a pair that
// touches are the same for both bodies, so the angular momentum stays, too.
TEST(ContactSolver, ConservesMomentum) {
  TestRandom random(4);
  for (int i = 0; i < 40; ++i) {
    SolverScene scene;
    const int count = 2 + i % 20;
    double scale = 0;
    for (int b = 0; b < count; ++b) {
      const double mass = random.number(0.2, 5);
      scene.bodies.push_back({.mass = mass, .inertia = random.inertia(mass), .position = random.vector(2), .velocity = random.vector(3), .angularVelocity = random.vector(3)});
      scale += mass * 3;
    }
    for (int c = 0; c < 3 * count; ++c) {
      const int a = random.below(count), b = random.below(count);
      if (a == b) continue;
      const Vector3d middle = 0.5 * (scene.bodies[a].position + scene.bodies[b].position);
      const double gap = i % 2 == 0 ? random.number(-0.01, 0) : random.number(-0.01, 0.02);
      const Vector3d normal = random.direction();
      const std::vector<Vector3d> points = {middle + random.vector(0.3), middle + random.vector(0.3)};
      const double friction = random.number(0, 1), restitution = random.number(0, 1);
      scene.touch(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), normal, points, friction, restitution, gap);
    }
    const Vector3d momentum = scene.momentum(), angular = scene.angularMomentum();
    const double energy = scene.kineticEnergy();
    scene.solve();
    EXPECT_NE(scene.kineticEnergy(), energy);  // something has happened
    expectNear(scene.momentum(), momentum, 1e-5 * scale, "momentum");
    if (i % 2 == 0) expectNear(scene.angularMomentum(), angular, 3e-5 * scale, "angular momentum");
  }
}

// A pile of cubes, each contact started with the load that statics says it carries (shared by its four points).
SolverScene pileWithLoads(int count, const ContactSolverSettings& settings, double foundWith) {
  SolverScene scene;
  scene.settings = settings;
  scene.gravity = {0, 0, -9.81};
  scene.bodies = {testing::immovable()};
  for (int i = 0; i < count; ++i) {
    const double mass = 1 + 0.5 * i;
    scene.bodies.push_back({.mass = mass, .inertia = mass / 6 * Matrix3d::Identity(), .position = {0, 0, 0.5 + i}});
  }
  double above = 0;
  for (int i = count; i > 0; --i) {
    above += scene.bodies[static_cast<std::size_t>(i)].mass;
    Contact& contact = scene.touch(static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(i), kUp, squareAt({0, 0, i - 1.0}, 0.5), 0.5);
    contact.substep = static_cast<float>(foundWith);
    contact.reference = static_cast<float>(above * 9.81 * foundWith);  // long settled
    for (Contact::Point& point : contact.points) point.impulse = static_cast<float>(above * 9.81 * foundWith / 4);
  }
  return scene;
}

double fastest(const SolverScene& scene) {
  double speed = 0;
  for (const BodyInput& body : scene.bodies) speed = std::max({speed, body.velocity.norm(), body.angularVelocity.norm()});
  return speed;
}

// Started with the right loads the pile stands, and finds the same loads again; whatever substep they were found with.
TEST(ContactSolver, WarmStartReproducesTheLoads) {
  for (const int count : {1, 10})
    for (const int substeps : {1, 4, 8})
      for (const double foundWith : {1.0 / 480, 1.0 / 60, 1.0 / 3000}) {
        SolverScene scene = pileWithLoads(count, {substeps, 1.0 / 60}, foundWith);
        scene.solve();
        EXPECT_LT(fastest(scene), kRounding) << count << " bodies, " << substeps << " substeps";
        double above = 0;
        for (int i = 0; i < count; ++i) {
          above += scene.bodies[static_cast<std::size_t>(count - i)].mass;
          const Contact& contact = scene.contacts[static_cast<std::size_t>(i)];
          EXPECT_FLOAT_EQ(contact.substep, static_cast<float>(1.0 / 60 / substeps));
          for (const Contact::Point& point : contact.points) {
            EXPECT_NEAR(static_cast<double>(point.impulse), above * 9.81 / 60 / substeps / 4, 1e-5 * above);
            EXPECT_NEAR(static_cast<double>(point.totalImpulse), above * 9.81 / 60 / 4, 1e-5 * above);
          }
        }
      }
  // Without them it does not: the test above sees a warm start.
  SolverScene cold = pileWithLoads(10, {8, 1.0 / 60}, 1);
  for (Contact& contact : cold.contacts) contact.substep = 0;
  cold.solve();
  EXPECT_GT(fastest(cold), 1e-3);
}

// Nothing may move what has no mass: number 0, a kinematic body, and a body that the contact must not move (dominance).
TEST(ContactSolver, LeavesAloneWhatItMustNotMove) {
  TestRandom random(5);
  SolverScene scene;
  scene.gravity = {0, 0, -9.81};
  const Vector3d drive(0.5, 0.25, 0.125), turn(0, 0, 0.5);
  scene.bodies = {testing::immovable({0, 0, -1}),
                  {.mass = 0, .inertia = Matrix3d::Zero(), .position = {0, 0, 1}, .velocity = drive, .angularVelocity = turn},
                  {.mass = 2, .position = {0, 0, 2}, .velocity = {1, 0, -3}},
                  {.mass = 2, .position = {0, 0, 3}, .velocity = {0, 0, -2}}};
  scene.touch(0, 2, kUp, {{0.2, 0, 0}, {-0.2, 0.1, 0}}, 0.5, 0.5);
  scene.touch(2, 1, Vector3d(0, 0, -1), {{0.2, 0, 1.5}, {-0.2, 0.1, 1.5}}, 0.5);
  scene.touch(2, 3, kUp, {{0.1, 0, 2.5}, {-0.1, 0.1, 2.5}}, 0.5).fixedA = true;
  scene.solve();
  const SolverBody& ground = scene.solver.bodies[0];
  for (int k = 0; k < 8; ++k) {
    EXPECT_EQ(ground.velocity[k], 0);
    EXPECT_EQ(ground.displacement[k], 0);
  }
  EXPECT_EQ(scene.bodies[1].velocity, drive);
  EXPECT_EQ(scene.bodies[1].angularVelocity, turn);
  EXPECT_NE(scene.bodies[2].velocity, Vector3d(1, 0, -3));

  // The dominated body takes all of the hit, the other one none of it.
  SolverScene pair;
  pair.bodies = {{.mass = 1, .velocity = {0, 0, 2}}, {.mass = 5, .position = {0, 0, 1}, .velocity = {0, 0, -1}}};
  pair.touch(0, 1, kUp, {{0, 0, 0.5}}).fixedA = true;
  pair.solve();
  EXPECT_EQ(pair.bodies[0].velocity, Vector3d(0, 0, 2));
  expectNear(pair.bodies[1].velocity, {0, 0, 2}, kRounding, "dominated");
}

// A locked axis has no inverse mass. Both bodies slide along z only; the contact is oblique.
TEST(ContactSolver, LockedAxesTakeNoPartInAHit) {
  const Vector3d n = Vector3d(0.6, 0, 0.8);
  SolverScene scene;
  scene.bodies = {{.mass = 1, .inertia = Matrix3d::Zero(), .position = -n, .velocity = {0, 0, 3}, .locked = 0b000011},
                  {.mass = 2, .inertia = Matrix3d::Zero(), .position = n, .velocity = {0, 0, -1}}};
  scene.touch(0, 1, n, {Vector3d::Zero()});
  scene.solve();
  // v_n = n . (v_B - v_A); the inverse mass along n is n_z^2 / m_A + 1 / m_B.
  const double impulse = 0.8 * 4 / (0.64 / 1 + 1.0 / 2);
  expectNear(scene.bodies[0].velocity, {0, 0, 3 - 0.8 * impulse}, kRounding, "on rails");
  expectNear(scene.bodies[1].velocity, Vector3d(0, 0, -1) + impulse / 2 * n, kRounding, "free");
  EXPECT_EQ(scene.bodies[0].velocity.x(), 0);
  EXPECT_EQ(scene.displacement(0).x(), 0);
}

// Equations (5) to (7) and (9): each substep takes the same share of the penetration out, and none of it stays as velocity.
TEST(ContactSolver, APushMovesAndLeavesNoVelocity) {
  const double turn = 1.1, damping = 5, stiffness = turn * (2 * damping + turn);
  const double share = stiffness / (1 + stiffness) * stiffness / (1 + stiffness) * turn / (2 * damping + turn), slop = 2e-5;
  for (const int substeps : {1, 3, 8})
    for (const double depth : {1e-3, 5e-3}) {
      SolverScene scene;
      scene.settings.substeps = substeps;
      scene.bodies = {{.mass = 1, .position = -kUp}, {.mass = 3, .position = kUp}};
      scene.touch(0, 1, kUp, {Vector3d::Zero()}, 0.5, 0.5, -depth);
      scene.solve();
      EXPECT_LT(fastest(scene), 1e-6);
      const double left = slop + (depth - slop) * std::pow(1 - share, substeps);
      EXPECT_NEAR(scene.displacement(1).z() - scene.displacement(0).z(), depth - left, 1e-6);
      EXPECT_NEAR(scene.displacement(0).z() + 3 * scene.displacement(1).z(), 0, 1e-8);  // about the common centre of mass
      EXPECT_NEAR(scene.solver.deepestPenetration(), depth, 1e-9);
    }
}

// Bodies that were put inside each other part at up to 1 m/s and are at rest again.
TEST(ContactSolver, BodiesPutInsideEachOtherPartCalmly) {
  SolverScene scene;
  scene.bodies = {{.mass = 1, .position = -kUp}, {.mass = 3, .position = kUp}};
  scene.touch(0, 1, kUp, {Vector3d::Zero()}, 0.5, 0.5, -0.4).startedInside = true;
  scene.solve();
  EXPECT_LT(fastest(scene), 1e-6);
  const double parted = scene.displacement(1).z() - scene.displacement(0).z();
  EXPECT_GT(parted, 0.5 / 60);
  EXPECT_LE(parted, 1.0 / 60 + 1e-6);
  EXPECT_NEAR(scene.contacts[0].points[0].totalImpulse, 0, 1e-6);  // nor does the next step start with it
  EXPECT_NEAR(scene.displacement(0).z() + 3 * scene.displacement(1).z(), 0, 1e-7);
}

// A gap may be closed and no more: the body stops on the surface, not before it and not below.
TEST(ContactSolver, AGapIsClosedExactly) {
  for (const double gap : {0.001, 0.004, 0.012, 0.03, 0.1}) {
    SolverScene scene;
    scene.bodies = {testing::immovable(), {.mass = 2, .position = {0, 0, 1}, .velocity = {0, 0, -3}}};
    scene.touch(0, 1, kUp, {Vector3d::Zero()}, 0.5, 0, gap);
    scene.solve();
    const bool reaches = gap < 3.0 / 60;
    EXPECT_NEAR(scene.displacement(1).z(), reaches ? -gap : -3.0 / 60, 1e-6) << gap;
    EXPECT_NEAR(scene.bodies[1].velocity.z(), reaches ? 0 : -3, kRounding) << gap;
  }
}

// Two free bodies meet within the step, beside their centres: with the places where they then are, the impulse acts along
// one line on both, and the angular momentum stays, but for the part of the impulse that the substep of the hit finds after
// it has moved the bodies (5 m/s for 1/480 s, some 3 N s). (Turning does not change their inertia here.)
TEST(ContactSolver, AHitAfterAGapConservesAngularMomentum) {
  TestRandom random(6);
  for (int i = 0; i < 50; ++i) {
    SolverScene scene;
    const Vector3d n = random.direction(), sideways = n.cross(random.direction());
    scene.bodies = {{.mass = 2, .inertia = random.inertia(2), .position = -n, .velocity = 3 * n + 5 * sideways},
                    {.mass = 1, .inertia = random.inertia(1), .position = n, .velocity = -2 * n}};
    scene.touch(0, 1, n, {0.3 * sideways}, 0, 0, random.number(0.03, 0.06));
    const Vector3d angular = scene.angularMomentum(), before = scene.bodies[1].velocity;
    scene.solve();
    EXPECT_GT((scene.bodies[1].velocity - before).norm(), 1);
    for (std::size_t b = 0; b < 2; ++b) scene.bodies[b].position += scene.displacement(b);
    expectNear(scene.angularMomentum(), angular, 0.03, "angular momentum");
  }
}

// A contact never pulls: bodies that part are left to themselves, bit by bit.
TEST(ContactSolver, NeverPulls) {
  SolverScene scene;
  const BodyInput first = {.mass = 1, .position = -kUp, .velocity = {1, 0, -1}, .angularVelocity = {0.5, 0, 0}};
  const BodyInput second = {.mass = 3, .position = kUp, .velocity = {0, 0, 1}};
  scene.bodies = {first, second};
  scene.touch(0, 1, kUp, {Vector3d::Zero(), Vector3d(0.1, 0, 0)}, 0.5, 0.5);
  scene.solve();
  EXPECT_EQ(scene.bodies[0].velocity, first.velocity);
  EXPECT_EQ(scene.bodies[0].angularVelocity, first.angularVelocity);
  EXPECT_EQ(scene.bodies[1].velocity, second.velocity);
  for (const Contact::Point& point : scene.contacts[0].points) EXPECT_EQ(point.totalImpulse, 0);
}

// The lower of two bodies on the ground is hit by one of 300 times its mass: the sweeps go on until both stand, as many as they take.
// A single sweep leaves 2.6 m/s, eight per substep 0.17.
TEST(ContactSolver, HitsAreSweptUntilTheyHaveGoneThrough) {
  for (const int most : {4000, 1}) {
    SolverScene scene;
    scene.settings.hitSweeps = most;
    const double heavy = 300, light = 1;
    scene.bodies = {testing::immovable(), {.mass = light, .position = {0, 0, 0.5}}, {.mass = heavy, .position = {0, 0, 1.5}, .velocity = {0, 0, -3}}};
    scene.touch(0, 1, kUp, {Vector3d::Zero()});
    scene.touch(1, 2, kUp, {kUp});
    scene.solve();
    const double left = std::max(std::abs(scene.bodies[1].velocity.z()), std::abs(scene.bodies[2].velocity.z()));
    if (most > 1) {
      EXPECT_LE(left, 0.03);
    } else {
      EXPECT_GE(left, 0.3);
    }
  }
}

// A plate that does not give way comes down on a body on the ground: no impulses stop it. Each sweep hands m v to and fro, and they end
// all the same, however many were asked for, at ten thousand for all hits of a step.
TEST(ContactSolver, HitsWithoutASolutionEnd) {
  const double mass = 2, speed = 5;
  SolverScene scene;
  scene.settings.hitSweeps = 100000;
  scene.settings.isClosed = false;
  scene.bodies = {testing::immovable(), {.mass = mass, .position = {0, 0, 0.5}}, {.mass = 0, .inertia = Matrix3d::Zero(), .position = {0, 0, 1.5}, .velocity = {0, 0, -speed}}};
  scene.touch(0, 1, kUp, {Vector3d::Zero()}).fixedA = true;
  scene.touch(1, 2, kUp, {kUp}).fixedB = true;
  scene.solve();
  for (const Contact& contact : scene.contacts) {
    EXPECT_GT(contact.points[0].totalImpulse, 100 * mass * speed);
    EXPECT_LT(contact.points[0].totalImpulse, 20000 * mass * speed);
  }
}

}  // namespace
}  // namespace sunder
