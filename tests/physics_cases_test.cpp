// SPDX-License-Identifier: MIT
// Bug reports of other engines, as scenes (cases with kind stack, rest, mass-ratio, inertia, friction, energy and
// overlap-start), each by its id with the numbers of the report. The source of each is named.
#include <gtest/gtest.h>

#include "scene_rows.h"

namespace sunder::measure {
namespace {

constexpr double kPi = 3.141592653589793;

demo::Scene withStep(demo::Scene scene, double dt) {
  scene.dt = dt;
  return scene;
}
// The scenes are y up; those reported with z up are turned.
constexpr int kUp = 1;

// --- stacks -------------------------------------------------------------------------------------------------------------

// google-deepmind/mujoco, AlignedTowerStands: settling impacts excite a manifold that changes shape, the tower falls.
TEST(Cases, S_mj_tower) {
  demo::Scene scene = withStep(onGround("tower"), 0.002);
  for (int i = 0; i < 20; ++i) addDynamic(scene, {0.05, 0.05, 0.05}, {0, 0.05 + 0.1 * i + 0.001 * (i + 1), 0});
  SceneRun run(scene);
  run.run(2);
  double speed = 0;
  for (int k = 0; k < run.stepsIn(1); ++k) {
    run.step();
    speed = std::max(speed, run.maxSpeed());
  }
  EXPECT_LT(speed, 1e-3);
  for (int i = 1; i < run.size(); ++i) {
    EXPECT_GT(run.position(i)[kUp], 0.5 * (0.05 + 0.1 * (i - 1))) << i;
    EXPECT_LT(run.sideways(i), 1e-3) << i;
  }
}

// dartsim/dart#867: more than 7 stacked boxes explode with one detector.
struct StillStack {
  double normalTilt = 0;  // largest horizontal part of a contact normal
  double boxTilt = 0;     // rad
  double speed = 0, lastSpeed = 0;
};
StillStack measureStillStack() {
  demo::Scene scene = withStep(onGround("stack"), 0.001);
  for (int i = 0; i < 10; ++i) addDynamic(scene, {0.5, 0.5, 0.5}, {0, i + 0.5, 0});
  SceneRun run(scene);
  StillStack result;
  for (int k = 0; k < run.stepsIn(10); ++k) {
    run.step();
    result.speed = std::max(result.speed, run.maxSpeed());
    if (k % 100 != 0) continue;
    for (const ContactInfo& contact : run.world().contacts())
      result.normalTilt = std::max(result.normalTilt, std::hypot(contact.normal[0], contact.normal[2]));
    for (int i = 1; i < run.size(); ++i) result.boxTilt = std::max(result.boxTilt, std::hypot(run.axis(i, 1)[0], run.axis(i, 1)[2]));
  }
  result.lastSpeed = run.maxSpeed();
  return result;
}
TEST(Cases, S_dart_867) {
  const StillStack stack = measureStillStack();
  EXPECT_LT(stack.normalTilt, 1e-6);
  EXPECT_LT(stack.boxTilt, 1e-6);
  EXPECT_LT(stack.speed, 1e-3);
  EXPECT_LT(stack.lastSpeed, 1e-4);
}

demo::Scene block4x4x4(BodyKind slabKind) {
  demo::Scene scene = onGround("block");
  scene.bodies[0].def.halfExtents = {10, 0.5, 10};
  scene.bodies[0].def.pose.position = {0, -0.5, 0};
  scene.bodies[0].def.kind = slabKind;
  for (int level = 0; level < 4; ++level)
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k) addDynamic(scene, {0.5, 0.5, 0.5}, {i - 1.5, level + 0.5, k - 1.5});
  return scene;
}

// notgiven688/jitterphysics#10: cubes placed exactly side by side and on top of each other jiggle and collapse.
TEST(Cases, S_jitter_10) {
  SceneRun run(block4x4x4(BodyKind::Static));
  run.run(20);
  for (int i = 1; i < run.size(); ++i) EXPECT_LT(run.moved(i).norm(), 5e-3) << i;
}

// schteppe/cannon.js#348: a wall of blocks creeps sideways and breaks up after a long wait.
void expectWallHolds(double seconds) {
  demo::Scene scene = onGround("wall");
  for (int row = 0; row < 8; ++row)
    for (int i = 0; i < 8 - row % 2; ++i) addDynamic(scene, {0.5, 0.25, 0.25}, {i + 0.5 * (row % 2), 0.5 * row + 0.25, 0});
  SceneRun run(scene);
  run.run(seconds);
  for (int i = 1; i < run.size(); ++i) EXPECT_LT(run.sideways(i), 0.01 * seconds / 120) << i;
}
TEST(Cases, S_cannon_348) { expectWallHolds(20); }
TEST(LongCases, S_cannon_348) { expectWallHolds(120); }

// bulletphysics/bullet3#4202: boxes on a kinematic body that does not move slide off.
TEST(Cases, S_bt_4202) {
  SceneRun fixed(block4x4x4(BodyKind::Static)), kinematic(block4x4x4(BodyKind::Kinematic));
  fixed.run(30);
  kinematic.run(30);
  EXPECT_EQ(fixed.world().stateHash(), kinematic.world().stateHash());
}

// --- rest ---------------------------------------------------------------------------------------------------------------

// RobotLocomotion/drake#5441: a resting box slowly turns in place because contact is one jumping point.
TEST(Cases, S_drake_5441) {
  demo::Scene scene = withStep(onGround("table"), 0.002);
  addDynamic(scene, {0.04, 0.1, 0.04}, {0, 0.1, 0});
  SceneRun run(scene);
  run.run(60);
  EXPECT_LT(std::abs(std::asin(run.axis(1, 0)[2])), 1e-4);
}

// google-deepmind/mujoco#2356: a peg longer than its support jitters.
TEST(Cases, S_mj_2356) {
  demo::Scene scene;
  scene.gravity = {0, -9.81, 0};
  scene.dt = 0.002;
  addStatic(scene, {0.025, 0.025, 0.025}, {0, 0.025, 0});
  addDynamic(scene, {0.048, 0.01, 0.01}, {0, 0.06, 0});
  SceneRun run(scene);
  run.run(5);
  EXPECT_LT(run.maxSpeed(), 1e-4);
  double least = 1, most = -1;
  for (const ContactInfo& contact : run.world().contacts())
    for (int i = 0; i < contact.pointCount; ++i) {
      least = std::min(least, contact.points[i].position[0]);
      most = std::max(most, contact.points[i].position[0]);
    }
  EXPECT_NEAR(least, -0.025, 1e-3);
  EXPECT_NEAR(most, 0.025, 1e-3);
}

// google-deepmind/mujoco#3476: a packed layer is thrown apart by one phantom contact as deep as a box.
TEST(Cases, S_mj_3476) {
  demo::Scene scene = withStep(onGround("tray", 1), 0.0005);
  demo::Random random(3);
  const double half = 0.0355, pitch = 0.071 - 3e-5;  // faces overlap by up to 0.06 mm
  for (const int sign : {-1, 1}) {
    addStatic(scene, {0.02, 0.1, 0.3}, {sign * (1.5 * 0.071 + 0.02), 0.1, 0});
    addStatic(scene, {0.3, 0.1, 0.02}, {0, 0.1, sign * (1.5 * 0.071 + 0.02)});
  }
  for (int i = -1; i <= 1; ++i)
    for (int k = -1; k <= 1; ++k) {
      BodyDef& def = addDynamic(scene, {half, 0.02, half}, {i * pitch + random.between(-3e-5, 3e-5) * 0.5, 0.02, k * pitch});
      def.pose.orientation = about(1, random.between(-1e-3, 1e-3));
    }
  SceneRun run(scene);
  double speed = 0;
  for (int k = 0; k < run.stepsIn(5); ++k) {
    run.step();
    speed = std::max(speed, run.maxSpeed());
  }
  EXPECT_LT(speed, 0.05);
}

// godotengine/godot#61827: a flat tile dropped on a box oscillates for ever.
TEST(Cases, S_godot_61827) {
  demo::Scene scene = onGround("tile");
  addDynamic(scene, {0.5, 0.05, 0.35}, {0, 1.3, 0}).pose.orientation = about(2, 20 * kPi / 180);
  SceneRun run(scene);
  run.run(10);
  EXPECT_LT(run.maxSpeed(), 1e-5);
  EXPECT_LT(run.angularVelocity(1).norm(), 1e-4);
}

// godotengine/godot#66130: a large light cube lands and jitters without end.
TEST(Cases, S_godot_66130) {
  demo::Scene scene = onGround("large", 200);
  BodyDef& cube = addDynamic(scene, {2.5, 2.5, 2.5}, {0, 4, 0});
  cube.mass = 1;
  SceneRun run(scene);
  run.world().applyImpulse(run.id(1), {10, 0, -10});
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(run.world().inertia(run.id(1))[k], 25.0 / 6, 1e-12);
  run.run(20);
  EXPECT_LT(run.maxSpeed(), 1e-4);
  EXPECT_LT(run.angularVelocity(1).norm(), 1e-4);
}

// godotengine/godot#80603: boxes the size of chocolate bars jitter so much that they clip through each other.
TEST(Cases, S_godot_80603) {
  demo::Scene scene = onGround("bars", 2);
  demo::Random random(5);
  for (const int sign : {-1, 1}) {
    addStatic(scene, {0.1, 0.5, 0.4}, {sign * 0.3, 0.5, 0});
    addStatic(scene, {0.4, 0.5, 0.1}, {0, 0.5, sign * 0.3});
  }
  for (int i = 0; i < 20; ++i) {
    const double x = random.between(-0.05, 0.05), z = random.between(-0.05, 0.05);
    addDynamic(scene, {0.075, 0.01, 0.03}, {x, 0.1 + 0.09 * i, z}).pose.orientation = random.rotation();
  }
  SceneRun run(scene);
  run.run(15);
  EXPECT_LT(run.overlaps().deepest, 1e-3);
  EXPECT_LT(run.rmsSpeed(), 1e-3);
}

// godot-jolt/godot-jolt#900: a dropped cube sometimes sinks visibly and comes back up, and differs between runs.
TEST(Cases, S_gj_900) {
  std::uint64_t hash = 0;
  double depth = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    demo::Scene scene;
    scene.gravity = {0, -9.81, 0};
    addStatic(scene, {0.5, 0.5, 0.5}, {0, -0.5, 0});
    addDynamic(scene, {0.5, 0.5, 0.5}, {0, 3.5, 0});
    SceneRun run(scene);
    for (int k = 0; k < run.stepsIn(3); ++k) {
      run.step();
      depth = std::max(depth, run.overlaps().deepest);
    }
    if (repeat == 0) hash = run.world().stateHash();
    EXPECT_EQ(run.world().stateHash(), hash);
  }
  EXPECT_LT(depth, std::sqrt(2 * 9.81 * 3) / 60);
}

