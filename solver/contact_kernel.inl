// SPDX-License-Identifier: MIT
// The body of contact_kernel_baseline.cpp and its wider twins. Everything here has internal linkage, so that the copies
// never mix. Method: docs/stepping.md; equation numbers refer to it.
// The four entry points take in all that they call: left to itself g++ makes functions of the small steps, and the state
// of a pair of bodies goes through memory for every point of a contact.
#if defined(__GNUC__)
#define SUNDER_FLATTEN __attribute__((flatten))
#else
#define SUNDER_FLATTEN
#endif

#include "contact_kernel_pair.inl"
#include "contact_kernel_prepare.inl"

namespace sunder {
namespace {

// Sweeps over the points of a contact that hits, for all of them to stop or bounce together.
constexpr int kHitSweeps = 8;
// ... and in the substep after.
constexpr int kSettleSweeps = 8;
constexpr int kLaterSweeps = 2;
// Rounds of normals and friction in the first substep of a contact, in a hit and in the substep after, in which each does not know
// yet what the other will be: a box put on a slope would lose 2.5 mm/s of friction, with 4 rounds it loses 0.002. Of a corner that
// hits and sticks one round leaves half of the velocity, four leave a hundredth.
constexpr int kCoupledRounds = 4;

// m/s: an approach is a mark of a hit, too.
constexpr float kLeastApproach = 1e-6f;

SUNDER_FLATTEN void warmStart(ContactBlock* blocks, int count, SolverBody* bodies) {
  for (ContactBlock* block = blocks; block != blocks + count; ++block) {
    const Frame f = loadFrame(*block);
    const Motion a = gatherVelocity(block->bodyA, bodies), b = gatherVelocity(block->bodyB, bodies);
    PairState s = loadState(*block, f, a, b);
    for (int i = 0; i < block->pointCount; ++i) {
      const ContactBlock::Point& point = block->points[i];
      addNormalImpulse(s, load8(point.r1), load8(point.r2), load8(point.impulse));
    }
    addImpulse(s, centerOf(*block), {load8(block->tangentImpulse[0]), load8(block->tangentImpulse[1]), splat(0.0f)});
    const Float8 twist = load8(block->twistImpulse);
    s.torqueA.z = s.torqueA.z + twist;
    s.torqueB.z = s.torqueB.z + twist;
    storeState(*block, f, s, a, b, bodies);
  }
}

// Where the bodies of a block have moved to since the start of the step, as far as normal rows need it.
struct Moved {
  Wide3 relative, turnedA, turnedB;
};

// One Gauss-Seidel sweep over the points of a block. Lanes outside `mask` change nothing.
template <bool kMasked>
void sweepNormals(ContactBlock& block, PairState& s, const Moved& moved, Mask8 mask, const ContactKernelParameters& parameters) {
  const Float8 zero = splat(0.0f), one = splat(1.0f);
  const Float8 inverseSubstep = splat(parameters.inverseSubstep), bias = splat(parameters.bias * parameters.inverseSubstep);
  const Float8 maxPush = splat(-parameters.maxPushSpeed), slop = splat(parameters.slop), lift = splat(-parameters.lift);
  const Float8 massScale = splat(parameters.massScale), impulseScale = splat(parameters.impulseScale);
  const Float8 inverseSlop = splat(1.0f / parameters.slop);
  for (int i = 0; i < block.pointCount; ++i) {
    ContactBlock::Point& point = block.points[i];
    const Float8 r1 = load8(point.r1), r2 = load8(point.r2), impulse = load8(point.impulse), reference = load8(point.reference);
    const Float8 separation = load8(point.separation) + normalVelocity(moved.relative, moved.turnedA, moved.turnedB, s.offset, r1, r2);
    const Float8 velocity = normalVelocity(s.relative, s.wA, s.wB, s.offset, r1, r2);
    // Apart: the gap may close, no further. In contact: a share of the penetration beyond the slop is taken out. What carries a load
    // stays in contact over a gap as wide as the slop, and the softness lifts it less the nearer to the surface it is: points with
    // little load would rattle on the border.
    const Mask8 apart = separation > select(impulse > zero, slop, zero);
    const Float8 lifted = lift * min8(max8(zero - separation * inverseSlop, zero), one) * reference;
    const Float8 push = max8(bias * min8(separation + slop, zero), maxPush);
    const Float8 target = select(apart, separation * inverseSubstep, push);
    // A hit is no matter of softness: a load that has come from nothing in this substep would leak right away.
    const Mask8 rigid = zero > select(mask, zero - one, select(apart, zero - one, zero));
    const Float8 scale = select(rigid, one, massScale), leak = select(rigid, zero, impulseScale);
    Float8 change = zero - load8(point.mass) * scale * (velocity + target) - leak * max8(impulse - reference, lifted);
    if (kMasked) change = select(mask, change, zero);
    const Float8 next = max8(impulse + change, zero);
    store8(point.impulse, next);
    addNormalImpulse(s, r1, r2, next - impulse);
  }
}

// The velocities of a block's bodies before this substep's sweep.
PairState stateBefore(const ContactBlock& block, const Frame& f, const SolverWarmStart* before) {
  const auto row = [before](std::int32_t i) { return before[i].v; };
  return loadState(block, f, gather(block.bodyA, row), gather(block.bodyB, row));
}

// A point without force that closes fast in this substep hits. Notes its speed at the moment of contact in `approach`:
// with the velocity u that the substep ends with, of which g came from gravity, and the gap d to fall through,
// speed^2 = (u - g)^2 + 2 (g / h) d, so that a bounce neither makes nor loses height. d is that of the first point to
// touch, and a point that would hit in the next substep goes along with it: a face that lands flat but for a last tilt
// bounces as a face, without gaining any. u is that of `before`: pressed by a heavy body that was swept first, a light one would bounce
// off the floor with a speed that it never had. Returns the lanes with a hit.
Mask8 findHits(ContactBlock& block, const Frame& f, const PairState& s, const SolverWarmStart* before, const Moved& moved,
               const ContactKernelParameters& parameters) {
  const Float8 zero = splat(0.0f), two = splat(2.0f), threshold = splat(-parameters.hitSpeed);
  const Float8 inverseSubstep = splat(parameters.inverseSubstep), gain = load8(block.normalGain), never = splat(1e30f);
  Float8 velocities[4] = {zero, zero, zero, zero}, first = never;
  for (int i = 0; i < block.pointCount; ++i) {
    const ContactBlock::Point& point = block.points[i];
    const Float8 r1 = load8(point.r1), r2 = load8(point.r2);
    const Float8 velocity = normalVelocity(s.relative, s.wA, s.wB, s.offset, r1, r2);
    const Float8 separation = load8(point.separation) + normalVelocity(moved.relative, moved.turnedA, moved.turnedB, s.offset, r1, r2);
    const Float8 closing = separation * inverseSubstep;  // the velocity that would close the gap
    const Mask8 near = (threshold > velocity) & (zero > two * velocity + closing) & (splat(1e-30f) > load8(point.impulse)) &
                       (load8(point.mass) > zero);
    velocities[i] = select(near, velocity, zero);
    first = min8(first, select(near & (zero > velocity + closing), max8(closing, zero), never));
  }
  const Mask8 lanes = never > first;
  block.hits = any(lanes);
  if (!block.hits) return lanes;
  const Float8 fallen = two * gain * select(lanes, first, zero);
  const PairState start = block.bounces ? stateBefore(block, f, before) : s;
  for (int i = 0; i < 4; ++i) {
    const Mask8 hits = lanes & (zero > velocities[i]);
    const ContactBlock::Point& point = block.points[i];
    const Float8 velocity = normalVelocity(start.relative, start.wA, start.wB, start.offset, load8(point.r1), load8(point.r2)) - gain;
    const Float8 speed = select(zero > velocity, sqrt8(max8(velocity * velocity - fallen, zero)), zero);
    store8(block.approach[i], select(hits, zero - max8(speed, splat(kLeastApproach)), zero));
  }
  return lanes;
}

Moved movedOf(const ContactBlock& block, const Frame& f, const SolverBody* bodies) {
  const Motion a = gatherDisplacement(block.bodyA, bodies), b = gatherDisplacement(block.bodyB, bodies);
  const Float8 zero = splat(0.0f);
  Moved moved;
  moved.relative = {zero, zero, dot(f.n, b.linear - a.linear)};
  moved.turnedA = {dot(f.t1, a.angular), dot(f.t2, a.angular), zero};
  moved.turnedB = {dot(f.t1, b.angular), dot(f.t2, b.angular), zero};
  return moved;
}

SUNDER_FLATTEN void solveNormals(ContactBlock* blocks, int count, SolverBody* bodies, const SolverWarmStart* before,
                                 const ContactKernelParameters& parameters) {
  for (ContactBlock* block = blocks; block != blocks + count; ++block) {
    const Frame f = loadFrame(*block);
    const Motion a = gatherVelocity(block->bodyA, bodies), b = gatherVelocity(block->bodyB, bodies);
    PairState s = loadState(*block, f, a, b);
    const Moved moved = movedOf(*block, f, bodies);
    block->settles = block->hits;
    const Mask8 hits = findHits(*block, f, s, before, moved, parameters);
    sweepNormals<false>(*block, s, moved, hits, parameters);
    // A face that lands flat: one sweep stops its first point with all of the body's momentum and leaves it turning.
    if (block->hits)
      for (int sweep = 1; sweep < kHitSweeps; ++sweep) sweepNormals<true>(*block, s, moved, hits, parameters);
    // The substep after a hit starts with its whole impulse once more, and has to take it back as thoroughly.
    else if (block->settles)
      for (int sweep = 1; sweep < kSettleSweeps; ++sweep) sweepNormals<false>(*block, s, moved, hits, parameters);
    storeState(*block, f, s, a, b, bodies);
  }
}

// Normal rows without bias: what removed penetration in solveNormals must not stay as velocity.
template <bool kHits>
void relaxNormals(ContactBlock& block, PairState& s, const ContactKernelParameters& parameters) {
  const Float8 zero = splat(0.0f);
  const Float8 restitution = load8(block.restitution), threshold = splat(-parameters.restitutionThreshold);
  for (int i = 0; i < block.pointCount; ++i) {
    ContactBlock::Point& point = block.points[i];
    const Float8 r1 = load8(point.r1), r2 = load8(point.r2), impulse = load8(point.impulse);
    Float8 target = normalVelocity(s.relative, s.wA, s.wB, s.offset, r1, r2);
    // A point that carries nothing is open: it may move as it likes.
    Float8 closed = impulse;
    if (kHits) {
      const Float8 approach = load8(block.approach[i]);
      target = target + select(threshold > approach, restitution * approach, zero);
      closed = max8(closed, zero - approach);
    }
    const Float8 change = select(closed > zero, zero - load8(point.mass) * target, zero);
    const Float8 next = max8(impulse + change, zero);
    store8(point.impulse, next);
    addNormalImpulse(s, r1, r2, next - impulse);
  }
}

// addNormalImpulse leaves the third components to us. `a` and `b` are torqueA and torqueB before the normals.
void finishNormals(PairState& s, const Wide3& a, const Wide3& b) {
  s.wA.z = s.wA.z - (s.inertiaA.xz * (s.torqueA.x - a.x) + s.inertiaA.yz * (s.torqueA.y - a.y));
  s.wB.z = s.wB.z + (s.inertiaB.xz * (s.torqueB.x - b.x) + s.inertiaB.yz * (s.torqueB.y - b.y));
}

// What the points of a block carry: |friction| <= coefficient * sum, |twist| <= coefficient * byLever.
struct Loads {
  Float8 sum, byLever;
};
Loads loadsOf(const ContactBlock& block) {
  Loads loads = {splat(0.0f), splat(0.0f)};
  for (int i = 0; i < block.pointCount; ++i) {
    const Float8 impulse = load8(block.points[i].impulse);
    loads.sum = loads.sum + impulse;
    loads.byLever = loads.byLever + load8(block.lever[i]) * impulse;
  }
  return loads;
}

// A vector that is too long is scaled back to the limit.
void scaleToCone(Float8& p1, Float8& p2, Float8 limit) {
  const Float8 one = splat(1.0f), squared = p1 * p1 + p2 * p2;
  const Mask8 outside = squared > limit * limit;
  const Float8 scale = select(outside, limit / sqrt8(select(outside, squared, one)), one);
  p1 = scale * p1;
  p2 = scale * p2;
}

void relaxFriction(ContactBlock& block, PairState& s) {
  const Float8 zero = splat(0.0f), one = splat(1.0f);
  const Float8 friction = load8(block.friction);
  const Loads loads = loadsOf(block);
  // Twist: |impulse| <= friction * sum(lever * load)
  {
    const Float8 limit = friction * loads.byLever, old = load8(block.twistImpulse);
    const Float8 wanted = old - load8(block.twistMass) * (s.wB.z - s.wA.z);
    const Float8 next = max8(min8(wanted, limit), zero - limit);
    store8(block.twistImpulse, next);
    addTwist(s, next - old);
  }
  // Tangential: both rows at once, scaled back to the cone |impulse| <= friction * sum(load)
  const Wide3 c = centerOf(block);
  Float8 v1, v2;
  tangentialVelocity(s, c, v1, v2);
  v1 = v1 - load8(block.surfaceVelocity[0]);
  v2 = v2 - load8(block.surfaceVelocity[1]);
  const Float8 m11 = load8(block.tangentMass[0]), m12 = load8(block.tangentMass[1]), m22 = load8(block.tangentMass[2]);
  const Float8 old1 = load8(block.tangentImpulse[0]), old2 = load8(block.tangentImpulse[1]);
  Float8 next1 = old1 - (m11 * v1 + m12 * v2), next2 = old2 - (m12 * v1 + m22 * v2);
  const Float8 limit = friction * loads.sum;
  const Float8 squared = next1 * next1 + next2 * next2;
  const Mask8 slides = squared > limit * limit;
  if (!block.hits && any(slides)) {
    // Sliding friction is opposed to the velocity. The block's answer is not when the rows are coupled, as they are away
    // from the centre of mass: there a body would be steered by its own friction. So these lanes take a step of the
    // projected gradient, of length 1 / trace <= 1 / largest eigenvalue, whose fixed point is |p| = limit, p = -c v. (A hit
    // lasts for one substep, and a step of a gradient is not enough for that.)
    const Float8 determinant = m11 * m22 - m12 * m12, sum = m11 + m22;
    const Float8 step = determinant / select(sum > zero, sum, one);
    next1 = select(slides, old1 - step * v1, next1);
    next2 = select(slides, old2 - step * v2, next2);
  }
  scaleToCone(next1, next2, limit);
  store8(block.tangentImpulse[0], next1);
  store8(block.tangentImpulse[1], next2);
  addImpulse(s, c, {next1 - old1, next2 - old2, zero});
}

// From here to the next substep.
void turnSurface(ContactBlock& block, const Frame& f) {
  const Wide3 turn = {load8(block.surfaceTurn[0]), load8(block.surfaceTurn[1]), load8(block.surfaceTurn[2])};
  store8(block.surfaceVelocity[0], load8(block.surfaceVelocity[0]) + dot(f.t1, turn));
  store8(block.surfaceVelocity[1], load8(block.surfaceVelocity[1]) + dot(f.t2, turn));
}

// What the substep has come to.
void addTotals(ContactBlock& block) {
  const auto add = [](ContactBlock::Lanes& total, const ContactBlock::Lanes& impulse) { store8(total, load8(total) + load8(impulse)); };
  for (int i = 0; i < block.pointCount; ++i) add(block.points[i].totalImpulse, block.points[i].impulse);
  add(block.totalTangentImpulse[0], block.tangentImpulse[0]);
  add(block.totalTangentImpulse[1], block.tangentImpulse[1]);
  add(block.totalTwistImpulse, block.twistImpulse);
}

// The force of a hit lasts an instant: it must not start the next substep. Takes what the lanes with a hit did to their
// bodies in this substep out of the warm start, which the caller derives from the change of velocity.
void dropHits(ContactBlock& block, const Frame& f, SolverWarmStart* dropped) {
  const Float8 zero = splat(0.0f);
  Float8 worst = zero;
  for (int i = 0; i < 4; ++i) worst = min8(worst, load8(block.approach[i]));
  const Mask8 hit = (zero > worst) & (load8(block.restitution) > zero);
  if (!any(hit)) return;
  PairState s;
  s.offset = {load8(block.offset[0]), load8(block.offset[1]), load8(block.offset[2])};
  s.inverseMass = zero;
  s.isLocked = false;
  s.inertiaA = loadSymmetric(block.inverseInertiaA);
  s.inertiaB = loadSymmetric(block.inverseInertiaB);
  s.relative = s.wA = s.wB = s.impulse = s.torqueA = s.torqueB = {zero, zero, zero};
  for (int i = 0; i < block.pointCount; ++i) {
    ContactBlock::Point& point = block.points[i];
    const Float8 impulse = load8(point.impulse);
    addNormalImpulse(s, load8(point.r1), load8(point.r2), select(hit, impulse, zero));
    store8(point.impulse, select(hit, zero, impulse));
  }
  const Float8 f1 = load8(block.tangentImpulse[0]), f2 = load8(block.tangentImpulse[1]), twist = load8(block.twistImpulse);
  addImpulse(s, centerOf(block), {select(hit, f1, zero), select(hit, f2, zero), zero});
  s.torqueA.z = s.torqueA.z + select(hit, twist, zero);
  s.torqueB.z = s.torqueB.z + select(hit, twist, zero);
  store8(block.tangentImpulse[0], select(hit, zero, f1));
  store8(block.tangentImpulse[1], select(hit, zero, f2));
  store8(block.twistImpulse, select(hit, zero, twist));

  const Wide3 impulse = toWorld(f, s.impulse);
  const auto scatter = [&](const std::int32_t* index, const Wide3& linear, const Wide3& angular) {
    Float8 r[8] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z, zero, zero};
    transpose(r);
    for (int i = 0; i < block.laneCount; ++i) store8(dropped[index[i]].v, load8(dropped[index[i]].v) + r[i]);
  };
  if (!block.immovableA) scatter(block.bodyA, Wide3{zero, zero, zero} - load8(block.inverseMassA) * impulse, Wide3{zero, zero, zero} - toWorld(f, s.inertiaA * s.torqueA));
  scatter(block.bodyB, load8(block.inverseMassB) * impulse, toWorld(f, s.inertiaB * s.torqueB));
}

SUNDER_FLATTEN void relax(ContactBlock* blocks, int count, SolverBody* bodies, SolverWarmStart* dropped, bool last,
                          const ContactKernelParameters& parameters) {
  for (ContactBlock* block = blocks; block != blocks + count; ++block) {
    if (!last && !block->sways) continue;
    const Frame f = loadFrame(*block);
    const Motion a = gatherVelocity(block->bodyA, bodies), b = gatherVelocity(block->bodyB, bodies);
    PairState s = loadState(*block, f, a, b);
    const int first = block->isNew || block->hits || block->settles ? kCoupledRounds : 1;
    for (int round = first; round > 0; --round) {
      const Wide3 torqueA = s.torqueA, torqueB = s.torqueB;
      // Of one point a sweep is exact; what the friction of a round has changed takes fewer than the hit itself.
      const int most = block->pointCount == 1 ? 1 : round == first ? kHitSweeps : kLaterSweeps;
      if (block->hits)
        for (int sweep = 0; sweep < most; ++sweep) relaxNormals<true>(*block, s, parameters);
      else
        for (int sweep = 0; sweep < (block->settles ? most : 1); ++sweep) relaxNormals<false>(*block, s, parameters);
      finishNormals(s, torqueA, torqueB);
      relaxFriction(*block, s);
    }
    block->isNew = false;
    storeState(*block, f, s, a, b, bodies);
    if (!last) continue;
    if (block->turns) turnSurface(*block, f);
    addTotals(*block);
    if (block->hits && dropped != nullptr) dropHits(*block, f, dropped);
  }
}

}  // namespace
}  // namespace sunder

#include "contact_kernel_hits.inl"

#undef SUNDER_FLATTEN
