// SPDX-License-Identifier: MIT
// Platforms and belts carry what stands on them, as long as friction can.
#include <cmath>

#include "physics_bodies.h"

namespace sunder {
namespace {

using namespace sunder::testing;

constexpr double kGravity = 9.81;

// How a platform, or a belt, moves: velocities at a time.
struct Drive {
  Vector3d linear = {0, 0, 0}, angular = {0, 0, 0}, belt = {0, 0, 0};
};

// What a run asks for: a stack of boxes on something that moves, well within friction and far from tipping over.
struct Ride {
  enum Kind { kShakes, kTurns, kStops, kTilts, kBelt, kLiftedBelt, kKinds } kind;
  double friction, restitution, mass;
  Vector3d halfExtents, place;
  int count;
  double acceleration;  // m/s^2, most along the surface
  double direction, rate, share;
};

Ride randomRide(unsigned seed) {
  Numbers random(seed);
  Ride ride;
  ride.kind = static_cast<Ride::Kind>(seed % Ride::kKinds);
  ride.friction = random.between(0.4, 1);
  ride.count = 1 + static_cast<int>(random.between(0, 8));
  const double x = random.between(0.2, 0.5), y = random.between(0.2, 0.5), z = random.between(0.1, 0.4);
  ride.halfExtents = {x, y, z};
  ride.restitution = std::max(random.between(-1, 1), 0.0);
  ride.mass = random.between(20, 80);
  const double radius = ride.kind == Ride::kTurns ? random.between(0.3, 3) : random.between(0, 1);
  ride.direction = random.between(0, 6.28);
  ride.place = {radius * std::cos(ride.direction), radius * std::sin(ride.direction), 0};
  // Friction gives mu g, and the stack tips over at g x / height.
  const double friction = ride.friction * kGravity, tips = kGravity * std::min(x, y) / (z * ride.count);
  ride.acceleration = 0.5 * std::min(friction, tips) * random.between(0.3, 1);
  ride.rate = random.between(0.5, 2);
  ride.share = random.between(0, 1);
  return ride;
}

// 0, up to 1, stays there, down to 0, and the same backwards, in 8 s.
double upAndDown(double t) {
  if (t > 4) return -upAndDown(t - 4);
  return std::max(0.0, std::min({t, 1.0, 3.5 - t}));
}

Drive driveAt(const Ride& ride, double t) {
  const Vector3d along = {std::cos(ride.direction), std::sin(ride.direction), 0};
  const double a = ride.acceleration, w = ride.rate;
  Drive drive;
  switch (ride.kind) {
    case Ride::kShakes:
      drive.linear = 0.7 * a / w * std::sin(w * t) * along + Vector3d(0, 0, 0.2 * a / w * std::sin(1.3 * w * t));
      break;
    case Ride::kTurns: drive.angular.z() = std::min(2.0, std::sqrt(a / ride.place.norm())) * upAndDown(t); break;
    case Ride::kStops: drive.linear = a * upAndDown(t) * along; break;
    case Ride::kTilts: drive.angular = 0.6 * ride.share * std::atan(a / kGravity) * std::sin(t) * along; break;
    case Ride::kLiftedBelt: drive.linear.z() = 0.5 * std::sin(t); [[fallthrough]];
    default: drive.belt = a * upAndDown(t) * along;
  }
  return drive;
}

struct Slip {
  double distance = 0, speed = 0;  // m, m/s, relative to what carries
};

Slip slipOf(const Ride& ride, double hertz) {
  World world;
  const bool isBelt = ride.kind >= Ride::kBelt;
  const double half = isBelt ? 40 : 4;
  BodyDef ground = boxAt({0, 0, -0.2}, {half, half, 0.2}, ride.kind == Ride::kBelt ? BodyKind::Static : BodyKind::Kinematic);
  ground.friction = ride.friction;
  const BodyId platform = world.addBody(ground);
  std::vector<BodyId> stack;
  std::vector<Vector3d> start;
  Vector3d run = {0, 0, 0};  // of the belt
  const auto seen = [&](BodyId id) {
    const Pose& from = world.pose(platform);
    return Vector3d(from.orientation.conjugate() * (world.pose(id).position - from.position));
  };
  for (int i = 0; i < ride.count; ++i) {
    BodyDef box = boxAt(ride.place + Vector3d(0, 0, (2 * i + 1) * ride.halfExtents.z()), ride.halfExtents);
    box.friction = ride.friction;
    box.restitution = ride.restitution;
    box.mass = ride.mass;
    stack.push_back(world.addBody(box));
    start.push_back(seen(stack.back()));
  }
  Slip most;
  for (int step = 0; step < 9 * hertz; ++step) {
    const double t = step / hertz;
    const Drive drive = driveAt(ride, t);
    world.setSurfaceVelocity(platform, drive.belt);
    if (ride.kind != Ride::kBelt) {
      world.setLinearVelocity(platform, drive.linear);
      world.setAngularVelocity(platform, drive.angular);
    }
    world.step(1 / hertz);
    run += drive.belt / hertz;
    if (t < 0.5) continue;
    for (std::size_t i = 0; i < stack.size(); ++i) {
      const Vector3d arm = world.pose(stack[i]).position - world.pose(platform).position;
      const Vector3d carried = drive.linear + drive.belt + drive.angular.cross(arm);
      most.distance = std::max(most.distance, (seen(stack[i]) - run - start[i]).norm());
      most.speed = std::max(most.speed, (world.linearVelocity(stack[i]) - carried).norm());
    }
  }
  return most;
}

TEST(CarriedIslands, StacksStayWhereTheyStand) {
  for (const double hertz : {30.0, 60.0, 240.0})
    for (unsigned seed = 1; seed <= (hertz > 100 ? 18 : 72); ++seed) {
      const Slip slip = slipOf(randomRide(seed), hertz);
      EXPECT_LT(slip.distance, 0.003) << "seed " << seed << ", " << hertz << " Hz";
      EXPECT_LT(slip.speed, 0.035) << "seed " << seed << ", " << hertz << " Hz";
    }
}

// What friction cannot do it does not do: a rider on a platform with an acceleration of 2 mu g has mu g.
TEST(CarriedIslands, APlatformThatIsTooFastLeavesItsRiderBehind) {
  for (const double hertz : {30.0, 60.0, 240.0}) {
    World world(awakeWorld());
    BodyDef ground = boxAt({0, 0, -0.2}, {10, 4, 0.2}, BodyKind::Kinematic), box = boxAt({0, 0, 0.1}, {0.4, 0.4, 0.1});
    ground.friction = box.friction = 0.2;
    const BodyId platform = world.addBody(ground), rider = world.addBody(box);
    for (int step = 1; step <= hertz; ++step) {
      world.setLinearVelocity(platform, {2 * 0.2 * kGravity * step / hertz, 0, 0});
      world.step(1 / hertz);
    }
    EXPECT_NEAR(world.linearVelocity(rider).x(), 0.2 * kGravity, 0.002) << hertz;
    EXPECT_NEAR(world.pose(rider).position.x(), 0.5 * 0.2 * kGravity, 0.5 * 0.2 * kGravity * 1.1 / hertz) << hertz;
  }
}

// A platform that falls faster than its rider leaves it on its parabola.
TEST(CarriedIslands, APlatformThatFallsFasterLeavesItsRiderInTheAir) {
  for (const double hertz : {60.0, 240.0}) {
    World world(awakeWorld());
    const BodyId platform = world.addBody(boxAt({0, 0, -0.2}, {4, 4, 0.2}, BodyKind::Kinematic));
    const BodyId rider = world.addBody(boxAt({0, 0, 0.5}));
    run(world, 0.5, 1 / hertz);
    const double start = world.pose(rider).position.z();
    for (int step = 1; step <= 0.5 * hertz; ++step) {
      world.setLinearVelocity(platform, {0, 0, -2 * kGravity * step / hertz});
      world.step(1 / hertz);
    }
    EXPECT_NEAR(world.linearVelocity(rider).z(), -0.5 * kGravity, 0.01) << hertz;
    EXPECT_NEAR(world.pose(rider).position.z() - start, -0.125 * kGravity, 0.3 / hertz) << hertz;
  }
}

// Without friction a turntable does nothing: fast boxes go straight on, those that stand in the world stay.
TEST(CarriedIslands, AFrictionlessTurntableTurnsNothing) {
  for (const double speed : {0.0, 0.05, 0.4})
    for (const double spin : {0.05, 0.5, 2.0}) {
      World world(awakeWorld());
      BodyDef ground = boxAt({0, 0, -0.2}, {8, 8, 0.2}, BodyKind::Kinematic), box = boxAt({1, 0, 0.1}, {0.2, 0.3, 0.1});
      ground.friction = box.friction = 0;
      ground.angularVelocity = {0, 0, spin};
      box.linearVelocity = {speed, -speed, 0};
      world.addBody(ground);
      const BodyId id = world.addBody(box);
      run(world, 2);
      const Vector3d end = {1 + 2 * speed, -2 * speed, 0.1};
      EXPECT_LT((world.pose(id).position - end).norm(), 0.001) << speed << " m/s, " << spin << " rad/s";
      EXPECT_LT((world.linearVelocity(id) - box.linearVelocity).norm(), 0.001) << speed << " m/s, " << spin << " rad/s";
    }
}

// A tray of several bodies that move as one is one frame: boxes next to its rims stay, too.
TEST(CarriedIslands, ATrayOfSeveralBodiesIsOneFrame) {
  for (const double hertz : {30.0, 60.0}) {
    World world;
    std::vector<BodyId> parts, stack;
    parts.push_back(world.addBody(boxAt({0, 0, -0.1}, {2, 1, 0.1}, BodyKind::Kinematic)));
    for (const double side : {-1.0, 1.0}) parts.push_back(world.addBody(boxAt({2.1 * side, 0, 0.2}, {0.1, 1, 0.3}, BodyKind::Kinematic)));
    std::vector<Vector3d> start;
    for (int i = 0; i < 4; ++i) {
      stack.push_back(world.addBody(boxAt({1.601, 0, 0.2 + 0.4 * i}, {0.4, 0.4, 0.2})));
      start.push_back(world.pose(stack.back()).position);
    }
    for (int step = 0; step < 8 * hertz; ++step) {
      const double t = step / hertz;
      const Vector3d velocity = {1.2 * std::sin(1.5 * t), 0.8 * std::sin(t) * std::min(t, 1.0), 0.5 * std::sin(2 * t)};
      for (const BodyId part : parts) world.setLinearVelocity(part, velocity);
      world.step(1 / hertz);
      const Vector3d moved = world.pose(parts[0]).position - Vector3d(0, 0, -0.1);
      for (std::size_t i = 0; i < stack.size(); ++i)
        EXPECT_LT((world.pose(stack[i]).position - moved - start[i]).norm(), 0.003) << hertz << " Hz, " << t;
    }
  }
}

// A stack that goes along with a platform takes the loss of its upper part as one that stands.
TEST(CarriedIslands, WhatIsLeftOfAStackStands) {
  for (const double hertz : {30.0, 60.0})
    for (const Vector3d& velocity : {Vector3d(0.5, 0, 0), Vector3d(0, 0, 0.5)})
      for (unsigned seed = 1; seed <= 20; ++seed) {
        Numbers random(seed);
        World world;
        const BodyId platform = world.addBody(boxAt({0, 0, -0.2}, {4, 4, 0.2}, BodyKind::Kinematic));
        const int count = 3 + static_cast<int>(random.between(0, 6)), left = 1 + static_cast<int>(random.between(0, count - 1));
        const double half = random.between(0.1, 0.4);
        std::vector<BodyId> stack;
        for (int i = 0; i < count; ++i) stack.push_back(world.addBody(boxAt({0, 0, (2 * i + 1) * half}, {0.4, 0.4, half})));
        for (int step = 1; step <= 3 * hertz; ++step) {
          world.setLinearVelocity(platform, std::min(1.0, step / hertz) * velocity);
          world.step(1 / hertz);
        }
        for (; static_cast<int>(stack.size()) > left; stack.pop_back()) world.removeBody(stack.back());
        std::vector<Vector3d> start;
        for (const BodyId id : stack) start.push_back(world.pose(id).position);
        run(world, 3, 1 / hertz);
        for (std::size_t i = 0; i < stack.size(); ++i) {
          EXPECT_LT((world.pose(stack[i]).position - start[i] - 3 * velocity).norm(), 0.002) << "seed " << seed << ", " << hertz << " Hz";
          EXPECT_LT((world.linearVelocity(stack[i]) - velocity).norm(), 0.002) << "seed " << seed << ", " << hertz << " Hz";
        }
      }
}

// A platform that moves along a floor, and a plank on both: there is no one frame. It gets what the two frictions leave it.
TEST(CarriedIslands, APlankOnAPlatformAndAFloorIsSolvedInTheWorld) {
  World world(awakeWorld());
  const BodyId platform = world.addBody(boxAt({0, 2, -0.2}, {20, 2, 0.2}, BodyKind::Kinematic));
  world.addBody(boxAt({0, -2, -0.2}, {20, 2, 0.2}, BodyKind::Static));
  BodyDef plank = boxAt({0, 0.2, 0.1}, {0.5, 1, 0.1});  // more of its weight is on the platform
  plank.lockedAxes = kLockAngularZ;
  const BodyId id = world.addBody(plank);
  world.setLinearVelocity(platform, {1, 0, 0});
  run(world, 2);
  EXPECT_NEAR(world.linearVelocity(id).x(), 1, 0.01);
  world.setLinearVelocity(platform, {0, 0, 0});
  run(world, 2);
  EXPECT_LT(world.linearVelocity(id).norm(), 1e-3);
}

// A world that is restored goes on as the one that was saved, also where a platform has just been told to stop.
TEST(CarriedIslands, ARestoredWorldKnowsHowItsPlatformsMoved) {
  World world;
  const BodyId platform = addFloor(world, BodyKind::Kinematic);
  addStack(world, 4);
  const auto go = [&](World& w, double v, int steps) {
    w.setLinearVelocity(platform, {v, 0, 0});
    w.setSurfaceVelocity(platform, {0, v, 0});
    for (int i = 0; i < steps; ++i) w.step(kDt);
  };
  for (const double v : {0.1, 0.2, 0.0}) {
    for (const int before : {0, 1, 40}) {
      go(world, v, before);
      World other;
      other.restore(world.save());
      EXPECT_EQ(other.stateHash(), world.stateHash());
      go(world, v / 2, 20);
      go(other, v / 2, 20);
      EXPECT_EQ(other.stateHash(), world.stateHash()) << v << " m/s, " << before << " steps";
    }
  }
}

}  // namespace
}  // namespace sunder
