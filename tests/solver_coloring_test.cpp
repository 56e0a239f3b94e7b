// SPDX-License-Identifier: MIT
// The colors of the contact graph, by which contacts are solved at once: what the threads and the eight lanes rely on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "solver_scene.h"

namespace sunder {
namespace {

using testing::Matrix3d;
using testing::TestRandom;
using testing::SolverScene;
using testing::Vector3d;

// `moving` bodies and `fixed` ones (half of them kinematic) with random contacts, no body in more than `degree` of them.
SolverScene randomGraph(unsigned seed, int moving, int fixed, int contacts, int degree) {
  TestRandom random(seed);
  SolverScene scene;
  scene.gravity = {0, 0, -9.81};
  for (int i = 0; i < moving + fixed; ++i) {
    testing::BodyInput body = {.mass = 1, .position = random.vector(3), .velocity = random.vector(1)};
    if (i >= moving) body = i % 2 == 0 ? testing::immovable(body.position) : testing::BodyInput{.mass = 0, .inertia = Matrix3d::Zero(), .position = body.position};
    scene.bodies.push_back(body);
  }
  std::vector<int> used(scene.bodies.size());
  for (int i = 0; i < contacts; ++i) {
    const int a = random.below(moving), b = random.below(moving + fixed);
    const std::size_t first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    if (a == b || used[first] >= degree || (b < moving && used[second] >= degree)) continue;
    ++used[first];
    ++used[second];
    const bool turnedRound = i % 3 == 0;
    scene.touch(static_cast<std::uint32_t>(turnedRound ? b : a), static_cast<std::uint32_t>(turnedRound ? a : b), random.direction(),
                {0.5 * (scene.bodies[first].position + scene.bodies[second].position)}, 0.5);
  }
  return scene;
}

// The contacts of each color, as numbers.
std::vector<std::vector<int>> colorsOf(const ContactSolver& solver) {
  std::vector<std::vector<int>> colors;
  for (int i = 0; i < solver.colorCount(); ++i) {
    colors.emplace_back();
    for (const ContactBlock& block : solver.color(i)) colors.back().insert(colors.back().end(), block.contact, block.contact + block.laneCount);
  }
  return colors;
}

bool moves(const SolverScene& scene, std::uint32_t body) { return scene.bodies[body].mass > 0; }

TEST(Coloring, NoTwoContactsOfAColorShareABodyThatMoves) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SolverScene scene = randomGraph(seed, 60, 6, 600, 10 + static_cast<int>(seed));
    scene.solve();
    ASSERT_FALSE(scene.solver.hasOverflow());
    for (const std::vector<int>& color : colorsOf(scene.solver)) {
      std::set<std::uint32_t> seen;
      for (const int i : color) {
        const Contact& contact = scene.contacts[static_cast<std::size_t>(i)];
        EXPECT_TRUE(!moves(scene, contact.bodyA) || seen.insert(contact.bodyA).second);
        EXPECT_TRUE(!moves(scene, contact.bodyB) || seen.insert(contact.bodyB).second);
      }
    }
  }
}

// The lane of a contact holds its bodies; every contact is in one lane, and no block but the last of a color has gaps.
TEST(Coloring, EveryContactIsInOneLane) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SolverScene scene = randomGraph(seed, 60, 6, 600, 20);
    scene.solve();
    std::vector<int> count(scene.contacts.size());
    for (int color = 0; color < scene.solver.colorCount(); ++color) {
      const std::span<const ContactBlock> blocks = scene.solver.color(color);
      for (const ContactBlock& block : blocks) {
        EXPECT_TRUE(block.laneCount == 8 || &block == &blocks.back());
        ASSERT_GT(block.laneCount, 0);
        for (int lane = 0; lane < block.laneCount; ++lane) {
          const Contact& contact = scene.contacts[static_cast<std::size_t>(block.contact[lane])];
          ++count[static_cast<std::size_t>(block.contact[lane])];
          // The fixed body, if there is one, is the A of the lane.
          const bool turnedRound = !moves(scene, contact.bodyB);
          EXPECT_EQ(static_cast<std::uint32_t>(block.bodyA[lane]), scene.solverNumber(turnedRound ? contact.bodyB : contact.bodyA));
          EXPECT_EQ(static_cast<std::uint32_t>(block.bodyB[lane]), scene.solverNumber(turnedRound ? contact.bodyA : contact.bodyB));
        }
      }
    }
    EXPECT_TRUE(std::all_of(count.begin(), count.end(), [](int n) { return n == 1; }));
  }
}

// The ground has the last word: contacts with what does not move come after all others, and only they may leave their A out.
TEST(Coloring, ContactsWithFixedBodiesComeLast) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SolverScene scene = randomGraph(seed, 40, 6, 400, 20);
    scene.solve();
    bool fixedBefore = false;
    for (int color = 0; color < scene.solver.colorCount(); ++color)
      for (const ContactBlock& block : scene.solver.color(color))
        for (int lane = 0; lane < block.laneCount; ++lane) {
          const Contact& contact = scene.contacts[static_cast<std::size_t>(block.contact[lane])];
          const bool fixed = !moves(scene, contact.bodyA) || !moves(scene, contact.bodyB);
          EXPECT_TRUE(fixed || !fixedBefore);
          EXPECT_EQ(block.immovableA, fixed);
          fixedBefore = fixed;
        }
    EXPECT_TRUE(fixedBefore);
  }
}

