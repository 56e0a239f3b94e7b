// SPDX-License-Identifier: MIT
// Random blocks of contacts go through a kernel and through the baseline: every bit has to be the same.
#pragma once
#include <gtest/gtest.h>
#include <sunder/solver/contact_kernel.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

namespace sunder::testing {

struct KernelWork {
  std::vector<ContactBlock> blocks;
  std::vector<ContactBlockInput> inputs;
  std::vector<SolverMass> masses;
  std::vector<SolverBody> bodies;
  std::vector<SolverWarmStart> dropped, before;
  std::vector<HitSweep> sweeps;
  std::vector<float> energy;
  ContactKernelParameters parameters;
  // What the blocks came by on their way; see to it that all of it is tested.
  int hits = 0, settles = 0, loads = 0;
};

// Blocks of 1 to 8 lanes, each lane with bodies of its own, as the colors give them.
inline KernelWork randomWork(unsigned seed) {
  std::mt19937 engine(seed);
  const auto number = [&engine](double least, double most) {
    return static_cast<float>(least + (most - least) * static_cast<double>(engine()) / 4294967296.0);
  };
  const auto chance = [&engine](unsigned percent) { return engine() % 100 < percent; };
  KernelWork work;
  work.parameters = {480, 0.09f, 3, 2e-5f, 0.92f, 0.08f, 0.25f, 0.5f};
  work.masses.resize(1);
  work.bodies.resize(1);
  for (int i = 0; i < 60; ++i) {
    ContactBlock block;
    ContactBlockInput in;
    in.sagSpeed = number(0, 1);
    block.laneCount = 1 + static_cast<int>(engine() % 8);
    block.immovableA = chance(40);
    block.isNew = chance(30);
    block.bounces = chance(70);
    for (int lane = 0; lane < 8; ++lane) {
      in.normal[2][lane] = 1;
      if (lane >= block.laneCount) continue;
      for (std::int32_t* body : {&block.bodyA[lane], &block.bodyB[lane]}) {
        *body = 0;
        if (body == &block.bodyA[lane] && block.immovableA) continue;
        *body = static_cast<std::int32_t>(work.bodies.size());
        SolverBody motion;
        for (int k = 0; k < 6; ++k) {
          motion.velocity[k] = chance(20) ? 0.0f : number(-2, 2);
          motion.displacement[k] = chance(50) ? 0.0f : number(-1e-3, 1e-3);
        }
        SolverMass mass;
        mass.inverseMass = number(0.1, 5);
        // Diagonally dominant, so positive definite.
        for (int k : {0, 3, 5}) mass.inverseInertia[k] = number(4, 20);
        for (int k : {1, 2, 4}) mass.inverseInertia[k] = number(-1, 1);
        work.bodies.push_back(motion);
        work.masses.push_back(mass);
      }
      if (chance(15)) {
        block.locksB[lane] = static_cast<std::int32_t>(engine() % 64);
        block.isLocked = true;
      }
      const float n[3] = {number(-1, 1), number(-1, 1), number(0.1, 1)}, length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      for (int k = 0; k < 3; ++k) {
        in.normal[k][lane] = chance(20) ? (k == 2 ? 1.0f : 0.0f) : n[k] / length;
        in.offset[k][lane] = number(-1, 1);
        in.frictionImpulse[k][lane] = chance(50) ? 0.0f : number(-0.1, 0.1);
        in.surfaceVelocity[k][lane] = chance(80) ? 0.0f : number(-1, 1);
      }
      in.moves[0][lane] = chance(90) ? 1.0f : 0.0f;
      in.moves[1][lane] = chance(90) ? 1.0f : 0.0f;
      in.reference[lane] = number(0, 0.2);
      const int points = static_cast<int>(engine() % 5);
      block.pointCount = std::max(block.pointCount, points);
      for (int p = 0; p < points; ++p) {
        in.present[p][lane] = 1;
        for (int k = 0; k < 3; ++k) in.point[p][k][lane] = number(-0.6, 0.6);
        block.points[p].separation[lane] = chance(20) ? -0.0f : number(-0.01, 0.01);
        block.points[p].impulse[lane] = chance(50) ? 0.0f : number(0, 0.2);
      }
      block.twistImpulse[lane] = chance(50) ? 0.0f : number(-0.01, 0.01);
      block.friction[lane] = chance(20) ? 0.0f : number(0, 1);
      block.restitution[lane] = chance(50) ? 0.0f : number(0, 1);
      block.normalGain[lane] = number(-0.02, 0);
    }
    work.blocks.push_back(block);
    work.inputs.push_back(in);
  }
  work.dropped.resize(work.bodies.size());
  work.before.resize(work.bodies.size());
  for (std::size_t i = 1; i < work.bodies.size(); ++i)
    for (int k = 0; k < 6; ++k) work.before[i].v[k] = number(-2, 2);
  work.sweeps.resize(work.blocks.size());
  return work;
}

// Three substeps of ContactSolver, in short.
inline KernelWork solved(const ContactKernel& kernel, KernelWork work) {
  const int count = static_cast<int>(work.blocks.size());
  for (int i = 0; i < count; ++i) kernel.prepare(work.blocks[static_cast<std::size_t>(i)], work.inputs[static_cast<std::size_t>(i)], work.masses.data());
  kernel.warmStart(work.blocks.data(), count, work.bodies.data());
  for (int substep = 0; substep < 3; ++substep) {
    kernel.solveNormals(work.blocks.data(), count, work.bodies.data(), work.before.data(), work.parameters);
    for (const ContactBlock& block : work.blocks) {
      work.hits += block.hits;
      work.settles += block.settles && !block.hits;
    }
    // On their way to convergence, as in ContactSolver::sweepHits().
    for (int sweep = 0; sweep < 3; ++sweep) {
      work.energy.push_back(kernel.sweepRigid(work.blocks.data(), count, work.bodies.data(), work.sweeps.data(), substep != 1, substep == 2, work.parameters));
      kernel.goFurther(work.blocks.data(), count, work.bodies.data(), work.sweeps.data(), substep == 2, 0.5f);
    }
    for (SolverBody& body : work.bodies)
      for (int k = 0; k < 8; ++k) body.displacement[k] += body.velocity[k] / work.parameters.inverseSubstep;
    kernel.relax(work.blocks.data(), count, work.bodies.data(), substep != 1 ? work.dropped.data() : nullptr, true, work.parameters);
    float done[2] = {0, 0};
    kernel.addWork(work.blocks.data(), count, work.bodies.data(), work.before.data(), done);
    work.energy.insert(work.energy.end(), std::begin(done), std::end(done));
    kernel.takeBack(work.blocks.data(), count, 0.3f);
  }
  for (const ContactBlock& block : work.blocks)
    for (const float impulse : block.points[0].totalImpulse) work.loads += impulse > 0;
  return work;
}

template <typename T>
bool sameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// All lanes of a block, up to where the flags begin.
inline bool sameBits(const ContactBlock& a, const ContactBlock& b) {
  return std::memcmp(&a, &b, offsetof(ContactBlock, immovableA)) == 0 && a.hits == b.hits && a.settles == b.settles && a.isNew == b.isNew;
}

inline void expectSameBitsAsBaseline(const ContactKernel& kernel) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const KernelWork start = randomWork(seed);
    const KernelWork expected = solved(contactKernelBaseline(), start), found = solved(kernel, start);
    ASSERT_GT(expected.hits, 10);
    ASSERT_GT(expected.settles, 10);
    ASSERT_GT(expected.loads, 10);
    for (const SolverBody& body : expected.bodies)
      for (const float v : body.velocity) ASSERT_TRUE(std::isfinite(v));
    ASSERT_FALSE(sameBits(expected.bodies, start.bodies));
    for (std::size_t i = 0; i < start.blocks.size(); ++i)
      EXPECT_TRUE(sameBits(found.blocks[i], expected.blocks[i])) << kernel.name << ", seed " << seed << ", block " << i;
    EXPECT_TRUE(sameBits(found.bodies, expected.bodies)) << kernel.name << ", seed " << seed;
    EXPECT_TRUE(sameBits(found.dropped, expected.dropped)) << kernel.name << ", seed " << seed;
    EXPECT_TRUE(sameBits(found.sweeps, expected.sweeps)) << kernel.name << ", seed " << seed;
    EXPECT_TRUE(sameBits(found.energy, expected.energy)) << kernel.name << ", seed " << seed;
    ASSERT_GT(expected.energy[0], 0);
  }
}

}  // namespace sunder::testing
