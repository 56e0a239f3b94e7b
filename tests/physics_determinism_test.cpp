// SPDX-License-Identifier: MIT
// The same scene ends in the same bits: for any number of threads, for each instruction set within one program, run again,
// and with bodies that came and went in between. tests/golden_hashes.cpp compares builds; this compares runs.
#include <gtest/gtest.h>
#include <sunder/demo/scenes.h>
#include <sunder/physics/world.h>

#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "sunder/solver/contact_kernel.h"

namespace sunder {
namespace {

// Sets an environment variable for a block.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

struct Case {
  const char* scene;
  int steps;
  bool sleep;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.scene << ", " << c.steps << " steps"; }
// A stack that falls asleep, many colours, cold contacts and free motion, islands with more substeps, thin boxes, sweeps;
// then enough bodies that the loops over them are shared, with contacts and without.
constexpr Case kCases[] = {{"stackj10", 150, true},   {"pyr20", 90, false},  {"rain200", 200, true},
                           {"heavys100", 120, false}, {"cards", 120, false}, {"shotD_200", 90, true},
                           {"pyr30", 20, true},       {"fall500", 30, false}};

WorldDef settingsOf(const demo::Scene& scene, const Case& c, int threads) {
  WorldDef def;
  def.sleep = c.sleep;
  def.gravity = scene.gravity;
  def.threads = threads;
  return def;
}

// The hash after every tenth step, so that a failure says when the runs parted.
std::vector<std::uint64_t> hashes(World& world, const demo::Scene& scene, int steps) {
  std::vector<std::uint64_t> result;
  for (int i = 1; i <= steps; ++i) {
    world.step(scene.dt);
    if (i % 10 == 0) result.push_back(world.stateHash());
  }
  return result;
}

std::vector<std::uint64_t> hashesOf(const Case& c, int threads, NarrowphaseMethod method = WorldDef().narrowphase) {
  const demo::Scene scene = demo::builtInScene(c.scene);
  WorldDef def = settingsOf(scene, c, threads);
  def.narrowphase = method;
  World world(def);
  for (const demo::SceneBody& body : scene.bodies) world.addBody(body.def);
  return hashes(world, scene, c.steps);
}

class PhysicsDeterminism : public testing::TestWithParam<Case> {};

TEST_P(PhysicsDeterminism, SameBitsInEveryRun) { EXPECT_EQ(hashesOf(GetParam(), 1), hashesOf(GetParam(), 1)); }

TEST_P(PhysicsDeterminism, SameBitsForAnyNumberOfThreads) {
  const std::vector<std::uint64_t> one = hashesOf(GetParam(), 1);
  for (int threads = 2; threads <= 4; ++threads) EXPECT_EQ(hashesOf(GetParam(), threads), one) << threads << " threads";
}

// GJK/EPA and the closed form find the same axis of each pair, and make the manifold of it in one way.
TEST_P(PhysicsDeterminism, SameBitsFromEitherNarrowphase) {
  EXPECT_EQ(hashesOf(GetParam(), 1, NarrowphaseMethod::GjkEpa), hashesOf(GetParam(), 1, NarrowphaseMethod::ClosedForm));
}

TEST_P(PhysicsDeterminism, SameBitsForEachInstructionSet) {
  std::vector<std::uint64_t> baseline;
  {
    const Environment environment("SUNDER_INSTRUCTION_SET", "baseline");
    ASSERT_EQ(contactKernel().name, contactKernelBaseline().name);
    baseline = hashesOf(GetParam(), 1);
  }
  int compared = 0;
  for (const char* set : {"avx2", "avx512"}) {
    const Environment environment("SUNDER_INSTRUCTION_SET", set);
    if (std::string(contactKernel().name) != set) continue;  // this machine does not have it
    ++compared;
    EXPECT_EQ(hashesOf(GetParam(), 1), baseline) << set;
  }
  if (compared == 0) GTEST_SKIP() << "this machine has no AVX2";
}

// The whole scene was there before and was taken out again: it leaves no trace but the generations of the ids.
TEST_P(PhysicsDeterminism, SameBitsAfterBodiesCameAndWent) {
  const demo::Scene scene = demo::builtInScene(GetParam().scene);
  World world(settingsOf(scene, GetParam(), 1));
  std::vector<BodyId> ids;
  for (const demo::SceneBody& body : scene.bodies) ids.push_back(world.addBody(body.def));
  for (int i = 0; i < 5; ++i) world.step(scene.dt);
  // Last out, first in: each body gets its slot back. The order of the slots is part of the state.
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) world.removeBody(*id);
  world.step(scene.dt);
  for (const demo::SceneBody& body : scene.bodies) world.addBody(body.def);
  ASSERT_EQ(world.bodies().size(), scene.bodies.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(world.bodies()[i].index, ids[i].index);
  EXPECT_EQ(hashes(world, scene, GetParam().steps), hashesOf(GetParam(), 1));
}

std::string nameOf(const testing::TestParamInfo<Case>& info) { return info.param.scene; }
INSTANTIATE_TEST_SUITE_P(Scenes, PhysicsDeterminism, testing::ValuesIn(kCases), nameOf);

// The guard of the tests above: the hash tells two almost equal states apart.
TEST(PhysicsHash, SeesTheLastBit) {
  const demo::Scene scene = demo::builtInScene("stack1");
  World a(settingsOf(scene, kCases[0], 1)), b(settingsOf(scene, kCases[0], 1));
  for (demo::SceneBody body : scene.bodies) {
    a.addBody(body.def);
    if (body.def.kind == BodyKind::Dynamic) body.def.pose.position.y() = std::nextafter(body.def.pose.position.y(), 1.0);
    b.addBody(body.def);
  }
  EXPECT_NE(a.stateHash(), b.stateHash());
}

}  // namespace
}  // namespace sunder
