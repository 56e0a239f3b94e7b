// SPDX-License-Identifier: MIT
// The built-in scenes: those of the engine comparison (docs/formats.md names them), with the same geometry.
#include "sunder/demo/scenes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "sunder/demo/random.h"
#include "sunder/demo/trig.h"

namespace sunder::demo {
namespace {

using Eigen::Vector3d;

constexpr double kPi = 3.141592653589793;
constexpr double degrees(double angle) {
  return angle * kPi / 180;
}

Quaternion about(const Vector3d& axis, double angle) {
  const SinCos half = sinCos(0.5 * angle);
  return {half.cos, half.sin * axis[0], half.sin * axis[1], half.sin * axis[2]};
}
Quaternion aboutZ(double angle) {
  return about({0, 0, 1}, angle);
}

// v turned about z; v.z stays.
Vector3d turnedAboutZ(const Quaternion& q, const Vector3d& v) {
  const double c = 1 - 2 * q.z() * q.z(), s = 2 * q.w() * q.z();
  return {c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]};
}

BodyDef& add(Scene& scene, const Vector3d& halfExtents, const Vector3d& position) {
  SceneBody body;
  body.name = "box" + std::to_string(scene.bodies.size());
  body.def.halfExtents = halfExtents;
  body.def.pose.position = position;
  scene.bodies.push_back(body);
  return scene.bodies.back().def;
}

BodyDef& addStatic(Scene& scene, const char* name, const Vector3d& halfExtents, const Vector3d& position) {
  BodyDef& def = add(scene, halfExtents, position);
  def.kind = BodyKind::Static;
  scene.bodies.back().name = name;
  return def;
}

// The ground's top face is the plane y = 0.
void addGround(Scene& scene, double half) {
  addStatic(scene, "ground", {half, 1, half}, {0, -1, 0});
}

BodyDef& addCube(Scene& scene, double half, const Vector3d& position) {
  return add(scene, {half, half, half}, position);
}

void stack(Scene& s, double n) {
  s.steps = 3600;
  addGround(s, 100);
  for (int i = 0; i < n; ++i) addCube(s, 0.5, {0, i + 0.5, 0});
}

void jitteredStack(Scene& s, double n) {
  s.steps = 3600;
  addGround(s, 100);
  Random random(7);
  for (int i = 0; i < n; ++i) {
    const double x = random.between(-0.02, 0.02), z = random.between(-0.02, 0.02);
    addCube(s, 0.5, {x, i + 0.5, z}).pose.orientation = about({0, 1, 0}, random.between(-0.1, 0.1));
  }
}

void wallPyramid(Scene& s, double n) {
  addGround(s, 400);
  for (int row = 0; row < n; ++row)
    for (int column = row; column < n; ++column)
      addCube(s, 0.5, {(row + 1) * 0.5 + (column - row) - 0.5 * n, (2 * row + 1) * 0.5, 0});
}

void squarePyramid(Scene& s, double n) {
  addGround(s, 100);
  for (int level = 0; level < n; ++level)
    for (int i = 0; i < n - level; ++i)
      for (int k = 0; k < n - level; ++k) {
        const double corner = -0.5 * n + 0.5 * level;
        addCube(s, 0.5, {corner + i + 0.5, level + 0.5, corner + k + 0.5});
      }
}

void rain(Scene& s, double n) {
  const int side = n <= 1000 ? 8 : n <= 5000 ? 15 : 20;  // boxes per row of a layer
  const double cell = 1.4, pit = 0.5 * side * cell;      // metres; the pit is 2 * pit wide
  addStatic(s, "ground", {pit + 5, 1, pit + 5}, {0, -1, 0});
  for (const int sign : {-1, 1}) {
    addStatic(s, sign < 0 ? "wall -x" : "wall +x", {2, 25, pit + 5}, {sign * (pit + 2), 24, 0});
    addStatic(s, sign < 0 ? "wall -z" : "wall +z", {pit + 5, 25, 2}, {0, 24, sign * (pit + 2)});
  }
  Random random(12345);
  for (int index = 0; index < n; ++index) {
    const int layer = index / (side * side), i = index / side % side, j = index % side;
    const double hx = random.between(0.15, 0.4), hy = random.between(0.15, 0.4), hz = random.between(0.15, 0.4);
    BodyDef& box = add(s, {hx, hy, hz}, {-pit + (i + 0.5) * cell, 1 + (layer + 0.5) * cell, -pit + (j + 0.5) * cell});
    box.pose.orientation = random.rotation();
    const double vx = random.between(-1, 1), vy = random.between(-1, 0), vz = random.between(-1, 1);
    box.linearVelocity = {vx, vy, vz};
  }
}

void heavy(Scene& s, double ratio) {
  s.steps = 3600;
  addGround(s, 100);
  addCube(s, 0.5, {0, 0.5, 0});
  addCube(s, 0.5, {0, 1.5, 0}).density = 1000 * ratio;
}

void heavyAndLarge(Scene& s, double ratio) {
  s.steps = 3600;
  addGround(s, 100);
  addCube(s, 0.25, {0, 0.25, 0});
  addCube(s, 1, {0, 1.5, 0}).density = 1000 * ratio / 64;  // 64 times the volume
}

void heavyOnFive(Scene& s, double ratio) {
  s.steps = 3600;
  addGround(s, 100);
  for (int i = 0; i < 5; ++i) addCube(s, 0.5, {0, i + 0.5, 0});
  addCube(s, 0.5, {0, 5.5, 0}).density = 1000 * ratio;
}

void cards(Scene& s, double) {
  constexpr int kLevels = 4;
  const double half = 0.5, thickness = 0.02, depth = 0.4, lean = degrees(25);
  const SinCos a = sinCos(lean);
  const double reach = half * a.sin + thickness * a.cos, height = 2 * (half * a.cos + thickness * a.sin);
  const double pitch = 4 * reach;  // from one pair of leaning cards to the next
  addGround(s, 100);
  double base = 0;
  for (int level = 0; level < kLevels; ++level) {
    const int pairs = kLevels - level;
    for (int i = 0; i < pairs; ++i) {
      const double x = (i - 0.5 * (pairs - 1)) * pitch;
      add(s, {thickness, half, depth}, {x - reach, base + 0.5 * height, 0}).pose.orientation = aboutZ(-lean);
      add(s, {thickness, half, depth}, {x + reach, base + 0.5 * height, 0}).pose.orientation = aboutZ(lean);
    }
    for (int i = 0; i + 1 < pairs; ++i)  // the floor of the next level; 0.998: they must not touch each other
      add(s, {0.5 * pitch * 0.998, thickness, depth}, {(i - 0.5 * (pairs - 2)) * pitch, base + height + thickness, 0});
    base += height + 2 * thickness;
  }
  for (SceneBody& body : s.bodies) body.def.friction = 0.7;
}

void dominoes(Scene& s, double) {
  s.steps = 2400;
  const double hx = 0.05, hy = 0.5, hz = 0.25;
  addGround(s, 120);
  for (int i = 0; i < 200; ++i) add(s, {hx, hy, hz}, {-50 + i * 0.5, hy, 0});
  // The first one leans over its lower edge.
  Pose& first = s.bodies[1].def.pose;
  const Vector3d edge = first.position + Vector3d(hx, -hy, 0);
  first.orientation = aboutZ(-degrees(12));
  first.position = edge + turnedAboutZ(first.orientation, {-hx, hy, 0});
}

void incline(Scene& s, double thousandths) {
  s.steps = 300;
  const Quaternion slope = aboutZ(-degrees(20));
  addStatic(s, "slope", {100, 1, 20}, turnedAboutZ(slope, {0, -1, 0}));
  add(s, {0.5, 0.25, 0.5}, turnedAboutZ(slope, {-80, 0.25, 0}));
  for (SceneBody& body : s.bodies) {
    body.def.pose.orientation = slope;
    body.def.friction = thousandths / 1000;
  }
}

void slide(Scene& s, double angle) {
  s.steps = 240;
  addGround(s, 100);
  const SinCos a = sinCos(degrees(angle));
  add(s, {0.5, 0.25, 0.5}, {0, 0.25, 0}).linearVelocity = {5 * a.cos, 0, 5 * a.sin};
}

void spin(Scene& s, double speed) {
  s.steps = 3600;
  s.gravity.setZero();
  add(s, {0.25, 0.5, 0.75}, {0, 0, 0}).angularVelocity = {0.01 * speed, speed, 0.01 * speed};
}

void shot(Scene& s, double speed, bool freePlate) {
  constexpr int kLanes = 16;
  s.gravity.setZero();
  s.steps = 90;
  for (int lane = 0; lane < kLanes; ++lane) {
    const double z = 8.0 * lane;
    if (freePlate) {
      add(s, {0.025, 1, 1}, {0, 0, z}).density = 2000;
    } else {
      addStatic(s, ("plate" + std::to_string(lane)).c_str(), {0.025, 2, 2}, {0, 0, z});
    }
    // Each lane starts a sixteenth of a step's way further back, so that some cube ends a step inside the plate.
    BodyDef& cube = addCube(s, 0.1, {-10 - lane * (speed / 60) / kLanes, 0.05, z + 0.05});
    cube.linearVelocity = {speed, 0, 0};
    cube.continuous = true;
    if (lane % 2 == 1) cube.pose.orientation = Random(static_cast<std::uint64_t>(lane)).rotation();
  }
}
void shotAtStatic(Scene& s, double speed) {
  shot(s, speed, false);
}
void shotAtDynamic(Scene& s, double speed) {
  shot(s, speed, true);
}

void sparse(Scene& s, double) {
  s.steps = 300;
  addGround(s, 150);
  Random random(99);
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 100; ++j) addCube(s, 0.5, {-100 + 2.0 * i, 0.5, -100 + 2.0 * j});
  for (int i = 0; i < 100; ++i) {
    const double x = random.between(-95, 95), y = random.between(3, 40), z = random.between(-95, 95);
    BodyDef& cube = addCube(s, 0.3, {x, y, z});
    cube.pose.orientation = random.rotation();
    const double vx = random.between(-3, 3), vz = random.between(-3, 3);
    cube.linearVelocity = {vx, 0, vz};
  }
}