// tzaeschke/ode4j#112: a box that lands on an edge falls very slowly or stays there.
TEST(Cases, S_ode4j_112) {
  SceneRun run = droppedCube(0, 0.2, kPi / 4 + 0.01);
  bool landed = false;
  double landing = 0, tipped = 0;
  for (int k = 0; k < run.stepsIn(5) && tipped == 0; ++k) {
    run.step();
    if (!landed && run.world().lastReport().contactPoints > 0 && run.lowestCorner(1) < 1e-3) landed = true, landing = run.time();
    const double turn = std::abs(std::asin(std::clamp(run.axis(1, 0)[1], -1.0, 1.0)));
    if (landed && (turn < 0.05 || turn > kPi / 2 - 0.05)) tipped = run.time();
  }
  ASSERT_TRUE(landed);
  ASSERT_GT(tipped, 0);
  EXPECT_LT(tipped - landing, 1.5);
}

// DanielChappuis/reactphysics3d#26: an assertion in the step in which the box first touches.
TEST(Cases, S_rp3d_26) {
  demo::Scene scene;
  scene.gravity = {0, -9.81, 0};
  addStatic(scene, {10, 1, 10}, {0, 0, 0});
  addDynamic(scene, {2, 2, 2}, {0, 20, 0});
  SceneRun run(scene);
  run.run(10);
  EXPECT_NEAR(run.position(1)[1], 3, 5e-4);
}

