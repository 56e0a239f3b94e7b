// SPDX-License-Identifier: MIT
// A step of a world in which nothing new happens takes no memory: all storage stays from the steps before.
#include <gtest/gtest.h>
#include <sunder/demo/scenes.h>
#include <sunder/physics/world.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <ostream>
#include <string>

namespace {

// Calls of operator new since the program started, on all threads.
std::atomic<long> allocations{0};

void* allocate(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* allocate(std::size_t size, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// The other forms (nothrow, array) call these.
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
// std::stable_sort takes this one. With a sanitizer it would not come to the one above by itself.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size > 0 ? size : 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return allocate(size, alignment); }
// Not inlined: g++ would see memory of "operator new" go to free(), and warn.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace sunder {
namespace {

struct Steady {
  const char* scene;
  int settle;  // steps until nothing new happens
  int steps;   // that must not allocate
  bool sleep;
  int threads;
};
void PrintTo(const Steady& s, std::ostream* out) { *out << s.scene << " after " << s.settle << " steps, " << s.threads << " threads"; }

// Of the ten thousand cubes at rest only a thousand: the hundred that fall between them matter here.
demo::Scene sceneOf(const Steady& steady) {
  demo::Scene scene = demo::builtInScene(steady.scene);
  if (scene.name == "sparse") scene.bodies.erase(scene.bodies.begin() + 1001, scene.bodies.end() - 100);
  return scene;
}

class PhysicsAllocation : public testing::TestWithParam<Steady> {};

TEST_P(PhysicsAllocation, SteadyStepTakesNoMemory) {
  const Steady& steady = GetParam();
  const demo::Scene scene = sceneOf(steady);
  WorldDef def;
  def.gravity = scene.gravity;
  def.sleep = steady.sleep;
  def.threads = steady.threads;
  World world(def);
  for (const demo::SceneBody& body : scene.bodies) world.addBody(body.def);
  const long before = allocations.load();
  for (int i = 0; i < steady.settle; ++i) world.step(scene.dt);
  ASSERT_GT(allocations.load(), before) << "the counter does not count";
  const long settled = allocations.load();
  int contacts = 0;
  for (int i = 0; i < steady.steps; ++i) contacts = world.step(scene.dt).contacts;
  EXPECT_EQ(allocations.load() - settled, 0);
  EXPECT_EQ(contacts > 0, !steady.sleep) << "what was to be solved was not, or what was to sleep did not";
}

std::string nameOf(const testing::TestParamInfo<Steady>& info) {
  return std::string(info.param.scene) + (info.param.sleep ? "Asleep" : "Awake");
}

// The pile keeps creeping, and in the sparse scene a hundred cubes come to rest among a thousand: pairs still come and
// go, within the storage of the busiest step.
INSTANTIATE_TEST_SUITE_P(Scenes, PhysicsAllocation,
                         testing::Values(Steady{"stack10", 60, 120, false, 1}, Steady{"stack10", 180, 60, true, 1},
                                         Steady{"pyr12", 60, 120, false, 1}, Steady{"rain200", 400, 120, false, 1},
                                         Steady{"sparse", 400, 60, false, 1}),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Threads, PhysicsAllocation, testing::Values(Steady{"pyr20", 60, 60, false, 2}), nameOf);

}  // namespace
}  // namespace sunder
