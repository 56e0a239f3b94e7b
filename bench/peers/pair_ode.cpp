// SPDX-License-Identifier: MIT
// ODE's box-box routine through dCollide, with contact points.
#include <ode/ode.h>

#include <cmath>

#include "narrowphase_bench.h"

namespace sunder::bench {
namespace {

class Ode : public Contender {
 public:
  Ode() { dInitODE2(0); }
  void prepare(const std::vector<families::BoxPairCase>& pairs) override {
    for (const dGeomID geom : geoms_) dGeomDestroy(geom);
    geoms_.clear();
    for (const families::BoxPairCase& c : pairs) {
      geoms_.push_back(make(c.a, c.poseA));
      geoms_.push_back(make(c.b, c.poseB));
    }
  }
  PairAnswer ask(std::size_t i) override {
    dContactGeom contacts[8];
    const int count = dCollide(geoms_[2 * i], geoms_[2 * i + 1], 8, contacts, sizeof(dContactGeom));
    PairAnswer result;
    result.overlap = count > 0;
    for (int k = 0; k < count; ++k) {
      if (!(k == 0 || -contacts[k].depth < result.signedDistance)) continue;
      result.signedDistance = -contacts[k].depth;
      // Its normal moves the first geom out.
      for (int j = 0; j < 3; ++j) result.push[j] = -contacts[k].depth * contacts[k].normal[j];
    }
    return result;
  }

 private:
  static dGeomID make(const Box& box, const Pose& pose) {
    const dGeomID geom = dCreateBox(nullptr, 2 * box.halfExtents[0], 2 * box.halfExtents[1], 2 * box.halfExtents[2]);
    const dQuaternion q = {pose.orientation.w(), pose.orientation.x(), pose.orientation.y(), pose.orientation.z()};
    dGeomSetQuaternion(geom, q);
    dGeomSetPosition(geom, pose.position[0], pose.position[1], pose.position[2]);
    return geom;
  }
  std::vector<dGeomID> geoms_;
};

}  // namespace

void addOde(std::vector<Entry>& entries) {
  entries.push_back({"ODE dCollide", Measures::Depth, std::make_unique<Ode>()});
}

}  // namespace sunder::bench
