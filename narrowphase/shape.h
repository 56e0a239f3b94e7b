// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

namespace sunder {

// A box centred at the origin of its frame, its faces at +-halfExtents along the axes. Metres, every extent > 0.
struct Box {
  Eigen::Vector3d halfExtents = Eigen::Vector3d(0.5, 0.5, 0.5);
};

// A ball centred at the origin of its frame. Metres, radius > 0.
struct Sphere {
  double radius = 0.5;
};

// All points nearer than radius to the segment from (0, 0, -halfLength) to (0, 0, halfLength). Metres, both > 0.
struct Capsule {
  double halfLength = 0.5;
  double radius = 0.25;
};

// The convex hull of a point cloud: a polytope of some volume. Only its corners are kept, in the order given, repeated points
// once: index i of vertices() is the vertex id in contact features. Coordinates in metres, in the hull's own frame; the origin
// of that frame may lie outside.
// A point counts as a corner where it is further than a tolerance from the hull of the others: 1e-12 of the hull's size, or 32
// spacings of doubles (7e-15) of its largest coordinate, where that is more. Throws std::invalid_argument naming the argument
// when there are fewer than 4 points, a coordinate is not finite or beyond 1e100, all points lie within that tolerance of one
// plane, or more than 512 of them are corners.
class ConvexHull {
 public:
  explicit ConvexHull(const std::vector<Eigen::Vector3d>& points);

  // A polygon: all corners that lie in one plane to ten times that tolerance. Its corners and edges are entries first to
  // first + count - 1 of loop(), counterclockwise seen from outside.
  struct Face {
    Eigen::Vector3d normal;  // unit, outwards
    std::uint32_t first, count;
  };
  struct Corner {
    std::uint16_t vertex;  // of vertices()
    std::uint16_t edge;    // from here to the next corner; the same number from both of its faces
  };

  const std::vector<Eigen::Vector3d>& vertices() const { return vertices_; }
  const std::vector<Face>& faces() const { return faces_; }
  const std::vector<Corner>& loop() const { return loop_; }
  // The largest absolute coordinate.
  double extent() const { return extent_; }

 private:
  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Face> faces_;
  std::vector<Corner> loop_;
  double extent_ = 0;
};

// What is wrong with a shape, naming field and value; empty when it can be used. Never throws on its own account.
std::string validate(const Box& box);
std::string validate(const Sphere& sphere);
std::string validate(const Capsule& capsule);

}  // namespace sunder
