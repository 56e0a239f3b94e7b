// SPDX-License-Identifier: MIT
// What a World holds. Not installed: only the .cpp files of physics/ include it.
#pragma once
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "sunder/broadphase/sweep_and_prune.h"
#include "sunder/narrowphase/math_internal.h"
#include "sunder/physics/body_internal.h"
#include "sunder/physics/carried_internal.h"
#include "sunder/physics/continuous_internal.h"
#include "sunder/physics/rest_loads_internal.h"
#include "sunder/physics/world.h"
#include "sunder/solver/contact.h"
#include "sunder/solver/contact_solver.h"

namespace sunder {

// m. Pairs nearer than this, beyond the motion of the next step, have a contact already, so that its first impulse is
// found in the step that needs it.
inline constexpr double kContactMargin = 0.005;

// Loops over fewer pairs or bodies take less time than it takes to share them.
inline constexpr int kLeastPairs = 512;
inline constexpr int kLeastBodies = 256;

// A pair of the broadphase. `reach` is how far (m, on the motion clocks of its bodies) the two may move until they have
// to be looked at again; see contact_update.cpp.
struct BodyPair {
  std::uint32_t a = 0, b = 0;  // bodies, a < b
  std::uint32_t contact = kNone;
  BoxPairCache cache;
  double reach = 0;
  bool stale = false;     // a property of a body changed: the contact has to be made anew
  bool ignored = false;   // as in PairRule
  bool touching = false;  // began, and has not ended
};

// What was asked for one pair of bodies, whether it is near or not.
struct PairRule {
  std::uint32_t a = 0, b = 0;  // a < b
  bool ignored = false;
  bool hasMaterial = false;
  Material material;
};

// The pairs of each body, for those who ask: pairs[start[b]] to pairs[start[b + 1] - 1] are their slots.
struct PairIndex {
  std::uint64_t version = 0;  // of the set of pairs that it was made for
  std::vector<std::uint32_t> start, pairs;
};

// Watches whether a slow body is on its way to fall, see sleep.cpp.
struct MotionTrend {
  double from[3] = {0, 0, 0};   // m, where it was at the start of the present interval
  double moved[3] = {0, 0, 0};  // m, in the interval before
  double elapsed = 0;           // s, in the present interval
  double velocity[3] = {0, 0, 0};  // m/s, after the last step
  bool isSteady = false;           // what carries it presses as it will at rest
  std::uint32_t growing = 0;    // intervals in a row in which it moved the same way as before, and further
};

// What was applied to a body since the last step, world axes.
struct BodyForce {
  double force[3] = {0, 0, 0};   // N
  double torque[3] = {0, 0, 0};  // N m
};

// An upper bound of how far any point of a body has moved since it was added, and of how far it will have moved after
// the next step. Differences of it over time bound real motion.
struct MotionClock {
  double now = 0;
  double ahead = 0;
};

void forgetImpulses(Contact& contact);
bool carriesLoad(const Contact& contact);  // any of its points had an impulse in the last step
// Throws std::invalid_argument.
void require(bool condition, const std::string& message);
void requireFinite(const Eigen::Vector3d& v, const char* what);

// Islands of more contacts are not held to their energy, see limitClosedIslands().
inline constexpr int kMostLimitedContacts = 96;

struct Island {
  double mass = 0;       // kg, of its dynamic bodies
  double leastMass = 0;      // kg
  double greatestMass = 0;   // kg, of those that a contact moves; of small islands only
  double leastRadius = 0;  // m, of the body with the least mass
  double top = -HUGE_VAL, bottom = HUGE_VAL;  // m, of its centres, against gravity; of small islands only, as the next three
  double massRatio = 1;    // largest of the bodies of a contact
  double loadPerMass = 0;  // m/s^2, largest load of a contact over the mass of its lighter body
  double substepFactor = 0;  // as of SolverGroup, once it is known
  double leastSubstep = HUGE_VAL;  // s, of its contacts in the last step
  int contacts = 0;
  double support = -1;     // m/s^2, most of gravity across the surface of what it stands on, -1: of nothing; of small islands only
  double pushSpeed = 0;    // m/s, the largest of what moves and does not give way, where it touches the island
  double pushRestitution = 0;  // the largest of those contacts that carry nothing yet
  double fastest = 0;      // m/s, speedAhead() of its bodies; of islands with a pushSpeed only
  bool mayHit = false;     // something in it, in this step
  bool isStuck = false;    // a contact in it is
  // Whether (23) is to hold for it, if no forces act.
  bool isLimited() const { return isClosed && (bounces || contacts <= kMostLimitedContacts); }
  bool isUnloaded = false;  // a load in it has gone otherwise than by motion
  bool bounces = false;    // a contact in it has a restitution
  bool isIsolated = false;  // it has contacts, and nothing from outside acts on it but the same gravity on all
  bool isClosed = false;    // its contacts are with each other and with what is at rest
  bool isUnforced = true;   // no force or torque was applied
  bool isFast = false;      // of small closed ones: something in it moves fast, or may hit
  double share = 1;         // of its impulses that are kept, see limitEnergy()
};

// A body of an isolated island as it was before the step.
struct IsolatedBody {
  std::uint32_t root, index;  // root: the lowest body of those that push each other in this step
  math::Vec3 linearVelocity, angularVelocity;
};
struct IsolatedContact {
  std::uint32_t contact;
  bool wasClosed;  // at the start of the step
};
struct IsolatedBodies {
  std::vector<IsolatedContact> contacts;
  std::vector<IsolatedBody> bodies, closed;  // closed: of small closed islands that are not isolated; root: of the island
};

// Deep, or with a body that does not give way, see squeeze.cpp.
struct DeepContact {
  std::uint32_t root, place;  // the lowest of the bodies that hang together by deep contacts; in the list of this step
  std::uint32_t fixed;        // the body that it does not move, or kNone
  bool squeezes = false;      // `fixed` moves, and leaves too little room
  double depth = 0;           // in `fixed`, smallest half extents
  math::Vec3 normal = {0, 0, 0};  // world, out of `fixed`
};

// Storage of findFirstLoads().
struct FirstLoads {
  // A body that was put down at rest, with the load that it hands down.
  struct Body {
    std::uint32_t index, first;  // of its chain of contacts
    double height;               // m, against gravity
    double load;                 // N
    double momentX, momentY;     // N m: load times coordinate, from its centre, across gravity
  };
  // A point that such a body stands on.
  struct Support {
    std::uint32_t contact;
    int point;
    std::uint32_t lower;            // body
    double x, y, lowerX, lowerY;    // m, from the centres of the two bodies, across gravity
    double slope;                   // cosine between the normal and gravity
    double load;                    // N, along gravity
    bool pressed;
  };
  std::vector<std::uint32_t> contacts, next;  // new contacts of such bodies; per contact the next of the chain
  std::vector<std::uint32_t> place;           // per body: in `bodies`
  std::vector<Body> bodies;
  std::vector<Support> supports;
};

// What one thread finds while it looks at its share of the active pairs.
struct ContactBlockUpdate {
  std::vector<ContactRef> active;      // the contacts of this step; kNone: the next one of `fresh`
  std::vector<std::uint32_t> changed;  // pairs that lost their contact or got one
  std::vector<Contact> fresh;
  std::vector<std::uint32_t> wakes;    // sleepers that are touched
  bool onlyWatched = false;            // some of them only so that a sleeper wakes when it is touched
  bool mayBeSqueezed = false;          // some contact is deep, or squeezed
  int queries = 0, points = 0;         // points: of the contacts of this step
  void clear() {
    active.clear();
    changed.clear();
    fresh.clear();
    wakes.clear();
    onlyWatched = mayBeSqueezed = false;
    queries = 0;
  }
};

// Of the world's substeps, what islands get, see islands.cpp.
inline constexpr double kSubstepFactors[] = {1, 1.5, 2, 4, 8};

// The contacts that are solved with the same number of substeps.
struct SolverGroup {
  ContactSolver solver;
  std::vector<ContactRef> contacts;
  double substepFactor = 1;
  int hitSweeps = 0;
  bool isClosed = true;
  bool isCarried = false;  // each island in the frame of what carries it, see carried_islands.cpp
};

struct World::Impl {
  WorldDef def;
  SweepAndPrune broadphase;
  std::vector<BodyState> bodies;    // by index, which is also the index of the proxy
  std::vector<BodyFrame> frames;    // per body
  std::vector<MotionClock> clocks;  // per body
  std::vector<BodyPair> pairs;      // slots, some of them free; mostly in the order of `pairOrder`
  std::vector<std::uint32_t> pairOrder;  // the slots in use, by (a, b)
  std::vector<std::uint32_t> freePairs;
  std::vector<std::uint32_t> pairCounts;  // per body
  std::size_t scatteredPairs = 0;        // changes since the slots were in order
  std::vector<std::uint32_t> endedPairs, beganPairs;  // scratch of updatePairs()
  std::vector<std::size_t> pairPlaces;
  std::vector<Contact> contacts;    // slots
  std::vector<std::uint32_t> freeContacts;

