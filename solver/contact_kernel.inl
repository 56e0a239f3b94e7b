// SPDX-License-Identifier: MIT
// The body of contact_kernel_baseline.cpp and contact_kernel_avx2.cpp. Everything here has internal linkage, so that the
// two copies never mix. Method: docs/stepping.md; equation numbers refer to it.
#include "sunder/solver/contact_kernel.h"
#include "sunder/solver/wide_internal.h"

// The four entry points take in all that they call: left to itself g++ makes functions of the small steps, and the state
// of a pair of bodies goes through memory for every point of a contact.
#if defined(__GNUC__)
#define SUNDER_FLATTEN __attribute__((flatten))
#else
#define SUNDER_FLATTEN
#endif

namespace sunder {
namespace {

using namespace wide;

// Sweeps over the points of a contact that hits, for all of them to stop or bounce together.
constexpr int kHitSweeps = 8;
// Rounds of normals and friction in the first substep of a contact, in which each does not know yet what the other will
// be: a box put on a slope would lose 2.5 mm/s of friction in it, with 4 rounds it loses 0.002.
constexpr int kNewRounds = 4;

// Two of three columns are stored, the third is their cross product.
struct Frame {
  Wide3 t1, t2, n;
};

Frame loadFrame(const ContactBlock& block) {
  Frame f;
  f.n = {load8(block.normal[0]), load8(block.normal[1]), load8(block.normal[2])};
  f.t1 = {load8(block.tangent[0]), load8(block.tangent[1]), load8(block.tangent[2])};
  f.t2 = cross(f.n, f.t1);
  return f;
}
Wide3 toFrame(const Frame& f, const Wide3& v) { return {dot(f.t1, v), dot(f.t2, v), dot(f.n, v)}; }
Wide3 toWorld(const Frame& f, const Wide3& v) { return v.x * f.t1 + v.y * f.t2 + v.z * f.n; }

struct Symmetric3 {
  Float8 xx, xy, xz, yy, yz, zz;
};
Symmetric3 loadSymmetric(const ContactBlock::Lanes (&m)[6]) {
  return {load8(m[0]), load8(m[1]), load8(m[2]), load8(m[3]), load8(m[4]), load8(m[5])};
}
Wide3 operator*(const Symmetric3& m, const Wide3& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
// F^T m F
Symmetric3 toFrame(const Frame& f, const Symmetric3& m) {
  const Wide3 m1 = m * f.t1, m2 = m * f.t2, m3 = m * f.n;
  return {dot(f.t1, m1), dot(f.t1, m2), dot(f.t1, m3), dot(f.t2, m2), dot(f.t2, m3), dot(f.n, m3)};
}

struct Motion {
  Wide3 linear, angular;
};

// Eight records of eight floats become six vectors of eight lanes.
template <typename Row>
Motion gather(const std::int32_t* index, Row row) {
  Float8 r[8];
  for (int i = 0; i < kLanes; ++i) r[i] = load8(row(index[i]));
  transpose(r);
  return {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}
Motion gatherVelocity(const std::int32_t* index, const SolverBody* bodies) {
  return gather(index, [bodies](std::int32_t i) { return bodies[i].velocity; });
}
Motion gatherDisplacement(const std::int32_t* index, const SolverBody* bodies) {
  return gather(index, [bodies](std::int32_t i) { return bodies[i].displacement; });
}
void scatterVelocity(const std::int32_t* index, int laneCount, SolverBody* bodies, const Motion& m) {
  const Float8 zero = splat(0.0f);
  Float8 r[8] = {m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z, zero, zero};
  transpose(r);
  for (int i = 0; i < laneCount; ++i) store8(bodies[index[i]].velocity, r[i]);
}

// The two bodies of a block while it is solved, in the contact frame.
struct PairState {
  Wide3 relative;    // velocity of B - velocity of A
  Wide3 wA, wB;      // angular velocities
  Wide3 offset;
  Float8 inverseMass;  // of A + of B
  Symmetric3 lockedMass;  // the same, with a body that has locked axes: a matrix, used when isLocked
  bool isLocked;
  Symmetric3 inertiaA, inertiaB;
  Wide3 impulse;             // applied so far, on B
  Wide3 torqueA, torqueB;    // r x impulse so far
};

void addImpulse(PairState& s, const Wide3& rB, const Wide3& p) {
  const Wide3 rA = rB + s.offset;
  const Wide3 tA = cross(rA, p), tB = cross(rB, p);
  s.relative = s.relative + (s.isLocked ? s.lockedMass * p : s.inverseMass * p);
  s.wA = s.wA - s.inertiaA * tA;
  s.wB = s.wB + s.inertiaB * tB;
  s.impulse = s.impulse + p;
  s.torqueA = s.torqueA + tA;
  s.torqueB = s.torqueB + tB;
}

// The same for an impulse p along the normal at (r1, r2, any): the third component of the angular velocities is not kept
// up, since no normal row reads it; finish() adds the torque sums.
void addNormalImpulse(PairState& s, Float8 r1, Float8 r2, Float8 p) {
  if (s.isLocked) {
    s.relative = s.relative + p * Wide3{s.lockedMass.xz, s.lockedMass.yz, s.lockedMass.zz};
  } else {
    s.relative.z = s.relative.z + s.inverseMass * p;
  }
  const Float8 pa1 = p * (r1 + s.offset.x), pa2 = p * (r2 + s.offset.y), pb1 = p * r1, pb2 = p * r2;
  s.wA.x = s.wA.x - (s.inertiaA.xx * pa2 - s.inertiaA.xy * pa1);
  s.wA.y = s.wA.y - (s.inertiaA.xy * pa2 - s.inertiaA.yy * pa1);
  s.wB.x = s.wB.x + (s.inertiaB.xx * pb2 - s.inertiaB.xy * pb1);
  s.wB.y = s.wB.y + (s.inertiaB.xy * pb2 - s.inertiaB.yy * pb1);
  s.impulse.z = s.impulse.z + p;
  s.torqueA.x = s.torqueA.x + pa2;
  s.torqueA.y = s.torqueA.y - pa1;
  s.torqueB.x = s.torqueB.x + pb2;
  s.torqueB.y = s.torqueB.y - pb1;
}

Float8 normalVelocity(const Wide3& relative, const Wide3& wA, const Wide3& wB, const Wide3& offset, Float8 r1, Float8 r2) {
  return relative.z + (wB.x * r2 - wB.y * r1) - (wA.x * (r2 + offset.y) - wA.y * (r1 + offset.x));
}

// 1 for the components of a body's velocity that may change, 0 for locked ones.
Motion freeAxes(const std::int32_t (&locks)[8]) {
  alignas(64) float keep[6][8];
  for (int k = 0; k < 6; ++k)
    for (int lane = 0; lane < kLanes; ++lane) keep[k][lane] = (locks[lane] >> k & 1) != 0 ? 0.0f : 1.0f;
  return {{load8(keep[0]), load8(keep[1]), load8(keep[2])}, {load8(keep[3]), load8(keep[4]), load8(keep[5])}};
}
Wide3 componentwise(const Wide3& a, const Wide3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Motion componentwise(const Motion& a, const Motion& b) {
  return {componentwise(a.linear, b.linear), componentwise(a.angular, b.angular)};
}

// Inverse mass of both bodies as a matrix in the contact frame, when some linear axes are locked: the sum of
// F^T diag(free axes / mass) F.
Symmetric3 lockedMassOf(const ContactBlock& block, const Frame& f) {
  const Wide3 mass = load8(block.inverseMassA) * freeAxes(block.locksA).linear + load8(block.inverseMassB) * freeAxes(block.locksB).linear;
  const Float8 zero = splat(0.0f);
  return toFrame(f, Symmetric3{mass.x, zero, zero, mass.y, zero, mass.z});
}

PairState loadState(const ContactBlock& block, const Frame& frame, const Motion& a, const Motion& b) {
  PairState s;
  s.relative = toFrame(frame, b.linear - a.linear);
  s.wA = toFrame(frame, a.angular);
  s.wB = toFrame(frame, b.angular);
  s.offset = {load8(block.offset[0]), load8(block.offset[1]), load8(block.offset[2])};
  s.inverseMass = load8(block.inverseMassA) + load8(block.inverseMassB);
  s.isLocked = block.isLocked;
  if (s.isLocked) s.lockedMass = lockedMassOf(block, frame);
  s.inertiaA = loadSymmetric(block.inverseInertiaA);
  s.inertiaB = loadSymmetric(block.inverseInertiaB);
  const Float8 zero = splat(0.0f);
  s.impulse = s.torqueA = s.torqueB = {zero, zero, zero};
  return s;
}

void storeState(const ContactBlock& block, const Frame& frame, const PairState& s, Motion a, Motion b, SolverBody* bodies) {
  const Wide3 impulse = toWorld(frame, s.impulse);
  if (!block.immovableA) {
    a.linear = a.linear - load8(block.inverseMassA) * impulse;
    a.angular = a.angular - toWorld(frame, s.inertiaA * s.torqueA);
    if (block.isLocked) a = componentwise(freeAxes(block.locksA), a);
    scatterVelocity(block.bodyA, block.laneCount, bodies, a);
  }
  b.linear = b.linear + load8(block.inverseMassB) * impulse;
  b.angular = b.angular + toWorld(frame, s.inertiaB * s.torqueB);
  if (block.isLocked) b = componentwise(freeAxes(block.locksB), b);
  scatterVelocity(block.bodyB, block.laneCount, bodies, b);
}

// A unit vector at a right angle to n: n x the axis that n is furthest from being parallel to.
Wide3 tangentOf(const Wide3& n) {
  const Float8 zero = splat(0.0f), half = splat(0.5f);
  // |n.x| < 0.7: cross with x = (0, n.z, -n.y), else with y = (-n.z, 0, n.x)
  const Mask8 useX = half > n.x * n.x;
  const Wide3 t = {select(useX, zero, zero - n.z), select(useX, n.z, zero), select(useX, zero - n.y, n.x)};
  return (splat(1.0f) / sqrt8(dot(t, t))) * t;
}

void prepareFriction(ContactBlock& block, const Frame& f, const ContactBlockInput& in, const Symmetric3& ia,
                     const Symmetric3& ib, const Symmetric3& inverseMass, const Wide3 (&r)[4], const Wide3& offset) {
  // The centre is the mean of the points, those that are open count less: within a millimetre of touching a point takes
  // part in friction, further away it soon stops to.
  const Float8 one = splat(1.0f), zero = splat(0.0f);
  Wide3 c = {zero, zero, zero};
  Float8 total = splat(1e-12f);
  for (int i = 0; i < 4; ++i) {
    const Float8 gap = splat(1e3f) * max8(load8(block.points[i].separation), zero);
    const Float8 weight = load8(in.present[i]) / (one + gap * gap);
    c = c + weight * r[i];
    total = total + weight;
  }
  c = (one / total) * c;
  store8(block.center[0], c.x);
  store8(block.center[1], c.y);
  store8(block.center[2], c.z);
  const Wide3 a = c + offset;
  // K = (mA + mB) 1 - [r]x I^-1 [r]x^T, its upper left 2 x 2 block. Row 1: angular part r x t1 = (0, r3, -r2); row 2:
  // r x t2 = (-r3, 0, r1).
  const Wide3 a1 = {zero, a.z, zero - a.y}, a2 = {zero - a.z, zero, a.x};
  const Wide3 b1 = {zero, c.z, zero - c.y}, b2 = {zero - c.z, zero, c.x};
  const Wide3 ia1 = ia * a1, ia2 = ia * a2, ib1 = ib * b1, ib2 = ib * b2;
  const Float8 k11 = inverseMass.xx + dot(a1, ia1) + dot(b1, ib1);
  const Float8 k12 = inverseMass.xy + dot(a1, ia2) + dot(b1, ib2);
  const Float8 k22 = inverseMass.yy + dot(a2, ia2) + dot(b2, ib2);
  const Float8 determinant = k11 * k22 - k12 * k12;
  const Float8 inverse = select(determinant > zero, one / select(determinant > zero, determinant, one), zero);
  store8(block.tangentMass[0], inverse * k22);
  store8(block.tangentMass[1], zero - inverse * k12);
  store8(block.tangentMass[2], inverse * k11);
  const Float8 twist = ia.zz + ib.zz;
  store8(block.twistMass, select(twist > zero, one / select(twist > zero, twist, one), zero));
  for (int i = 0; i < 4; ++i) {
    const Float8 d1 = r[i].x - c.x, d2 = r[i].y - c.y;
    store8(block.lever[i], load8(in.present[i]) * sqrt8(d1 * d1 + d2 * d2));
  }
  const Wide3 old = {load8(in.frictionImpulse[0]), load8(in.frictionImpulse[1]), load8(in.frictionImpulse[2])};
  store8(block.tangentImpulse[0], dot(f.t1, old));
  store8(block.tangentImpulse[1], dot(f.t2, old));
  const Wide3 surface = {load8(in.surfaceVelocity[0]), load8(in.surfaceVelocity[1]), load8(in.surfaceVelocity[2])};
  store8(block.surfaceVelocity[0], dot(f.t1, surface));
  store8(block.surfaceVelocity[1], dot(f.t2, surface));
}

void loadMasses(const std::int32_t* index, const SolverMass* masses, Symmetric3& inertia, Float8& inverseMass) {
  Float8 r[8];
  for (int i = 0; i < kLanes; ++i) r[i] = load8(masses[index[i]].inverseInertia);
  transpose(r);
  inertia = {r[0], r[1], r[2], r[3], r[4], r[5]};
  inverseMass = r[6];
}
void storeSymmetric(ContactBlock::Lanes (&out)[6], const Symmetric3& m) {
  store8(out[0], m.xx);
  store8(out[1], m.xy);
  store8(out[2], m.xz);
  store8(out[3], m.yy);
  store8(out[4], m.yz);
  store8(out[5], m.zz);
}

SUNDER_FLATTEN void prepare(ContactBlock& block, const ContactBlockInput& in, const SolverMass* masses) {
  const Float8 one = splat(1.0f), zero = splat(0.0f);
  Frame f;
  f.n = {load8(in.normal[0]), load8(in.normal[1]), load8(in.normal[2])};
  f.t1 = tangentOf(f.n);
  f.t2 = cross(f.n, f.t1);
  store8(block.normal[0], f.n.x);
  store8(block.normal[1], f.n.y);
  store8(block.normal[2], f.n.z);
  store8(block.tangent[0], f.t1.x);
  store8(block.tangent[1], f.t1.y);
  store8(block.tangent[2], f.t1.z);
  const Wide3 offset = toFrame(f, Wide3{load8(in.offset[0]), load8(in.offset[1]), load8(in.offset[2])});
  store8(block.offset[0], offset.x);
  store8(block.offset[1], offset.y);
  store8(block.offset[2], offset.z);

  Symmetric3 worldA, worldB;
  Float8 massA, massB;
  loadMasses(block.bodyA, masses, worldA, massA);
  loadMasses(block.bodyB, masses, worldB, massB);
  const Float8 scaleA = load8(in.moves[0]), scaleB = load8(in.moves[1]);
  massA = scaleA * massA;
  massB = scaleB * massB;
  worldA = {scaleA * worldA.xx, scaleA * worldA.xy, scaleA * worldA.xz, scaleA * worldA.yy, scaleA * worldA.yz, scaleA * worldA.zz};
  worldB = {scaleB * worldB.xx, scaleB * worldB.xy, scaleB * worldB.xz, scaleB * worldB.yy, scaleB * worldB.yz, scaleB * worldB.zz};
  store8(block.inverseMassA, massA);
  store8(block.inverseMassB, massB);
  const Symmetric3 ia = toFrame(f, worldA), ib = toFrame(f, worldB);
  storeSymmetric(block.inverseInertiaA, ia);
  storeSymmetric(block.inverseInertiaB, ib);

  const Float8 both = massA + massB;
  const Symmetric3 inverseMass = block.isLocked ? lockedMassOf(block, f) : Symmetric3{both, zero, zero, both, zero, both};

  Wide3 r[4];
  for (int i = 0; i < 4; ++i) {
    ContactBlock::Point& point = block.points[i];
    store8(point.totalImpulse, zero);
    r[i] = toFrame(f, Wide3{load8(in.point[i][0]), load8(in.point[i][1]), load8(in.point[i][2])});
    store8(point.r1, r[i].x);
    store8(point.r2, r[i].y);
    const Float8 b1 = r[i].x, b2 = r[i].y, a1 = b1 + offset.x, a2 = b2 + offset.y, two = splat(2.0f);
    const Float8 k = inverseMass.zz + (ia.xx * a2 * a2 - two * ia.xy * a1 * a2 + ia.yy * a1 * a1) +
                     (ib.xx * b2 * b2 - two * ib.xy * b1 * b2 + ib.yy * b1 * b1);
    const Mask8 real = (k > zero) & (load8(in.present[i]) > zero);
    store8(point.mass, select(real, one / select(real, k, one), zero));
  }
  prepareFriction(block, f, in, ia, ib, inverseMass, r, offset);
  store8(block.totalTangentImpulse[0], zero);
  store8(block.totalTangentImpulse[1], zero);
  store8(block.totalTwistImpulse, zero);
}

SUNDER_FLATTEN void warmStart(ContactBlock* blocks, int count, SolverBody* bodies) {
  for (ContactBlock* block = blocks; block != blocks + count; ++block) {
    const Frame f = loadFrame(*block);
    const Motion a = gatherVelocity(block->bodyA, bodies), b = gatherVelocity(block->bodyB, bodies);
    PairState s = loadState(*block, f, a, b);
    for (int i = 0; i < block->pointCount; ++i) {
      const ContactBlock::Point& point = block->points[i];
      addNormalImpulse(s, load8(point.r1), load8(point.r2), load8(point.impulse));
    }
    const Wide3 c = {load8(block->center[0]), load8(block->center[1]), load8(block->center[2])};
    addImpulse(s, c, {load8(block->tangentImpulse[0]), load8(block->tangentImpulse[1]), splat(0.0f)});
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
  const Float8 maxPush = splat(-parameters.maxPushSpeed), slop = splat(parameters.slop);
  const Float8 massScale = splat(parameters.massScale), impulseScale = splat(parameters.impulseScale);
  const Float8 reference = load8(block.reference);
  for (int i = 0; i < block.pointCount; ++i) {
    ContactBlock::Point& point = block.points[i];
    const Float8 r1 = load8(point.r1), r2 = load8(point.r2), impulse = load8(point.impulse);
    const Float8 separation = load8(point.separation) + normalVelocity(moved.relative, moved.turnedA, moved.turnedB, s.offset, r1, r2);
    const Float8 velocity = normalVelocity(s.relative, s.wA, s.wB, s.offset, r1, r2);
    // Apart: the gap may close, no further. In contact: a share of the penetration beyond the slop is taken out.
    const Mask8 apart = separation > zero;
    const Float8 push = max8(bias * min8(separation + slop, zero), maxPush);
    const Float8 target = select(apart, separation * inverseSubstep, push);
    const Float8 scale = select(apart, one, massScale), leak = select(apart, zero, impulseScale);
    Float8 change = zero - load8(point.mass) * scale * (velocity + target) - leak * max8(impulse - reference, zero);
    if (kMasked) change = select(mask, change, zero);
    const Float8 next = max8(impulse + change, zero);
    store8(point.impulse, next);
    addNormalImpulse(s, r1, r2, next - impulse);
  }
}

// A point without force that closes fast in this substep hits. Notes its speed at the moment of contact in `approach`:
// with the velocity u that the substep ends with, of which g came from gravity, and the gap d to fall through,
// speed^2 = (u - g)^2 + 2 (g / h) d, so that a bounce neither makes nor loses height. d is that of the first point to
// touch, and a point that would hit in the next substep goes along with it: a face that lands flat but for a last tilt
// bounces as a face, without gaining any. Returns the lanes with a hit.
Mask8 findHits(ContactBlock& block, const PairState& s, const Moved& moved, const ContactKernelParameters& parameters) {
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
  for (int i = 0; i < 4; ++i) {
    const Float8 before = velocities[i] - gain;
    const Mask8 hits = lanes & (zero > velocities[i]);
    store8(block.approach[i], select(hits, zero - sqrt8(max8(before * before - fallen, zero)), zero));
  }
  return lanes;
}

SUNDER_FLATTEN void solveNormals(ContactBlock* blocks, int count, SolverBody* bodies, const ContactKernelParameters& parameters) {
  const Float8 zero = splat(0.0f);
  for (ContactBlock* block = blocks; block != blocks + count; ++block) {
    const Frame f = loadFrame(*block);
    const Motion a = gatherVelocity(block->bodyA, bodies), b = gatherVelocity(block->bodyB, bodies);
    const Motion da = gatherDisplacement(block->bodyA, bodies), db = gatherDisplacement(block->bodyB, bodies);
    PairState s = loadState(*block, f, a, b);
    Moved moved;
    moved.relative = {zero, zero, dot(f.n, db.linear - da.linear)};
    moved.turnedA = {dot(f.t1, da.angular), dot(f.t2, da.angular), zero};
    moved.turnedB = {dot(f.t1, db.angular), dot(f.t2, db.angular), zero};
    const Mask8 hits = findHits(*block, s, moved, parameters);
    sweepNormals<false>(*block, s, moved, hits, parameters);
    // A face that lands flat: one sweep stops its first point with all of the body's momentum and leaves it turning.
    if (block->hits)
      for (int sweep = 1; sweep < kHitSweeps; ++sweep) sweepNormals<true>(*block, s, moved, hits, parameters);
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

void relaxFriction(ContactBlock& block, PairState& s) {
  const Float8 zero = splat(0.0f), one = splat(1.0f);
  const Float8 friction = load8(block.friction);
  Float8 load = zero, leverLoad = zero;
  for (int i = 0; i < block.pointCount; ++i) {
    const Float8 impulse = load8(block.points[i].impulse);
    load = load + impulse;
    leverLoad = leverLoad + load8(block.lever[i]) * impulse;
  }
  // Twist: |impulse| <= friction * sum(lever * load)
  {
    const Float8 limit = friction * leverLoad, old = load8(block.twistImpulse);
    const Float8 wanted = old - load8(block.twistMass) * (s.wB.z - s.wA.z);
    const Float8 next = max8(min8(wanted, limit), zero - limit);
    store8(block.twistImpulse, next);
    const Float8 p = next - old;
    s.wA = s.wA - p * Wide3{s.inertiaA.xz, s.inertiaA.yz, s.inertiaA.zz};
    s.wB = s.wB + p * Wide3{s.inertiaB.xz, s.inertiaB.yz, s.inertiaB.zz};
    s.torqueA.z = s.torqueA.z + p;
    s.torqueB.z = s.torqueB.z + p;
  }
  // Tangential: both rows at once, scaled back to the cone |impulse| <= friction * sum(load)
  const Wide3 c = {load8(block.center[0]), load8(block.center[1]), load8(block.center[2])};
  const Wide3 a = c + s.offset;
  const Float8 v1 = s.relative.x + (s.wB.y * c.z - s.wB.z * c.y) - (s.wA.y * a.z - s.wA.z * a.y) - load8(block.surfaceVelocity[0]);
  const Float8 v2 = s.relative.y + (s.wB.z * c.x - s.wB.x * c.z) - (s.wA.z * a.x - s.wA.x * a.z) - load8(block.surfaceVelocity[1]);
  const Float8 m11 = load8(block.tangentMass[0]), m12 = load8(block.tangentMass[1]), m22 = load8(block.tangentMass[2]);
  const Float8 old1 = load8(block.tangentImpulse[0]), old2 = load8(block.tangentImpulse[1]);
  Float8 next1 = old1 - (m11 * v1 + m12 * v2), next2 = old2 - (m12 * v1 + m22 * v2);
  const Float8 limit = friction * load, squared = next1 * next1 + next2 * next2;
  const Mask8 slides = squared > limit * limit;
  const Float8 scale = select(slides, limit / sqrt8(select(slides, squared, one)), one);
  next1 = scale * next1;
  next2 = scale * next2;
  store8(block.tangentImpulse[0], next1);
  store8(block.tangentImpulse[1], next2);
  addImpulse(s, c, {next1 - old1, next2 - old2, zero});
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
  addImpulse(s, {load8(block.center[0]), load8(block.center[1]), load8(block.center[2])}, {select(hit, f1, zero), select(hit, f2, zero), zero});
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

SUNDER_FLATTEN void relax(ContactBlock* blocks, int count, SolverBody* bodies, SolverWarmStart* dropped,
                          const ContactKernelParameters& parameters) {
  for (ContactBlock* block = blocks; block != blocks + count; ++block) {
    const Frame f = loadFrame(*block);
    const Motion a = gatherVelocity(block->bodyA, bodies), b = gatherVelocity(block->bodyB, bodies);
    PairState s = loadState(*block, f, a, b);
    for (int round = block->isNew ? kNewRounds : 1; round > 0; --round) {
      const Wide3 torqueA = s.torqueA, torqueB = s.torqueB;
      if (block->hits)
        for (int sweep = 0; sweep < kHitSweeps; ++sweep) relaxNormals<true>(*block, s, parameters);
      else
        relaxNormals<false>(*block, s, parameters);
      finishNormals(s, torqueA, torqueB);
      relaxFriction(*block, s);
    }
    block->isNew = false;
    addTotals(*block);
    storeState(*block, f, s, a, b, bodies);
    if (block->hits) dropHits(*block, f, dropped);
  }
}

}  // namespace
}  // namespace sunder

#undef SUNDER_FLATTEN
