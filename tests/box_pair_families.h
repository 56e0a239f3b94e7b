// SPDX-License-Identifier: MIT
// Pairs of boxes of every kind that has broken a narrowphase, made from a seed. Header for tests and benchmarks.
#pragma once
#include <sunder/narrowphase/pose.h>
#include <sunder/narrowphase/shape.h>

#include <cmath>
#include <cstdint>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace sunder::families {

struct BoxPairCase {
  Box a, b;
  Pose poseA, poseB;
};

// Each draw is a statement of its own, here and wherever a case is made: arguments and operands are evaluated in an order of
// the compiler's choice, and a seed has to name the same pair for all.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) {  // the standard's distributions differ from library to library
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  double power(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  Eigen::Vector3d inCube(double low, double high) {
    const double z = uniform(low, high);
    const double y = uniform(low, high);
    const double x = uniform(low, high);
    return {x, y, z};
  }
  Eigen::Vector3d powers(double low, double high) {
    const double z = power(low, high);
    const double y = power(low, high);
    const double x = power(low, high);
    return {x, y, z};
  }
  Eigen::Vector3d direction() {
    for (;;) {
      const Eigen::Vector3d v = inCube(-1, 1);
      const double n = v.norm();
      if (n > 0.1 && n <= 1) return v / n;
    }
  }
  // A vector in any direction, of a length between the two, each length (each power of ten) as likely as the next.
  Eigen::Vector3d vector(double low, double high) {
    const Eigen::Vector3d n = direction();
    return uniform(low, high) * n;
  }
  Eigen::Vector3d vectorOfPower(double low, double high) {
    const Eigen::Vector3d n = direction();
    return power(low, high) * n;
  }
  Quaternion rotation() {
    const double angle = uniform(0, 3.14159);
    return turn(angle * direction());
  }
  static Quaternion turn(const Eigen::Vector3d& v) {  // rotation vector
    const double angle = v.norm(), s = angle > 0 ? std::sin(angle / 2) / angle : 0.5;
    return Quaternion(std::cos(angle / 2), s * v.x(), s * v.y(), s * v.z()).normalized();
  }

 private:
  std::mt19937_64 engine_;
};

enum class Family {
  Overlapping, Near, Shallow, Deep, Contained, Coincident, KissingFaces, KissingEdges, NearParallel, NearParallelEdges, NearParallelPlates,
  Thin1e3, Thin1e6, SizeRatio1e6, CentresAt1e4, CentresAt1e8, Tiny, Huge, SameSizeStack, Count
};

inline const char* name(Family f) {
  static const char* const names[] = {"overlapping", "near", "shallow 1e-3..1e-12", "deep", "contained", "coincident",
    "kissing faces", "kissing edges", "near parallel 1e-9..1e-3", "near parallel crossing sticks", "near parallel plates", "thin 1:1e3", "thin 1:1e6",
    "size ratio 1:1e6", "centres at 1e4", "centres at 1e8", "scale 1e-6", "scale 1e6", "stack of one size"};
  return names[static_cast<int>(f)];
}

namespace detail {
inline Box box(Random& r, double low, double high) {
  Box b;
  for (int k = 0; k < 3; ++k) b.halfExtents[k] = r.power(low, high);
  return b;
}
// Distance of the centres along `direction` at which the projections on it touch: near contact, though not the nearest.
inline double touchAlong(const BoxPairCase& c, const Eigen::Vector3d& direction) {
  const Eigen::Vector3d la = c.poseA.orientation.conjugate() * direction, lb = c.poseB.orientation.conjugate() * direction;
  return la.cwiseAbs().dot(c.a.halfExtents) + lb.cwiseAbs().dot(c.b.halfExtents);
}
inline void scaleBy(BoxPairCase& c, double s) {
  c.a.halfExtents *= s;
  c.b.halfExtents *= s;
  c.poseA.position *= s;
  c.poseB.position *= s;
}
// A random direction, or an axis of a box, or a cross product of two of their axes: where contacts are.
inline Eigen::Vector3d contactDirection(Random& r, const BoxPairCase& c) {
  const Eigen::Vector3d a = c.poseA.orientation * Eigen::Vector3d::Unit(r.below(3));
  const Eigen::Vector3d b = c.poseB.orientation * Eigen::Vector3d::Unit(r.below(3));
  const int kind = r.below(4);
  Eigen::Vector3d n = kind == 0 ? r.direction() : kind == 1 ? a : kind == 2 ? b : Eigen::Vector3d(a.cross(b));
  if (n.norm() < 1e-3) n = a;
  const double sign = r.below(2) ? 1 : -1;
  return sign * n.normalized();
}
// Puts B next to A: the boxes' projections on some contact direction overlap by `overlap` of the smaller extent, and the
// centre is moved sideways a little.
inline void place(Random& r, BoxPairCase& c, double overlap) {
  const Eigen::Vector3d n = contactDirection(r, c);
  const double size = std::min(c.a.halfExtents.minCoeff(), c.b.halfExtents.minCoeff());
  const double aside = r.uniform(0, 1);
  Eigen::Vector3d side = aside * r.direction() * std::min(c.a.halfExtents.maxCoeff(), c.b.halfExtents.maxCoeff());
  side -= side.dot(n) * n;
  c.poseB.position = c.poseA.position + (touchAlong(c, n) - overlap * size) * n + side;
}
}  // namespace detail