  std::vector<std::uint32_t> moving;  // awake dynamic and kinematic bodies, ascending
  std::vector<std::uint32_t> noted;    // bodies that may have begun or ceased to move since `moving` was made
  std::vector<std::uint32_t> started;  // those that began
  std::vector<std::uint32_t> activePairs;  // slots of the pairs with a moving body, by (a, b)
  std::vector<std::uint32_t> startedPairs;
  bool newBodyStarted = false;  // a new body began to move in this step
  bool activePairsChanged = true;  // other pairs, or in other places
  std::vector<ContactRef> activeContacts;  // contacts of this step, in the order of the pairs
  std::vector<std::vector<std::uint32_t>> sleepingIslands;
  std::vector<std::uint32_t> freeIslands;
  std::vector<ContactBlockUpdate> contactBlocks;  // by thread
  std::vector<std::uint32_t> wakeList;   // found while contacts are updated
  std::vector<std::uint32_t> disturbed;  // since the last step
  std::vector<std::uint8_t> changed;     // per body: its contacts have to be made anew
  std::vector<BodyForce> forces;         // per body
  std::vector<MotionTrend> trends;       // per body
  std::vector<std::uint32_t> forced;     // bodies with a force, in the order of the calls
  std::vector<PairRule> pairRules;       // by (a, b)
  std::vector<std::uint8_t> touchChanged;    // per active pair: its contact begins or ends
  std::vector<ContactPair> began, ended;     // events of the last step
  std::vector<ContactPair> endedBetween;     // ended since the last step
  mutable std::mutex pairIndexMutex;
  mutable PairIndex pairsOf;
  std::uint64_t pairsVersion = 1;  // changes with the set of pairs
  std::vector<std::uint32_t> removedProxies;  // since the broadphase was updated: their numbers are not free yet
  bool pairsAreRestored = false;   // the broadphase does not know `pairs`, see restore()
  double lastDt = 0;               // s, of the last step
  double softDt = 0, longDt = 0;   // s, see ContactSolverSettings and startTime()

