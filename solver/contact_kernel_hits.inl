// SPDX-License-Identifier: MIT
// Part of contact_kernel.inl: sweeps over hits until they have gone through, and what they do to the energy.
#pragma once
namespace sunder {
namespace {

// Sum of the lanes, in the order of pairs.
float sum8(Float8 v) {
  alignas(32) float lanes[8];
  store8(lanes, v);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// The impulses of a block row by row: its points, and, if it rubs, both tangents and the twist.
template <class Work>
void forEachRow(ContactBlock& block, bool rubs, Work&& work) {
  for (int i = 0; i < block.pointCount; ++i) work(i, block.points[i].impulse);
  if (!rubs) return;
  for (int i = 0; i < 2; ++i) work(4 + i, block.tangentImpulse[i]);
  work(6, block.twistImpulse);
}

SUNDER_FLATTEN float sweepRigid(ContactBlock* blocks, int count, SolverBody* bodies, HitSweep* sweeps, bool push, bool rubs,
                                const ContactKernelParameters& parameters) {
  const Float8 zero = splat(0.0f), one = splat(1.0f);
  Float8 energy = zero;
  for (int k = 0; k < count; ++k) {
    ContactBlock& block = blocks[k];
    ContactBlock::Lanes* change = sweeps[k].change;
    const Frame f = loadFrame(block);
    const Motion a = gatherVelocity(block.bodyA, bodies), b = gatherVelocity(block.bodyB, bodies);
    PairState s = loadState(block, f, a, b);
    forEachRow(block, rubs, [&](int i, ContactBlock::Lanes& impulse) { store8(change[i], load8(impulse)); });
    const Wide3 torqueA = s.torqueA, torqueB = s.torqueB;
    if (push)
      sweepNormals<true>(block, s, movedOf(block, f, bodies), one > zero, parameters);
    else if (block.hits)
      relaxNormals<true>(block, s, parameters);
    else
      relaxNormals<false>(block, s, parameters);
    finishNormals(s, torqueA, torqueB);
    const PairState before = s;
    if (rubs) relaxFriction(block, s);
    forEachRow(block, rubs, [&](int i, ContactBlock::Lanes& impulse) { store8(change[i], load8(impulse) - load8(change[i])); });
    for (int i = 0; i < block.pointCount; ++i) {
      const Float8 mass = load8(block.points[i].mass), p = load8(change[i]);
      const Mask8 real = mass > zero;
      energy = energy + select(real, p * p / select(real, mass, one), zero);
    }
    if (rubs) {
      Float8 from1, from2, to1, to2;
      tangentialVelocity(before, centerOf(block), from1, from2);
      tangentialVelocity(s, centerOf(block), to1, to2);
      energy = energy + load8(change[4]) * (to1 - from1) + load8(change[5]) * (to2 - from2);
      energy = energy + load8(change[6]) * ((s.wB.z - s.wA.z) - (before.wB.z - before.wA.z));
    }
    storeState(block, f, s, a, b, bodies);
  }
  return sum8(energy);
}

SUNDER_FLATTEN void goFurther(ContactBlock* blocks, int count, SolverBody* bodies, HitSweep* sweeps, bool rubs, float share) {
  const Float8 zero = splat(0.0f), beta = splat(share);
  for (int k = 0; k < count; ++k) {
    ContactBlock& block = blocks[k];
    const Frame f = loadFrame(block);
    const Motion a = gatherVelocity(block.bodyA, bodies), b = gatherVelocity(block.bodyB, bodies);
    PairState s = loadState(block, f, a, b);
    const Wide3 torqueA = s.torqueA, torqueB = s.torqueB;
    Float8 old[HitSweep::kRows];
    forEachRow(block, rubs, [&](int i, ContactBlock::Lanes& impulse) {
      const Float8 further = beta * load8(sweeps[k].direction[i]);
      store8(sweeps[k].direction[i], further + load8(sweeps[k].change[i]));
      old[i] = load8(impulse);
      store8(impulse, i < 4 ? max8(old[i] + further, zero) : old[i] + further);
    });
    for (int i = 0; i < block.pointCount; ++i) {
      const ContactBlock::Point& point = block.points[i];
      addNormalImpulse(s, load8(point.r1), load8(point.r2), load8(point.impulse) - old[i]);
    }
    finishNormals(s, torqueA, torqueB);
    if (rubs) {
      const Loads loads = loadsOf(block);
      const Float8 friction = load8(block.friction), twistLimit = friction * loads.byLever;
      store8(block.twistImpulse, max8(min8(load8(block.twistImpulse), twistLimit), zero - twistLimit));
      addTwist(s, load8(block.twistImpulse) - old[6]);
      Float8 p1 = load8(block.tangentImpulse[0]), p2 = load8(block.tangentImpulse[1]);
      scaleToCone(p1, p2, friction * loads.sum);
      store8(block.tangentImpulse[0], p1);
      store8(block.tangentImpulse[1], p2);
      addImpulse(s, centerOf(block), {p1 - old[4], p2 - old[5], zero});
    }
    storeState(block, f, s, a, b, bodies);
  }
}

SUNDER_FLATTEN void addWork(const ContactBlock* blocks, int count, const SolverBody* bodies, const SolverWarmStart* before, float (&work)[2]) {
  Float8 first = splat(0.0f), gain = first;
  for (const ContactBlock* block = blocks; block != blocks + count; ++block) {
    const Frame f = loadFrame(*block);
    const PairState s = loadState(*block, f, gatherVelocity(block->bodyA, bodies), gatherVelocity(block->bodyB, bodies));
    const PairState start = stateBefore(*block, f, before);
    const auto add = [&](Float8 impulse, Float8 from, Float8 to) {
      first = first + impulse * from;
      gain = gain + splat(0.5f) * impulse * (to - from);
    };
    for (int i = 0; i < block->pointCount; ++i) {
      const ContactBlock::Point& point = block->points[i];
      const Float8 r1 = load8(point.r1), r2 = load8(point.r2);
      add(load8(point.impulse), normalVelocity(start.relative, start.wA, start.wB, start.offset, r1, r2), normalVelocity(s.relative, s.wA, s.wB, s.offset, r1, r2));
    }
    const Wide3 c = centerOf(*block);
    Float8 from1, from2, to1, to2;
    tangentialVelocity(start, c, from1, from2);
    tangentialVelocity(s, c, to1, to2);
    add(load8(block->tangentImpulse[0]), from1, to1);
    add(load8(block->tangentImpulse[1]), from2, to2);
    add(load8(block->twistImpulse), start.wB.z - start.wA.z, s.wB.z - s.wA.z);
  }
  work[0] += sum8(first);
  work[1] += sum8(gain);
}

SUNDER_FLATTEN void takeBack(ContactBlock* blocks, int count, float share) {
  const Float8 s = splat(share);
  const auto take = [s](ContactBlock::Lanes& total, const ContactBlock::Lanes& impulse) { store8(total, load8(total) - s * load8(impulse)); };
  for (ContactBlock* block = blocks; block != blocks + count; ++block) {
    for (int i = 0; i < block->pointCount; ++i) take(block->points[i].totalImpulse, block->points[i].impulse);
    take(block->totalTangentImpulse[0], block->tangentImpulse[0]);
    take(block->totalTangentImpulse[1], block->tangentImpulse[1]);
    take(block->totalTwistImpulse, block->twistImpulse);
  }
}

}  // namespace
}  // namespace sunder