void fall(Scene& s, double n) {
  s.steps = 100;
  Random random(5);
  int side = 1;
  while (static_cast<double>(side) * side * side < n) ++side;
  for (int index = 0; index < n; ++index) {
    const int i = index / (side * side), j = index / side % side, k = index % side;
    const double hx = random.between(0.15, 0.5), hy = random.between(0.15, 0.5), hz = random.between(0.15, 0.5);
    BodyDef& box = add(s, {hx, hy, hz}, {2.5 * (i - 0.5 * side), 2.5 * j, 2.5 * (k - 0.5 * side)});
    box.pose.orientation = random.rotation();
    const double wx = random.between(-1, 1), wy = random.between(-1, 1), wz = random.between(-1, 1);
    box.angularVelocity = {wx, wy, wz};
  }
}

enum class Parameter { None, Count, Number };

struct Recipe {
  const char* prefix;
  const char* placeholder;
  Parameter parameter;
  double lowest, highest;
  const char* example;
  void (*make)(Scene&, double);
  const char* description;
};

constexpr Recipe kRecipes[] = {
    {"stack", "N", Parameter::Count, 1, 1000, "stack10", stack, "N unit cubes, exactly aligned"},
    {"stackj", "N", Parameter::Count, 1, 1000, "stackj10", jitteredStack, "N unit cubes, up to 2 cm and 0.1 rad off"},
    {"pyr", "N", Parameter::Count, 1, 300, "pyr20", wallPyramid, "wall pyramid of unit cubes, N in the lowest row"},
    {"pyr3d", "N", Parameter::Count, 1, 60, "pyr3d15", squarePyramid,
     "square pyramid of unit cubes, N x N at the base"},
    {"rain", "N", Parameter::Count, 1, 100000, "rain1000", rain, "N boxes of random size fall into a walled pit"},
    {"heavy", "R", Parameter::Number, 1e-6, 1e6, "heavy100", heavy, "a cube under one of R times its mass"},
    {"heavyup", "R", Parameter::Number, 1e-6, 1e6, "heavyup100", heavyAndLarge,
     "a 0.5 m cube under a 2 m cube of R times its mass"},
    {"heavys", "R", Parameter::Number, 1e-6, 1e6, "heavys100", heavyOnFive,
     "five cubes under one of R times their mass"},
    {"cards", "", Parameter::None, 0, 0, "cards", cards, "a house of cards, four levels"},
    {"domino", "", Parameter::None, 0, 0, "domino", dominoes, "200 dominoes, the first one is pushed"},
    {"incline", "M", Parameter::Number, 0, 10000, "incline300", incline,
     "a box on a slope of 20 degrees, friction M/1000"},
    {"slide", "A", Parameter::Number, -360, 360, "slide45", slide, "a box slides at 5 m/s, A degrees to its side"},
    {"spin", "W", Parameter::Number, -1000, 1000, "spin10", spin, "a free box spun at W rad/s about its middle axis"},
    {"shotS_", "V", Parameter::Number, 0, 10000, "shotS_100", shotAtStatic,
     "cubes at V m/s against thin static plates"},
    {"shotD_", "V", Parameter::Number, 0, 10000, "shotD_100", shotAtDynamic, "cubes at V m/s against thin free plates"},
    {"sparse", "", Parameter::None, 0, 0, "sparse", sparse, "10000 cubes at rest on a floor, 100 fall among them"},
    {"fall", "N", Parameter::Count, 1, 1000000, "fall1000", fall, "N boxes in free fall, no contact"},
};