// DanielChappuis/reactphysics3d#384: first contact reported only far below the floor.
TEST(Cases, S_rp3d_384) {
  demo::Scene scene;
  scene.gravity = {0, -9.81, 0};
  addStatic(scene, {5, 1, 5}, {0, 0, 0});
  addDynamic(scene, {0.5, 0.5, 0.5}, {0, 20, 0});
  SceneRun run(scene);
  double time = 0, height = 0;
  for (int k = 0; k < run.stepsIn(5) && time == 0; ++k) {
    run.step();
    if (!run.world().beganContacts().empty()) time = run.time(), height = run.position(1)[1];
  }
  const double fall = std::sqrt(2 * 18.5 / 9.81);
  EXPECT_NEAR(time, fall, 1.0 / 60);
  EXPECT_NEAR(height, 1.5, 9.81 * fall / 60);
}

// avianphysics/avian#385: position-based contacts never relax.
void expectRelaxes(int substeps) {
  WorldDef def = awake();
  def.substeps = substeps;
  SceneRun run(demo::builtInScene("stack10"), def);
  run.run(2);
  const double early = run.rmsSpeed();
  run.run(18);
  EXPECT_LT(run.rmsSpeed(), 1e-4) << substeps << " substeps";
  EXPECT_LE(run.rmsSpeed(), std::max(early, 1e-6)) << substeps << " substeps";
}
TEST(Cases, S_avian_385) {
  for (int substeps = 1; substeps <= 8; ++substeps) expectRelaxes(substeps);
}

