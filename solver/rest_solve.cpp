// SPDX-License-Identifier: MIT
// The loads of bodies at rest. A pile finds them by itself, one sweep per substep, but some piles sway about them for ever.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sunder/solver/contact_solver.h"

namespace sunder {
namespace {

// A pile that is about to fall has no such loads. A leaning stack of eight whose masses differ by 100 takes some 1000 sweeps.
constexpr int kMostVisits = 20000, kMostSweeps = 3000;
constexpr int kRows = 7;

float* rowOf(ContactBlock& block, int row) {
  return row < 4 ? block.points[row].impulse : row < 6 ? block.tangentImpulse[row - 4] : block.twistImpulse;
}
const float* rowOf(const HeldBlock& block, int row) {
  return row < 4 ? block.impulse[row] : row < 6 ? block.tangentImpulse[row - 4] : block.twistImpulse;
}

}  // namespace

float ContactSolver::largestSpeed(std::span<const float> radius) const {
  float largest = 0;
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const float* v = bodies[i].velocity;
    const float speed = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + radius[i] * std::sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    if (!(speed <= largest)) largest = speed;  // NaN, too
  }
  return largest;
}

// Equation (29): from the impulses y that a sweep made of x (held_), on in the direction of the sweep before, further in each
// step, or anew where a sweep goes back.
void ContactSolver::goFurther(int& step) {
  const auto forEachRow = [this](auto&& work) {
    for (std::size_t k = 0; k < blocks_.size(); ++k)
      for (int row = 0; row < kRows; ++row) work(rowOf(blocks_[k], row), rowOf(held_[k], row), swept_[k].rows[row], row < 4);
  };
  float along[8] = {};
  forEachRow([&along](const float* y, const float* x, const float* last, bool) {
    for (int lane = 0; lane < 8; ++lane) along[lane] += (y[lane] - x[lane]) * (y[lane] - last[lane]);
  });
  float sum = 0;
  for (const float lane : along) sum += lane;
  if (sum < 0) step = 0;
  const float share = static_cast<float>(step) / static_cast<float>(step + 3);
  ++step;
  forEachRow([share](float* y, const float*, float* last, bool isPoint) {
    float next[8];
    for (int lane = 0; lane < 8; ++lane) next[lane] = y[lane] + share * (y[lane] - last[lane]);
    for (int lane = 0; isPoint && lane < 8; ++lane) next[lane] = std::max(next[lane], 0.0f);
    for (int lane = 0; lane < 8; ++lane) last[lane] = y[lane];
    for (int lane = 0; lane < 8; ++lane) y[lane] = next[lane];
  });
}

// Bodies without velocity, rows without softness or push, until gravity moves nothing. A sweep carries loads along one contact, so a stack
// of n needs n^2 of them, and more where light bodies carry heavy ones; with Nesterov's method (Mazhar, Heyn, Negrut and Tasora 2015,
// "Using Nesterov's method to accelerate multibody dynamics with friction and contact") it is some tenth of that.
int ContactSolver::solveAtRest(std::vector<Contact>& contacts, std::span<const ContactRef> active, const std::vector<std::uint32_t>& solverBody,
                               const std::vector<BodyFrame>& frames, const ContactSolverSettings& settings, std::span<const float> radius,
                               float tolerance, ThreadPool& pool) {
  const ContactKernel& kernel = contactKernel();
  setParameters(settings);
  colorsUsed_.assign(2 * bodies.size(), 0);
  colorContacts(active, solverBody);
  fillBlocks(contacts, solverBody, frames, settings, kernel, pool);
  parameters_.bias = parameters_.impulseScale = parameters_.maxPushSpeed = 0;
  parameters_.massScale = 1;
  parameters_.hitSpeed = std::numeric_limits<float>::max();
  base_.resize(bodies.size());
  for (std::size_t i = 1; i < bodies.size(); ++i) std::copy_n(drives[i].gain, 8, base_[i].v);
  swept_.assign(blocks_.size(), {});
  const int count = static_cast<int>(blocks_.size());
  const int most = std::min(kMostVisits, kMostSweeps * count);
  int visits = 0, step = 0;
  for (;; visits += count) {
    for (std::size_t i = 1; i < bodies.size(); ++i) std::copy_n(base_[i].v, 8, bodies[i].velocity);
    forEachColor(pool, [&](ContactBlock* blocks, int n) { kernel.warmStart(blocks, n, bodies.data()); });
    if (visits + count > most || count == 0 || largestSpeed(radius) <= tolerance) break;
    holdBlocks(held_);
    forEachColor(pool, [&](ContactBlock* blocks, int n) { kernel.solveNormals(blocks, n, bodies.data(), base_.data(), parameters_); });
    forEachColor(pool, [&](ContactBlock* blocks, int n) { kernel.relax(blocks, n, bodies.data(), nullptr, true, parameters_); });
    goFurther(step);
  }
  storeImpulses(blocks_, contacts, solverBody, settings.substep());
  return visits;
}

}  // namespace sunder
