// SPDX-License-Identifier: MIT
// Part of contact_kernel.inl: a block from its raw lanes.
#pragma once
#include "contact_kernel_pair.inl"

namespace sunder {
namespace {

// A unit vector at a right angle to n: n x the axis that n is furthest from being parallel to.
Wide3 tangentOf(const Wide3& n) {
  const Float8 zero = splat(0.0f), half = splat(0.5f);
  // |n.x| < 0.7: cross with x = (0, n.z, -n.y), else with y = (-n.z, 0, n.x)
  const Mask8 useX = half > n.x * n.x;
  const Wide3 t = {select(useX, zero, zero - n.z), select(useX, n.z, zero), select(useX, zero - n.y, n.x)};
  return (splat(1.0f) / sqrt8(dot(t, t))) * t;
}

// Of a body with locked axes nothing may be left of the mobility along a row but what rounding leaves of terms that cancel: up to ten
// roundings, 6e-7 of their size. So a body can move along a row if it has more than this share of what it would have without locks.
constexpr float kLeastShare = 2e-6f;

// One of the two bodies of a block with locks, in the contact frame.
struct LockedSide {
  Symmetric3 inverseMass;  // along free axes
  Symmetric3 inverseInertia;
  Float8 mass;     // 1/kg, without locks
  Float8 turning;  // 1/(kg m^2), size of the terms in inverseInertia; 0 with no angular axis locked: then none cancel
};
LockedSide lockedSideOf(const Frame& f, const std::int32_t (&locks)[8], const ContactBlock::Lanes& inverseMass,
                        const ContactBlock::Lanes (&inverseInertia)[6]) {
  const Motion free = freeAxes(locks);
  const Float8 zero = splat(0.0f), one = splat(1.0f), mass = load8(inverseMass);
  const Symmetric3 inertia = loadSymmetric(inverseInertia);
  const Mask8 isLocked = one > free.angular.x * free.angular.y * free.angular.z;
  return {toFrame(f, Symmetric3{mass * free.linear.x, zero, zero, mass * free.linear.y, zero, mass * free.linear.z}), inertia, mass,
          select(isLocked, inertia.xx + inertia.yy + inertia.zz, zero)};
}
LockedSide sideA(const ContactBlock& block, const Frame& f) { return lockedSideOf(f, block.locksA, block.inverseMassA, block.inverseInertiaA); }
LockedSide sideB(const ContactBlock& block, const Frame& f) { return lockedSideOf(f, block.locksB, block.inverseMassB, block.inverseInertiaB); }

// Positive if the body can move along a row, by `linear` or by `turning` (both 1/kg) with the square of its arm.
Float8 leftOf(const LockedSide& side, Float8 linear, Float8 turning, Float8 squaredArm) {
  const Float8 share = splat(kLeastShare);
  return max8(linear - share * side.mass, turning - share * (side.mass + squaredArm * side.turning));
}

// Points at which neither body can move along the normal are as if they were not there: no mass, no impulse.
void dropLockedPoints(ContactBlock& block, ContactBlockInput& in, const Frame& f) {
  const Float8 zero = splat(0.0f);
  const LockedSide a = sideA(block, f), b = sideB(block, f);
  const auto left = [](const LockedSide& side, Float8 r1, Float8 r2) {
    const Symmetric3& i = side.inverseInertia;
    return leftOf(side, side.inverseMass.zz, i.xx * r2 * r2 - splat(2.0f) * i.xy * r1 * r2 + i.yy * r1 * r1, r1 * r1 + r2 * r2);
  };
  for (int i = 0; i < 4; ++i) {
    ContactBlock::Point& point = block.points[i];
    const Float8 r1 = load8(point.r1), r2 = load8(point.r2);
    const Mask8 moves = max8(left(a, r1 + load8(block.offset[0]), r2 + load8(block.offset[1])), left(b, r1, r2)) > zero;
    store8(point.mass, select(moves, load8(point.mass), zero));
    store8(point.impulse, select(moves, load8(point.impulse), zero));
    store8(in.present[i], select(moves, load8(in.present[i]), zero));
  }
}

// Friction of a block with locks. Where the bodies can move along one tangential direction only, the other gets its mass: an impulse
// there moves nothing, but has its part in Coulomb's cone. (A body on a rail slides more easily on what runs across the rail.)
void prepareLockedFriction(ContactBlock& block, const Frame& f) {
  const Float8 zero = splat(0.0f), one = splat(1.0f), share = splat(kLeastShare);
  const LockedSide a = sideA(block, f), b = sideB(block, f);
  const Wide3 armB = {load8(block.center[0]), load8(block.center[1]), load8(block.center[2])};
  const Wide3 armA = armB + Wide3{load8(block.offset[0]), load8(block.offset[1]), load8(block.offset[2])};
  Float8 k11 = zero, k12 = zero, k22 = zero, left = zero, size = zero;
  const auto add = [&](const LockedSide& side, const Wide3& r) {
    const Wide3 r1 = {zero, r.z, zero - r.y}, r2 = {zero - r.z, zero, r.x}, turn1 = side.inverseInertia * r1, turn2 = side.inverseInertia * r2;
    const Float8 turn11 = dot(r1, turn1), turn22 = dot(r2, turn2), squaredArm = dot(r, r);
    k11 = k11 + (side.inverseMass.xx + turn11);
    k12 = k12 + (side.inverseMass.xy + dot(r1, turn2));
    k22 = k22 + (side.inverseMass.yy + turn22);
    left = max8(left, leftOf(side, side.inverseMass.xx + side.inverseMass.yy, turn11 + turn22, squaredArm));
    size = size + (side.mass + squaredArm * side.turning);
  };
  add(a, armA);
  add(b, armB);
  const Float8 trace = k11 + k22, determinant = k11 * k22 - k12 * k12;
  const Mask8 moves = (left > zero) & (trace > zero);
  const Mask8 inBoth = moves & (determinant > share * trace * max8(size, trace));
  const Float8 inverse = one / select(inBoth, determinant, select(moves, trace, one));
  store8(block.tangentMass[0], select(inBoth, inverse * k22, select(moves, inverse, zero)));
  store8(block.tangentMass[1], select(inBoth, zero - inverse * k12, zero));
  store8(block.tangentMass[2], select(inBoth, inverse * k11, select(moves, inverse, zero)));
  for (ContactBlock::Lanes& impulse : block.tangentImpulse) store8(impulse, select(moves, load8(impulse), zero));
  const Mask8 twists = max8(a.inverseInertia.zz - share * a.turning, b.inverseInertia.zz - share * b.turning) > zero;
  store8(block.twistMass, select(twists, load8(block.twistMass), zero));
  store8(block.twistImpulse, select(twists, load8(block.twistImpulse), zero));
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

// Equation (8): the mean of the contact's points, or more for a point that carries so much that it would sag too far.
void prepareReference(ContactBlock& block, const ContactBlockInput& in) {
  const Float8 zero = splat(0.0f), one = splat(1.0f), reference = load8(in.reference), sagSpeed = splat(in.sagSpeed);
  Float8 points = zero, load = zero;
  for (int i = 0; i < 4; ++i) {
    points = points + load8(in.present[i]);
    load = load + load8(block.points[i].impulse);
  }
  const Float8 mean = reference / max8(points, one);
  const Float8 share = select(load > zero, reference / select(load > zero, load, one), zero);
  for (int i = 0; i < 4; ++i) {
    ContactBlock::Point& point = block.points[i];
    // A point that is not there must not be pulled up to a load.
    store8(point.reference, load8(in.present[i]) * max8(mean, share * load8(point.impulse) - sagSpeed * load8(point.mass)));
  }
}

SUNDER_FLATTEN void prepare(ContactBlock& block, ContactBlockInput& in, const SolverMass* masses) {
  block.hits = block.settles = false;
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
  if (block.isLocked) dropLockedPoints(block, in, f);
  prepareReference(block, in);
  prepareFriction(block, f, in, ia, ib, inverseMass, r, offset);
  if (block.isLocked) prepareLockedFriction(block, f);
  store8(block.totalTangentImpulse[0], zero);
  store8(block.totalTangentImpulse[1], zero);
  store8(block.totalTwistImpulse, zero);
}

}  // namespace
}  // namespace sunder
