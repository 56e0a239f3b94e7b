// SPDX-License-Identifier: MIT
// Static resolution: judged by the signed distance of every pair, not by what separate() says of itself.
#include <random>

#include "physics_bodies.h"
#include "sunder/narrowphase/query.h"

namespace sunder {
namespace {

using namespace sunder::testing;

// Depth of the deepest pair with a dynamic body.
double deepest(const World& world) {
  const std::vector<BodyId> ids = world.bodies();
  double depth = 0;
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = i + 1; j < ids.size(); ++j) {
      const BodyDef &a = world.definition(ids[i]), &b = world.definition(ids[j]);
      if (a.kind != BodyKind::Dynamic && b.kind != BodyKind::Dynamic) continue;
      if (!accepts(a.filter, b.filter) || world.isIgnored(ids[i], ids[j])) continue;
      depth = std::max(depth, -signedDistance(Box{a.halfExtents}, Box{b.halfExtents}, relativePose(world.pose(ids[i]), world.pose(ids[j]))).signedDistance);
    }
  return depth;
}

TEST(Separate, TwoBoxesShareTheMinimumPenetrationVector) {
  World world;
  const BodyId a = world.addBody(boxAt({0, 0, 0})), b = world.addBody(boxAt({0.7, 0.1, 0.2}));
  const SeparateReport report = world.separate();
  EXPECT_EQ(report.status, SeparateStatus::Separated);
  EXPECT_EQ(report.movedBodies, 2);
  EXPECT_NEAR(report.deepestBefore, 0.3, 1e-12);
  EXPECT_LT((world.pose(a).position - Vector3d(-0.15, 0, 0)).norm(), 1e-6);
  EXPECT_LT((world.pose(b).position - Vector3d(0.85, 0.1, 0.2)).norm(), 1e-6);
  EXPECT_EQ(world.linearVelocity(a), Vector3d(0, 0, 0));
  EXPECT_EQ(deepest(world), 0);
  const SeparateReport again = world.separate();
  EXPECT_EQ(again.movedBodies, 0);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.deepestBefore, 0);
}

TEST(Separate, StaticKinematicDominantAndLockedBodiesStay) {
  for (int kind = 0; kind < 4; ++kind) {
    World world;
    BodyDef rock = boxAt({0, 0, 0});
    if (kind == 0) rock.kind = BodyKind::Static;
    if (kind == 1) rock.kind = BodyKind::Kinematic;
    if (kind == 2) rock.dominance = 1;
    if (kind == 3) rock.lockedAxes = kLockLinearX | kLockLinearY | kLockLinearZ;
    const BodyId stays = world.addBody(rock), moves = world.addBody(boxAt({0.7, 0.1, 0.2}));
    EXPECT_EQ(world.separate().status, SeparateStatus::Separated);
    EXPECT_EQ(world.pose(stays).position, Vector3d(0, 0, 0)) << kind;
    EXPECT_LT((world.pose(moves).position - Vector3d(1, 0.1, 0.2)).norm(), 1e-6) << kind;
  }
}

// A body on a rail leaves along the rail, further than the minimum vector is long.
TEST(Separate, KeepsLockedAxes) {
  World world;
  BodyDef ramp = boxAt({0, 0, 0}, {5, 5, 0.5}, BodyKind::Static);
  ramp.pose.orientation = Quaternion(std::cos(0.25), 0, std::sin(0.25), 0);
  world.addBody(ramp);
  BodyDef slider = boxAt({0, 0, 0.7});
  slider.lockedAxes = kLockLinearY | kLockLinearZ;
  const BodyId id = world.addBody(slider);
  EXPECT_EQ(world.separate().status, SeparateStatus::Separated);
  EXPECT_EQ(world.pose(id).position.z(), 0.7);
  EXPECT_EQ(world.pose(id).position.y(), 0);
  EXPECT_LT(deepest(world), 1e-6);
}

TEST(Separate, TenBoxesFullyInsideEachOther) {
  World world;
  addFloor(world);
  for (int i = 0; i < 10; ++i) world.addBody(boxAt({0, 0, 0.5}));
  const SeparateReport report = world.separate();
  EXPECT_EQ(report.status, SeparateStatus::Separated) << toString(report.status) << " deepest " << report.deepest;
  EXPECT_LE(deepest(world), 1e-6);
  EXPECT_LT(report.largestMove, 15);
}

