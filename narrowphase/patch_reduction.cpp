// SPDX-License-Identifier: MIT
#include "sunder/narrowphase/patch_reduction_internal.h"

namespace sunder::detail {

namespace {

double spread(const double x[], const double y[], int i, int k) {
  return (x[i] - x[k]) * (x[i] - x[k]) + (y[i] - y[k]) * (y[i] - y[k]);
}

// x, y: the points in units of the patch's size. Returns how many.
int spanningFour(const double x[], const double y[], int count, int kept[4]) {
  // Of points that score the same to this part, the earlier one stays: a tie must not be broken by rounding.
  constexpr double kTie = 1e-3;
  const auto highest = [count](auto&& score) {
    int best = 0;
    double bestScore = score(0);
    for (int i = 1; i < count; ++i) {
      const double s = score(i);
      if (s > bestScore + kTie) {
        best = i;
        bestScore = s;
      }
    }
    return best;
  };
  // One end by a fixed direction, the other end furthest from it, then the furthest on both sides of the line between them.
  // 35 degrees, not 45: on the diagonal two points of an octagon (a square turned by 45 degrees over another) would tie.
  kept[0] = highest([&](int i) { return x[i] + 0.7 * y[i]; });
  kept[1] = highest([&](int i) { return spread(x, y, i, kept[0]); });
  const double alongX = x[kept[1]] - x[kept[0]], alongY = y[kept[1]] - y[kept[0]];
  const auto side = [&](int i) { return alongX * (y[i] - y[kept[0]]) - alongY * (x[i] - x[kept[0]]); };
  kept[2] = highest(side);
  kept[3] = highest([&](int i) { return -side(i); });
  // With nothing beyond the line on one side two of these are the same: the place goes to the one furthest from the others,
  // or to none if all the rest lie within a tie of them.
  int keptCount = 0;
  for (int k = 0; k < 4; ++k) {
    const auto gap = [&](int i) {
      double least = 4;
      for (int m = 0; m < keptCount; ++m) {
        const double d = spread(x, y, i, kept[m]);
        least = d < least ? d : least;
      }
      return least;
    };
    int choice = kept[k];
    for (int m = 0; m < keptCount; ++m)
      if (kept[m] == choice) choice = -1;
    if (choice < 0) {
      choice = highest(gap);
      if (!(gap(choice) > 0)) continue;
    }
    kept[keptCount++] = choice;
  }
  return keptCount;
}

}  // namespace

int reducePatch(double x[], double y[], const double z[], int count, double deeper, int kept[4]) {
  double lowX = x[0], highX = lowX, lowY = y[0], highY = lowY;
  for (int i = 1; i < count; ++i) {
    lowX = x[i] < lowX ? x[i] : lowX;
    highX = x[i] > highX ? x[i] : highX;
    lowY = y[i] < lowY ? y[i] : lowY;
    highY = y[i] > highY ? y[i] : highY;
  }
  // Measured in units of the patch's own width and height, so that a long patch is spanned across too.
  const double scaleX = highX > lowX ? 1 / (highX - lowX) : 0, scaleY = highY > lowY ? 1 / (highY - lowY) : 0;
  for (int i = 0; i < count; ++i) {
    x[i] *= scaleX;
    y[i] *= scaleY;
  }
  const int keptCount = spanningFour(x, y, count, kept);
  int deepest = 0, deepestKept = kept[0];
  for (int i = 1; i < count; ++i) deepest = z[i] < z[deepest] ? i : deepest;
  for (int k = 1; k < keptCount; ++k) deepestKept = z[kept[k]] < z[deepestKept] ? kept[k] : deepestKept;
  if (z[deepest] < z[deepestKept] - deeper) {
    int nearest = 0;
    for (int k = 1; k < keptCount; ++k) nearest = spread(x, y, deepest, kept[k]) < spread(x, y, deepest, kept[nearest]) ? k : nearest;
    kept[nearest] = deepest;
  }
  return keptCount;
}

}  // namespace sunder::detail
