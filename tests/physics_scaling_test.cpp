// SPDX-License-Identifier: MIT
// Stacks and pyramids of other sizes, rates, gravities and far from the origin: the demands of one metre, 60 Hz and 9.81 m/s^2
// at the origin, in lengths of the boxes.
#include <gtest/gtest.h>

#include <string>

#include "scene_rows.h"

namespace sunder::measure {
namespace {

struct Setting {
  const char* name;
  double edge;     // m
  double rate;     // Hz
  double gravity;  // m/s^2
  double offset;   // m along x and z
};
void PrintTo(const Setting& s, std::ostream* out) { *out << s.name; }

// `rows` cubes on each other, or a pyramid with so many at its base, each up to 0.3 % of the edge off.
demo::Scene pile(const Setting& s, int rows, bool pyramid, std::uint64_t seed) {
  demo::Scene scene;
  scene.gravity = {0, -s.gravity, 0};
  scene.dt = 1 / s.rate;
  demo::Random random(seed);
  const double half = 0.5 * s.edge, noise = 0.003 * s.edge;
  addStatic(scene, {50 * s.edge, s.edge, 50 * s.edge}, {s.offset, -s.edge, s.offset});
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < (pyramid ? rows - row : 1); ++i)
      addDynamic(scene, {half, half, half},
                 {s.offset + (pyramid ? (i + 0.5 * (row - rows)) * 1.01 * s.edge : 0) + random.between(-noise, noise), (row + 0.5) * s.edge,
                  s.offset + random.between(-noise, noise)});
  return scene;
}

class Scaling : public testing::TestWithParam<Setting> {};

void expectStands(const Setting& s, int rows, bool pyramid) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SceneRun run(pile(s, rows, pyramid, seed));
    run.run(1);
    run.markStart();
    run.run(4);
    // 1 mm of sinking, drift and penetration for a cube of 1 m at 9.81 m/s^2. The sag of a load grows with gravity and with the
    // square of the time step, and does not depend on size: cubes of a centimetre get three tenths of a millimetre.
    const double scale = std::max(1.0, s.gravity / 9.81) * std::max(1.0, 3600 / (s.rate * s.rate));
    const double limit = std::max(1e-3 * s.edge, 3e-4) * scale;
    for (int i = 1; i < run.size(); ++i) {
      ASSERT_LT(run.sideways(i), limit) << "seed " << seed << ", body " << i;
      ASSERT_LT(std::abs(run.moved(i)[1]), limit) << "seed " << seed << ", body " << i;
    }
    EXPECT_LT(run.overlaps().deepest, limit) << "seed " << seed;
    EXPECT_LT(run.rmsSpeed(), std::max(1e-3, 1e-3 * s.edge) * scale) << "seed " << seed;
  }
}
TEST_P(Scaling, StackStands) { expectStands(GetParam(), 8, false); }
TEST_P(Scaling, PyramidStands) { expectStands(GetParam(), 8, true); }

INSTANTIATE_TEST_SUITE_P(
    , Scaling,
    testing::Values(Setting{"asUsual", 1, 60, 9.81, 0}, Setting{"centimetre", 0.01, 60, 9.81, 0}, Setting{"decimetre", 0.1, 60, 9.81, 0},
                    Setting{"tenMetres", 10, 60, 9.81, 0}, Setting{"hundredMetres", 100, 60, 9.81, 0}, Setting{"hz30", 1, 30, 9.81, 0},
                    Setting{"hz120", 1, 120, 9.81, 0}, Setting{"hz240", 1, 240, 9.81, 0}, Setting{"weightless", 1, 60, 0, 0},
                    Setting{"moon", 1, 60, 1.62, 0}, Setting{"gravity100", 1, 60, 100, 0},
                    Setting{"thousandKilometres", 1, 60, 9.81, 1e6}, Setting{"tenThousandKilometres", 1, 60, 9.81, 1e7}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace sunder::measure
