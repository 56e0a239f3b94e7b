// SPDX-License-Identifier: MIT
// ODE: dWorldQuickStep with its 20 iterations over a sweep-and-prune space, and the values of ODE's own box-stack demo
// for what has no sound default (constraint force mixing, correcting velocity, surface layer, contacts per pair). That
// mixing has units, so masses are scaled to the demo's density of 5; the motion does not depend on the scale.
#include <ode/ode.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "step_engine.h"

namespace sunder::bench {
namespace {

constexpr double kMassScale = 0.005;
constexpr int kContactsPerPair = 8;

class OdeEngine : public StepEngine {
 public:
  void build(const demo::Scene& scene, const EngineOptions& options) override {
    if (options.threads != 1) throw std::invalid_argument("ODE is run with one thread");
    scene_ = &scene;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dSetMessageHandler([](int, const char*, va_list) { ++messages; });
    world_ = dWorldCreate();
    space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XZY);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity.x(), scene.gravity.y(), scene.gravity.z());
    dWorldSetCFM(world_, 1e-5);
    dWorldSetContactMaxCorrectingVel(world_, 0.1);
    dWorldSetContactSurfaceLayer(world_, 0.001);
    dWorldSetQuickStepNumIterations(world_, 20);
    dWorldSetAutoDisableFlag(world_, options.sleep);
    for (const demo::SceneBody& body : scene.bodies) add(body.def);
    dRandSetSeed(0);
  }

  void step(double dt) override {
    contactCount_ = 0;
    dSpaceCollide(space_, this, &OdeEngine::onNear);
    dWorldQuickStep(world_, dt);
    dJointGroupEmpty(contacts_);
  }

  Pose pose(std::size_t body) const override {
    if (bodies_[body] == nullptr) return scene_->bodies[body].def.pose;
    const dReal* p = dBodyGetPosition(bodies_[body]);
    const dReal* q = dBodyGetQuaternion(bodies_[body]);
    Pose pose;
    pose.position = {p[0], p[1], p[2]};
    pose.orientation = Quaternion(q[0], q[1], q[2], q[3]);
    return pose;
  }
  std::string name() const override { return "ODE"; }
  std::string details() const override { return std::string(sizeof(dReal) == 8 ? "double" : "float") + ", QuickStep, 20 iterations"; }
  std::string counters() const override {
    return ", \"contact_points\": " + std::to_string(contactCount_) + ", \"messages\": " + std::to_string(messages);
  }

  ~OdeEngine() override {
    if (world_ == nullptr) return;  // build() refused
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }

 private:
  void add(const BodyDef& def) {
    const Eigen::Vector3d full = 2 * def.halfExtents;
    const Quaternion& q = def.pose.orientation;
    const dQuaternion orientation = {q.w(), q.x(), q.y(), q.z()};
    const Eigen::Vector3d& p = def.pose.position;
    const dGeomID box = dCreateBox(space_, full.x(), full.y(), full.z());
    frictions_.push_back(def.friction);
    dGeomSetData(box, reinterpret_cast<void*>(frictions_.size() - 1));
    if (def.kind != BodyKind::Dynamic) {
      dGeomSetPosition(box, p.x(), p.y(), p.z());
      dGeomSetQuaternion(box, orientation);
      bodies_.push_back(nullptr);
      return;
    }
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    const double total = def.mass > 0 ? def.mass : def.density * full.x() * full.y() * full.z();
    dMassSetBoxTotal(&mass, kMassScale * total, full.x(), full.y(), full.z());
    dBodySetMass(body, &mass);
    dGeomSetBody(box, body);
    dBodySetPosition(body, p.x(), p.y(), p.z());
    dBodySetQuaternion(body, orientation);
    dBodySetLinearVel(body, def.linearVelocity.x(), def.linearVelocity.y(), def.linearVelocity.z());
    dBodySetAngularVel(body, def.angularVelocity.x(), def.angularVelocity.y(), def.angularVelocity.z());
    bodies_.push_back(body);
  }

  static void onNear(void* data, dGeomID boxA, dGeomID boxB) { static_cast<OdeEngine*>(data)->collide(boxA, boxB); }

  void collide(dGeomID boxA, dGeomID boxB) {
    const dBodyID a = dGeomGetBody(boxA), b = dGeomGetBody(boxB);
    const bool activeA = a != nullptr && dBodyIsEnabled(a), activeB = b != nullptr && dBodyIsEnabled(b);
    if (!activeA && !activeB) return;
    dContact points[kContactsPerPair];
    const int count = dCollide(boxA, boxB, kContactsPerPair, &points[0].geom, sizeof(dContact));
    const auto frictionOf = [this](dGeomID box) { return frictions_[reinterpret_cast<std::size_t>(dGeomGetData(box))]; };
    for (int i = 0; i < count; ++i) {
      points[i].surface.mode = dContactApprox1;
      points[i].surface.mu = std::sqrt(frictionOf(boxA) * frictionOf(boxB));
      dJointAttach(dJointCreateContact(world_, contacts_, points + i), a, b);
    }
    contactCount_ += count;
  }

  static inline int messages = 0;  // numerical trouble that ODE reports
  const demo::Scene* scene_ = nullptr;
  dWorldID world_{};
  dSpaceID space_{};
  dJointGroupID contacts_{};
  std::vector<dBodyID> bodies_;  // null: static
  std::vector<double> frictions_;
  int contactCount_ = 0;
};

}  // namespace

std::unique_ptr<StepEngine> makeStepEngine() { return std::make_unique<OdeEngine>(); }

}  // namespace sunder::bench
