// SPDX-License-Identifier: MIT
// FCL: boxes go to its separating axis test, the same boxes as convex hulls to its two GJK/EPA solvers.
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>

#include <cmath>

#include "narrowphase_bench.h"

namespace sunder::bench {
namespace {

class Fcl : public Contender {
 public:
  Fcl(fcl::GJKSolverType solver, bool hulls) : hulls_(hulls) {
    request_.enable_contact = true;
    request_.num_max_contacts = 8;
    request_.gjk_solver_type = solver;
  }
  void prepare(const std::vector<families::BoxPairCase>& pairs) override {
    objects_.clear();
    for (const families::BoxPairCase& c : pairs) {
      add(c.a, c.poseA);
      add(c.b, c.poseB);
    }
  }
  PairAnswer ask(std::size_t i) override {
    fcl::CollisionResult<double> found;
    fcl::collide(objects_[2 * i].get(), objects_[2 * i + 1].get(), request_, found);
    PairAnswer result;
    result.overlap = found.isCollision();
    for (std::size_t k = 0; k < found.numContacts(); ++k) {
      const fcl::Contact<double>& contact = found.getContact(k);
      const double depth = std::abs(contact.penetration_depth);  // one of the solvers gives it with a minus sign
      if (k > 0 && -depth >= result.signedDistance) continue;
      result.signedDistance = -depth;
      result.push = depth * contact.normal;
    }
    return result;
  }

 private:
  using Geometry = std::shared_ptr<fcl::CollisionGeometry<double>>;

  static Geometry hull(const Eigen::Vector3d& half) {
    auto vertices = std::make_shared<std::vector<fcl::Vector3<double>>>();
    for (int v = 0; v < 8; ++v)
      vertices->emplace_back(v & 1 ? half[0] : -half[0], v & 2 ? half[1] : -half[1], v & 4 ? half[2] : -half[2]);
    // Count and corners of each face, counterclockwise from outside.
    auto faces = std::make_shared<std::vector<int>>(
        std::vector<int>{4, 0, 4, 6, 2, 4, 1, 3, 7, 5, 4, 0, 1, 5, 4, 4, 2, 6, 7, 3, 4, 0, 2, 3, 1, 4, 4, 5, 7, 6});
    return std::make_shared<fcl::Convex<double>>(vertices, 6, faces);
  }
  void add(const Box& box, const Pose& pose) {
    const Geometry geometry = hulls_ ? hull(box.halfExtents) : std::make_shared<fcl::Box<double>>(2 * box.halfExtents);
    fcl::Transform3<double> transform = fcl::Transform3<double>::Identity();
    transform.linear() = pose.orientation.toRotationMatrix();
    transform.translation() = pose.position;
    objects_.push_back(std::make_unique<fcl::CollisionObject<double>>(geometry, transform));
  }
  bool hulls_;
  fcl::CollisionRequest<double> request_;
  std::vector<std::unique_ptr<fcl::CollisionObject<double>>> objects_;
};

}  // namespace

void addFcl(std::vector<Entry>& entries) {
  entries.push_back({"FCL box-box", Measures::Depth, std::make_unique<Fcl>(fcl::GST_LIBCCD, false)});
  entries.push_back({"FCL hulls, libccd", Measures::Depth, std::make_unique<Fcl>(fcl::GST_LIBCCD, true)});
  entries.push_back({"FCL hulls, own GJK + EPA", Measures::Depth, std::make_unique<Fcl>(fcl::GST_INDEP, true)});
}

}  // namespace sunder::bench
