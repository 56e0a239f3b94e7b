// SPDX-License-Identifier: MIT
// Part of contact_kernel.inl: eight pairs of bodies while they are solved, in their contact frames.
#pragma once
#include "sunder/solver/contact_kernel.h"
#include "sunder/solver/wide_internal.h"

namespace sunder {
namespace {

using namespace wide;

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

// A torque about the normal.
void addTwist(PairState& s, Float8 p) {
  s.wA = s.wA - p * Wide3{s.inertiaA.xz, s.inertiaA.yz, s.inertiaA.zz};
  s.wB = s.wB + p * Wide3{s.inertiaB.xz, s.inertiaB.yz, s.inertiaB.zz};
  s.torqueA.z = s.torqueA.z + p;
  s.torqueB.z = s.torqueB.z + p;
}

// Where friction acts.
Wide3 centerOf(const ContactBlock& block) { return {load8(block.center[0]), load8(block.center[1]), load8(block.center[2])}; }

Float8 normalVelocity(const Wide3& relative, const Wide3& wA, const Wide3& wB, const Wide3& offset, Float8 r1, Float8 r2) {
  return relative.z + (wB.x * r2 - wB.y * r1) - (wA.x * (r2 + offset.y) - wA.y * (r1 + offset.x));
}

// Of B against A at a point r of B.
void tangentialVelocity(const PairState& s, const Wide3& r, Float8& v1, Float8& v2) {
  const Wide3 a = r + s.offset;
  v1 = s.relative.x + (s.wB.y * r.z - s.wB.z * r.y) - (s.wA.y * a.z - s.wA.z * a.y);
  v2 = s.relative.y + (s.wB.z * r.x - s.wB.x * r.z) - (s.wA.z * a.x - s.wA.x * a.z);
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

}  // namespace
}  // namespace sunder
