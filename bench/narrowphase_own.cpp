// SPDX-License-Identifier: MIT
#include <sunder/narrowphase/box_sat.h>
#include <sunder/narrowphase/collide_boxes.h>
#include <sunder/narrowphase/query.h>

#include <algorithm>

#include "narrowphase_bench.h"

namespace sunder::bench {
namespace {

using families::BoxPairCase;

// The pairs as a caller has them, in two states a step of a solver apart.
struct Pairs {
  explicit Pairs(const std::vector<BoxPairCase>& cases) : caches(cases.size()), boxCaches(cases.size()) {
    families::Random random(5);
    for (const BoxPairCase& c : cases) {
      a.push_back(c.a);
      b.push_back(c.b);
      orientationA.push_back(c.poseA.orientation);
      poses[0].push_back(relativePose(c.poseA, c.poseB));
      Pose moved = poses[0].back();
      const double size = std::min(c.a.halfExtents.minCoeff(), c.b.halfExtents.minCoeff());
      moved.position += 1e-5 * size * random.direction();
      moved.orientation = (moved.orientation * families::Random::turn(1e-5 * random.direction())).normalized();
      poses[1].push_back(moved);
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
      shapesA.push_back(supportShape(a[i]));
      shapesB.push_back(supportShape(b[i]));
    }
  }
  std::vector<Box> a, b;
  std::vector<Quaternion> orientationA;
  std::vector<SupportShape> shapesA, shapesB;
  std::vector<Pose> poses[2];
  std::vector<QueryCache> caches;
  std::vector<BoxPairCache> boxCaches;
};

PairAnswer answer(const Pairs& p, std::size_t i, QueryStatus status, double signedDistance, const Eigen::Vector3d& normal) {
  return {signedDistance <= 0, status != QueryStatus::Converged, signedDistance,
          -signedDistance * (p.orientationA[i] * normal)};
}

template <class Query>
class Own : public Contender {
 public:
  Own(bool warm, Query query) : warm_(warm), query_(query) {}
  void prepare(const std::vector<BoxPairCase>& cases) override {
    pairs_ = std::make_unique<Pairs>(cases);
    pass_ = 0;
  }
  PairAnswer ask(std::size_t i) override {
    if (!warm_) {
      pairs_->caches[i] = {};
      pairs_->boxCaches[i] = {};
    }
    return query_(*pairs_, i, pairs_->poses[warm_ ? pass_ : 0][i]);
  }
  void nextPass() override { pass_ ^= 1; }

 private:
  bool warm_;
  int pass_ = 0;
  Query query_;
  std::unique_ptr<Pairs> pairs_;
};

template <class Query>
void add(std::vector<Entry>& entries, const std::string& name, Measures measures, bool warm, Query query) {
  entries.push_back({"sunder " + name + (warm ? ", warm" : ", cold"), measures, std::make_unique<Own<Query>>(warm, query)});
}

// Contacts down to a margin, as a world asks for them. Further apart the distance is a lower bound only.
template <NarrowphaseMethod kMethod>
PairAnswer collide(Pairs& p, std::size_t i, const Pose& pose) {
  BoxCollision r;
  collideBoxes(p.a[i], p.b[i], pose, 0, kMethod, p.boxCaches[i], r);
  // The manifold prefers faces, so its normal is not the minimum vector; the distance is.
  return {r.signedDistance <= 0, r.status != QueryStatus::Converged, r.signedDistance, {0, 0, 0}};
}

}  // namespace

void addOwn(std::vector<Entry>& entries) {
  add(entries, "signedDistance (closed form)", Measures::Signed, false, [](Pairs& p, std::size_t i, const Pose& pose) {
    const BoxSatResult r = boxSat(p.a[i], p.b[i], pose);
    return answer(p, i, r.status, r.signedDistance, r.normal);
  });
  for (const bool warm : {false, true}) {
    add(entries, "signedDistance (GJK/EPA)", Measures::Signed, warm, [](Pairs& p, std::size_t i, const Pose& pose) {
      const Proximity r = signedDistance(p.a[i], p.b[i], pose, {}, &p.caches[i]);
      return answer(p, i, r.status, r.signedDistance, r.normal);
    });
    add(entries, "intersects", Measures::YesNo, warm, [](Pairs& p, std::size_t i, const Pose& pose) {
      const Intersection r = intersects(p.shapesA[i], p.shapesB[i], pose, {}, &p.caches[i]);
      return PairAnswer{r.overlap, r.status != QueryStatus::Converged, 0, {0, 0, 0}};
    });
    add(entries, "distance", Measures::YesNo, warm, [](Pairs& p, std::size_t i, const Pose& pose) {
      const Proximity r = distance(p.shapesA[i], p.shapesB[i], pose, {}, &p.caches[i]);
      return PairAnswer{r.signedDistance <= 0, r.status != QueryStatus::Converged, r.signedDistance, {0, 0, 0}};
    });
    add(entries, "penetration", Measures::Depth, warm, [](Pairs& p, std::size_t i, const Pose& pose) {
      const Penetration r = penetration(p.shapesA[i], p.shapesB[i], pose, {}, &p.caches[i]);
      PairAnswer result = answer(p, i, r.status, -r.depth, r.normal);
      result.overlap = r.overlap;
      return result;
    });
    add(entries, "collideBoxes (closed form)", Measures::Depth, warm, collide<NarrowphaseMethod::ClosedForm>);
    add(entries, "collideBoxes (GJK/EPA)", Measures::Depth, warm, collide<NarrowphaseMethod::GjkEpa>);
  }
}

}  // namespace sunder::bench