// The recipe with the longest prefix of `name` that leaves a number (or nothing, for a scene without parameter).
const Recipe* findRecipe(const std::string& name, double& value) {
  const Recipe* best = nullptr;
  for (const Recipe& recipe : kRecipes) {
    const std::string prefix = recipe.prefix;
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    const char* const first = name.data() + prefix.size();
    const char* const last = name.data() + name.size();
    double parsed = 0;
    if (recipe.parameter == Parameter::None) {
      if (first != last) continue;
    } else {
      const auto result = std::from_chars(first, last, parsed);
      if (result.ec != std::errc() || result.ptr != last) continue;
    }
    if (best != nullptr && prefix.size() < std::string(best->prefix).size()) continue;
    best = &recipe;
    value = parsed;
  }
  return best;
}

}  // namespace

const std::vector<SceneInfo>& builtInScenes() {
  static const std::vector<SceneInfo> infos = [] {
    std::vector<SceneInfo> result;
    for (const Recipe& r : kRecipes)
      result.push_back({std::string(r.prefix) + r.placeholder, r.example, r.description});
    return result;
  }();
  return infos;
}

Scene builtInScene(const std::string& name) {
  double value = 0;
  const Recipe* recipe = findRecipe(name, value);
  if (recipe == nullptr)
    throw std::invalid_argument("unknown scene '" + name + "'; `sunder scenes` lists the known ones");
  const bool wholeMissing = recipe->parameter == Parameter::Count && value != std::floor(value);
  if (!(value >= recipe->lowest && value <= recipe->highest) || wholeMissing) {
    const auto text = [](double bound) {
      char buffer[32];
      return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, bound).ptr);
    };
    throw std::invalid_argument("scene '" + name + "': " + recipe->placeholder + " must be " +
                                (recipe->parameter == Parameter::Count ? "a whole number" : "a number") + " from " +
                                text(recipe->lowest) + " to " + text(recipe->highest));
  }
  Scene scene;
  scene.name = name;
  scene.gravity = {0, -9.81, 0};
  recipe->make(scene, value);
  return scene;
}

void perturb(Scene& scene, double amount, std::uint64_t seed) {
  Random random(seed);
  for (SceneBody& body : scene.bodies) {
    if (body.def.kind != BodyKind::Dynamic) continue;
    double* position = body.def.pose.position.data();
    for (int axis = 0; axis < 3; ++axis) position[axis] += random.between(-amount, amount);
  }
}

}  // namespace sunder::demo
