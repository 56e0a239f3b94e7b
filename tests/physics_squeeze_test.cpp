// SPDX-License-Identifier: MIT
// What is pressed by bodies that do not give way, with nowhere to go, is gone through: nothing gets faster than by the law of
// docs/stepping.md, (26), and what is at rest stays closed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "physics_bodies.h"

namespace sunder::testing {
namespace {

// How a kinematic plate, or a falling body of a higher dominance, squeezes.
enum class Press { OntoTheFloor, ToTheCeiling, AgainstAWall, ByDominance };

struct Squeeze {
  double fastest = 0;   // m/s, of what is squeezed
  double allowed = 0;   // m/s
};

// count boxes, one above the other.
Squeeze squeeze(Press press, unsigned seed, int count, double rate) {
  Numbers random(seed);
  WorldDef def;
  def.sleep = false;
  World world(def);
  const double restitution = std::max(0.0, random.between(-1, 1)), friction = std::max(0.0, random.between(-0.2, 1));
  const auto add = [&](BodyDef body) {
    body.restitution = restitution;
    body.friction = friction;
    return world.addBody(body);
  };
  add(boxAt({0, 0, -1}, {50, 50, 1}, BodyKind::Static));
  std::vector<BodyId> boxes;
  double top = 0;
  for (int i = 0; i < count; ++i) {
    const double extent = random.between(0.1, 0.5);
    const Vector3d shares = random.vector(0.35);
    const Vector3d half = extent * (shares + Vector3d::Constant(0.65));
    BodyDef box = boxAt({0, 0, 0}, half);
    double reach = half.z();
    if (random.between(0, 1) < 0.5) {
      box.pose.orientation = random.rotation();
      reach = half.norm();
    }
    const double x = random.between(-0.2, 0.2);
    const double y = random.between(-0.2, 0.2);
    box.pose.position = {x, y, top + reach + 0.001};
    box.density = random.between(100, 4000);
    top += 2 * reach + 0.002;
    boxes.push_back(add(box));
  }
  Squeeze result;
  const double speed = 0.2 * std::exp2(random.between(0, 5)), wide = random.between(0.1, 3), thick = random.between(0.02, 1);
  BodyDef plate = boxAt({0, 0, top + 0.05 + thick}, {wide, wide, thick}, BodyKind::Kinematic);
  Vector3d velocity(0, 0, -speed);
  double way = random.between(0.5, 1.5) * top;
  if (press == Press::ToTheCeiling) {
    add(boxAt({0, 0, top + 1}, {2, 2, 0.3}, BodyKind::Static));
    plate = boxAt({0, 0, -0.22}, {1.5, 1.5, 0.2}, BodyKind::Kinematic);
    velocity.z() = speed;
    way = top + 1.2;
  } else if (press == Press::AgainstAWall) {
    add(boxAt({1.5, 0, 1}, {0.2, 1, 1}, BodyKind::Static));
    plate = boxAt({-1.5, 0, 1.02}, {0.2, 1, 1}, BodyKind::Kinematic);
    velocity = {speed, 0, 0};
    way = 2.6;
  } else if (press == Press::ByDominance) {
    plate.kind = BodyKind::Dynamic;
    plate.dominance = 1;
    plate.pose.position.z() += random.between(0, 2);
  }
  const BodyId pusher = add(plate);
  double fastestPusher = speed;
  const double end = press == Press::ByDominance ? 2 : 1.5 + way / speed;
  for (double time = 0; time < std::min(end + 0.5, 6.0); time += 1 / rate) {
    if (press != Press::ByDominance) world.setLinearVelocity(pusher, time > 0.5 && time < 0.5 + way / speed ? velocity : Vector3d(0, 0, 0));
    EXPECT_EQ(world.step(1 / rate).errors, kStepOk);
    fastestPusher = std::max(fastestPusher, world.linearVelocity(pusher).norm());
    for (const BodyId box : boxes)
      if (world.pose(box).position.head<2>().cwiseAbs().maxCoeff() < 45) result.fastest = std::max(result.fastest, world.linearVelocity(box).norm());
  }
  // What a pusher may do, and that what it pushed hits others; and a pile that falls, in which a light box may be thrown up.
  result.allowed = 4 * fastestPusher * (1 + restitution) + 1.2 * std::sqrt(2 * 9.81 * (top + 0.5));
  return result;
}

void expectCalm(Press press) {
  for (unsigned seed = 1; seed <= 24; ++seed)
    for (const double rate : {30.0, 60.0, 240.0}) {
      const int count = 1 + static_cast<int>(seed % 4);
      const Squeeze s = squeeze(press, seed, count, rate);
      EXPECT_LT(s.fastest, s.allowed) << "seed " << seed << ", " << count << " boxes, rate " << rate;
    }
}
TEST(Squeeze, APressShootsNothingOut) { expectCalm(Press::OntoTheFloor); }
TEST(Squeeze, ALiftShootsNothingOut) { expectCalm(Press::ToTheCeiling); }
TEST(Squeeze, ABulldozerShootsNothingOut) { expectCalm(Press::AgainstAWall); }
TEST(Squeeze, DominanceShootsNothingOut) { expectCalm(Press::ByDominance); }

// A plate that comes down to half the height of a cube and stays.
TEST(Squeeze, WhatIsPressedFlatGetsNoSpeed) {
  for (const double speed : {0.1, 0.5, 2.0, 8.0})
    for (const double rate : {60.0, 240.0}) {
      WorldDef def;
      def.sleep = false;
      World world(def);
      addFloor(world);
      const BodyId cube = world.addBody(boxAt({0.05, 0.02, 0.25}, {0.25, 0.25, 0.25}));
      const BodyId plate = world.addBody(boxAt({0, 0, 0.9}, {1, 1, 0.3}, BodyKind::Kinematic));
      double fastest = 0;
      for (double time = 0; time < 0.35 / speed + 3; time += 1 / rate) {
        world.setLinearVelocity(plate, time < 0.35 / speed ? Vector3d(0, 0, -speed) : Vector3d(0, 0, 0));
        ASSERT_EQ(world.step(1 / rate).errors, kStepOk);
        fastest = std::max(fastest, world.linearVelocity(cube).norm());
      }
      EXPECT_LE(fastest, 1.03 * speed) << "plate of " << speed << " m/s, rate " << rate;
    }
}

// It goes through what it presses, and the floor does not: when it is gone, the box lies there.
TEST(Squeeze, WhatIsPressedStaysOnTheFloor) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Numbers random(seed);
    World world;
    const double thickness = 0.02 * std::exp2(random.between(0, 5.6)), friction = std::max(0.0, random.between(-1, 1));
    const auto add = [&](BodyDef body) {
      body.friction = friction;
      return world.addBody(body);
    };
    add(boxAt({0, 0, -thickness}, {10, 10, thickness}, BodyKind::Static));
    BodyDef box = boxAt({0, 0, 1}, random.vector(0.15) + Vector3d::Constant(0.25));
    if (seed % 2 == 0) box.pose.orientation = random.rotation();
    const BodyId id = add(box), plate = add(boxAt({0, 0, 3.6}, {2, 2, 1}, BodyKind::Kinematic));
    const double rate = seed % 3 == 0 ? 30 : seed % 3 == 1 ? 60 : 240, speed = 0.1 * std::exp2(random.between(0, 5));
    const double least = random.between(0, 0.3) * box.halfExtents.minCoeff(), down = 2.6 / speed + 4;
    run(world, 2, 1 / rate);
    for (double time = 0; time < 2 * down; time += 1 / rate) {
      const double gap = world.pose(plate).position.z() - 1;
      world.setLinearVelocity(plate, {0, 0, time < down ? (gap > least ? -std::min(speed, (gap - least) * rate) : 0.0) : speed});
      ASSERT_EQ(world.step(1 / rate).errors, kStepOk);
      ASSERT_GT(world.pose(id).position.z(), 0.5 * box.halfExtents.minCoeff()) << "seed " << seed << ", time " << time;
    }
    EXPECT_LT(world.linearVelocity(id).norm(), 0.01) << "seed " << seed;
  }
}

