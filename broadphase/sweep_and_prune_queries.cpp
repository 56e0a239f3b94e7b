// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "sunder/broadphase/sweep_and_prune.h"
#include "sunder/broadphase/sweep_and_prune_state_internal.h"

namespace sunder {
namespace {

// A lane's bounds in double, in the frame of the tree, wide enough to hold the box from before it was rounded to float:
// that error is at most 2^-24 of the value. 2^-20 of the bound and of the query's coordinates also covers, by far, the
// few 2^-53 of the query's own arithmetic. 1e-44 is above the spacing of subnormal floats.
constexpr double kSlack = 0x1p-20;
constexpr double kLeastSlack = 1e-44;

struct Interval {
  double lower, upper;
};
Interval widened(const BoxLanes& lanes, int axis, unsigned lane, double queryScale) {
  // Doubles beyond the floats were mapped to infinity; they may be anything above the largest float.
  const double lower = std::min<double>(lanes.lower[axis][lane], std::numeric_limits<float>::max());
  const double upper = std::max<double>(lanes.upper[axis][lane], -std::numeric_limits<float>::max());
  return {lower - (kSlack * (std::abs(lower) + queryScale) + kLeastSlack),
          upper + (kSlack * (std::abs(upper) + queryScale) + kLeastSlack)};
}

// The cast in the frame of a tree, tested against lanes. Never misses what castBox() finds, never enters later.
struct LaneCast {
  double lower[3], upper[3], displacement[3], scale[3];

  LaneCast(const BoxCast& cast, const double origin[3]) {
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis] = cast.box.lower.data()[axis] - origin[axis];
      upper[axis] = cast.box.upper.data()[axis] - origin[axis];
      displacement[axis] = cast.displacement.data()[axis];
      scale[axis] = std::max(std::abs(lower[axis]), std::abs(upper[axis]));
    }
  }
  bool hits(const BoxLanes& lanes, unsigned lane, double maxFraction, double& enter) const {
    double exit = maxFraction;
    enter = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const Interval target = widened(lanes, axis, lane, scale[axis]);
      const double d = displacement[axis];
      if (d == 0) {
        if (lower[axis] > target.upper || target.lower > upper[axis]) return false;
        continue;
      }
      const double t1 = (target.lower - upper[axis]) / d, t2 = (target.upper - lower[axis]) / d;
      enter = std::max(enter, d > 0 ? t1 : t2);
      exit = std::min(exit, d > 0 ? t2 : t1);
    }
    return enter <= exit;
  }
};

struct Waiting {
  double order;
  std::uint32_t node;
};

// Pushes a node's children that pass `test(lane, order)`, the one with the least order on top.
template <class Test>
void pushSorted(const BoxTree::Node& node, Waiting* stack, unsigned& top, Test&& test) {
  const unsigned first = top;
  for (unsigned lane = 0; lane < node.count; ++lane) {
    Waiting next{0, node.child[lane]};
    if (!test(lane, next.order)) continue;
    unsigned at = top++;
    for (; at > first && stack[at - 1].order < next.order; --at) stack[at] = stack[at - 1];
    stack[at] = next;
  }
}

// Distance from the point to a lane's box, never more than the true one.
struct LaneDistance {
  double point[3];

  LaneDistance(const Eigen::Vector3d& p, const double origin[3]) {
    for (int axis = 0; axis < 3; ++axis) point[axis] = p.data()[axis] - origin[axis];
  }
  double operator()(const BoxLanes& lanes, unsigned lane) const {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const Interval box = widened(lanes, axis, lane, std::abs(point[axis]));
      const double gap = std::max(0.0, std::max(box.lower - point[axis], point[axis] - box.upper));
      sum += gap * gap;
    }
    // Below the rounding of the sum and the root.
    return std::sqrt(sum) * (1 - 1e-12);
  }
};

}  // namespace

bool SweepAndPrune::visitOverlaps(const Aabb& box, OverlapVisitor visit, void* context) const {
  if (!isValid(box)) return false;
  const State& s = *state_;
  for (const BoxTree& tree : s.trees) {
    const bool goOn = tree.visitOverlaps(tree.map(box), [&](ProxyId id) {
      // The tree's box of a changed proxy is out of date.
      if (s.proxies[id].change != State::kNone || !overlaps(s.fat[id], box)) return true;
      return visit(context, id);
    });
    if (!goOn) return true;
  }
  for (const State::Change& change : s.changes) {
    if (s.proxies[change.id].alive && overlaps(s.fat[change.id], box) && !visit(context, change.id)) return true;
  }
  return true;
}