  std::unique_ptr<ThreadPool> pool;
  SolverGroup groups[std::size(kSubstepFactors)], carriedGroups[std::size(kSubstepFactors)];
  SolverGroup hitGroup;   // small islands in which something may hit, one after the other
  std::vector<IslandContact> hitContacts;  // of those, island by island
  std::vector<std::uint32_t> solverBody;   // per body: its number in its group's solver, 0: takes no part
  std::vector<std::uint8_t> hasMoved;      // per body: by a solver, in this step
  std::vector<std::uint32_t> members;      // bodies of one group
  std::vector<std::uint8_t> leftProxies;   // per moving body: it left its fat box
  std::vector<std::uint8_t> movesNow;     // per body: 0: it does not, else in `moving`, as 1: kinematic, 2: dynamic
  std::vector<std::uint32_t> islandOf;     // union-find, per body
  std::vector<Island> islands;             // per body, valid for roots
  bool mayHavePushed = false, mayHaveCarried = false;  // some island has a pushSpeed, may be carried
  std::vector<CarriedIsland> carried;       // per body, of roots
  std::vector<std::uint32_t> drives;         // bodies with a swayTime
  bool mayHaveIsolated = false, mayHaveClosed = false;  // some island may be isolated, closed and small
  IsolatedBodies isolatedBodies;
  std::vector<std::uint8_t> restless;     // per body: keeps its island awake, as kRestless or kUnheld
  int aliveCount = 0;
  double lastTimeStep = 0;
  SweepStorage sweep;
  GhostStorage ghosts;
  FirstLoads firstLoads;
  RestLoads restLoads;
  std::vector<std::uint32_t> unloaded;  // bodies that lost a contact with a load in this step, or of which one has another mass
  std::vector<DeepContact> deepContacts;
  StepReport report;

