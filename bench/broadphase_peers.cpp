// SPDX-License-Identifier: MIT
#include "broadphase_bench.h"

#if defined(SUNDER_BENCH_BULLET)
#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#endif
#if defined(SUNDER_BENCH_ODE)
#include <ode/ode.h>
#endif
#if defined(SUNDER_BENCH_CGAL)
#include <CGAL/Box_intersection_d/Box_d.h>
#include <CGAL/box_intersection_d.h>
#endif

namespace sunder::bench {
namespace {

#if defined(SUNDER_BENCH_BULLET)
btVector3 toBullet(const Eigen::Vector3d& v) { return {btScalar(v[0]), btScalar(v[1]), btScalar(v[2])}; }

class BulletEngine : public Engine {
 public:
  void build(const Frame& frame) override {
    broadphase_ = make(frame);
    for (std::size_t i = 0; i < frame.boxes.size(); ++i) {
      // A client object that is not null; the broadphase never looks into it.
      proxies_.push_back(broadphase_->createProxy(toBullet(frame.boxes[i].lower), toBullet(frame.boxes[i].upper), 0,
                                                  this, 1, -1, nullptr));
    }
    broadphase_->calculateOverlappingPairs(nullptr);
  }
  void step(const Frame& frame) override {
    for (const std::uint32_t i : frame.announced) {
      broadphase_->setAabb(proxies_[i], toBullet(frame.boxes[i].lower), toBullet(frame.boxes[i].upper), nullptr);
    }
    broadphase_->calculateOverlappingPairs(nullptr);
  }
  std::size_t pairs() const override {
    return static_cast<std::size_t>(broadphase_->getOverlappingPairCache()->getNumOverlappingPairs());
  }

 protected:
  virtual std::unique_ptr<btBroadphaseInterface> make(const Frame& frame) = 0;
  std::unique_ptr<btBroadphaseInterface> broadphase_;
  std::vector<btBroadphaseProxy*> proxies_;
};

class DbvtEngine : public BulletEngine {
  std::unique_ptr<btBroadphaseInterface> make(const Frame&) override { return std::make_unique<btDbvtBroadphase>(); }
};

class AxisSweepEngine : public BulletEngine {
  // It wants to know the world: twice as wide as at first, so that nothing leaves it.
  std::unique_ptr<btBroadphaseInterface> make(const Frame& frame) override {
    Eigen::Vector3d lower = frame.boxes[0].lower, upper = frame.boxes[0].upper;
    for (const Aabb& box : frame.boxes) {
      lower = lower.cwiseMin(box.lower);
      upper = upper.cwiseMax(box.upper);
    }
    const Eigen::Vector3d more = 0.5 * (upper - lower);
    const std::size_t handles = frame.boxes.size() + 2;
    const btVector3 l = toBullet(lower - more), u = toBullet(upper + more);
    if (handles < 16000) return std::make_unique<btAxisSweep3>(l, u, static_cast<unsigned short>(handles));
    return std::make_unique<bt32BitAxisSweep3>(l, u, static_cast<unsigned>(handles));
  }
};
#endif

#if defined(SUNDER_BENCH_ODE)
class OdeEngine : public Engine {
 public:
  OdeEngine() {
    static const bool initialised = dInitODE2(0) != 0;
    if (initialised) space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XZY);
  }
  ~OdeEngine() override { dSpaceDestroy(space_); }
  void build(const Frame& frame) override {
    for (const Aabb& box : frame.boxes) {
      const Eigen::Vector3d size = box.upper - box.lower;
      geoms_.push_back(dCreateBox(space_, size[0], size[1], size[2]));
      place(geoms_.back(), box);
    }
    collide();
  }
  void step(const Frame& frame) override {
    for (const std::uint32_t i : frame.announced) place(geoms_[i], frame.boxes[i]);
    collide();
  }
  std::size_t pairs() const override { return pairs_; }

 private:
  static void place(dGeomID geom, const Aabb& box) {
    const Eigen::Vector3d centre = 0.5 * (box.lower + box.upper);
    dGeomSetPosition(geom, centre[0], centre[1], centre[2]);
  }
  void collide() {
    pairs_ = 0;
    dSpaceCollide(space_, &pairs_, [](void* count, dGeomID, dGeomID) { ++*static_cast<std::size_t*>(count); });
  }
  dSpaceID space_ = nullptr;
  std::vector<dGeomID> geoms_;
  std::size_t pairs_ = 0;
};
#endif

#if defined(SUNDER_BENCH_CGAL)
// Knows nothing of frames: each starts anew.
class CgalEngine : public Engine {
 public:
  void build(const Frame& frame) override { step(frame); }
  void step(const Frame& frame) override {
    boxes_.clear();
    for (Aabb box : frame.boxes) boxes_.emplace_back(box.lower.data(), box.upper.data());
    pairs_ = 0;
    CGAL::box_self_intersection_d(boxes_.begin(), boxes_.end(), [this](const Box&, const Box&) { ++pairs_; });
  }
  std::size_t pairs() const override { return pairs_; }

 private:
  using Box = CGAL::Box_intersection_d::Box_d<double, 3>;
  std::vector<Box> boxes_;
  std::size_t pairs_ = 0;
};
#endif

template <class T>
[[maybe_unused]] std::unique_ptr<Engine> makeEngine() {
  return std::make_unique<T>();
}

}  // namespace

void addPeers([[maybe_unused]] std::vector<EngineEntry>& engines) {
#if defined(SUNDER_BENCH_BULLET)
  engines.push_back({"btDbvtBroadphase", 1000000, makeEngine<DbvtEngine>});
  engines.push_back({"btAxisSweep3", 10000, makeEngine<AxisSweepEngine>});
#endif
#if defined(SUNDER_BENCH_ODE)
  engines.push_back({"ODE SAP", 100000, makeEngine<OdeEngine>});
#endif
#if defined(SUNDER_BENCH_CGAL)
  engines.push_back({"CGAL", 1000000, makeEngine<CgalEngine>});
#endif
}

}  // namespace sunder::bench