TEST(Separate, ARandomHeapOverAFloor) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    World world;
    addFloor(world);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < 80; ++i) {
      BodyDef def = boxAt({2 * uniform(random), 2 * uniform(random), 1 + uniform(random)}, {0.4, 0.3, 0.2});
      const double y = uniform(random), x = uniform(random), w = uniform(random);  // a call's arguments have no order
      def.pose.orientation = Quaternion(w, x, y, 1.1).normalized();
      world.addBody(def);
    }
    ASSERT_GT(deepest(world), 0.1);
    const SeparateReport report = world.separate();
    EXPECT_EQ(report.status, SeparateStatus::Separated) << toString(report.status) << " deepest " << report.deepest << " in " << report.iterations;
    EXPECT_LE(deepest(world), 1.0001e-6);
    EXPECT_LE(report.deepest, 1.0001e-6);
    EXPECT_TRUE(report.overlaps.empty());
  }
}

// Between two walls nearer than it is wide: out, along the shortest way.
TEST(Separate, LeavesAGapThatIsTooNarrow) {
  World world;
  world.addBody(boxAt({-0.9, 0, 0}, {0.5, 2, 1}, BodyKind::Static));
  world.addBody(boxAt({0.9, 0, 0}, {0.5, 2, 1}, BodyKind::Static));
  const BodyId id = world.addBody(boxAt({0, 0.3, 0.2}));
  const SeparateReport report = world.separate();
  EXPECT_EQ(report.status, SeparateStatus::Separated);
  EXPECT_LE(deepest(world), 1e-6);
  EXPECT_NEAR(world.pose(id).position.z(), 1.5, 1e-3);  // up over the walls: 1.3 m
}

// In a closed box that is too small there is no way out that keeps to the rules.
TEST(Separate, SaysWhatCannotBeSolved) {
  World world;
  const BodyId left = world.addBody(boxAt({-0.9, 0, 0}, {0.5, 2, 1}, BodyKind::Static)), right = world.addBody(boxAt({0.9, 0, 0}, {0.5, 2, 1}, BodyKind::Static));
  BodyDef def = boxAt({0, 0, 0});
  def.lockedAxes = kLockLinearY | kLockLinearZ | kLockLinearX;
  const BodyId id = world.addBody(def);
  const SeparateReport report = world.separate();
  EXPECT_EQ(report.status, SeparateStatus::Stuck);
  EXPECT_NEAR(report.deepest, 0.1, 1e-6);
  ASSERT_EQ(report.overlaps.size(), 2u);
  EXPECT_EQ(report.overlaps[0].a, left);
  EXPECT_EQ(report.overlaps[0].b, id);
  EXPECT_EQ(report.overlaps[1].a, right);
  EXPECT_NEAR(report.overlaps[1].depth, 0.1, 1e-6);
  EXPECT_EQ(world.pose(id).position, Vector3d(0, 0, 0));
}

TEST(Separate, HasALimitAndHonoursFilters) {
  World world;
  for (int i = 0; i < 20; ++i) world.addBody(boxAt({0.01 * i, 0, 0}));
  SeparateSettings settings;
  settings.maxIterations = 2;
  EXPECT_EQ(world.separate(settings).status, SeparateStatus::IterationLimit);
  settings.maxIterations = 0;
  EXPECT_THROW(world.separate(settings), std::invalid_argument);

  World ghosts;
  BodyDef def = boxAt({0, 0, 0});
  def.filter = {2, 1};
  ghosts.addBody(def);
  ghosts.addBody(def);
  EXPECT_EQ(ghosts.separate().movedBodies, 0);
  World friends;
  const BodyId a = friends.addBody(boxAt({0, 0, 0})), b = friends.addBody(boxAt({0.1, 0, 0}));
  friends.ignorePair(a, b);
  EXPECT_EQ(friends.separate().movedBodies, 0);
}

TEST(Separate, WakesWhatItMovesAndIsRepeatable) {
  World world;
  addFloor(world);
  const BodyId cube = world.addBody(boxAt({0, 0, 0.5}));
  timeToSleep(world, cube, 5);
  world.addBody(boxAt({0.5, 0, 0.5}, {0.5, 0.5, 0.5}, BodyKind::Static));
  EXPECT_FALSE(world.isAwake(cube));
  EXPECT_EQ(world.separate().status, SeparateStatus::Separated);
  EXPECT_TRUE(world.isAwake(cube));
  World copy;
  copy.restore(world.save());
  copy.addBody(boxAt({0.1, 0.1, 0.5}));
  world.addBody(boxAt({0.1, 0.1, 0.5}));
  copy.separate();
  world.separate();
  EXPECT_EQ(copy.stateHash(), world.stateHash());
}

}  // namespace
}  // namespace sunder
