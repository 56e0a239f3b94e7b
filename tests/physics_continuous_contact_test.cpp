// SPDX-License-Identifier: MIT
// Contacts that are made before the bodies meet, without the sweep behind them: what will hit in the step is stopped, what
// will pass is left alone. Whether it hits is found by dense sampling of its path.
#include <algorithm>
#include <cmath>
#include <vector>

#include "physics_bodies.h"
#include "sunder/demo/referee.h"

namespace sunder {
namespace {

using namespace sunder::testing;

WorldDef withoutSweep() {
  WorldDef def = weightless();
  def.continuous = false;
  def.sleep = false;
  return def;
}

Quaternion turnBy(const Vector3d& v) {
  const double angle = v.norm();
  if (angle == 0) return Quaternion(1, 0, 0, 0);
  const Vector3d s = std::sin(angle / 2) / angle * v;
  return Quaternion(std::cos(angle / 2), s[0], s[1], s[2]);
}

// The least separation of the flying body from the other, which rests, over one step.
double leastSeparation(const BodyDef& flying, const BodyDef& resting) {
  double least = 1e300;
  for (int i = 0; i <= 2000; ++i) {
    const double time = kDt * i / 2000;
    const Pose pose = {flying.pose.position + time * flying.linearVelocity, turnBy(time * flying.angularVelocity) * flying.pose.orientation};
    least = std::min(least, demo::separation({{flying.halfExtents}, pose, true}, {{resting.halfExtents}, resting.pose, true}));
  }
  return least;
}

// Random shots past a block, as fast as five of its sizes per step, some of them turning.
TEST(ContinuousContact, StopsWhatWillHitAndNothingElse) {
  Numbers random(1);
  int hits = 0, misses = 0;
  for (int i = 0; i < 400; ++i) {
    BodyDef block = boxAt({0, 0, 0}, {0.5, 0.4, 0.6}, BodyKind::Static);
    block.pose.orientation = turnBy(random.vector(1.5));
    BodyDef flying = boxAt({-2.5, random.between(-1, 1), random.between(-1, 1)}, {0.2, 0.3, 0.15});
    flying.pose.orientation = turnBy(random.vector(1.5));
    flying.linearVelocity = {random.between(100, 300), random.between(-10, 10), random.between(-10, 10)};
    // A cube's free turning keeps its axis; other boxes precess, which in one step is little.
    if (i % 3 == 0) flying.halfExtents = {0.25, 0.25, 0.25}, flying.angularVelocity = random.vector(20);
    World world(withoutSweep());
    world.addBody(block);
    const BodyId id = world.addBody(flying);
    const Vector3d end = flying.pose.position + kDt * flying.linearVelocity;
    const double least = leastSeparation(flying, block);
    // A corner that is cut across by less may be left to the sweep, which looks once a body is in by a quarter of its size.
    if (least < 0.002 && least > -0.06) continue;
    world.step(kDt);
    if (least > 0) {
      EXPECT_LT((world.pose(id).position - end).norm(), 1e-9) << i << " passes at " << least << " m";
      EXPECT_LT((world.linearVelocity(id) - flying.linearVelocity).norm(), 1e-4) << i;
      ++misses;
    } else {
      EXPECT_GT((world.linearVelocity(id) - flying.linearVelocity).norm(), 1) << i << " goes in by " << -least << " m";
      ++hits;
    }
  }
  EXPECT_GT(hits, 100);
  EXPECT_GT(misses, 100);
}

// Straight at a wall, from ten sizes away and at any speed: it stops at the wall in the step in which it gets there.
TEST(ContinuousContact, AStraightShotStopsAtTheWall) {
  for (const double speed : {30.0, 100.0, 300.0, 1000.0, 5000.0}) {
    World world(withoutSweep());
    world.addBody(boxAt({0, 0, 0}, {0.05, 5, 5}, BodyKind::Static));
    BodyDef def = boxAt({-10, 0, 0}, {0.1, 0.1, 0.1});
    def.linearVelocity = {speed, 0, 0};
    const BodyId id = world.addBody(def);
    const int arrives = static_cast<int>(9.85 / (speed * kDt)) + 1;
    for (int step = 0; step < arrives; ++step) world.step(kDt);
    EXPECT_NEAR(world.pose(id).position.x(), -0.15, 0.01) << speed;
    EXPECT_LT(std::fabs(world.linearVelocity(id).x()), 0.01 * speed);
  }
}

// A rule or a filter that keeps two apart from each other keeps the contact away, too.
TEST(ContinuousContact, NotBetweenBodiesThatDoNotCollide) {
  for (const bool byRule : {false, true}) {
    World world(withoutSweep());
    BodyDef wall = boxAt({0, 0, 0}, {0.05, 5, 5}, BodyKind::Static);
    if (!byRule) wall.filter = {2, 2};
    const BodyId wallId = world.addBody(wall);
    BodyDef def = boxAt({-2, 0, 0}, {0.1, 0.1, 0.1});
    def.linearVelocity = {300, 0, 0};
    const BodyId id = world.addBody(def);
    if (byRule) world.ignorePair(id, wallId);
    world.step(kDt);
    EXPECT_NEAR(world.pose(id).position.x(), 3, 1e-9);
  }
}

// Two that fly in formation are fast, but not relative to each other.
TEST(ContinuousContact, RelativeMotionCounts) {
  World world(withoutSweep());
  BodyDef def = boxAt({0, 0, 0}, {0.1, 0.1, 0.1});
  def.linearVelocity = {200, 0, 0};
  const BodyId first = world.addBody(def);
  def.pose.position = {0.5, 0, 0};
  const BodyId second = world.addBody(def);
  for (int i = 0; i < 10; ++i) world.step(kDt);
  EXPECT_NEAR(world.pose(second).position.x() - world.pose(first).position.x(), 0.5, 1e-9);
  EXPECT_EQ(world.linearVelocity(first), Vector3d(200, 0, 0));
  // One brakes: the other hits it in the next step, and they share the momentum.
  world.setLinearVelocity(second, {0, 0, 0});
  world.step(kDt);
  EXPECT_NEAR(world.linearVelocity(first).x() + world.linearVelocity(second).x(), 200, 0.01);
  EXPECT_LE(world.linearVelocity(first).x(), world.linearVelocity(second).x() + 0.01);
}

// A box that lands on one corner lands on others in the same step. (With the first one alone a tenth of them went 20 to 60 mm into
// the floor.)
TEST(ContinuousContact, AllCornersThatComeInTheStep) {
  for (const double height : {0.5, 2.0})
    for (const double spin : {0.0, 3.0, 10.0}) {
      std::vector<double> depths;
      for (unsigned seed = 1; seed <= 100; ++seed) {
        Numbers numbers(seed);
        WorldDef def;
        def.continuous = false;
        World world(def);
        const BodyId floor = addFloor(world);
        BodyDef box = boxAt({0, 0, 1 + height}, {numbers.between(0.2, 0.5), numbers.between(0.2, 0.5), numbers.between(0.2, 0.5)});
        box.pose.orientation = numbers.rotation();
        box.angularVelocity = numbers.vector(spin);
        box.linearVelocity = numbers.vector(1);
        const BodyId id = world.addBody(box);
        double deepest = 0;
        for (int i = 0; i < 120; ++i) {
          world.step(kDt);
          deepest = std::max(deepest, -demo::separation({{box.halfExtents}, world.pose(id), true}, {{world.definition(floor).halfExtents}, world.pose(floor), true}));
        }
        depths.push_back(deepest);
      }
      std::sort(depths.begin(), depths.end());
      EXPECT_LT(depths[90], spin < 5 ? 0.0012 : 0.006) << "a tenth, from " << height << " m, " << spin << " rad/s";
      EXPECT_LT(depths[99], spin < 5 ? 0.004 : 0.025) << "the worst, from " << height << " m, " << spin << " rad/s";
    }
}

}  // namespace
}  // namespace sunder
