// SPDX-License-Identifier: MIT
// World::debugDraw(): what it passes on, and what it leaves out.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sunder/physics/debug_draw.h"
#include "sunder/physics/world.h"

namespace sunder {
namespace {

using Eigen::Vector3d;

struct Recorder : DebugDraw {
  struct DrawnBox {
    Pose pose;
    Vector3d halfExtents;
    DebugColor color;
  };
  struct DrawnLine {
    Vector3d from, to;
    DebugColor color;
  };
  std::vector<DrawnBox> boxes;
  std::vector<DrawnLine> lines;
  std::vector<Vector3d> points;
  std::vector<Aabb> fat;
  void box(const Pose& pose, const Vector3d& halfExtents, DebugColor color) override { boxes.push_back({pose, halfExtents, color}); }
  void line(const Vector3d& from, const Vector3d& to, DebugColor color) override { lines.push_back({from, to, color}); }
  void point(const Vector3d& position, DebugColor) override { points.push_back(position); }
  void bounds(const Aabb& box, DebugColor) override { fat.push_back(box); }
};

// A floor, a cube of 1 m that rests on it, a kinematic body far away.
struct Scene {
  World world;
  BodyId cube;
  Scene() {
    BodyDef floor;
    floor.kind = BodyKind::Static;
    floor.halfExtents = {10, 10, 1};
    floor.pose.position = {0, 0, -1};
    world.addBody(floor);
    BodyDef def;
    def.halfExtents = {0.5, 0.5, 0.5};
    def.pose.position = {0, 0, 0.5};
    cube = world.addBody(def);
    def.kind = BodyKind::Kinematic;
    def.pose.position = {50, 0, 5};
    world.addBody(def);
    for (int i = 0; i < 20; ++i) world.step(1.0 / 60);
  }
};

TEST(DebugDrawing, BodiesByTheirKindAndState) {
  Scene scene;
  Recorder seen;
  scene.world.debugDraw(seen, {});
  ASSERT_EQ(seen.boxes.size(), 3u);
  EXPECT_EQ(seen.boxes[0].color, DebugColor::Static);
  EXPECT_EQ(seen.boxes[1].color, DebugColor::Awake);
  EXPECT_EQ(seen.boxes[2].color, DebugColor::Kinematic);
  EXPECT_EQ(seen.boxes[0].halfExtents, Vector3d(10, 10, 1));
  EXPECT_EQ(seen.boxes[1].pose.position, scene.world.pose(scene.cube).position);
  EXPECT_TRUE(seen.fat.empty());
  for (int i = 0; i < 200; ++i) scene.world.step(1.0 / 60);
  ASSERT_FALSE(scene.world.isAwake(scene.cube));
  Recorder later;
  scene.world.debugDraw(later, {});
  ASSERT_EQ(later.boxes.size(), 3u);
  EXPECT_EQ(later.boxes[1].color, DebugColor::Asleep);
}

// The normals' lines show the mean force: together the weight.
TEST(DebugDrawing, ContactsShowTheirForces) {
  Scene scene;
  Recorder seen;
  DebugDrawOptions options;
  options.forceScale = 1e-4;
  scene.world.debugDraw(seen, options);
  ASSERT_EQ(seen.points.size(), 4u);
  double length = 0;
  for (const Recorder::DrawnLine& line : seen.lines)
    if (line.color == DebugColor::Normal) length += std::abs(line.to.z() - line.from.z());
  const double weight = scene.world.mass(scene.cube) * 9.81;
  EXPECT_NEAR(length / options.forceScale, weight, 1e-3 * weight);
  for (const Vector3d& point : seen.points) {
    EXPECT_NEAR(point.z(), 0, 1e-3);
    EXPECT_NEAR(std::abs(point.x()), 0.5, 1e-3);
  }
}

TEST(DebugDrawing, OptionsLeaveThingsOut) {
  Scene scene;
  Recorder seen;
  DebugDrawOptions options;
  options.bodies = options.contacts = false;
  options.bounds = true;
  scene.world.debugDraw(seen, options);
  EXPECT_TRUE(seen.boxes.empty() && seen.lines.empty() && seen.points.empty());
  ASSERT_EQ(seen.fat.size(), 3u);
  const Vector3d cube = scene.world.pose(scene.cube).position;
  int around = 0;
  for (const Aabb& box : seen.fat) around += (box.lower.array() < cube.array() - 0.49).all() && (box.upper.array() > cube.array() + 0.49).all() ? 1 : 0;
  EXPECT_GE(around, 1);
}

}  // namespace
}  // namespace sunder
