// SPDX-License-Identifier: MIT
// One test per line of docs/conventions.md, and one that there is no line without a test.
#include <gtest/gtest.h>
#include <sunder/narrowphase/collide_boxes.h>
#include <sunder/narrowphase/query.h>
#include <sunder/physics/world.h>

#include <cmath>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

namespace sunder {
namespace {

using Eigen::Vector3d;

// Two turned, overlapping boxes.
struct Pair {
  Box a{{1, 0.5, 0.75}}, b{{0.5, 0.6, 0.7}};
  Pose poseA, poseB;
  Pair() {
    poseA.position = {1, 2, 3};
    poseA.orientation = Quaternion(0.8, 0.6, 0, 0);
    poseB.position = {1.2, 2.9, 3.1};
    poseB.orientation = Quaternion(0.96, 0, 0.28, 0);
  }
  Pose bInA() const { return relativePose(poseA, poseB); }
};

TEST(Conventions, Units) {
  World world;
  BodyDef def;
  def.halfExtents = {0.5, 1, 1.5};
  const BodyId id = world.addBody(def);
  EXPECT_EQ(world.mass(id), 6 * 1000.0);
  EXPECT_NEAR(world.inertia(id)[0], 6000 / 12.0 * (2 * 2 + 3 * 3), 1e-9);
}

TEST(Conventions, Gravity) {
  EXPECT_EQ(WorldDef().gravity, Vector3d(0, 0, -9.81));
  World world;
  const BodyId id = world.addBody({});
  world.step(0.01);
  EXPECT_NEAR(world.linearVelocity(id)[2], -0.0981, 1e-6);
}

TEST(Conventions, Box) {
  const Box a{{1, 2, 3}};
  Pose pose;
  pose.position = {0, 0, 5};
  EXPECT_EQ(signedDistance(a, Box{{1, 1, 1}}, pose).signedDistance, 1.0);
}

TEST(Conventions, Pose) {
  const Pair pair;
  const Pose bInA = pair.bInA();
  const Vector3d local(0.3, -0.2, 0.1);
  const Vector3d inA = bInA.position + bInA.orientation * local;
  const Vector3d inWorld = pair.poseB.position + pair.poseB.orientation * local;
  EXPECT_LT((pair.poseA.position + pair.poseA.orientation * inA - inWorld).norm(), 1e-15);
}

TEST(Conventions, Quaternion) {
  const Quaternion q(0.5, 0.1, 0.2, 0.3);
  EXPECT_EQ(q.w(), 0.5);
  EXPECT_EQ(q.coeffs()[3], 0.5);
  EXPECT_EQ(q.coeffs()[0], 0.1);
}

TEST(Conventions, AngularVelocity) {
  WorldDef settings;
  settings.gravity.setZero();
  World world(settings);
  BodyDef def;
  def.angularVelocity = {0, 0, 1};
  const BodyId id = world.addBody(def);
  for (int i = 0; i < 10; ++i) world.step(0.01);
  const Vector3d x = world.pose(id).orientation * Vector3d(1, 0, 0);
  EXPECT_NEAR(x[0], std::cos(0.1), 1e-5);
  EXPECT_NEAR(x[1], std::sin(0.1), 1e-5);
}

TEST(Conventions, Normal) {
  Pose pose;
  pose.position = {0, 1.5, 0};
  EXPECT_EQ(signedDistance(Box{{1, 1, 1}}, Box{{1, 1, 1}}, pose).normal, Vector3d(0, 1, 0));
  const Pair pair;
  EXPECT_NEAR(signedDistance(pair.a, pair.b, pair.bInA()).normal.norm(), 1, 1e-15);
}

TEST(Conventions, Sign) {
  const Pair pair;
  const Proximity p = signedDistance(pair.a, pair.b, pair.bInA());
  const Penetration deep = penetration(supportShape(pair.a), supportShape(pair.b), pair.bInA());
  EXPECT_LT(p.signedDistance, 0);
  EXPECT_TRUE(deep.overlap);
  EXPECT_NEAR(deep.depth, -p.signedDistance, 1e-15);
  BoxPairCache cache;
  BoxCollision collision;
  collideBoxes(pair.a, pair.b, pair.bInA(), 0, NarrowphaseMethod::GjkEpa, cache, collision);
  ASSERT_GT(collision.manifold.pointCount, 0);
  EXPECT_LT(collision.manifold.points[0].separation, 0);
}

TEST(Conventions, Push) {
  const Pair pair;
  const Penetration p = penetration(supportShape(pair.a), supportShape(pair.b), pair.bInA());
  Pose moved = pair.bInA();
  moved.position += p.depth * p.normal;
  EXPECT_NEAR(signedDistance(pair.a, pair.b, moved).signedDistance, 0, 1e-14);
}

TEST(Conventions, Witness) {
  const Pair pair;
  const Proximity p = signedDistance(pair.a, pair.b, pair.bInA());
  EXPECT_LT((p.pointOnA + p.signedDistance * p.normal - p.pointOnB).norm(), 1e-14);
  BoxPairCache cache;
  BoxCollision collision;
  collideBoxes(pair.a, pair.b, pair.bInA(), 0, NarrowphaseMethod::GjkEpa, cache, collision);
  ASSERT_GT(collision.manifold.pointCount, 0);
  for (int i = 0; i < collision.manifold.pointCount; ++i) {
    const ContactPoint& c = collision.manifold.points[i];
    EXPECT_LT((c.pointOnA + c.separation * collision.manifold.normal - c.pointOnB).norm(), 1e-14);
  }
}

TEST(Conventions, Swap) {
  const Pair pair;
  const Proximity ab = signedDistance(pair.a, pair.b, pair.bInA());
  const Proximity ba = signedDistance(pair.b, pair.a, relativePose(pair.poseB, pair.poseA));
  EXPECT_NEAR(ab.signedDistance, ba.signedDistance, 1e-14);
  const Vector3d inWorld = pair.poseA.orientation * ab.normal, swapped = pair.poseB.orientation * ba.normal;
  EXPECT_LT((inWorld + swapped).norm(), 1e-14);
}

TEST(Conventions, Ids) {
  World world;
  const BodyId old = world.addBody({});
  world.removeBody(old);
  world.step(0.01);  // a place is free again after the next step
  const BodyId next = world.addBody({});
  EXPECT_EQ(old.index, next.index);
  EXPECT_NE(old.generation, next.generation);
  EXPECT_FALSE(world.isValid(old));
  EXPECT_THROW(world.pose(old), std::invalid_argument);
}

TEST(Conventions, Errors) {
  World world;
  world.addBody({});
  const std::uint64_t before = world.stateHash();
  BodyDef bad;
  bad.friction = NAN;
  EXPECT_THROW(world.addBody(bad), std::invalid_argument);
  EXPECT_EQ(world.bodies().size(), 1u);
  EXPECT_EQ(world.step(NAN).errors, kStepInvalidTimeStep);
  EXPECT_EQ(world.step(-1).errors, kStepInvalidTimeStep);
  EXPECT_EQ(world.stateHash(), before);
}

TEST(Conventions, Mass) {
  World world;
  BodyDef def;
  def.kind = BodyKind::Static;
  EXPECT_EQ(world.mass(world.addBody(def)), 0);
  def.kind = BodyKind::Kinematic;
  EXPECT_EQ(world.mass(world.addBody(def)), 0);
}

TEST(Conventions, EveryLineOfTheDocumentHasItsTest) {
  std::set<std::string> named, tested;
  std::ifstream in(SUNDER_SOURCE_DIR "/docs/conventions.md");
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.back() == ']')
      named.insert(line.substr(line.rfind('[') + 1, line.size() - line.rfind('[') - 2));
  const auto& suite = *testing::UnitTest::GetInstance()->current_test_suite();
  for (int i = 0; i < suite.total_test_count(); ++i) tested.insert(suite.GetTestInfo(i)->name());
  tested.erase("EveryLineOfTheDocumentHasItsTest");
  EXPECT_EQ(named.size(), 14u);
  EXPECT_EQ(named, tested);
}

}  // namespace
}  // namespace sunder