// First come, first served: each contact has the first color that neither of its bodies has used, so there are at most
// twice as many colors as contacts of a body, and one color where nothing is shared.
TEST(Coloring, IsGreedyInTheOrderOfTheContacts) {
  SolverScene scene = randomGraph(7, 60, 6, 600, 20);
  scene.solve();
  std::vector<std::set<int>> usedBy(scene.bodies.size());
  std::vector<std::vector<int>> free(130), fixed(130), expected;
  for (std::size_t i = 0; i < scene.contacts.size(); ++i) {
    const std::uint32_t a = scene.contacts[i].bodyA, b = scene.contacts[i].bodyB;
    const bool bothMove = moves(scene, a) && moves(scene, b);
    int color = bothMove ? 0 : 1000;  // two sets of colors
    while ((moves(scene, a) && usedBy[a].count(color) > 0) || (moves(scene, b) && usedBy[b].count(color) > 0)) ++color;
    usedBy[a].insert(color);
    usedBy[b].insert(color);
    (bothMove ? free[static_cast<std::size_t>(color)] : fixed[static_cast<std::size_t>(color - 1000)]).push_back(static_cast<int>(i));
  }
  for (const auto& set : {free, fixed})
    for (const std::vector<int>& color : set)
      if (!color.empty()) expected.push_back(color);
  EXPECT_EQ(colorsOf(scene.solver), expected);
  EXPECT_GT(expected.size(), 10u);

  SolverScene pairs;
  for (std::uint32_t i = 0; i < 40; ++i) pairs.bodies.push_back({.position = Vector3d(i, 0, 0)});
  for (std::uint32_t i = 0; i < 40; i += 2) pairs.touch(i, i + 1, Vector3d(1, 0, 0), {Vector3d(i + 0.5, 0, 0)});
  pairs.solve();
  EXPECT_EQ(pairs.solver.colorCount(), 1);
}

// One heavy body that a hundred light ones hit.
SolverScene star() {
  SolverScene scene;
  scene.bodies = {{.mass = 50, .position = Vector3d::Zero()}};
  TestRandom random(3);
  for (std::uint32_t i = 1; i <= 100; ++i) {
    const Vector3d direction = random.direction();
    scene.bodies.push_back({.mass = 1, .position = 2 * direction, .velocity = -direction});
    scene.touch(0, i, direction, {direction}, 0.3);
  }
  return scene;
}

// A body in more contacts than there are colors: the rest is solved one by one, and is solved.
TEST(Coloring, WhatFindsNoColorIsSolvedOneByOne) {
  SolverScene scene = star();
  const Vector3d momentum = scene.momentum();
  scene.solve();
  ASSERT_TRUE(scene.solver.hasOverflow());
  EXPECT_EQ(scene.solver.colorCount(), 65);
  const std::span<const ContactBlock> rest = scene.solver.color(64);
  EXPECT_EQ(rest.size(), 36u);
  for (const ContactBlock& block : rest) EXPECT_EQ(block.laneCount, 1);
  EXPECT_LE((scene.momentum() - momentum).norm(), 1e-4);
  for (const Contact& contact : scene.contacts) EXPECT_GT(contact.points[0].totalImpulse, 0);
}

// ... by one thread, though it is long enough to be shared.
TEST(Coloring, ThreadsDoNotShareTheOverflow) {
  SolverScene one = star();
  one.solve();
  ASSERT_GE(one.solver.color(64).size(), 32u);
  for (int run = 0; run < 50; ++run) {
    SolverScene four = star();
    four.threads = 4;
    four.solve();
    ASSERT_EQ(std::memcmp(four.solver.bodies.data(), one.solver.bodies.data(), one.solver.bodies.size() * sizeof(SolverBody)), 0);
  }
}

// Same input, same colors and same bits: in another solver, in one that has solved something else before, and on any number
// of threads. (Colors of at least 32 blocks are shared among threads.)
TEST(Coloring, SameBitsForAnyNumberOfThreads) {
  const auto build = [] { return randomGraph(11, 1200, 10, 6000, 12); };
  SolverScene one = build();
  one.solve();
  std::size_t largest = 0;
  for (int color = 0; color < one.solver.colorCount(); ++color) largest = std::max(largest, one.solver.color(color).size());
  ASSERT_GE(largest, 32u);
  for (int threads = 1; threads <= 4; ++threads) {
    SolverScene other = randomGraph(5, 300, 3, 900, 9);
    other.solve();
    SolverScene again = build();
    again.solver = std::move(other.solver);
    again.threads = threads;
    again.solve();
    EXPECT_EQ(colorsOf(again.solver), colorsOf(one.solver));
    ASSERT_EQ(again.solver.bodies.size(), one.solver.bodies.size());
    EXPECT_EQ(std::memcmp(again.solver.bodies.data(), one.solver.bodies.data(), one.solver.bodies.size() * sizeof(SolverBody)), 0) << threads << " threads";
    for (std::size_t i = 0; i < one.contacts.size(); ++i) {
      EXPECT_EQ(again.contacts[i].points[0].impulse, one.contacts[i].points[0].impulse) << threads << " threads";
      EXPECT_EQ(again.contacts[i].points[0].totalImpulse, one.contacts[i].points[0].totalImpulse) << threads << " threads";
      for (int k = 0; k < 3; ++k) EXPECT_EQ(again.contacts[i].frictionImpulse[k], one.contacts[i].frictionImpulse[k]) << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace sunder
