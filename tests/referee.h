// SPDX-License-Identifier: MIT
// The judge of every box-box answer: slow, from first principles, in extended precision, sharing no code with the library.
#pragma once
#include <sunder/narrowphase/pose.h>
#include <sunder/narrowphase/shape.h>

#include <array>
#include <cmath>
#include <type_traits>

namespace sunder::referee {

using Quad = __float128;

// Square root in any precision: Newton's step doubles the digits of a double's root, twice is enough for 113 bits.
template <class T>
T root(T x) {
  if (!(x > 0)) return T(0);
  T y = T(std::sqrt(static_cast<long double>(x)));
  for (int i = 0; i < 2; ++i) y = (y + x / y) / 2;
  return y;
}

template <class T>
using Vector = std::array<T, 3>;

template <class T>
T dot(const Vector<T>& a, const Vector<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
Vector<T> cross(const Vector<T>& a, const Vector<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class T>
Vector<T> plus(const Vector<T>& a, T s, const Vector<T>& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
template <class T>
T magnitude(T x) {
  return x < 0 ? -x : x;
}
template <class T>
T clamped(T x, T h) {
  return x < -h ? -h : x > h ? h : x;
}

template <class T>
struct PlacedBox {
  Vector<T> centre;
  Vector<T> axis[3];
  Vector<T> half;

  // Positions are taken from `origin`, so that far away only the digits the pair has are needed.
  PlacedBox(const Box& box, const Pose& pose, const Eigen::Vector3d& origin = Eigen::Vector3d::Zero()) {
    const double* q = pose.orientation.coeffs().data();  // x y z w
    const T x = q[0], y = q[1], z = q[2], w = q[3], s = T(2) / (x * x + y * y + z * z + w * w);
    axis[0] = {1 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)};
    axis[1] = {s * (x * y - z * w), 1 - s * (x * x + z * z), s * (y * z + x * w)};
    axis[2] = {s * (x * z + y * w), s * (y * z - x * w), 1 - s * (x * x + y * y)};
    for (int k = 0; k < 3; ++k) {
      centre[k] = T(pose.position[k]) - T(origin[k]);
      half[k] = box.halfExtents[k];
    }
  }
  Vector<T> vertex(int bits) const {
    Vector<T> v = centre;
    for (int k = 0; k < 3; ++k) v = plus(v, (bits >> k & 1) ? half[k] : -half[k], axis[k]);
    return v;
  }
  Vector<T> nearestPoint(const Vector<T>& p) const {
    const Vector<T> d = plus(p, T(-1), centre);
    Vector<T> v = centre;
    for (int k = 0; k < 3; ++k) v = plus(v, clamped(dot(d, axis[k]), half[k]), axis[k]);
    return v;
  }
  T reach(const Vector<T>& n) const {
    T sum = 0;
    for (int k = 0; k < 3; ++k) sum += half[k] * magnitude(dot(n, axis[k]));
    return sum;
  }
  // How far the point lies outside, in the largest coordinate; negative inside.
  T outside(const Vector<T>& p) const {
    const Vector<T> d = plus(p, T(-1), centre);
    T most = magnitude(dot(d, axis[0])) - half[0];
    for (int k = 1; k < 3; ++k) {
      const T over = magnitude(dot(d, axis[k])) - half[k];
      most = over > most ? over : most;
    }
    return most;
  }
};

template <class T>
struct Answer {
  T signedDistance = 0;  // Euclidean distance when apart, -depth when overlapping
  Vector<T> normal{};    // unit, from A to B
  T axisSeparation = 0;  // largest separation over the 15 axes
  int axis = -1;         // the axis of that: 0..2 A, 3..5 B, 6 + 3 i + j edges
};

// Gap between the projections along the unit vector n: positive proves the boxes apart.
template <class T>
T gapAlong(const PlacedBox<T>& a, const PlacedBox<T>& b, const Vector<T>& n) {
  return dot(n, plus(b.centre, T(-1), a.centre)) - a.reach(n) - b.reach(n);
}

template <class T>
T segmentDistanceSquared(const Vector<T>& p, const Vector<T>& u, T hu, const Vector<T>& q, const Vector<T>& v, T hv,
                         Vector<T>& between) {
  // Points p + s u, |s| <= hu and q + t v, |t| <= hv; u, v of unit length. The quadratic in (s, t) is minimal at its
  // stationary point if that is inside, else on one of the four sides, each a clamped line search.
  const Vector<T> w = plus(q, T(-1), p);
  const T c = dot(u, v), wu = dot(w, u), wv = dot(w, v);
  const Vector<T> n = cross(u, v);
  const T sine = dot(n, n);
  T best = -1;
  const auto look = [&](T s, T t) {
    const Vector<T> d = plus(plus(w, -s, u), t, v);
    const T square = dot(d, d);
    if (best < 0 || square < best) {
      best = square;
      between = d;
    }
  };
  if (sine > 0) {
    const T s = dot(cross(w, v), n) / sine, t = dot(cross(w, u), n) / sine;
    if (magnitude(s) <= hu && magnitude(t) <= hv) look(s, t);
  }
  for (const T s : {-hu, hu}) look(s, clamped(s * c - wv, hv));
  for (const T t : {-hv, hv}) look(clamped(t * c + wu, hu), t);
  return best;
}

template <class T>
Answer<T> exactSignedDistance(const PlacedBox<T>& a, const PlacedBox<T>& b) {
  Answer<T> answer;
  const auto consider = [&](const Vector<T>& axis, int index) {
    const T length = root(dot(axis, axis));
    // Parallel edges, but for rounding. Any direction gives a valid bound; it only has to be worth normalising.
    if (!(length > (std::is_same_v<T, Quad> ? T(1e-28L) : T(1e-16L)))) return;
    for (const T sign : {T(1), T(-1)}) {
      const Vector<T> n = {sign * axis[0] / length, sign * axis[1] / length, sign * axis[2] / length};
      const T gap = gapAlong(a, b, n);
      if (answer.axis < 0 || gap > answer.axisSeparation) {
        answer.axis = index;
        answer.axisSeparation = gap;
        answer.normal = n;
      }
    }
  };
  for (int k = 0; k < 3; ++k) consider(a.axis[k], k);
  for (int k = 0; k < 3; ++k) consider(b.axis[k], 3 + k);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) consider(cross(a.axis[i], b.axis[j]), 6 + 3 * i + j);
  answer.signedDistance = answer.axisSeparation;
  if (answer.axisSeparation <= 0) return answer;

  T best = -1;
  const auto look = [&](T square, const Vector<T>& between) {
    if (best < 0 || square < best) {
      best = square;
      const T length = root(square);
      if (length > 0) answer.normal = {between[0] / length, between[1] / length, between[2] / length};
    }
  };
  for (int v = 0; v < 8; ++v) {
    const Vector<T> pa = a.vertex(v), pb = b.vertex(v);
    const Vector<T> fromA = plus(b.nearestPoint(pa), T(-1), pa), toB = plus(pb, T(-1), a.nearestPoint(pb));
    look(dot(fromA, fromA), fromA);
    look(dot(toB, toB), toB);
  }
  const auto edgeMiddle = [](const PlacedBox<T>& box, int axis, int bits) {
    const int k1 = (axis + 1) % 3, k2 = (axis + 2) % 3;
    return plus(plus(box.centre, (bits & 1) ? box.half[k1] : -box.half[k1], box.axis[k1]),
                (bits & 2) ? box.half[k2] : -box.half[k2], box.axis[k2]);
  };
  for (int ea = 0; ea < 12; ++ea)
    for (int eb = 0; eb < 12; ++eb) {
      Vector<T> between;
      const int i = ea / 4, j = eb / 4;
      const T square = segmentDistanceSquared(edgeMiddle(a, i, ea % 4), a.axis[i], a.half[i], edgeMiddle(b, j, eb % 4),
                                              b.axis[j], b.half[j], between);
      look(square, between);
    }
  answer.signedDistance = root(best);
  return answer;
}

// Exact to about 1e-18 of the size with T = long double; T = Quad also where edges are nearly parallel (a cross product
// of sine s has the rounding of T divided by s in its direction).
template <class T = long double>
Answer<T> exactSignedDistance(const Box& boxA, const Box& boxB, const Pose& poseA, const Pose& poseB) {
  return exactSignedDistance(PlacedBox<T>(boxA, poseA, poseA.position), PlacedBox<T>(boxB, poseB, poseA.position));
}

}  // namespace sunder::referee
