// SPDX-License-Identifier: MIT
// libccd: GJK + EPA, MPR and the yes-or-no GJK, with the default tolerance and with a tight one.
#include <ccd/ccd.h>

#include "narrowphase_bench.h"

namespace sunder::bench {
namespace {

struct CcdBox {
  double axis[3][3], centre[3], half[3];
};

CcdBox toCcd(const Box& box, const Pose& pose) {
  CcdBox result{};
  const Eigen::Matrix3d rotation = pose.orientation.toRotationMatrix();
  for (int i = 0; i < 3; ++i) {
    result.half[i] = box.halfExtents[i];
    result.centre[i] = pose.position[i];
    for (int k = 0; k < 3; ++k) result.axis[i][k] = rotation(k, i);
  }
  return result;
}

void supportPoint(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out) {
  const CcdBox& box = *static_cast<const CcdBox*>(object);
  for (int k = 0; k < 3; ++k) out->v[k] = box.centre[k];
  for (int i = 0; i < 3; ++i) {
    double along = 0;
    for (int k = 0; k < 3; ++k) along += box.axis[i][k] * direction->v[k];
    for (int k = 0; k < 3; ++k) out->v[k] += (along < 0 ? -box.half[i] : box.half[i]) * box.axis[i][k];
  }
}

void centrePoint(const void* object, ccd_vec3_t* out) {
  for (int k = 0; k < 3; ++k) out->v[k] = static_cast<const CcdBox*>(object)->centre[k];
}

enum class CcdQuery { GjkEpa, Mpr, YesNo };

class Ccd : public Contender {
 public:
  Ccd(CcdQuery query, bool tight) : query_(query) {
    CCD_INIT(&ccd_);
    ccd_.support1 = ccd_.support2 = supportPoint;
    ccd_.center1 = ccd_.center2 = centrePoint;
    ccd_.max_iterations = 100;
    if (tight) ccd_.epa_tolerance = ccd_.mpr_tolerance = 1e-10;
  }
  void prepare(const std::vector<families::BoxPairCase>& pairs) override {
    boxes_.clear();
    for (const families::BoxPairCase& c : pairs) {
      boxes_.push_back(toCcd(c.a, c.poseA));
      boxes_.push_back(toCcd(c.b, c.poseB));
    }
  }
  PairAnswer ask(std::size_t i) override {
    const CcdBox *a = &boxes_[2 * i], *b = a + 1;
    PairAnswer result;
    if (query_ == CcdQuery::YesNo) {
      result.overlap = ccdGJKIntersect(a, b, &ccd_) != 0;
      return result;
    }
    double depth = 0;
    ccd_vec3_t direction{}, position{};
    const int found = query_ == CcdQuery::GjkEpa ? ccdGJKPenetration(a, b, &ccd_, &depth, &direction, &position)
                                                 : ccdMPRPenetration(a, b, &ccd_, &depth, &direction, &position);
    result.overlap = found == 0;
    result.flagged = found == -2;  // out of memory
    result.signedDistance = -depth;
    for (int k = 0; k < 3; ++k) result.push[k] = depth * direction.v[k];
    return result;
  }

 private:
  CcdQuery query_;
  ccd_t ccd_;
  std::vector<CcdBox> boxes_;
};

}  // namespace

void addCcd(std::vector<Entry>& entries) {
  entries.push_back({"libccd GJK + EPA", Measures::Depth, std::make_unique<Ccd>(CcdQuery::GjkEpa, false)});
  entries.push_back({"libccd GJK + EPA, tolerance 1e-10", Measures::Depth, std::make_unique<Ccd>(CcdQuery::GjkEpa, true)});
  entries.push_back({"libccd MPR, tolerance 1e-10", Measures::Depth, std::make_unique<Ccd>(CcdQuery::Mpr, true)});
  entries.push_back({"libccd GJK, yes or no", Measures::YesNo, std::make_unique<Ccd>(CcdQuery::YesNo, false)});
}

}  // namespace sunder::bench
