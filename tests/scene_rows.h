// SPDX-License-Identifier: MIT
// One function per kind of row in docs/demands.md: it runs the scene and returns the numbers that the row is about.
#pragma once
#include "scene_measure.h"

namespace sunder::measure {

// --- friction -----------------------------------------------------------------------------------------------------------

// What n substeps of length h give to a point that starts with speed v and changes it by a h each (semi-implicit Euler,
// stopping at 0): the exact answer of the discrete model.
inline double discreteDistance(double v, double a, double h, int n) {
  double distance = 0;
  for (int i = 0; i < n; ++i) {
    const double next = v + a * h;
    v = a < 0 ? std::max(next, 0.0) : next;
    distance += v * h;
  }
  return distance;
}

// Distance that the box of "inclineM" has gone after `seconds`, metres.
inline double measureIncline(int thousandths, double seconds) {
  SceneRun run(demo::builtInScene("incline" + std::to_string(thousandths)));
  run.run(seconds);
  return run.moved(run.last()).norm();
}
inline double expectedIncline(int thousandths, double seconds, int substeps = WorldDef().substeps) {
  const double angle = 20 * 3.141592653589793 / 180;
  const double a = 9.81 * (std::sin(angle) - 1e-3 * thousandths * std::cos(angle));
  const double h = 1.0 / 60 / substeps;
  return discreteDistance(0, std::max(a, 0.0), h, static_cast<int>(std::lround(seconds / h)));
}

struct Slide {
  double distance = 0, offLine = 0;  // metres; off the line of the start velocity
  double yaw = 0;                    // rad
};
inline Slide measureSlide(double degrees) {
  SceneRun run(demo::builtInScene("slide" + std::to_string(static_cast<int>(degrees))));
  const Vector3d way = run.velocity(run.last()).normalized();
  run.step(run.scene().steps);
  const Vector3d moved = run.moved(run.last());
  return {moved.dot(way), (moved - moved.dot(way) * way).norm(), std::asin(std::clamp(run.axis(run.last(), 0)[2], -1.0, 1.0))};
}
inline double expectedSlide(int substeps = WorldDef().substeps) {
  return discreteDistance(5, -0.5 * 9.81, 1.0 / 60 / substeps, 240 * substeps);
}

// --- restitution --------------------------------------------------------------------------------------------------------

struct Bounces {
  std::vector<double> apexes;  // metres that the centre rises above its height at the hit, bounce after bounce
  double sideways = 0;         // metres, at the last apex
};

// Drops body 1 of `run` and notes the apexes after the hits. A hit is where the vertical speed turns upwards, and
// `restHeight` is the height of the centre there.
inline Bounces measureBounces(SceneRun& run, double restHeight, int count, double limit) {
  Bounces result;
  bool rising = false;
  double apex = 0;
  while (run.time() < limit && static_cast<int>(result.apexes.size()) < count) {
    run.step();
    const double v = run.velocity(1)[1], y = run.position(1)[1] - restHeight;
    if (!rising && v > 0) rising = true, apex = y;
    if (rising) apex = std::max(apex, y);
    if (rising && v <= 0) {
      result.apexes.push_back(apex);
      rising = false;
    }
  }
  result.sideways = run.sideways(1);
  return result;
}

// A cube of 1 m turned by `angle` about z, its lowest corner `drop` above the ground.
inline SceneRun droppedCube(double restitution, double drop, double angle = 0, double friction = 0.5, double dt = 1.0 / 60) {
  demo::Scene scene = onGround("drop");
  scene.dt = dt;
  const double reach = 0.5 * (std::abs(std::cos(angle)) + std::abs(std::sin(angle)));
  BodyDef& cube = addDynamic(scene, {0.5, 0.5, 0.5}, {0, reach + drop, 0});
  cube.pose.orientation = about(2, angle);
  cube.restitution = restitution;
  for (demo::SceneBody& body : scene.bodies) body.def.friction = friction;
  return SceneRun(scene);
}

// The rise of the centre after a frictionless cube of 1 m hits with one edge, exactly: the impulse at lever x.
inline double expectedEdgeApex(double restitution, double drop, double angle) {
  const double x = 0.5 * (std::cos(angle) - std::sin(angle));  // of the edge from the centre
  const double speed = std::sqrt(2 * 9.81 * drop), inverseInertia = 6;  // of a unit cube of mass 1
  const double up = (1 + restitution) * speed / (1 + x * x * inverseInertia) - speed;
  return up > 0 ? up * up / (2 * 9.81) : 0;
}

// --- free rotation ------------------------------------------------------------------------------------------------------

struct Spin {
  int flips = 0;           // of the middle axis against the angular momentum
  double energy = 0;       // largest |E / E0 - 1|
  double energyGain = 0;   // largest E / E0 - 1
  double momentum = 0;     // largest |L - L0| / |L0|
  double axisTurn = 0;     // largest angle between the spin axis of the body and its start, rad
};
inline Spin measureSpin(SceneRun& run, double seconds, int axis = 1) {
  Spin result;
  const Vector3d momentum = run.spinMomentum(run.last());
  const double energy = run.kineticEnergy();
  bool along = run.axis(run.last(), axis).dot(momentum) > 0;
  for (int steps = run.stepsIn(seconds); steps > 0; --steps) {
    run.step();
    const double cosine = run.axis(run.last(), axis).dot(momentum) / momentum.norm();
    if ((cosine > 0) != along) along = !along, ++result.flips;
    const double change = run.kineticEnergy() / energy - 1;
    result.energy = std::max(result.energy, std::abs(change));
    result.energyGain = std::max(result.energyGain, change);
    result.momentum = std::max(result.momentum, (run.spinMomentum(run.last()) - momentum).norm() / momentum.norm());
    result.axisTurn = std::max(result.axisTurn, std::acos(std::clamp(std::abs(cosine), 0.0, 1.0)));
  }
  return result;
}

// --- dominoes -----------------------------------------------------------------------------------------------------------

struct Dominoes {
  int toppled = 0;
  double lastFell = 0;  // s; when the last one leans by more than 45 degrees
};
// `finer` divides the substep: by more substeps as far as a world allows, by shorter steps from there on.
inline Dominoes measureDominoes(int finer, double limit = 40) {
  demo::Scene scene = demo::builtInScene("domino");
  WorldDef def = awake();
  const int more = std::min(finer, 64 / def.substeps);
  def.substeps *= more;
  scene.dt /= finer / more;
  SceneRun run(scene, def);
  const double leaning = std::sqrt(0.5);
  while (run.time() < limit && run.axis(run.last(), 1)[1] > leaning) run.step();
  Dominoes result;
  result.lastFell = run.time();
  run.run(0.5);
  for (int i = 1; i < run.size(); ++i) result.toppled += std::abs(run.axis(i, 1)[1]) < leaning ? 1 : 0;
  return result;
}

// --- fast bodies --------------------------------------------------------------------------------------------------------

struct Shots {
  int tunnelled = 0, lanes = 0;
  double momentum = 1;  // along the way, end / start
};
// Plates and cubes alternate; a cube is through when it ends beyond its plate.
inline Shots measureShots(const std::string& name) {
  SceneRun run(demo::builtInScene(name));
  const double before = run.momentum()[0];
  run.step(run.scene().steps);
  Shots result;
  for (int i = 0; i + 1 < run.size(); i += 2, ++result.lanes) result.tunnelled += run.position(i + 1)[0] > run.position(i)[0] ? 1 : 0;
  result.momentum = run.momentum()[0] / before;
  return result;
}

// A plank of 3 m that spins about y at `spin` rad/s and flies at `speed` m/s against a wall of 5 cm. Returns how far its
// centre has got past the middle of the wall, m: > 0 is through.
inline double measurePlank(double speed, double spin, double start) {
  demo::Scene scene;
  scene.gravity.setZero();
  addStatic(scene, {0.025, 40, 40}, {0, 0, 0});  // wider than the plank can slide along it
  BodyDef& plank = addDynamic(scene, {1.5, 0.05, 0.1}, {start, 0, 0});
  plank.linearVelocity = {speed, 0, 0};
  plank.angularVelocity = {0, spin, 0};
  plank.continuous = true;
  SceneRun run(scene);
  double furthest = run.position(1)[0];
  for (int i = 0; i < 90; ++i) {
    run.step();
    furthest = std::max(furthest, run.position(1)[0]);
  }
  return furthest;
}

// Two cubes of 0.2 m that meet head-on at +-speed. True: each is still on its own side.
inline bool headOnHolds(double speed, double offset) {
  demo::Scene scene;
  scene.gravity.setZero();
  for (const int side : {-1, 1}) {
    BodyDef& cube = addDynamic(scene, {0.1, 0.1, 0.1}, {side * (5 + (side > 0 ? offset : 0)), 0, 0});
    cube.linearVelocity = {-side * speed, 0, 0};
    cube.continuous = true;
  }
  SceneRun run(scene);
  for (int i = 0; i < 60; ++i) {
    run.step();
    if (!(run.position(0)[0] < run.position(1)[0])) return false;
  }
  return true;
}

// --- piles --------------------------------------------------------------------------------------------------------------

struct Rain {
  int lost = 0;             // bodies out of the pit at the end
  double deepest = 0, mean = 0;  // metres, after the last step
  double worst = 0;         // metres, at any whole tenth of a second
  double energyRise = 0;    // largest rise of the energy over its least value so far, as a share of the energy at the start
  bool finite = true;
};
inline Rain measureRain(int count, double seconds) {
  SceneRun run(demo::builtInScene("rain" + std::to_string(count)));
  Rain result;
  double least = run.world().energy();
  const double start = least;
  for (int k = 1, steps = run.stepsIn(seconds); k <= steps; ++k) {
    run.step();
    const double energy = run.world().energy();
    result.energyRise = std::max(result.energyRise, (energy - least) / start);
    least = std::min(least, energy);
    if (k % 6 == 0) result.worst = std::max(result.worst, run.overlaps().deepest);
  }
  const demo::Overlaps overlaps = run.overlaps();
  result.deepest = overlaps.deepest;
  result.mean = overlaps.mean;
  result.finite = run.isFinite();
  const double pit = run.scene().bodies[0].def.halfExtents[0] - 5;
  for (int i = 0; i < run.size(); ++i) {
    const Vector3d p = run.position(i);
    if (run.isDynamic(i) && !(p[1] > 0 && std::abs(p[0]) < pit && std::abs(p[2]) < pit)) ++result.lost;
  }
  return result;
}

struct OverlapStart {
  double excess = 0;   // m/s beyond gravity's share
  double overlap = 0;  // metres, after three seconds
  double reach = 0;    // metres, how far the bodies got sideways
};
// `count` boxes of about 1 m inside each other, on the ground or, without gravity, in space. Gravity's share is what a
// fall since the start gives, and no more than one from the highest body to the ground.
inline OverlapStart measureOverlapStart(int count, bool gravity, std::uint64_t seed) {
  demo::Scene scene = onGround("overlapping");
  if (!gravity) {
    scene.gravity.setZero();
    scene.bodies.clear();
  }
  demo::Random random(seed);
  for (int i = 0; i < count; ++i) {
    const double x = random.between(-0.05, 0.05), y = random.between(-0.05, 0.05), z = random.between(-0.05, 0.05);
    BodyDef& def = addDynamic(scene, {random.between(0.3, 0.5), random.between(0.3, 0.5), random.between(0.3, 0.5)},
                              {x, (gravity ? 1 : 0) + y, z});
    def.pose.orientation = random.rotation();
  }
  SceneRun run(scene);
  OverlapStart result;
  double top = 0;
  for (int steps = run.stepsIn(3); steps > 0; --steps) {
    run.step();
    for (int i = 0; i < run.size(); ++i)
      if (run.isDynamic(i)) top = std::max(top, run.position(i)[1]);
    for (int i = 0; i < run.size(); ++i) {
      if (!run.isDynamic(i)) continue;
      const double share = gravity ? std::min(9.81 * run.time(), std::sqrt(2 * 9.81 * top)) : 0;
      result.excess = std::max(result.excess, run.velocity(i).norm() - share);
      result.reach = std::max(result.reach, run.sideways(i));
    }
  }
  result.overlap = run.overlaps().deepest;
  return result;
}

}  // namespace sunder::measure