// --- mass ratios --------------------------------------------------------------------------------------------------------

// dartsim/dart#3442: a heavy box sinks through the light one below it.
TEST(Cases, S_dart_3442) {
  for (const double ratio : {1.0, 10.0, 100.0, 1000.0}) {
    demo::Scene scene = withStep(onGround("ratio"), 0.001);
    addDynamic(scene, {0.5, 0.5, 0.5}, {0, 0.5, 0});
    addDynamic(scene, {0.5, 0.5, 0.5}, {0, 1.5, 0}).density = 1000 * ratio;
    SceneRun run(scene);
    double depth = 0;
    for (int k = 0; k < run.stepsIn(3); ++k) {
      run.step();
      if (k % 10 == 0) depth = std::max(depth, run.overlaps().deepest);
    }
    EXPECT_LT(depth, 0.01) << ratio;
  }
}

// jrouwe/JoltPhysics#1390: a 100 kg cube dropped on a 1 kg cube clips through.
TEST(Cases, S_jolt_1390) {
  demo::Scene scene = onGround("drop");
  addDynamic(scene, {0.5, 0.5, 0.5}, {0, 0.5, 0}).mass = 1;
  addDynamic(scene, {0.5, 0.5, 0.5}, {0, 2.5, 0}).mass = 100;
  SceneRun run(scene);
  double depth = 0;
  for (int k = 0; k < run.stepsIn(5); ++k) {
    run.step();
    depth = std::max(depth, run.overlaps().deepest);
  }
  EXPECT_LT(depth, 0.05);
  EXPECT_NEAR(run.position(2)[1], 1.5, 2e-3);
  EXPECT_LT(run.sideways(2), 0.5);
  EXPECT_LT(run.maxSpeed(), 0.01);
}

// erincatto/box3d samples, HighMassRatio1: a pyramid of ten rows under a falling cube 100 to 300 times denser.
void expectHighMassRatio(double density) {
  demo::Scene scene = onGround("pyramid");
  for (int row = 0; row < 10; ++row)
    for (int i = 0; i < 10 - row; ++i) {
      BodyDef& cube = addDynamic(scene, {1, 1, 1}, {2.0 * i + row - 9, 2.0 * row + 1, 0});
      if (row == 9) cube.density *= density, cube.pose.position[1] += 2;
    }
  SceneRun run(scene);
  run.run(10);
  EXPECT_EQ(run.fallen(1, 3), 0) << density;  // half a cube's width
  for (int i = 1; i <= 10; ++i) EXPECT_LT(-run.moved(i)[1], 0.04) << "density " << density << ", box " << i;
}
TEST(Cases, S_b3_hmr) {
  for (const double density : {100.0, 200.0, 300.0}) expectHighMassRatio(density);
}

