// SPDX-License-Identifier: MIT
// Whole trees, made at once from boxes of every kind.
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "box_tree_check.h"

namespace {

using namespace sunder;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Built {
  BoxTree tree;
  BoxTree::Places places;
  std::vector<std::uint64_t> keys, scratch;

  void build(const std::vector<ProxyId>& ids, const std::vector<Aabb>& boxes) {
    places.assign(boxes.size(), BoxTree::kNone);
    tree.build(ids, boxes.data(), places, keys, scratch);
  }
  // What the list of these boxes is in the frame of the tree.
  std::map<ProxyId, FloatBox> list(const std::vector<ProxyId>& ids, const std::vector<Aabb>& boxes) const {
    std::map<ProxyId, FloatBox> result;
    for (const ProxyId id : ids) result[id] = tree.map(boxes[id]);
    return result;
  }
};

std::vector<ProxyId> allOf(const std::vector<Aabb>& boxes) {
  std::vector<ProxyId> ids(boxes.size());
  std::iota(ids.begin(), ids.end(), 0u);
  return ids;
}

enum class Kind { Uniform, Equal, Row, Clusters, Sizes, SmallAndLarge, Infinite, Enormous, Tiny };
constexpr Kind kKinds[] = {Kind::Uniform, Kind::Equal, Kind::Row, Kind::Clusters, Kind::Sizes, Kind::SmallAndLarge, Kind::Infinite, Kind::Enormous, Kind::Tiny};

std::vector<Aabb> boxesOf(Kind kind, std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  const auto number = [&](double bound) { return bound * static_cast<double>(engine()) / 4294967296.0; };
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    double size = 1, x = number(100), y = number(100), z = number(100);
    switch (kind) {
      case Kind::Uniform: break;
      case Kind::Equal: x = y = z = 3; break;
      case Kind::Row: x = static_cast<double>(i % 97), y = z = 0; break;
      // One in another cell of each level of the curve: 1e-3 of the cluster before.
      case Kind::Clusters: x = x * std::pow(1e-3, double(i % 4)), y = y * std::pow(1e-3, double(i % 4)), z = 0, size = 1e-9; break;
      case Kind::Sizes: size = std::pow(10, number(12) - 6); break;
      case Kind::SmallAndLarge: size = i % 8 == 0 ? 30 : 0.1; break;
      case Kind::Infinite: break;
      case Kind::Enormous: x *= 1e290, size = number(1e290); break;
      case Kind::Tiny: x *= 1e-310, y *= 1e-310, z *= 1e-310, size = 1e-312; break;
    }
    Aabb box = {{x, y, z}, {x + size, y + size, z + size}};
    if (kind == Kind::Infinite && i % 5 == 0) box.upper[static_cast<int>(i % 3)] = kInfinity;
    if (kind == Kind::Infinite && i % 7 == 0) box.lower[static_cast<int>(i % 3)] = -kInfinity;
    boxes.push_back(box);
  }
  return boxes;
}

TEST(BoxTreeBuild, HoldsEveryBoxOnceInAsFewNodesAsThereCanBe) {
  for (const Kind kind : kKinds)
    for (const std::size_t count : {1u, 2u, 7u, 8u, 9u, 64u, 65u, 513u, 2500u}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", " << count << " boxes");
      const std::vector<Aabb> boxes = boxesOf(kind, count, static_cast<unsigned>(count));
      Built built;
      built.build(allOf(boxes), boxes);
      test::expectTreeHolds(built.tree, built.places, built.list(allOf(boxes), boxes));
      std::size_t nodes = 0;
      for (std::size_t level = count; level > 1 || nodes == 0; nodes += level) level = (level + 7) / 8;
      EXPECT_EQ(built.tree.nodeCount(), nodes);
      if (HasFailure()) return;
    }
}

TEST(BoxTreeBuild, OverlapsAreThoseOfTheList) {
  for (const Kind kind : kKinds) {
    const std::vector<Aabb> boxes = boxesOf(kind, 1200, 3);
    Built built;
    built.build(allOf(boxes), boxes);
    const auto list = built.list(allOf(boxes), boxes);
    for (std::size_t i = 0; i < boxes.size(); i += 11) {
      const FloatBox question = built.tree.map(boxes[i]);
      EXPECT_EQ(test::overlapsInTree(built.tree, question), test::overlapsInList(list, question)) << static_cast<int>(kind) << ", " << i;
    }
  }
}

