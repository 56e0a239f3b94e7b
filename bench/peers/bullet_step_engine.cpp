// SPDX-License-Identifier: MIT
// Bullet with its defaults: a tree broadphase, sequential impulses, no continuous collision, no damping (none of the
// engines damps). The friction of a pair is the product of the two bodies', so each body gets the square root.
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "step_engine.h"

namespace sunder::bench {
namespace {

btVector3 toBullet(const Eigen::Vector3d& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

class BulletEngine : public StepEngine {
 public:
  void build(const demo::Scene& scene, const EngineOptions& options) override {
    if (options.threads != 1) throw std::invalid_argument("this build of Bullet has one thread");
    // Pools that hold a large scene: otherwise every contact beyond the default 4096 comes from the heap.
    btDefaultCollisionConstructionInfo pools;
    const int size = std::max(pools.m_defaultMaxPersistentManifoldPoolSize, 8 * static_cast<int>(scene.bodies.size()));
    pools.m_defaultMaxPersistentManifoldPoolSize = pools.m_defaultMaxCollisionAlgorithmPoolSize = size;
    configuration_ = std::make_unique<btDefaultCollisionConfiguration>(pools);
    dispatcher_ = std::make_unique<btCollisionDispatcher>(configuration_.get());
    broadphase_ = std::make_unique<btDbvtBroadphase>();
    solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
    world_ = std::make_unique<btDiscreteDynamicsWorld>(dispatcher_.get(), broadphase_.get(), solver_.get(), configuration_.get());
    world_->setGravity(toBullet(scene.gravity));
    for (const demo::SceneBody& body : scene.bodies) add(body.def, options.sleep);
  }

  // No interpolation: one internal step of exactly dt.
  void step(double dt) override { world_->stepSimulation(static_cast<btScalar>(dt), 0); }

  Pose pose(std::size_t body) const override {
    const btTransform& transform = bodies_[body]->getWorldTransform();
    const btVector3& p = transform.getOrigin();
    const btQuaternion q = transform.getRotation();
    Pose pose;
    pose.position = {p.x(), p.y(), p.z()};
    pose.orientation = Quaternion(q.w(), q.x(), q.y(), q.z());
    return pose;
  }
  std::string name() const override { return "Bullet " + std::to_string(btGetVersion() / 100) + '.' + std::to_string(btGetVersion() % 100); }
  std::string details() const override {
    return std::string(sizeof(btScalar) == 4 ? "float, " : "double, ") + std::to_string(world_->getSolverInfo().m_numIterations) + " iterations";
  }
  std::string counters() const override { return ", \"contacts\": " + std::to_string(dispatcher_->getNumManifolds()); }

  ~BulletEngine() override {
    for (const auto& body : bodies_) world_->removeRigidBody(body.get());
  }

 private:
  void add(const BodyDef& def, bool sleep) {
    shapes_.push_back(std::make_unique<btBoxShape>(toBullet(def.halfExtents)));
    const bool moves = def.kind == BodyKind::Dynamic;
    const Eigen::Vector3d& h = def.halfExtents;
    const auto mass = static_cast<btScalar>(!moves ? 0 : def.mass > 0 ? def.mass : 8 * h.x() * h.y() * h.z() * def.density);
    btVector3 inertia(0, 0, 0);
    if (moves) shapes_.back()->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
    const Quaternion& q = def.pose.orientation;
    info.m_startWorldTransform.setOrigin(toBullet(def.pose.position));
    info.m_startWorldTransform.setRotation({static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                            static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())});
    info.m_friction = static_cast<btScalar>(std::sqrt(def.friction));
    info.m_restitution = static_cast<btScalar>(def.restitution);
    info.m_linearDamping = info.m_angularDamping = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& body = *bodies_.back();
    if (moves) {
      body.setLinearVelocity(toBullet(def.linearVelocity));
      body.setAngularVelocity(toBullet(def.angularVelocity));
      if (!sleep) body.setActivationState(DISABLE_DEACTIVATION);
    }
    world_->addRigidBody(&body);
  }

  std::unique_ptr<btDefaultCollisionConfiguration> configuration_;
  std::unique_ptr<btCollisionDispatcher> dispatcher_;
  std::unique_ptr<btBroadphaseInterface> broadphase_;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  std::vector<std::unique_ptr<btBoxShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

std::unique_ptr<StepEngine> makeStepEngine() { return std::make_unique<BulletEngine>(); }

}  // namespace sunder::bench