// DanielChappuis/reactphysics3d#184: a static body becomes movable when mass properties are computed anew.
TEST(Cases, S_rp3d_184) {
  demo::Scene scene;
  scene.gravity = {0, -9.81, 0};
  addDynamic(scene, {5, 1, 5}, {0, -1, 0});
  addDynamic(scene, {0.5, 0.5, 0.5}, {0, 0.5, 0});
  SceneRun run(scene);
  run.world().setKind(run.id(0), BodyKind::Static);
  run.world().setMass(run.id(0), 7);
  run.world().setDensity(run.id(0), 5);
  run.run(1);
  EXPECT_EQ(run.world().mass(run.id(0)), 0);
  EXPECT_EQ(run.moved(0).norm(), 0);
  EXPECT_LT(run.moved(1).norm(), 1e-3);
  run.world().setMass(run.id(0), 0);
  run.world().setKind(run.id(0), BodyKind::Dynamic);
  EXPECT_NEAR(run.world().mass(run.id(0)), 8 * 25 * 5, 1e-9);
  run.world().setKind(run.id(0), BodyKind::Static);
  run.run(1);
  EXPECT_EQ(run.moved(0).norm(), 0);
}

// --- friction -----------------------------------------------------------------------------------------------------------

// jrouwe/JoltPhysics#983: a box pushed along its own axis turns because friction is solved point after point.
TEST(Cases, S_jolt_983) {
  demo::Scene scene;
  scene.gravity = {0, -9.81, 0};
  addStatic(scene, {2000, 1, 2000}, {0, 0, 0}).friction = 1;
  for (int i = 0; i <= 10; ++i) {
    BodyDef& box = addDynamic(scene, {3, 2, 2}, {20.0 * i - 100, 2.999, -20.0 * i});
    box.pose.orientation = about(1, kPi / 4);
    box.friction = 0.1 * i;
  }
  SceneRun run(scene);
  for (int k = 0; k < run.stepsIn(20); ++k) {
    for (int i = 1; i < run.size(); ++i)
      run.world().applyImpulse(run.id(i), 0.1 * run.world().mass(run.id(i)) * run.axis(i, 2));
    run.step();
  }
  for (int i = 1; i < run.size(); ++i) EXPECT_NEAR(std::atan2(-run.axis(i, 0)[2], run.axis(i, 0)[0]), kPi / 4, 1e-3) << "box " << i;
}

// liabru/matter-js#613: a box creeps on a slope, whatever the friction.
TEST(Cases, S_matter_613) {
  for (const double degrees : {1.0, 10.0, 20.0}) {
    const double angle = degrees * kPi / 180;
    demo::Scene scene;
    scene.gravity = {0, -9.81, 0};
    addStatic(scene, {20, 1, 20}, {-std::sin(angle), -std::cos(angle), 0});
    addDynamic(scene, {0.5, 0.5, 0.5}, {0.5 * std::sin(angle), 0.5 * std::cos(angle), 0});
    for (demo::SceneBody& body : scene.bodies) {
      body.def.pose.orientation = about(2, -angle);
      body.def.friction = 1;
    }
    SceneRun run(scene);
    run.run(60);
    EXPECT_LT(run.moved(1).norm(), 1e-3) << degrees;
  }
}

// newton-physics/newton#3943: regularised friction lets a clamped cube creep down, whatever the coefficient.
TEST(Cases, S_newton_3943) {
  for (const double mu : {1.0, 4.0, 16.0, 64.0}) {
    demo::Scene scene;
    scene.gravity = {0, -9.81, 0};
    addStatic(scene, {0.5, 2, 2}, {-1, 0, 0});
    addDynamic(scene, {0.5, 0.5, 0.5}, {0, 0, 0});
    BodyDef& plate = addDynamic(scene, {0.1, 0.8, 0.8}, {0.6, 0, 0});
    plate.lockedAxes = kLockRotation | kLockLinearY | kLockLinearZ;
    for (demo::SceneBody& body : scene.bodies) body.def.friction = mu;
    SceneRun run(scene);
    const double weight = 9.81 * run.world().mass(run.id(1));
    for (int k = 0; k < run.stepsIn(10); ++k) {
      run.world().applyForce(run.id(2), {-10 * weight, 0, 0});
      run.step();
      if (k == run.stepsIn(5)) run.markStart();
    }
    EXPECT_LT(run.moved(1).norm(), 1e-5) << mu;
  }
}

