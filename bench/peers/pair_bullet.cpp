// SPDX-License-Identifier: MIT
// Bullet in double precision: its box-box detector, and GJK with EPA, both with its margin and without.
#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include "narrowphase_bench.h"

namespace sunder::bench {
namespace {

using Detector = btDiscreteCollisionDetectorInterface;

struct Deepest : Detector::Result {
  btVector3 normal{0, 0, 0};
  btScalar distance = 0;
  bool any = false;
  void setShapeIdentifiersA(int, int) override {}
  void setShapeIdentifiersB(int, int) override {}
  void addContactPoint(const btVector3& normalOnB, const btVector3&, btScalar d) override {
    if (!any || d < distance) {
      normal = normalOnB;
      distance = d;
    }
    any = true;
  }
};

class Bullet : public Contender {
 public:
  Bullet(bool gjk, bool margin) : gjk_(gjk), margin_(margin) {}
  void prepare(const std::vector<families::BoxPairCase>& pairs) override {
    shapes_.clear();
    poses_.clear();
    for (const families::BoxPairCase& c : pairs) {
      add(c.a, c.poseA);
      add(c.b, c.poseB);
    }
  }
  PairAnswer ask(std::size_t i) override {
    const btBoxShape *a = shapes_[2 * i].get(), *b = shapes_[2 * i + 1].get();
    Detector::ClosestPointInput input;
    input.m_transformA = poses_[2 * i];
    input.m_transformB = poses_[2 * i + 1];
    Deepest output;
    if (gjk_) {
      btGjkPairDetector detector(a, b, &simplex_, &epa_);
      detector.getClosestPoints(input, output, nullptr);
    } else {
      btBoxBoxDetector detector(a, b);
      detector.getClosestPoints(input, output, nullptr);
    }
    PairAnswer result;
    result.overlap = output.any && output.distance <= 0;
    result.signedDistance = double(output.distance);
    // Its normal points from B to A and its distance is negative.
    for (int k = 0; k < 3; ++k) result.push[k] = double(output.normal[k] * output.distance);
    return result;
  }

 private:
  void add(const Box& box, const Pose& pose) {
    const auto scalar = [](double x) { return btScalar(x); };
    const Eigen::Vector3d &h = box.halfExtents, &t = pose.position;
    const Quaternion& q = pose.orientation;
    shapes_.push_back(std::make_unique<btBoxShape>(btVector3(scalar(h[0]), scalar(h[1]), scalar(h[2]))));
    if (!margin_) shapes_.back()->setMargin(0);
    poses_.emplace_back(btQuaternion(scalar(q.x()), scalar(q.y()), scalar(q.z()), scalar(q.w())),
                        btVector3(scalar(t[0]), scalar(t[1]), scalar(t[2])));
  }
  bool gjk_, margin_;
  std::vector<std::unique_ptr<btBoxShape>> shapes_;
  std::vector<btTransform> poses_;
  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver epa_;
};

}  // namespace

void addBullet(std::vector<Entry>& entries) {
  entries.push_back({"Bullet box-box", Measures::Depth, std::make_unique<Bullet>(false, true)});
  entries.push_back({"Bullet GJK + EPA", Measures::Depth, std::make_unique<Bullet>(true, true)});
  entries.push_back({"Bullet GJK + EPA, no margin", Measures::Depth, std::make_unique<Bullet>(true, false)});
}

}  // namespace sunder::bench
