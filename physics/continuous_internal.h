// SPDX-License-Identifier: MIT
// What the sources of continuous collision share: the motion of a body over a step, the time of first contact of two of them,
// and what they store from step to step. Not installed.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "sunder/broadphase/aabb.h"
#include "sunder/narrowphase/math_internal.h"
#include "sunder/narrowphase/shape.h"
#include "sunder/narrowphase/shape_cast.h"

namespace sunder {

// In place of the number of a body, a contact or any other thing that is not there.
inline constexpr std::uint32_t kNone = 0xffffffffu;

// The constant motion that leads from one pose to another in one unit of time, velocities per step. `angularVelocity`
// (rad/s) over dt tells how many whole turns there are, which two poses can't show.
Motion motionBetween(const Pose& from, const Pose& to, const Eigen::Vector3d& angularVelocity, double dt);

// An upper bound of how far (m) any point of a body moves over a motion of `duration` steps.
double motionBound(const Motion& motion, double radius, double duration);
// The same from two poses less than half a turn apart.
double motionBound(const Pose& from, const Pose& to, double radius);

struct Impact {
  bool hit = false;
  bool startsInTouch = false;
  double time = 0;  // steps; no hit: nothing is known
  math::Vec3 normal = {0, 0, 0};  // unit, world, from A to B
};

// When two moving boxes come within `tolerance` (m) of each other, 0 <= time <= duration. Conservative advancement
// (Mirtich, PhD thesis, Berkeley 1996, section 2.3): never past a contact. Boxes that pass each other closely, spinning, may
// need more iterations than there are: that counts as a hit, at a time up to which they are proven apart.
Impact firstImpact(const Box& a, const Motion& motionA, const Box& b, const Motion& motionB, double duration, double tolerance);

// `box` without a layer of `depth` (m, less than its smallest half extent).
Box core(const Box& box, double depth);

double smallestHalfExtent(const Box& box);

// The gap at which a body stops whose layer is `depth` (m): a share of that, and never more than is surely a contact in the next step.
inline double gapFor(double depth) { return std::min(0.01 * depth, 0.001); }

// A body that moves far in a step.
struct SweptBody {
  std::uint32_t body = 0;
  bool stopped = false;
  double stop = 1;       // share of the step after which it moves no more
  Pose end;              // where it is then, or where what stopped it has taken it to
  double depth = 0;      // m, how deep another box may enter unseen
  math::Vec3 normal = {0, 0, 0};  // from it to that body, unit, world
  bool redirected = false;  // the motion does not end where the body is
  bool isPushed = false;    // something that moves by itself works on it
  Motion motion;        // per step, from the start of the step
  Aabb bounds;          // of all its places

  void forgetStop() {
    stopped = false;
    stop = 1;
  }
};

// What becomes of the motion of a body that starts deep and ends too low: it ends at the nearest place that is not; it does not turn
// on the way, and so is too low nowhere, if what it starts deep in is at rest; it only goes where that pushes it.
enum class Redirection { Lifted, Unturned, Pushed };

// A swept body that starts deep in something that is not dynamic, and how low it may come.
struct DeepPair {
  std::uint32_t body = 0, ground = 0;
  math::Vec3 normal = {0, 0, 0};   // out of the ground, in its frame; along that, from its centre, m:
  double lowest = 0, centre = 0;  // of all points of the body, of its centre
};

// A swept dynamic body and something it may hit. If that is swept, too, and dynamic, then a < b.
struct SweptPair {
  std::uint32_t a = 0, b = 0;
  auto operator<=>(const SweptPair&) const = default;
};

struct SweepHit {
  double time = 0;  // steps
  std::uint32_t pair = 0;
  bool movesA = false, movesB = false;  // what the time was computed with
  math::Vec3 normal = {0, 0, 0};        // from a to b
};

// Storage that stays from step to step.
struct SweepStorage {
  std::vector<std::uint32_t> number;  // per body: 1 + its place in bodies, 0: not swept
  std::vector<std::uint8_t> isFast;   // per moving body
  std::vector<SweptBody> bodies;
  std::vector<SweptPair> pairs;
  std::vector<SweepHit> hits;  // a heap, the earliest on top
  std::vector<DeepPair> deepPairs;  // those of a body follow each other
};

// Storage of removeGhostContacts().
struct GhostStorage {
  // A contact of one body with something that it can't move.
  struct GroundContact {
    std::uint32_t place, ground;  // in activeContacts; body
    math::Vec3 normal;            // out of the ground, world
    std::uint32_t plane;          // in `planes`
    bool isReal = false;
    std::uint32_t by = kNone;     // a ghost: the plane that tells
  };
  // What such contacts hold the body at.
  struct Plane {
    math::Vec3 normal;
    double height;        // m, along the normal, from the body
    bool isReal = false;  // one of its contacts is
    int alive = 0, open = 0, loaded = 0;  // contacts that are no ghosts; of those, ones not known to be real; of those, with load
  };
  std::vector<std::uint32_t> first;  // per body: its last ground contact, as a place in activeContacts
  std::vector<std::uint32_t> next;   // per active contact: the one before
  std::vector<std::uint32_t> seams;  // bodies with several
  std::vector<GroundContact> contacts;  // of one body
  std::vector<Plane> planes;
};

}  // namespace sunder