// jrouwe/JoltPhysics, TestAngularFriction: a spinning flat cube is slowed by friction at its four corners.
TEST(Cases, S_jolt_angfriction) {
  demo::Scene scene = onGround("spinning");
  BodyDef& cube = addDynamic(scene, {1, 1, 1}, {0, 1, 0});
  cube.angularVelocity = {0, 10, 0};
  const double mu = std::sqrt(0.06);
  for (demo::SceneBody& body : scene.bodies) body.def.friction = mu;
  SceneRun run(scene);
  run.run(1);
  const double slowing = mu * 9.81 * std::sqrt(2.0) / (2.0 / 3);  // mu m g sqrt(2) / (m (2^2 + 2^2) / 12)
  EXPECT_NEAR(run.angularVelocity(1)[1], 10 - slowing, 0.01 * slowing);
  EXPECT_LT(run.sideways(1), 1e-3);
}

// avianphysics/avian#489, #542: friction directions wrong at the first contact.
TEST(Cases, S_avian_489) {
  demo::Scene scene = onGround("corner");
  // The body diagonal is vertical but for a little.
  BodyDef& cube = addDynamic(scene, {0.5, 0.5, 0.5}, {0, 0.9, 0});
  const Quaternion a = about(0, kPi / 4), b = about(2, std::atan(std::sqrt(0.5)) + 0.02);
  cube.pose.orientation = Quaternion(b.w() * a.w(), b.w() * a.x() - b.z() * 0, b.z() * a.x(), b.z() * a.w());
  SceneRun tumbling(scene);
  tumbling.run(3);
  EXPECT_LT(tumbling.maxSpeed(), 1e-3);
  EXPECT_NEAR(tumbling.position(1)[1], 0.5, 1e-3);  // on a face
  EXPECT_GT(tumbling.sideways(1), 0.2);

  demo::Scene second = onGround("locked");
  BodyDef& sliding = addDynamic(second, {0.5, 0.5, 0.5}, {0, 0.7, 0});
  sliding.linearVelocity = {5, -5, 0};
  sliding.lockedAxes = kLockRotation;
  SceneRun run(second);
  for (int k = 0; k < 120; ++k) {
    run.step();
    EXPECT_LE(run.velocity(1)[1], 1e-4) << "step " << k;
  }
}

// --- energy -------------------------------------------------------------------------------------------------------------

// avianphysics/avian#993: a gyroscopic step drives every free body towards rotation about its middle axis.
TEST(Cases, S_avian_993) {
  for (int axis = 0; axis < 3; ++axis) {
    demo::Scene scene;
    scene.gravity.setZero();
    BodyDef& box = addDynamic(scene, {0.5, 1, 1.5}, {0, 0, 0});
    box.angularVelocity = {1e-3, 1e-3, 1e-3};
    box.angularVelocity[axis] += 5;
    SceneRun run(scene);
    const Spin spin = measureSpin(run, 300, axis);
    EXPECT_LT(spin.momentum, 1e-3) << axis;
    EXPECT_LT(spin.energy, 0.01) << axis;
    if (axis != 1) {
      EXPECT_LT(spin.axisTurn, 0.01) << axis;
    }
  }
}

// Flips of the middle axis by Euler's equations, fourth-order Runge-Kutta.
int exactFlips(const Vector3d& halfExtents, Vector3d w, double seconds) {
  const Vector3d h2 = halfExtents.cwiseProduct(halfExtents);
  const Vector3d moments(h2[1] + h2[2], h2[0] + h2[2], h2[0] + h2[1]);
  const auto rate = [&](const Vector3d& v) {
    return Vector3d((moments[1] - moments[2]) / moments[0] * v[1] * v[2], (moments[2] - moments[0]) / moments[1] * v[2] * v[0],
                    (moments[0] - moments[1]) / moments[2] * v[0] * v[1]);
  };
  int flips = 0;
  bool along = true;
  const double dt = 5e-4;
  for (long k = 0; k < std::lround(seconds / dt); ++k) {
    const Vector3d a = rate(w), b = rate(w + 0.5 * dt * a), c = rate(w + 0.5 * dt * b), d = rate(w + dt * c);
    w += dt / 6 * (a + 2 * b + 2 * c + d);
    if ((w[1] > 0) != along) along = !along, ++flips;
  }
  return flips;
}