bool SweepAndPrune::visitCast(const BoxCast& cast, CastVisitor visit, void* context) const {
  if (!isValid(cast)) return false;
  const State& s = *state_;
  double maxFraction = 1;
  const auto meet = [&](ProxyId id) {
    CastHit hit{id, 0};
    if (castBox(cast, s.fat[id], maxFraction, hit.fraction)) maxFraction = std::min(maxFraction, visit(context, hit));
  };
  for (const State::Change& change : s.changes) {
    if (s.proxies[change.id].alive) meet(change.id);
    if (maxFraction < 0) return true;
  }
  for (const BoxTree& tree : s.trees) {
    if (tree.root() == BoxTree::kNone) continue;
    const LaneCast lanes(cast, tree.origin());
    Waiting stack[kTreeStack];
    unsigned top = 0;
    stack[top++] = {0, tree.root()};
    while (top > 0) {
      const Waiting next = stack[--top];
      if (next.order > maxFraction) continue;
      const BoxTree::Node& node = tree.node(next.node);
      if (node.level > 0) {
        pushSorted(node, stack, top,
                   [&](unsigned lane, double& order) { return lanes.hits(node.boxes, lane, maxFraction, order); });
        continue;
      }
      for (unsigned lane = 0; lane < node.count; ++lane) {
        double enter;
        if (!lanes.hits(node.boxes, lane, maxFraction, enter)) continue;
        if (s.proxies[node.child[lane]].change == State::kNone) meet(node.child[lane]);
        if (maxFraction < 0) return true;
      }
    }
  }
  return true;
}

bool SweepAndPrune::overlap(const Aabb& box, std::vector<ProxyId>& out) const {
  out.clear();
  const bool valid = visitOverlaps(box, [&out](ProxyId id) {
    out.push_back(id);
    return true;
  });
  std::sort(out.begin(), out.end());
  return valid;
}

bool SweepAndPrune::castClosest(const BoxCast& cast, CastHit& hit) const {
  bool found = false;
  visitCast(cast, [&](const CastHit& candidate) {
    if (!found || sooner(candidate, hit)) hit = candidate;
    found = true;
    return hit.fraction;
  });
  return found;
}

bool SweepAndPrune::castAll(const BoxCast& cast, std::vector<CastHit>& out) const {
  out.clear();
  const bool valid = visitCast(cast, [&out](const CastHit& hit) {
    out.push_back(hit);
    return 1.0;
  });
  std::sort(out.begin(), out.end(), sooner);
  return valid;
}

bool SweepAndPrune::castAny(const BoxCast& cast) const {
  bool found = false;
  visitCast(cast, [&found](const CastHit&) {
    found = true;
    return -1.0;
  });
  return found;
}

bool SweepAndPrune::nearest(const Eigen::Vector3d& point, std::size_t k, std::vector<NearHit>& out) const {
  out.clear();
  if (!isFinite(point)) return false;
  if (k == 0) return true;
  const State& s = *state_;
  const auto meet = [&](ProxyId id) {
    const NearHit hit{id, std::sqrt(squaredDistance(point, s.fat[id]))};
    if (out.size() == k) {
      if (!nearer(hit, out.front())) return;
      std::pop_heap(out.begin(), out.end(), nearer);
      out.pop_back();
    }
    out.push_back(hit);
    std::push_heap(out.begin(), out.end(), nearer);
  };
  const auto tooFar = [&](double distance) { return out.size() == k && distance > out.front().distance; };
  for (const State::Change& change : s.changes) {
    if (s.proxies[change.id].alive) meet(change.id);
  }
  for (const BoxTree& tree : s.trees) {
    if (tree.root() == BoxTree::kNone) continue;
    const LaneDistance distance(point, tree.origin());
    Waiting stack[kTreeStack];
    unsigned top = 0;
    stack[top++] = {0, tree.root()};
    while (top > 0) {
      const Waiting next = stack[--top];
      if (tooFar(next.order)) continue;
      const BoxTree::Node& node = tree.node(next.node);
      if (node.level > 0) {
        pushSorted(node, stack, top, [&](unsigned lane, double& order) {
          order = distance(node.boxes, lane);
          return !tooFar(order);
        });
        continue;
      }
      for (unsigned lane = 0; lane < node.count; ++lane) {
        if (tooFar(distance(node.boxes, lane))) continue;
        if (s.proxies[node.child[lane]].change == State::kNone) meet(node.child[lane]);
      }
    }
  }
  std::sort_heap(out.begin(), out.end(), nearer);
  return true;
}

void SweepAndPrune::pairs(std::vector<ProxyPair>& out) const {
  out.clear();
  const State& s = *state_;
  for (std::size_t i = 0; i < s.proxies.size(); ++i) {
    if (!s.proxies[i].alive) continue;
    const ProxyId a = static_cast<ProxyId>(i);
    visitOverlaps(s.fat[a], [&](ProxyId b) {
      const State::Proxy &p = s.proxies[a], &q = s.proxies[b];
      if (a < b && !(p.isStatic && q.isStatic) && accepts(p.filter, q.filter)) out.push_back({a, b});
      return true;
    });
  }
  std::sort(out.begin(), out.end());
}

}  // namespace sunder