// A plate that bounces it onto the floor is obeyed in each substep, so the box is never deep in it: there is less room than it needs.
TEST(Squeeze, WhatIsHitOntoTheFloorStaysThere) {
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const double speed : {0.1, 0.3, 1.0})
      for (const double rate : {30.0, 60.0, 240.0}) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << speed << " m/s, rate " << rate);
        Numbers random(seed);
        World world;
        const double restitution = random.between(0.1, 1);
        const double friction = std::max(0.0, random.between(-0.5, 1));
        const auto add = [&](BodyDef body) {
          body.restitution = restitution;
          body.friction = friction;
          return world.addBody(body);
        };
        add(boxAt({0, 0, -0.5}, {10, 10, 0.5}, BodyKind::Static));
        const Vector3d half = random.vector(0.15) + Vector3d::Constant(0.25);
        const double x = random.between(-1, 1);
        const double y = random.between(-1, 1);
        const BodyId box = add(boxAt({x, y, half.z()}, half));
        const BodyId plate = add(boxAt({0, 0, 2 * half.z() + 0.3}, {1.2, 1.2, 0.2}, BodyKind::Kinematic));
        const double down = (2 * half.z() + 0.1) / speed, most = 4 * speed + 0.5;
        for (double time = 0; time < down + 1; time += 1 / rate) {
          world.setLinearVelocity(plate, {0, 0, time < down ? -speed : 0.0});
          ASSERT_EQ(world.step(1 / rate).errors, kStepOk);
          ASSERT_GT(world.pose(box).position.z(), half.z() - 0.3 * half.minCoeff()) << "at " << time;
          ASSERT_LT(world.linearVelocity(box).norm(), most) << "at " << time;
        }
        EXPECT_NEAR(world.pose(box).position.z(), half.z(), 0.002);
      }
}