  BodyState& checked(BodyId id, const char* call);
  void setVelocity(BodyId id, const Eigen::Vector3d& velocity, Eigen::Vector3d BodyState::*which, const char* what,
                   const char* call);
  // work(k, moving[k]) for all k, shared among the threads.
  template <class Work>
  void forEachMoving(Work&& work) {
    pool->run(static_cast<int>(moving.size()), kLeastBodies, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) work(static_cast<std::size_t>(k), moving[static_cast<std::size_t>(k)]);
    });
  }
  bool isMoving(std::uint32_t body) const;
  void noteMotion(std::uint32_t body);
  void wake(std::uint32_t body);  // and all that sleeps with it
  void wakeAll();
  void scaleLoads(const Eigen::Vector3d& gravity);
  void disturb(std::uint32_t body);  // wakes it now, and in the next step all that it touches
  void disturbContacts(std::uint32_t body);  // the same, and its contacts are made anew
  const PairRule* findRule(std::uint32_t a, std::uint32_t b) const;
  BodyPair* findPair(std::uint32_t a, std::uint32_t b);
  BodyPair newPair(const ProxyPair& proxies) const;
  bool isBefore(std::uint32_t pair, std::uint32_t a, std::uint32_t b) const;
  std::size_t placeIn(const std::vector<std::uint32_t>& list, std::uint32_t a, std::uint32_t b, std::size_t from) const;
  bool isActive(std::uint32_t pair) const { return movesNow[pairs[pair].a] != 0 || movesNow[pairs[pair].b] != 0; }
  void takeOut(std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& slots) const;
  void putIn(std::vector<std::uint32_t>& list, std::vector<std::uint32_t>& slots);
  void changePairs(const PairEvents& events);
  void orderPairs();
  void endPair(BodyPair& pair);
  PairEvents comparePairs() const;
  void remakePair(std::uint32_t a, std::uint32_t b);
  void clearForces();
  double leastSeparation(const Contact& contact) const;  // m, of its points at the present poses
  ContactInfo contactInfo(const BodyPair& pair) const;
  const PairIndex& pairIndex() const;
  std::uint32_t nextContact(std::uint32_t body, std::uint32_t at) const;
  std::uint32_t newContact();
  void freeContact(std::uint32_t contact);

  // The stages of a step, in their order.
  void moveNotedProxies(double dt);
  void updatePairs();
  void wakeDisturbed();
  void updateMoving();
  void collectPairs(const std::vector<std::uint32_t>& of, std::vector<std::uint32_t>& slots);
  void updateActivePairs(bool stopped);
  void startTime(double dt);
  void advanceClocks(double dt);
  void updateContacts();
  void findSqueezed();
  void judgeDeepContacts();
  bool letsThrough(std::uint32_t a, std::uint32_t b);
  std::uint32_t pusherOf(const ContactRef& contact) const;
  void notePush(Island& island, const ContactRef& contact, std::uint32_t pusher) const;
  double speedAhead(std::uint32_t index) const;
  void limitPushed(std::uint32_t index, SolverBody& solved, double dt) const;
  void buildIslands();
  void noteDrive(std::uint32_t index);
  void endDrives(double dt);
  void findCarriedIslands(double dt);
  bool mayCarry(const ContactRef& ref, std::uint32_t fixed, double dt) const;
  bool isCarried(const BodyState& body, const Carrier& carrier) const;
  bool isCarriedIsland(std::uint32_t root) const;
  double pushOn(std::uint32_t root) const;
  Carrier carrierOfMember(std::uint32_t index) const;
  math::Vec3 standingVelocity(std::uint32_t index) const;
  void turnFriction(const SolverGroup& group, double dt);
  void groupContacts();
  void findIsolatedIslands();
  void findFirstLoads(double dt);
  void startMotion();
  void solveIslands(double dt);
  void solveGroup(SolverGroup& group, double dt);
  void fillSolverBody(ContactSolver& solver, std::uint32_t index, double dt, int substeps, const Carrier* carrier) const;
  void conserveIsolatedIslands(double dt);
  void conserveIsland(std::span<const IsolatedBody> island, double dt);
  void limitClosedIslands(double dt);
  bool isUnforced(std::uint32_t index) const;
  void limitEnergy(std::span<const IsolatedBody> island, double dt);
  void finishBodies(double dt);
  void sweepFastBodies(double dt);
  void updateEvents();
  void updateTrend(std::uint32_t body, double dt);
  bool falls(std::uint32_t index) const;
  void resetTrend(std::uint32_t body);
  void updateSleep(double dt);
  void holdAtRest(double dt);
  int solveAtRest(std::span<const RestLoads::Member> island, std::span<const IslandContact> of, double dt);
  void fillReport();

  bool isPutDown(std::uint32_t index) const;
  void noteUnloaded(const BodyPair& pair);
  void putDownAgain(const math::Vec3& down);
  void chainFirstLoads(const math::Vec3& down, double g);
  void findSupports(const FirstLoads::Body& body, const math::Vec3& down);
  bool updateContact(std::uint32_t slot, ContactBlockUpdate& block);
  void updateContactBlock(ContactBlockUpdate& block, int begin, int end);
  void applyContactBlock(const ContactBlockUpdate& block);
  bool isUnchanged(BodyPair& pair) const;
  std::uint32_t rootOf(std::uint32_t body);
  // Whether contacts tie it to others: it is awake and dynamic.
  bool joinsIslands(std::uint32_t body) const { return movesNow[body] == 2; }
  // ... and it has a pair. What has none is in no island: what stands there is from another step.
  bool isInIsland(std::uint32_t body) const { return joinsIslands(body) && pairCounts[body] != 0; }
  std::uint32_t rootOf(const ContactRef& contact) { return rootOf(joinsIslands(contact.bodyA) ? contact.bodyA : contact.bodyB); }
  bool mayHit(const Contact& contact) const;
  void addLoad(Island& island, const Contact& contact) const;
  double substepFactorOf(const Island& island, double push) const;
  bool queryContact(BodyPair& pair, const Contact* old, double maxDistance, double reach, Contact& next, const Pose* meeting = nullptr) const;
  static void setManifold(Contact& contact, const ContactManifold& manifold, const Pose& relative);
  bool touches(const Contact& contact) const;
  math::Vec3 freeAcceleration(std::uint32_t index) const;
  void moveFreely(std::uint32_t index, double dt);
  void moveSolved(BodyState& body, const SolverBody& solved, double dt) const;
  bool finishBody(std::uint32_t index, double dt);
  double finishPose(std::uint32_t index, const Pose& before);
  Aabb reachOf(std::uint32_t index, double dt, double (&ahead)[3]) const;
  bool leavesProxy(std::uint32_t index, double dt) const;
  void moveProxy(std::uint32_t index, double dt);

  // Continuous collision: contacts of pairs that are apart, contacts at seams, sweeps of fast bodies.
  math::Vec3 velocityAhead(std::uint32_t index) const;
  double approachBound(const BodyPair& pair) const;
  bool predictContact(BodyPair& pair, const Contact* old, double reach, Contact& next) const;
  void removeGhostContacts();
  void chainGroundContacts();
  bool findGroundPlanes(std::uint32_t body, double seam);
  bool judgeGroundContacts(std::uint32_t body, double seam);
  void findGhosts(std::uint32_t body, double seam);
  bool isBelow(std::uint32_t ground, std::uint32_t body, const GhostStorage::Plane& plane, double seam) const;
  bool turnContact(std::uint32_t contact, const math::Vec3& normal);
  void dropContact(std::uint32_t contact);
  bool mayCollide(std::uint32_t a, std::uint32_t b);
  Aabb boundsOnTheWay(std::uint32_t index, const math::Vec3& turn) const;
  bool needsSweep(std::uint32_t index, double moved, double dt) const;
  void collectSweptBodies(double dt);
  void addSweptBody(std::uint32_t index, double dt);
  void collectSweptPairs();
  bool sweepsAgainst(const SweptBody& swept, std::uint32_t other);
  void stopSweptBodies();
  void findSweepHit(std::uint32_t pairIndex);
  void applyStop(const SweptBody& swept, double dt);
  void takeAlong(SweptBody& swept, std::uint32_t by);
  Pose endOf(const SweptBody& swept) const;
  Aabb boundsBetween(std::uint32_t index, const Pose& start, const Pose& end) const;
  void noteDeepPair(const SweptPair& pair);
  double missingLift(const DeepPair& deep, const Pose& pose) const;
  bool liftDeepBody(std::size_t begin, std::size_t end, double tolerance, Pose& pose) const;
  bool redirectDeepBodies(Redirection how, double dt);
};

}  // namespace sunder
