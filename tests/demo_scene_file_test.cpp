// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "demo_files.h"
#include "sunder/demo/scene_file.h"

namespace sunder::demo {
namespace {

const std::string kHead = R"({"format": "sunder-scene", "version": 1, "bodies": [)";
const std::string kBox = R"("half_extents": [1, 2, 3], "position": [4, 5, 6])";

class SceneFile : public testing::Test {
 protected:
  Scene read(const std::string& text) const { return readSceneFile(directory_.write("scene.json", text)); }
  Scene readBody(const std::string& members) const { return read(kHead + "{" + members + "}]}"); }

  // The message without the file's path, which it must begin with.
  std::string problem(const std::string& text) const {
    const std::string message = messageOf([&] { read(text); });
    const std::string start = directory_.file("scene.json") + ": ";
    EXPECT_EQ(message.substr(0, start.size()), start);
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr(start.size());
  }
  std::string bodyProblem(const std::string& members) const { return problem(kHead + "{" + members + "}]}"); }

  TemporaryDirectory directory_;
};

TEST_F(SceneFile, NeedsOnlyExtentsAndPosition) {
  const Scene scene = readBody(kBox);
  const BodyDef defaults;
  ASSERT_EQ(scene.bodies.size(), 1u);
  const BodyDef& def = scene.bodies[0].def;
  EXPECT_EQ(scene.bodies[0].name, "body0");
  EXPECT_EQ(def.kind, BodyKind::Dynamic);
  EXPECT_EQ(def.halfExtents, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(def.pose.position, Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(def.pose.orientation.coeffs(), defaults.pose.orientation.coeffs());
  EXPECT_EQ(def.density, defaults.density);
  EXPECT_EQ(def.friction, defaults.friction);
  EXPECT_EQ(scene.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_EQ(scene.dt, 1.0 / 60.0);
}

TEST_F(SceneFile, ReadsEveryKey) {
  const Scene scene = read(R"({"format": "sunder-scene", "version": 1, "name": "n", "gravity": [1, 2, 3], "dt": 0.5,
    "steps": 7, "bodies": [{"name": "x", "kind": "kinematic", "half_extents": [1, 1, 1], "position": [0, 0, 0],
    "orientation": [0, 0, 1, 0], "linear_velocity": [1, 2, 3], "angular_velocity": [4, 5, 6], "mass": 12,
    "friction": 0.25, "restitution": 0.75, "linear_damping": 0.1, "angular_damping": 0.2, "gravity_scale": 2,
    "continuous": true, "allow_sleep": false}]})");
  EXPECT_EQ(scene.name, "n");
  EXPECT_EQ(scene.gravity, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(scene.dt, 0.5);
  EXPECT_EQ(scene.steps, 7);
  const BodyDef& def = scene.bodies.at(0).def;
  EXPECT_EQ(scene.bodies[0].name, "x");
  EXPECT_EQ(def.kind, BodyKind::Kinematic);
  EXPECT_EQ(def.pose.orientation.y(), 1);  // w, x, y, z
  EXPECT_EQ(def.linearVelocity, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(def.angularVelocity, Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(def.mass, 12);
  EXPECT_EQ(def.friction, 0.25);
  EXPECT_EQ(def.restitution, 0.75);
  EXPECT_EQ(def.linearDamping, 0.1);
  EXPECT_EQ(def.angularDamping, 0.2);
  EXPECT_EQ(def.gravityScale, 2);
  EXPECT_TRUE(def.continuous);
  EXPECT_FALSE(def.allowSleep);
}

TEST_F(SceneFile, WhatIsWrittenReadsBackBitByBit) {
  Scene scene = builtInScene("rain20");
  scene.bodies[7].def.mass = 0.1;
  scene.bodies[8].def.linearDamping = 0.3;
  const Scene back = read(toSceneFile(scene));
  EXPECT_EQ(back.name, scene.name);
  EXPECT_EQ(back.steps, scene.steps);
  EXPECT_EQ(back.dt, scene.dt);
  EXPECT_EQ(back.gravity, scene.gravity);
  ASSERT_EQ(back.bodies.size(), scene.bodies.size());
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDef &a = scene.bodies[i].def, &b = back.bodies[i].def;
    EXPECT_EQ(back.bodies[i].name, scene.bodies[i].name);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.halfExtents, b.halfExtents);
    EXPECT_EQ(a.pose.position, b.pose.position);
    EXPECT_EQ(a.pose.orientation.coeffs(), b.pose.orientation.coeffs());
    EXPECT_EQ(a.linearVelocity, b.linearVelocity);
    EXPECT_EQ(a.mass, b.mass);
    EXPECT_EQ(a.linearDamping, b.linearDamping);
  }
}

TEST_F(SceneFile, AcceptsAQuaternionOfFourDigitsAndNormalisesIt) {
  const Scene scene = readBody(kBox + R"(, "orientation": [0.7071, 0, 0, 0.7071])");
  EXPECT_NEAR(scene.bodies[0].def.pose.orientation.norm(), 1, 1e-15);
}

TEST_F(SceneFile, NamesUnknownAndMissingKeys) {
  EXPECT_EQ(bodyProblem(kBox + R"(, "colour": 1)"), R"(bodies[0]: unknown key "colour")");
  EXPECT_EQ(problem(R"({"format": "sunder-scene", "version": 1, "body": [], "bodies": []})"), R"(unknown key "body")");
  EXPECT_EQ(bodyProblem(R"("position": [0, 0, 0])"), R"(bodies[0]: the key "half_extents" is missing)");
  EXPECT_EQ(bodyProblem(R"("half_extents": [1, 1, 1])"), R"(bodies[0]: the key "position" is missing)");
  EXPECT_EQ(problem(R"({"version": 1, "bodies": []})"), R"(the key "format" is missing)");
  EXPECT_EQ(problem(R"({"format": "sunder-scene", "version": 1})"), R"(the key "bodies" is missing)");
}

TEST_F(SceneFile, RefusesAKeyThatIsThereTwice) {
  EXPECT_EQ(bodyProblem(kBox + R"(, "mass": 1, "mass": 2)"), R"(the key "mass" is there twice in one object)");
  EXPECT_EQ(problem(R"({"format": "sunder-scene", "version": 1, "bodies": [], "version": 1})"),
            R"(the key "version" is there twice in one object)");
}

TEST_F(SceneFile, RefusesANameThatIsThereTwice) {
  EXPECT_EQ(problem(kHead + R"({"name": "a", )" + kBox + R"(}, {"name": "a", )" + kBox + "}]}"), R"(bodies[1].name: "a" is the name of another body, too)");
  EXPECT_EQ(problem(kHead + R"({"name": "body1", )" + kBox + "}, {" + kBox + "}]}"), R"(bodies[1].name: "body1" is the name of another body, too)");
  EXPECT_EQ(read(kHead + "{" + kBox + "}, {" + kBox + "}]}").bodies.size(), 2u);
}

TEST_F(SceneFile, NamesPlaceAndValueOfWhatIsWrong) {
  EXPECT_EQ(problem(R"({"format": "box-cases", "version": 1, "bodies": []})"),
            R"(format: must be "sunder-scene", got "box-cases")");
  EXPECT_EQ(problem(R"({"format": "sunder-scene", "version": 2, "bodies": []})"), "version: must be 1, got 2.0");
  EXPECT_EQ(problem(R"({"format": "sunder-scene", "version": 1, "dt": 0, "bodies": []})"), "dt: must be > 0 and at most 1e6, got 0.0");
  EXPECT_EQ(problem(R"({"format": "sunder-scene", "version": 1, "bodies": {}})"), "bodies: must be an array, got {}");
  EXPECT_EQ(problem(kHead + "7]}"), "bodies[0]: must be an object, got 7");
  EXPECT_EQ(bodyProblem(R"("half_extents": [1, 1], "position": [0, 0, 0])"),
            "bodies[0].half_extents: must be an array of 3 numbers, got [1,1]");
  EXPECT_EQ(bodyProblem(R"("half_extents": [1, "1", 1], "position": [0, 0, 0])"),
            R"(bodies[0].half_extents[1]: must be a number, got "1")");
  EXPECT_EQ(bodyProblem(kBox + R"(, "kind": "fixed")"),
            R"(bodies[0].kind: must be dynamic, static or kinematic, got "fixed")");
  EXPECT_EQ(bodyProblem(kBox + R"(, "mass": 1, "density": 1)"), "bodies[0]: give mass or density, not both");
  EXPECT_EQ(bodyProblem(kBox + R"(, "mass": 0)"), "bodies[0].mass: must be > 0, got 0.0");
  EXPECT_EQ(bodyProblem(kBox + R"(, "orientation": [0, 0, 0, 0])"),
            "bodies[0].orientation: must be a unit quaternion w, x, y, z, got [0,0,0,0] of length 0.0");
  EXPECT_EQ(bodyProblem(kBox + R"(, "continuous": 1)"), "bodies[0].continuous: must be true or false, got 1");
}

// Each number at the limit and beyond it.
TEST_F(SceneFile, RefusesNumbersThatAreInNoScene) {
  const std::string low = R"("half_extents": [1e-15, 1, 1], "position": [-1e15, 0, 1e15], "mass": 1)";
  EXPECT_EQ(readBody(low + R"(, "linear_velocity": [1e15, 0, 0], "angular_velocity": [0, 1e15, 0], "friction": 1e15)").bodies.size(), 1u);
  for (const char* key : {"position", "linear_velocity", "angular_velocity"}) {
    const std::string rest = std::string(key) == "position" ? R"("half_extents": [1, 1, 1])" : kBox;
    EXPECT_EQ(bodyProblem(rest + ", \"" + key + "\": [0, -1e16, 0]"),
              std::string("bodies[0].") + key + "[1]: must be between -1e15 and 1e15, got -1e+16");
  }
  for (const char* key : {"friction", "linear_damping", "angular_damping", "gravity_scale"})
    EXPECT_EQ(bodyProblem(kBox + ", \"" + key + "\": 1e308"), std::string("bodies[0].") + key + ": must be between -1e15 and 1e15, got 1e+308");
  const std::string fixed = R"("kind": "static", "position": [0, 0, 0], "half_extents": )";
  EXPECT_EQ(bodyProblem(fixed + "[1, 1, 1e308]"), "bodies[0].half_extents[2]: must be between -1e15 and 1e15, got 1e+308");
  EXPECT_EQ(bodyProblem(fixed + "[1, 1e-16, 1]"), "bodies[0].half_extents[1]: must be at least 1e-15, got 1e-16");
  const std::string head = R"({"format": "sunder-scene", "version": 1, "bodies": [], )";
  EXPECT_EQ(problem(head + R"("gravity": [0, 0, -1e308]})"), "gravity[2]: must be between -1e15 and 1e15, got -1e+308");
  EXPECT_EQ(problem(head + R"("dt": 1e308})"), "dt: must be > 0 and at most 1e6, got 1e+308");
  EXPECT_EQ(read(head + R"("dt": 1e6})").dt, 1e6);
}

// What the library itself refuses comes with the place in the file in front.
TEST_F(SceneFile, PassesOnTheLibrarysReason) {
  const std::string extent = bodyProblem(R"("half_extents": [1, -2, 1], "position": [0, 0, 0])");
  EXPECT_EQ(extent.substr(0, 11), "bodies[0]: ");
  EXPECT_NE(extent.find("-2"), std::string::npos) << extent;
  const std::string restitution = bodyProblem(kBox + R"(, "restitution": 1.5)");
  EXPECT_NE(restitution.find("restitution"), std::string::npos) << restitution;
  EXPECT_NE(restitution.find("1.5"), std::string::npos) << restitution;
}

TEST_F(SceneFile, SaysWhereTheJsonIsBroken) {
  EXPECT_EQ(problem("{\n \"format\": ]").substr(0, 27), "line 2, column 12: syntax e");
  EXPECT_EQ(problem("").substr(0, 16), "line 1, column 1");
  EXPECT_EQ(problem(kHead + R"({"half_extents": [1, 1e999, 1]}]})"), "number overflow parsing '1e999'");
  EXPECT_EQ(problem("[]"), "must be an object, got []");
}

TEST_F(SceneFile, SaysWhyAFileCanNotBeRead) {
  EXPECT_EQ(messageOf([] { readSceneFile("/no/such/file.json"); }),
            "/no/such/file.json: can't be opened: No such file or directory");
  EXPECT_EQ(messageOf([] { readSceneFile("/"); }), "/: is a directory");
}

}  // namespace
}  // namespace sunder::demo