// What is let through takes nothing along when bodies are swept, either.
TEST(Squeeze, WhatIsPressedFastStaysOnTheFloor) {
  for (unsigned seed = 1; seed <= 40; ++seed)
    for (const double rate : {30.0, 60.0}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", rate " << rate);
      Numbers random(seed);
      World world;
      addFloor(world);
      std::vector<BodyId> boxes;
      std::vector<Vector3d> halves;
      double top = 0;
      for (int i = 0; i < 2; ++i) {
        halves.push_back(random.vector(0.15) + Vector3d::Constant(0.25));
        BodyDef box = boxAt({0, 0, top + halves[i].z()}, halves[i]);
        box.restitution = random.between(0, 1);
        box.density = 1000 * std::exp2(random.between(-3, 3));
        boxes.push_back(world.addBody(box));
        top += 2 * halves[i].z();
      }
      const BodyId plate = world.addBody(boxAt({0, 0, top + 0.5}, {1.2, 1.2, 0.2}, BodyKind::Kinematic));
      const double speed = random.between(3, 10), down = (0.3 + top) / speed;
      for (double time = 0; time < down + 0.5; time += 1 / rate) {
        world.setLinearVelocity(plate, {0, 0, time < down ? -speed : 0.0});
        ASSERT_EQ(world.step(1 / rate).errors, kStepOk);
        for (const BodyId box : boxes) ASSERT_GT(world.pose(box).position.z(), 0) << "at " << time;
      }
    }
}

// A kinematic body that only pushes is no squeeze: the box goes along with it, at its speed.
TEST(Squeeze, ABoxInFrontOfAPusherGoesAlong) {
  for (const double speed : {0.5, 5.0, 20.0}) {
    World world;
    addFloor(world);
    const BodyId box = world.addBody(boxAt({0, 0, 0.5}));
    const BodyId pusher = world.addBody(boxAt({-1.1, 0, 0.52}, {0.5, 1, 0.5}, BodyKind::Kinematic));
    world.setLinearVelocity(pusher, {speed, 0, 0});
    run(world, 1);
    EXPECT_NEAR(world.linearVelocity(box).x(), speed, 0.02 * speed);
    EXPECT_LT(std::fabs(world.linearVelocity(box).z()), 0.02 * speed);
    EXPECT_GT(world.pose(box).position.x() - world.pose(pusher).position.x(), 0.98);
  }
}

}  // namespace
}  // namespace sunder::testing
