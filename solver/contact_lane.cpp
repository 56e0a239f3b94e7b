// SPDX-License-Identifier: MIT
// A contact as one lane of a block: points, arms and impulses, seen from its two bodies.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "sunder/narrowphase/math_internal.h"
#include "sunder/solver/contact_solver.h"
#include "sunder/solver/free_motion.h"

namespace sunder {
namespace {

using namespace math;

Vec3 linearVelocity(const SolverBody& s) { return {s.velocity[0], s.velocity[1], s.velocity[2]}; }
Vec3 angularVelocity(const SolverBody& s) { return {s.velocity[3], s.velocity[4], s.velocity[5]}; }

Mat3 rotationBy(const Vec3& rotationVector) {
  Eigen::Vector3d vector;
  store(vector, rotationVector);
  return toMatrix(load(turned(Quaternion(1, 0, 0, 0), vector)));
}

Vec3 vectorOf(const double* v) { return {v[0], v[1], v[2]}; }

// One of the two bodies of a contact.
struct Side {
  const SolverBody& body;
  const SolverMass& mass;
  Mat3 rotation;
};

// When, in seconds from the start of a step of dt seconds, two bodies hit that are `gap` (m) apart at one point, rA and rB (m) from
// their centres; 0 if they will not in this step.
double timeOfHit(const SolverBody& a, const SolverBody& b, const Vec3& normal, const Vec3& rA, const Vec3& rB, double gap, double dt) {
  const Vec3 wA = angularVelocity(a), wB = angularVelocity(b), relative = linearVelocity(b) - linearVelocity(a);
  // It is an estimate: what seems to come up to a step too late may yet hit at the end of this one.
  const auto timeWith = [&](const Vec3& armA, const Vec3& armB) {
    const double closing = -dot(normal, relative + cross(wB, armB) - cross(wA, armA));
    return 2 * dt * closing > gap ? std::min(gap / closing, dt) : 0;
  };
  // On the way the arms turn: half way they are as in the mean.
  const double half = 0.5 * timeWith(rA, rB);
  return half > 0 ? timeWith(rotationBy(half * wA) * rA, rotationBy(half * wB) * rB) : 0;
}

// Whether bodies that are apart, nearest at point `nearest` by `gap` (m), hit in this step. Then the arms are those of that moment,
// docs/stepping.md, (17): of the lighter one to its own points, turned as it will be; of the other to where these will be, relative to
// it. So an impulse acts along one line on both. arms[i]: from B; `offset`: from A to B, m.
bool findArmsOfHit(const Contact& contact, const Side& a, const Side& b, const Vec3& normal, int nearest, double gap,
                   const ContactSolverSettings& settings, Vec3& offset, Vec3 (&arms)[4]) {
  const Contact::Point& first = contact.points[nearest];
  const double time = timeOfHit(a.body, b.body, normal, a.rotation * vectorOf(first.onA), b.rotation * vectorOf(first.onB), gap, settings.dt);
  if (!(time > 0)) return false;
  const double h = settings.dt / settings.substeps;
  offset = offset + (h * std::floor(time / h)) * (linearVelocity(b.body) - linearVelocity(a.body));
  const bool isOfA = contact.fixedB || (!contact.fixedA && a.mass.inverseMass > b.mass.inverseMass);
  const Mat3 turn = rotationBy(time * angularVelocity(isOfA ? a.body : b.body));
  for (int i = 0; i < contact.pointCount; ++i)
    arms[i] = isOfA ? turn * (a.rotation * vectorOf(contact.points[i].onA)) - offset : turn * (b.rotation * vectorOf(contact.points[i].onB));
  return true;
}

bool turns(const SolverBody& body) { return body.velocity[3] != 0 || body.velocity[4] != 0 || body.velocity[5] != 0; }

// Of the surface of a body that turns at a constant speed, at the middle of a contact, m/s^2: w x (w x r). With the velocity of the
// start, what a turntable carries would go along the tangent in each step, and spiral outward.
Vec3 surfaceAcceleration(const Contact& contact, const SolverBody& body, const Mat3& rotation, const double (Contact::Point::*own)[3]) {
  Vec3 sum = {0, 0, 0};
  for (int i = 0; i < contact.pointCount; ++i) sum = sum + vectorOf(contact.points[i].*own);
  const Vec3 w = angularVelocity(body);
  return cross(w, cross(w, rotation * ((1.0 / contact.pointCount) * sum)));
}

}  // namespace

void ContactSolver::fillLane(ContactBlock& block, ContactBlockInput& in, int lane, const Contact& contact,
                             const std::vector<std::uint32_t>& solverBody, const std::vector<BodyFrame>& frames,
                             const ContactSolverSettings& settings) {
  const BodyFrame& frameA = frames[contact.bodyA];
  const BodyFrame& frameB = frames[contact.bodyB];
  const auto matrix = [](const double* r) { return Mat3{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}}; };
  const Mat3 rotationA = matrix(frameA.rotation), rotationB = matrix(frameB.rotation);
  const Vec3 offset = vectorOf(frameB.position) - vectorOf(frameA.position);
  const Vec3 normal = rotationA * vectorOf(contact.normal);
  const std::uint32_t a = solverBody[contact.bodyA], b = solverBody[contact.bodyB];
  // The lane's A is the fixed body, if there is one. Turned round, the twist about the normal keeps its sign.
  const bool swapped = !moves(b);
  const double sign = swapped ? -1.0 : 1.0;
  block.bodyA[lane] = static_cast<std::int32_t>(swapped ? b : a);
  block.bodyB[lane] = static_cast<std::int32_t>(swapped ? a : b);
  in.moves[swapped ? 1 : 0][lane] = contact.fixedA ? 0.0f : 1.0f;
  in.moves[swapped ? 0 : 1][lane] = contact.fixedB ? 0.0f : 1.0f;
  const auto put = [lane](ContactBlock::Lanes(&out)[3], double scale, const Vec3& v) {
    out[0][lane] = static_cast<float>(scale * v.x);
    out[1][lane] = static_cast<float>(scale * v.y);
    out[2][lane] = static_cast<float>(scale * v.z);
  };
  // Impulses are forces times the substep: another length of it scales them.
  const float scale = contact.substep > 0 ? settings.substep() / contact.substep : 0.0f;
  put(in.normal, sign, normal);
  double gap = HUGE_VAL;
  int nearest = 0;
  for (int i = 0; i < contact.pointCount; ++i) {
    const Contact::Point& point = contact.points[i];
    const Vec3 onA = rotationA * vectorOf(point.onA), onB = offset + rotationB * vectorOf(point.onB);  // from A
    const double separation = dot(normal, onB - onA);
    if (separation < gap) {
      gap = separation;
      nearest = i;
    }
    const Vec3 middle = 0.5 * (onA + onB);
    put(in.point[i], 1.0, swapped ? middle : middle - offset);
    in.present[i][lane] = 1.0f;
    block.points[i].separation[lane] = static_cast<float>(separation);
    block.points[i].impulse[lane] = scale * point.impulse;
    block.deepest = std::max(block.deepest, static_cast<float>(-separation));
  }
  Vec3 ahead = offset, arms[4];
  if (gap > 0 && findArmsOfHit(contact, {bodies[a], masses[a], rotationA}, {bodies[b], masses[b], rotationB}, normal, nearest, gap, settings, ahead, arms))
    for (int i = 0; i < contact.pointCount; ++i) put(in.point[i], 1.0, swapped ? arms[i] + ahead : arms[i]);
  put(in.offset, sign, ahead);
  for (int i = contact.pointCount; i < 4; ++i) {
    block.points[i].separation[lane] = 0;
    block.points[i].impulse[lane] = 0;
  }
  for (int k = 0; k < 3; ++k) {
    in.frictionImpulse[k][lane] = static_cast<float>(sign) * scale * contact.frictionImpulse[k];
    in.surfaceVelocity[k][lane] = settings.isCarried ? 0 : static_cast<float>(sign) * contact.surfaceVelocity[k];
  }
  if ((contact.fixedA && turns(bodies[a])) || (contact.fixedB && turns(bodies[b]))) {
    const Vec3 onA = contact.fixedA ? surfaceAcceleration(contact, bodies[a], rotationA, &Contact::Point::onA) : Vec3{0, 0, 0};
    const Vec3 onB = contact.fixedB ? surfaceAcceleration(contact, bodies[b], rotationB, &Contact::Point::onB) : Vec3{0, 0, 0};
    const Vec3 change = (sign * settings.dt / settings.substeps) * (onA - onB);
    const double changes[3] = {change.x, change.y, change.z};
    for (int k = 0; k < 3; ++k) {
      in.surfaceVelocity[k][lane] += static_cast<float>(0.5 * changes[k]);  // the mean of the first substep
      if (!block.turns) std::fill(std::begin(block.surfaceTurn[k]), std::end(block.surfaceTurn[k]), 0.0f);
      block.surfaceTurn[k][lane] = static_cast<float>(changes[k]);
    }
    block.turns = true;
  }
  block.twistImpulse[lane] = scale * contact.twistImpulse;
  in.reference[lane] = scale * contact.reference;
  block.friction[lane] = contact.friction;
  block.restitution[lane] = contact.startedInside ? 0 : contact.restitution;
  block.bounces = block.bounces || block.restitution[lane] > 0;
  block.isNew = block.isNew || contact.isNew;
  block.startedInside = block.startedInside || contact.startedInside;
  block.sways = block.sways || sways[solverBody[contact.bodyA]] != 0 || sways[solverBody[contact.bodyB]] != 0;
  const SolverDrive& driveA = drives[static_cast<std::size_t>(block.bodyA[lane])];
  const SolverDrive& driveB = drives[static_cast<std::size_t>(block.bodyB[lane])];
  block.locksA[lane] = locked[static_cast<std::size_t>(block.bodyA[lane])];
  block.locksB[lane] = locked[static_cast<std::size_t>(block.bodyB[lane])];
  block.isLocked = block.isLocked || (block.locksA[lane] | block.locksB[lane]) != 0;
  block.normalGain[lane] = 0;
  for (int k = 0; k < 3; ++k) block.normalGain[lane] += in.normal[k][lane] * (driveB.gain[k] - driveA.gain[k]);
  block.pointCount = std::max(block.pointCount, static_cast<std::int32_t>(contact.pointCount));
}

}  // namespace sunder
