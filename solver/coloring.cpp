// SPDX-License-Identifier: MIT
// Colors of contacts: those of one color share no body that moves, so they are solved in any order, in the lanes of a vector
// or on several threads, with the same result.
#include <algorithm>

#include "sunder/solver/contact_solver.h"

namespace sunder {
namespace {

constexpr int kColors = 64;             // of contacts between two moving bodies, and as many of contacts with fixed ones
constexpr int kFixedColors = kColors;   // offset of the latter, which are solved last: the ground has the last word
constexpr int kOverflow = 2 * kColors;  // contacts that found no color: solved one after the other
constexpr int kColorTotal = kOverflow + 1;

}  // namespace

// Each contact gets the first color that neither of its bodies has yet: in the order of the contacts, whatever the threads.
void ContactSolver::colorContacts(std::span<const ContactRef> active, const std::vector<std::uint32_t>& solverBody) {
  colorOf_.resize(active.size());
  colorCountOf_.assign(kColorTotal, 0);
  for (std::size_t i = 0; i < active.size(); ++i) {
    const std::uint32_t a = solverBody[active[i].bodyA], b = solverBody[active[i].bodyB];
    // A body with no mass at all is only read, and by any number of contacts of one color. One that only this contact
    // must not move may be written by others: it counts.
    const bool movesA = moves(a), movesB = moves(b);
    const int offset = movesA && movesB ? 0 : kFixedColors;
    std::uint64_t& usedA = colorsUsed_[2 * a + (offset != 0)];
    std::uint64_t& usedB = colorsUsed_[2 * b + (offset != 0)];
    const std::uint64_t taken = (movesA ? usedA : 0) | (movesB ? usedB : 0);
    int color = kOverflow;
    if (~taken != 0) {
      const int bit = __builtin_ctzll(~taken);
      usedA |= std::uint64_t{1} << bit;
      usedB |= std::uint64_t{1} << bit;
      color = offset + bit;
    }
    colorOf_[i] = static_cast<std::uint8_t>(color);
    ++colorCountOf_[static_cast<std::size_t>(color)];
  }
  overflows_ = colorCountOf_[kOverflow] > 0;
  // Blocks: eight contacts of a color each, but one each in the overflow.
  colorStart_.assign(1, 0);
  int first[kColorTotal], blockCount = 0;
  for (int color = 0; color < kColorTotal; ++color) {
    const int count = colorCountOf_[static_cast<std::size_t>(color)];
    first[color] = blockCount;
    if (count == 0) continue;
    blockCount += color == kOverflow ? count : (count + 7) / 8;
    colorStart_.push_back(blockCount);
  }
  if (static_cast<std::size_t>(blockCount) > blocks_.capacity()) {
    // Nothing of the blocks is kept, and they are the largest thing there is: never the old and the new at once. (In smaller
    // steps more gaps stay where they were: a pile of 10,000 boxes then takes 62 MB, not 54.)
    blocks_ = {};
    blocks_.reserve(static_cast<std::size_t>(2 * blockCount));
  }
  blocks_.resize(static_cast<std::size_t>(blockCount));
  for (ContactBlock& block : blocks_) block.laneCount = 0;
  std::fill(colorCountOf_.begin(), colorCountOf_.end(), 0);
  for (std::size_t i = 0; i < active.size(); ++i) {
    const int color = colorOf_[i];
    const int place = colorCountOf_[static_cast<std::size_t>(color)]++;
    ContactBlock& block = blocks_[static_cast<std::size_t>(first[color] + (color == kOverflow ? place : place / 8))];
    block.contact[block.laneCount++] = static_cast<std::int32_t>(active[i].contact);
    block.immovableA = color >= kFixedColors && color < kOverflow;
  }
}

}  // namespace sunder