inline BoxPairCase make(Family family, Random& r) {
  using namespace detail;
  BoxPairCase c;
  c.a = box(r, 0.2, 2);
  c.b = box(r, 0.2, 2);
  c.poseA.orientation = r.rotation();
  c.poseB.orientation = r.rotation();
  switch (family) {
    case Family::Overlapping: place(r, c, r.uniform(0, 1.5)); break;
    case Family::Near: place(r, c, -r.power(1e-9, 1)); break;
    case Family::Shallow: place(r, c, r.power(1e-12, 1e-3)); break;
    case Family::Deep: c.poseB.position = r.vector(0, 0.3); break;
    case Family::Contained:
      c.b.halfExtents *= 0.02;
      c.poseB.position = c.poseA.orientation * (0.9 * r.inCube(-1, 1)).cwiseProduct(c.a.halfExtents);
      break;
    case Family::Coincident:
      c.poseB.position = c.poseA.position;
      if (r.below(2)) c.b = c.a;
      if (r.below(2)) c.poseB.orientation = c.poseA.orientation;
      break;
    case Family::KissingFaces: {
      c.poseA.orientation = c.poseB.orientation = r.below(2) ? Quaternion(1, 0, 0, 0) : c.poseA.orientation;
      const int k = r.below(3);
      Eigen::Vector3d local = r.inCube(-1, 1);
      local[k] = c.a.halfExtents[k] + c.b.halfExtents[k];
      const int ulps = r.below(3) - 1;
      if (ulps) local[k] = std::nextafter(local[k], ulps * HUGE_VAL);
      c.poseB.position = c.poseA.orientation * local;
      break;
    }
    case Family::KissingEdges: {
      c.poseA.orientation = c.poseB.orientation = Quaternion(1, 0, 0, 0);
      for (int k = 0; k < 3; ++k)
        c.poseB.position[k] = r.below(3) ? c.a.halfExtents[k] + c.b.halfExtents[k] : r.uniform(-1, 1);
      if (r.below(2)) c.poseB.position[0] = std::nextafter(c.poseB.position[0], r.below(2) ? HUGE_VAL : 0.0);
      break;
    }
    case Family::NearParallel:
      c.poseB.orientation = (c.poseA.orientation * Random::turn(r.vectorOfPower(1e-9, 1e-3))).normalized();
      place(r, c, r.uniform(-0.1, 0.3));
      break;
    case Family::NearParallelEdges: {
      // Two sticks that cross at a small angle: here the cross product of nearly parallel edges decides.
      c.a.halfExtents = {r.power(1, 1e6), r.power(0.01, 1), r.power(0.01, 1)};
      c.b.halfExtents = {r.power(1, 1e6), r.power(0.01, 1), r.power(0.01, 1)};
      const Quaternion spin = Random::turn(Eigen::Vector3d(r.uniform(-3, 3), 0, 0));
      c.poseB.orientation = (c.poseA.orientation * Random::turn(r.vectorOfPower(1e-8, 1e-1)) * spin).normalized();
      place(r, c, r.uniform(-0.5, 0.5));
      c.poseB.position -= 0.9 * (c.poseB.position - c.poseA.position).dot(c.poseA.orientation * Eigen::Vector3d::UnitX()) *
                          (c.poseA.orientation * Eigen::Vector3d::UnitX());
      break;
    }
    case Family::NearParallelPlates: {
      // Two cards, tilted by about their thickness over their width: edges at 1e-5 rad touch, and the cards are wide.
      const double thin = r.power(1e-5, 1e-2);
      c.a.halfExtents[2] = thin * r.uniform(0.5, 1);
      c.b.halfExtents[2] = thin * r.uniform(0.5, 1);
      const Eigen::Vector3d axis = r.direction();
      c.poseB.orientation = (c.poseA.orientation * Random::turn(thin * r.power(0.1, 10) * axis)).normalized();
      const double z = thin * r.uniform(-3, 3);
      const double y = (c.a.halfExtents[1] + c.b.halfExtents[1]) * r.uniform(-1, 1);
      const double x = (c.a.halfExtents[0] + c.b.halfExtents[0]) * r.uniform(-1, 1);
      const Eigen::Vector3d local(x, y, z);
      c.poseB.position = c.poseA.position + c.poseA.orientation * local;
      break;
    }
    case Family::Thin1e3:
    case Family::Thin1e6: {
      const double ratio = family == Family::Thin1e3 ? 1e-3 : 1e-6;
      c.a.halfExtents[r.below(3)] *= ratio;
      if (r.below(2)) c.b.halfExtents[r.below(3)] *= ratio;
      place(r, c, r.uniform(-1, 1));
      break;
    }
    case Family::SizeRatio1e6:
      c.a.halfExtents *= 1e6;
      place(r, c, r.uniform(-0.5, 1));
      break;
    case Family::CentresAt1e4:
    case Family::CentresAt1e8:
      c.poseA.position = (family == Family::CentresAt1e4 ? 1e4 : 1e8) * r.direction();
      place(r, c, r.uniform(-0.5, 1));
      break;
    case Family::Tiny:
      place(r, c, r.uniform(-0.5, 1));
      scaleBy(c, 1e-6);
      break;
    case Family::Huge:
      place(r, c, r.uniform(-0.5, 1));
      scaleBy(c, 1e6);
      break;
    case Family::SameSizeStack: {
      c.b = c.a;
      const int k = r.below(3);
      Eigen::Vector3d local = r.vectorOfPower(1e-9, 1e-3);
      local[k] += (2 - r.uniform(-1e-3, 3e-3)) * c.a.halfExtents[k];
      c.poseB.position = c.poseA.orientation * local;
      c.poseB.orientation = (c.poseA.orientation * Random::turn(r.vectorOfPower(1e-9, 1e-3))).normalized();
      break;
    }
    case Family::Count: break;
  }
  return c;
}

