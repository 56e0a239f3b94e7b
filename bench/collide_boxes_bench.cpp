// SPDX-License-Identifier: MIT
// Nanoseconds of collideBoxes by kind of pair, both methods, and of the clipping alone against Sutherland and Hodgman's.
#include <sunder/narrowphase/box_pair_internal.h>
#include <sunder/narrowphase/collide_boxes.h>

#include <benchmark/benchmark.h>

#include <vector>

#include "../tests/box_pair_families.h"

namespace sunder {
namespace {

using families::Random;

// As many pairs as fit into the first cache with their results; every one keeps its own BoxPairCache.
constexpr int kPairs = 64;

struct Pairs {
  std::vector<Box> a, b;
  std::vector<Pose> poses[2];  // two states a solver's step apart, used in turn
  std::vector<BoxPairCache> caches;
  double maxDistance = 0.02;
};

enum class Kind { Stack, Brick, TurnedOnGround, CrossedFaces, Edges, Corner, Deep, Apart };

Pairs make(Kind kind) {
  Random random(11);
  Pairs pairs;
  const double quarter = std::acos(-1.0) / 4;
  for (int i = 0; i < kPairs; ++i) {
    families::BoxPairCase c;
    const double gap = -1e-3 + 5e-4 * random.uniform(-1, 1);
    Quaternion turn = Random::turn(1e-3 * random.direction());
    c.poseB.position = {1e-3 * random.uniform(-1, 1), 1e-3 * random.uniform(-1, 1), 1 + gap};
    switch (kind) {
      case Kind::Stack: break;
      case Kind::Brick: c.poseB.position.x() += 0.5; break;
      case Kind::TurnedOnGround:
        c.a.halfExtents = {20, 20, 0.5};
        turn = turn * Random::turn({0, 0, random.uniform(0, 1)});
        c.poseB.position += Eigen::Vector3d(random.uniform(-10, 10), random.uniform(-10, 10), 0);
        break;
      case Kind::CrossedFaces:
        turn = turn * Random::turn({0, 0, random.uniform(0.2, 0.7)});
        c.poseB.position += Eigen::Vector3d(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), 0);
        break;
      case Kind::Edges:
        c.poseA.orientation = Random::turn({0, quarter + random.uniform(-0.1, 0.1), 0});
        turn = turn * Random::turn({quarter + random.uniform(-0.1, 0.1), 0, 0});
        c.poseB.position.z() = 2 * std::sqrt(0.5) - 2e-2;
        break;
      case Kind::Corner:
        c.poseB.position += Eigen::Vector3d(1.008, 0.3, 0.006);
        break;
      case Kind::Deep:
        turn = random.rotation();
        c.poseB.position = 0.4 * random.direction();
        break;
      case Kind::Apart:
        turn = random.rotation();
        c.poseB.position = random.uniform(1.5, 2) * random.direction();
        break;
    }
    c.poseB.orientation = turn;
    pairs.a.push_back(c.a);
    pairs.b.push_back(c.b);
    for (auto& poses : pairs.poses) {
      families::BoxPairCase moved = c;
      moved.poseB.orientation = turn * Random::turn(1e-5 * random.direction());
      moved.poseB.position += 1e-5 * random.direction();
      poses.push_back(relativePose(moved.poseA, moved.poseB));
    }
    pairs.caches.emplace_back();
  }
  return pairs;
}

void collide(benchmark::State& state, Kind kind, NarrowphaseMethod method, bool warm) {
  Pairs pairs = make(kind);
  BoxCollision result;
  int step = 0, points = 0;
  for (auto _ : state) {
    const std::vector<Pose>& poses = pairs.poses[step++ & 1];
    points = 0;
    for (int i = 0; i < kPairs; ++i) {
      if (!warm) pairs.caches[i] = {};
      collideBoxes(pairs.a[i], pairs.b[i], poses[i], pairs.maxDistance, method, pairs.caches[i], result);
      benchmark::DoNotOptimize(result);
      points += result.manifold.pointCount;
    }
  }
  state.counters["ns_per_pair"] =
      benchmark::Counter(kPairs * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["points"] = points / double(kPairs);
}

// The textbook way: the incident polygon cut by four side planes one after the other (Sutherland and Hodgman, CACM 17(1),
// 1974). Polygon only, without ids and reduction, so what it lacks would come on top.
struct Polygon {
  double x[12], y[12], z[12];
  int count;
};
void cut(const Polygon& in, int axis, double sign, double h, Polygon& out) {
  out.count = 0;
  const double* along = axis == 0 ? in.x : in.y;
  for (int i = 0; i < in.count; ++i) {
    const int k = i + 1 == in.count ? 0 : i + 1;
    const double d = sign * along[i] - h, e = sign * along[k] - h;
    if (d <= 0) {
      out.x[out.count] = in.x[i];
      out.y[out.count] = in.y[i];
      out.z[out.count++] = in.z[i];
    }
    if ((d < 0 && e > 0) || (d > 0 && e < 0)) {
      const double s = d / (d - e);
      out.x[out.count] = in.x[i] + s * (in.x[k] - in.x[i]);
      out.y[out.count] = in.y[i] + s * (in.y[k] - in.y[i]);
      out.z[out.count++] = in.z[i] + s * (in.z[k] - in.z[i]);
    }
  }
}

BoxAxis faceAxis(const detail::BoxPair& pair) {
  double s[6];
  return detail::bestFaceAxis(pair, s);
}

std::vector<detail::BoxPair> loadAll(const Pairs& pairs) {
  std::vector<detail::BoxPair> loaded(kPairs);
  for (int i = 0; i < kPairs; ++i) {
    if (!detail::loadPair(pairs.a[i], pairs.b[i], pairs.poses[0][i], loaded[i])) std::abort();
    detail::finishPair(loaded[i]);
  }
  return loaded;
}

void sutherlandHodgman(benchmark::State& state, Kind kind) {
  const Pairs pairs = make(kind);
  const std::vector<detail::BoxPair> loaded = loadAll(pairs);
  Polygon one, two;
  for (auto _ : state) {
    for (const detail::BoxPair& p : loaded) {
      // All of these scenes have the top of A as the reference face and the bottom of B on it.
      for (int v = 0; v < 4; ++v) {
        const double s0 = v == 0 || v == 3 ? p.hb[0] : -p.hb[0], s1 = v < 2 ? p.hb[1] : -p.hb[1];
        one.x[v] = p.t[0] + s0 * p.r[0][0] + s1 * p.r[0][1] - p.hb[2] * p.r[0][2];
        one.y[v] = p.t[1] + s0 * p.r[1][0] + s1 * p.r[1][1] - p.hb[2] * p.r[1][2];
        one.z[v] = p.t[2] + s0 * p.r[2][0] + s1 * p.r[2][1] - p.hb[2] * p.r[2][2] - p.ha[2];
      }
      one.count = 4;
      cut(one, 0, 1, p.ha[0], two);
      cut(two, 0, -1, p.ha[0], one);
      cut(one, 1, 1, p.ha[1], two);
      cut(two, 1, -1, p.ha[1], one);
      benchmark::DoNotOptimize(one);
    }
  }
  state.counters["ns_per_pair"] =
      benchmark::Counter(kPairs * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void boxClipping(benchmark::State& state, Kind kind) {
  const Pairs pairs = make(kind);
  const std::vector<detail::BoxPair> loaded = loadAll(pairs);
  std::vector<BoxAxis> axes;
  for (const detail::BoxPair& p : loaded) axes.push_back(faceAxis(p));
  ContactManifold manifold;
  for (auto _ : state)
    for (int i = 0; i < kPairs; ++i) {
      detail::faceManifold(loaded[i], axes[i], 0.02, manifold);
      benchmark::DoNotOptimize(manifold);
    }
  state.counters["ns_per_pair"] =
      benchmark::Counter(kPairs * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void registerAll() {
  const struct {
    const char* name;
    Kind kind;
  } kinds[] = {{"stack", Kind::Stack}, {"brick", Kind::Brick}, {"turned_on_ground", Kind::TurnedOnGround},
               {"crossed_faces", Kind::CrossedFaces}, {"edges", Kind::Edges}, {"corner", Kind::Corner},
               {"deep", Kind::Deep}, {"apart", Kind::Apart}};
  for (const auto& k : kinds)
    for (const bool closed : {true, false})
      for (const bool warm : {true, false}) {
        const std::string name = std::string("collide/") + k.name + (closed ? "/closed_form" : "/gjk_epa") + (warm ? "/warm" : "/cold");
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          collide(state, k.kind, closed ? NarrowphaseMethod::ClosedForm : NarrowphaseMethod::GjkEpa, warm);
        });
      }
  for (const auto& k : kinds) {
    if (k.kind > Kind::CrossedFaces) break;
    benchmark::RegisterBenchmark((std::string("clip/") + k.name + "/ours_with_ids").c_str(),
                                 [=](benchmark::State& state) { boxClipping(state, k.kind); });
    benchmark::RegisterBenchmark((std::string("clip/") + k.name + "/sutherland_hodgman_polygon_only").c_str(),
                                 [=](benchmark::State& state) { sutherlandHodgman(state, k.kind); });
  }
}

}  // namespace
}  // namespace sunder

int main(int argc, char** argv) {
  sunder::registerAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
