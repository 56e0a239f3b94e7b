// SPDX-License-Identifier: MIT
#include "sunder/demo/scene_file.h"

#include <cmath>
#include <set>

#include "sunder/demo/json_input.h"

namespace sunder::demo {
namespace {

BodyKind readKind(const JsonObject& body) {
  const std::string kind = body.string("kind");
  if (kind == "dynamic") return BodyKind::Dynamic;
  if (kind == "static") return BodyKind::Static;
  if (kind == "kinematic") return BodyKind::Kinematic;
  body.fail("kind", "must be dynamic, static or kinematic, got \"" + kind + "\"");
}

// Numbers beyond these are in no scene, and long before double ends, the squares and products that a step makes of them
// leave its range. World takes them, and freezes and reports the body when that happens; a file is refused.
constexpr double kSmallestExtent = 1e-15, kLargestNumber = 1e15;

void checkSizes(const JsonObject& body, const BodyDef& def) {
  const auto tooLarge = [](double value) { return std::fabs(value) > kLargestNumber; };
  const auto shown = [](double value) { return nlohmann::json(value).dump(); };
  struct Vector {
    const char* key;
    const Eigen::Vector3d& value;
  };
  for (const Vector& v : {Vector{"half_extents", def.halfExtents}, Vector{"position", def.pose.position},
                          Vector{"linear_velocity", def.linearVelocity}, Vector{"angular_velocity", def.angularVelocity}})
    for (std::size_t i = 0; i < 3; ++i)
      if (tooLarge(v.value.data()[i])) body.fail(indexed(v.key, i), "must be between -1e15 and 1e15, got " + shown(v.value.data()[i]));
  for (std::size_t i = 0; i < 3; ++i)
    if (def.halfExtents.data()[i] < kSmallestExtent)
      body.fail(indexed("half_extents", i), "must be at least 1e-15, got " + shown(def.halfExtents.data()[i]));
  struct Number {
    const char* key;
    double value;
  };
  for (const Number& n : {Number{"friction", def.friction}, Number{"linear_damping", def.linearDamping},
                          Number{"angular_damping", def.angularDamping}, Number{"gravity_scale", def.gravityScale}})
    if (tooLarge(n.value)) body.fail(n.key, "must be between -1e15 and 1e15, got " + shown(n.value));
}

void readMass(const JsonObject& body, BodyDef& def) {
  if (body.has("mass") && body.has("density")) body.fail("", "give mass or density, not both");
  if (body.has("density")) def.density = body.number("density");
  if (body.has("mass")) {
    def.mass = body.number("mass");
    // The library takes a mass of 0 for "use the density".
    if (!(def.mass > 0)) body.fail("mass", "must be > 0, got " + nlohmann::json(def.mass).dump());
  }
}

SceneBody readBody(const JsonObject& body, const std::string& defaultName) {
  body.allowOnly({"name", "kind", "half_extents", "position", "orientation", "linear_velocity", "angular_velocity",
                  "density", "mass", "friction", "restitution", "linear_damping", "angular_damping", "gravity_scale",
                  "continuous", "allow_sleep"});
  SceneBody result;
  BodyDef& def = result.def;
  result.name = body.has("name") ? body.string("name") : defaultName;
  if (body.has("kind")) def.kind = readKind(body);
  def.halfExtents = body.vector3("half_extents");
  def.pose.position = body.vector3("position");
  if (body.has("orientation")) def.pose.orientation = body.rotation("orientation");
  if (body.has("linear_velocity")) def.linearVelocity = body.vector3("linear_velocity");
  if (body.has("angular_velocity")) def.angularVelocity = body.vector3("angular_velocity");
  readMass(body, def);
  if (body.has("friction")) def.friction = body.number("friction");
  if (body.has("restitution")) def.restitution = body.number("restitution");
  if (body.has("linear_damping")) def.linearDamping = body.number("linear_damping");
  if (body.has("angular_damping")) def.angularDamping = body.number("angular_damping");
  if (body.has("gravity_scale")) def.gravityScale = body.number("gravity_scale");
  if (body.has("continuous")) def.continuous = body.boolean("continuous");
  if (body.has("allow_sleep")) def.allowSleep = body.boolean("allow_sleep");
  const std::string problem = validate(def);
  if (!problem.empty()) body.fail("", problem);
  checkSizes(body, def);
  return result;
}

int readSteps(const JsonObject& root) {
  const double steps = root.number("steps");
  if (!(steps >= 0 && steps <= 1e9 && steps == std::floor(steps)))
    root.fail("steps", "must be a whole number from 0 to 1e9, got " + nlohmann::json(steps).dump());
  return static_cast<int>(steps);
}

using Json = nlohmann::ordered_json;

Json toJson(const Eigen::Vector3d& v) {
  return {v[0], v[1], v[2]};
}

Json toJson(const SceneBody& body) {
  const BodyDef defaults;
  const BodyDef& def = body.def;
  const Quaternion& q = def.pose.orientation;
  const char* const kind = def.kind == BodyKind::Dynamic  ? "dynamic"
                           : def.kind == BodyKind::Static ? "static"
                                                          : "kinematic";
  Json json = {{"name", body.name},
               {"kind", kind},
               {"half_extents", toJson(def.halfExtents)},
               {"position", toJson(def.pose.position)},
               {"orientation", {q.w(), q.x(), q.y(), q.z()}},
               {"linear_velocity", toJson(def.linearVelocity)},
               {"angular_velocity", toJson(def.angularVelocity)},
               {"friction", def.friction},
               {"restitution", def.restitution}};
  if (def.mass > 0) {
    json["mass"] = def.mass;
  } else {
    json["density"] = def.density;
  }
  if (def.linearDamping != defaults.linearDamping) json["linear_damping"] = def.linearDamping;
  if (def.angularDamping != defaults.angularDamping) json["angular_damping"] = def.angularDamping;
  if (def.gravityScale != defaults.gravityScale) json["gravity_scale"] = def.gravityScale;
  if (def.continuous != defaults.continuous) json["continuous"] = def.continuous;
  if (def.allowSleep != defaults.allowSleep) json["allow_sleep"] = def.allowSleep;
  return json;
}

}  // namespace

Scene readSceneFile(const std::string& path) {
  const nlohmann::json json = parseJsonFile(path);
  const JsonObject root(path, "", json);
  root.allowOnly({"format", "version", "name", "gravity", "dt", "steps", "bodies"});
  if (const std::string format = root.string("format"); format != "sunder-scene")
    root.fail("format", "must be \"sunder-scene\", got \"" + format + "\"");
  if (const double version = root.number("version"); version != 1)
    root.fail("version", "must be 1, got " + nlohmann::json(version).dump());

  Scene scene;
  scene.name = root.has("name") ? root.string("name") : path;
  if (root.has("gravity")) scene.gravity = root.vector3("gravity");
  for (std::size_t i = 0; i < 3; ++i)
    if (const double g = scene.gravity.data()[i]; std::fabs(g) > kLargestNumber)
      root.fail(indexed("gravity", i), "must be between -1e15 and 1e15, got " + nlohmann::json(g).dump());
  if (root.has("dt")) scene.dt = root.number("dt");
  if (!(scene.dt > 0 && scene.dt <= kLongestStep))
    root.fail("dt", "must be > 0 and at most 1e6, got " + nlohmann::json(scene.dt).dump());
  if (root.has("steps")) scene.steps = readSteps(root);
  const nlohmann::json& bodies = root.array("bodies");
  std::set<std::string> names;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const JsonObject body(path, indexed("bodies", i), bodies[i]);
    scene.bodies.push_back(readBody(body, "body" + std::to_string(i)));
    const std::string& name = scene.bodies.back().name;
    if (!names.insert(name).second) body.fail("name", "\"" + name + "\" is the name of another body, too");
  }
  return scene;
}

std::string toSceneFile(const Scene& scene) {
  // One body per line: a diff of two scenes then shows which bodies differ.
  const Json head = {{"format", "sunder-scene"},         {"version", 1},   {"name", scene.name},
                     {"gravity", toJson(scene.gravity)}, {"dt", scene.dt}, {"steps", scene.steps}};
  std::string text = head.dump();
  text.pop_back();
  text += ", \"bodies\": [";
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += toJson(scene.bodies[i]).dump();
  }
  return text + "]}\n";
}

}  // namespace sunder::demo