// The map to float is monotone: no pair that overlaps in double is lost, wherever the origin is.
TEST(BoxTreeBuild, NoOverlapIsLostInFloat) {
  for (const Kind kind : kKinds) {
    const std::vector<Aabb> boxes = boxesOf(kind, 400, 5);
    Built built;
    built.build(allOf(boxes), boxes);
    for (const Aabb& a : boxes) {
      const std::vector<ProxyId> got = test::overlapsInTree(built.tree, built.tree.map(a));
      for (ProxyId id = 0; id < boxes.size(); ++id)
        EXPECT_TRUE(!overlaps(a, boxes[id]) || std::binary_search(got.begin(), got.end(), id));
    }
  }
}

TEST(BoxTreeBuild, TakesSomeIdsOnlyAndForgetsWhatWasBefore) {
  const std::vector<Aabb> boxes = boxesOf(Kind::Uniform, 1000, 8);
  std::vector<ProxyId> some;
  for (ProxyId id = 5; id < boxes.size(); id += 3) some.push_back(id);
  Built built;
  built.build(allOf(boxes), boxes);
  built.build(some, boxes);
  test::expectTreeHolds(built.tree, built.places, built.list(some, boxes));
  built.build({}, boxes);
  test::expectTreeHolds(built.tree, built.places, {});
  EXPECT_EQ(built.tree.root(), BoxTree::kNone);
}

// After a build the tree can be changed as any other.
TEST(BoxTreeBuild, GoesOnWithChanges) {
  const std::vector<Aabb> boxes = boxesOf(Kind::Sizes, 700, 9);
  Built built;
  built.build(allOf(boxes), boxes);
  auto list = built.list(allOf(boxes), boxes);
  for (ProxyId id = 0; id < boxes.size(); id += 2) {
    built.tree.remove(id, built.places);
    list.erase(id);
  }
  for (ProxyId id = 0; id < boxes.size(); id += 4) {
    built.tree.insert(id, built.tree.map(boxes[id]), built.places);
    list[id] = built.tree.map(boxes[id]);
  }
  test::expectTreeHolds(built.tree, built.places, list);
}

// The origin is in the middle of most boxes, not of their bounds, so that floats are fine where the boxes are.
TEST(BoxTreeBuild, OriginIsWhereTheBoxesAre) {
  std::vector<Aabb> boxes = boxesOf(Kind::Uniform, 501, 4);
  for (Aabb& box : boxes)
    for (int axis = 0; axis < 3; ++axis) {
      box.lower[axis] += 1e9;
      box.upper[axis] += 1e9;
    }
  boxes[7] = {{-1e15, -1e15, -1e15}, {-1e15, -1e15, -1e15}};  // an outlier
  Built built;
  built.build(allOf(boxes), boxes);
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(built.tree.origin()[axis], 1e9 + 50, 52);
  boxes.assign(20, {{1e200, -kInfinity, 0}, {1e200, kInfinity, 1}});
  built.build(allOf(boxes), boxes);
  EXPECT_EQ(built.tree.origin()[0], 0);
  for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(std::isfinite(built.tree.origin()[axis]));
}

std::size_t nodesVisited(const BoxTree& tree, const FloatBox& box) {
  std::vector<std::uint32_t> stack = {tree.root()};
  std::size_t count = 0;
  while (!stack.empty()) {
    const BoxTree::Node& node = tree.node(stack.back());
    stack.pop_back();
    ++count;
    for (unsigned lane = 0; node.level > 0 && lane < node.count; ++lane)
      if (overlaps(node.boxes.get(lane), box)) stack.push_back(node.child[lane]);
  }
  return count;
}

// What the curve is for: a small box meets few nodes. Of 8000 boxes in a cube, a leaf of eight is two boxes wide, so a
// question as large as a box meets about 2^3 leaves and fewer nodes above; leaves in no order would all be met. Boxes of
// very different sizes are kept apart, and dense clusters are as well resolved as the whole.
TEST(BoxTreeBuild, NeighboursShareLeaves) {
  for (const Kind kind : {Kind::Uniform, Kind::Clusters, Kind::SmallAndLarge}) {
    std::vector<Aabb> boxes = boxesOf(kind, 8000, 6);
    Built built;
    built.build(allOf(boxes), boxes);
    double visited = 0;
    // Odd places: the small ones.
    for (std::size_t i = 1; i < 400; ++i) visited += static_cast<double>(nodesVisited(built.tree, built.tree.map(boxes[i * 20 - 1]))) / 399;
    EXPECT_LT(visited, 40) << static_cast<int>(kind) << " of " << built.tree.nodeCount();
  }
}

}  // namespace