// jrouwe/JoltPhysics#803, bepuphysics2#79, bullet3#346, brax#48: no tennis racket flip.
TEST(Cases, S_jolt_803) {
  demo::Scene scene;
  scene.gravity.setZero();
  scene.dt = 1.0 / 240;
  addDynamic(scene, {0.5, 1, 1.5}, {0, 0, 0}).angularVelocity = {0.01, 5, 0.01};
  SceneRun run(scene);
  const Spin spin = measureSpin(run, 60);
  EXPECT_EQ(spin.flips, exactFlips({0.5, 1, 1.5}, {0.01, 5, 0.01}, 60));
  EXPECT_GT(spin.flips, 3);
  EXPECT_LT(spin.energy, 1e-3);
}

// avianphysics/avian#738, #420: a semi-implicit gyroscopic term blows up at high spin.
TEST(Cases, S_avian_738) {
  demo::Scene scene;
  scene.gravity.setZero();
  addDynamic(scene, {0.02, 0.02, 1}, {0, 0, 0}).angularVelocity = {5, 0, 200};
  SceneRun run(scene);
  const Spin spin = measureSpin(run, 30, 2);
  EXPECT_TRUE(run.isFinite());
  EXPECT_LT(spin.energyGain, 0.01);
}

// jrouwe/JoltPhysics#1286, rapier#97, planck.js#223: every bounce higher than the last.
TEST(Cases, S_jolt_1286) {
  SceneRun run = droppedCube(1, 3);
  const Bounces b = measureBounces(run, 0.5, 20, 60);
  ASSERT_EQ(b.apexes.size(), 20u);
  for (const double apex : b.apexes) {
    EXPECT_GT(apex, 0.99 * 3);
    EXPECT_LE(apex, 3);
  }
}

// newton-physics/newton#3957: a body dropped on a body rebounds without restitution.
TEST(Cases, S_newton_3957) {
  demo::Scene scene = onGround("drop", 2);
  addDynamic(scene, {0.1, 0.05, 0.1}, {0, 0.05, 0});
  addDynamic(scene, {0.05, 0.05, 0.05}, {0, 0.25, 0});
  SceneRun run(scene);
  double highest = 0;
  bool landed = false;
  for (int k = 0; k < run.stepsIn(3); ++k) {
    run.step();
    landed = landed || run.position(2)[1] < 0.152;
    if (landed) highest = std::max(highest, run.position(2)[1]);
  }
  EXPECT_TRUE(landed);
  EXPECT_LT(highest, 0.155);
  EXPECT_NEAR(run.position(2)[1], 0.15, 2e-4);
}

// --- overlapping start --------------------------------------------------------------------------------------------------

// avianphysics/avian#249, #202, #385: bodies spawned inside each other fly apart.
TEST(Cases, S_avian_249) {
  for (const int count : {2, 8, 64}) {
    demo::Scene scene;
    scene.gravity.setZero();
    demo::Random random(static_cast<std::uint64_t>(count));
    for (int i = 0; i < count; ++i) {
      const double x = random.between(-0.1, 0.1), y = random.between(-0.1, 0.1), z = random.between(-0.1, 0.1);
      addDynamic(scene, {0.5, 0.5, 0.5}, {x, y, z});
    }
    SceneRun run(scene);
    double speed = 0;
    for (int k = 0; k < run.stepsIn(10); ++k) {
      run.step();
      speed = std::max(speed, run.maxSpeed());
    }
    EXPECT_LT(speed, 1) << count;
    EXPECT_LT(run.overlaps().deepest, 5e-4) << count;
    EXPECT_LT(run.kineticEnergy(), 0.5 * 1000 * count * 0.1 * 0.1) << count;  // as slow as 0.1 m/s
  }
}

// --- the same every time ------------------------------------------------------------------------------------------------

// drsnuggles8/OloEngineBase#523: the contact buffer overflows at 10000 bodies, contacts are dropped, bodies fall through.
TEST(LongCases, S_olo_523) {
  demo::Scene scene = demo::builtInScene("rain10000");
  SceneRun run(scene);
  run.run(8);
  const double pit = scene.bodies[0].def.halfExtents[0] - 5;
  for (int i = 0; i < run.size(); ++i) {
    if (!run.isDynamic(i)) continue;
    const Vector3d p = run.position(i);
    ASSERT_TRUE(p[1] > 0 && std::abs(p[0]) < pit && std::abs(p[2]) < pit) << i;
  }
}

}  // namespace
}  // namespace sunder::measure