// Where edges are so nearly parallel that the referee wants more than a long double.
inline bool needsQuad(Family f) {
  return f == Family::NearParallel || f == Family::NearParallelEdges || f == Family::NearParallelPlates || f == Family::SameSizeStack;
}

// The same pair with A at the origin: poseBInA is the input itself, not a rounded function of two poses.
inline BoxPairCase inFrameOfA(const BoxPairCase& c) {
  BoxPairCase result = c;
  result.poseB = relativePose(c.poseA, c.poseB);
  result.poseA = Pose();
  return result;
}

// Code that makes the pair again, to the last bit.
inline std::string paste(const BoxPairCase& c) {
  std::ostringstream out;
  out << std::hexfloat;
  const auto put = [&](const char* what, const Box& box, const Pose& pose) {
    const auto& q = pose.orientation;
    out << "  Box " << what << "; " << what << ".halfExtents = {" << box.halfExtents[0] << ", " << box.halfExtents[1] << ", "
        << box.halfExtents[2] << "};\n  Pose pose" << what << "; pose" << what << ".position = {" << pose.position[0] << ", "
        << pose.position[1] << ", " << pose.position[2] << "}; pose" << what << ".orientation = Quaternion(" << q.w() << ", "
        << q.x() << ", " << q.y() << ", " << q.z() << ");\n";
  };
  put("A", c.a, c.poseA);
  put("B", c.b, c.poseB);
  return out.str();
}

inline std::vector<Family> all() {
  std::vector<Family> result;
  for (int f = 0; f < static_cast<int>(Family::Count); ++f) result.push_back(static_cast<Family>(f));
  return result;
}

}  // namespace sunder::families
