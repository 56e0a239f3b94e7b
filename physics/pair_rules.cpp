// SPDX-License-Identifier: MIT
// World: what was asked for single pairs of bodies. Rules live in a sorted list of their own, since most pairs have none
// and a rule must hold before the bodies come near; a near pair keeps a copy of `ignored`, which is read in each step.
#include <algorithm>

#include "sunder/physics/world_internal.h"

namespace sunder {
namespace {

template <typename Rules>
auto lowerBound(Rules& rules, std::uint32_t a, std::uint32_t b) {
  return std::partition_point(rules.begin(), rules.end(), [&](const PairRule& rule) { return rule.a != a ? rule.a < a : rule.b < b; });
}

struct Indices {
  std::uint32_t a, b;
};
Indices checkedPair(World::Impl& world, BodyId a, BodyId b, const char* call) {
  world.checked(a, call);
  world.checked(b, call);
  require(a.index != b.index, std::string("world: ") + call + " of body " + std::to_string(a.index) + " with itself");
  return {std::min(a.index, b.index), std::max(a.index, b.index)};
}

PairRule& ruleFor(std::vector<PairRule>& rules, Indices pair) {
  auto at = lowerBound(rules, pair.a, pair.b);
  if (at == rules.end() || at->a != pair.a || at->b != pair.b) {
    PairRule rule;
    rule.a = pair.a;
    rule.b = pair.b;
    at = rules.insert(at, rule);
  }
  return *at;
}

}  // namespace

const PairRule* World::Impl::findRule(std::uint32_t a, std::uint32_t b) const {
  const auto at = lowerBound(pairRules, a, b);
  return at != pairRules.end() && at->a == a && at->b == b ? &*at : nullptr;
}

void World::ignorePair(BodyId a, BodyId b) {
  Impl& w = *impl_;
  const Indices indices = checkedPair(w, a, b, "ignorePair");
  PairRule& rule = ruleFor(w.pairRules, indices);
  if (rule.ignored) return;
  rule.ignored = true;
  BodyPair* pair = w.findPair(indices.a, indices.b);
  if (pair == nullptr) return;
  pair->ignored = true;
  w.endPair(*pair);
}

void World::allowPair(BodyId a, BodyId b) {
  Impl& w = *impl_;
  const Indices indices = checkedPair(w, a, b, "allowPair");
  if (!isIgnored(a, b)) return;
  ruleFor(w.pairRules, indices).ignored = false;
  BodyPair* pair = w.findPair(indices.a, indices.b);
  if (pair == nullptr) return;
  pair->ignored = false;
  pair->stale = true;
  // If they touch now, what sleeps of them has to wake.
  w.disturbed.push_back(indices.a);
}

bool World::isIgnored(BodyId a, BodyId b) const {
  const Indices indices = checkedPair(*impl_, a, b, "isIgnored");
  const PairRule* rule = impl_->findRule(indices.a, indices.b);
  return rule != nullptr && rule->ignored;
}

void World::setPairMaterial(BodyId a, BodyId b, const Material& material) {
  Impl& w = *impl_;
  const Indices indices = checkedPair(w, a, b, "setPairMaterial");
  BodyDef checkedValues;
  checkedValues.friction = material.friction;
  checkedValues.restitution = material.restitution;
  const std::string reason = validate(checkedValues);
  require(reason.empty(), reason);
  PairRule& rule = ruleFor(w.pairRules, indices);
  if (rule.hasMaterial && rule.material == material) return;
  rule.hasMaterial = true;
  rule.material = material;
  w.remakePair(indices.a, indices.b);
}

void World::clearPairMaterial(BodyId a, BodyId b) {
  Impl& w = *impl_;
  const Indices indices = checkedPair(w, a, b, "clearPairMaterial");
  const PairRule* rule = w.findRule(indices.a, indices.b);
  if (rule == nullptr || !rule->hasMaterial) return;
  ruleFor(w.pairRules, indices).hasMaterial = false;
  w.remakePair(indices.a, indices.b);
}

void World::Impl::remakePair(std::uint32_t a, std::uint32_t b) {
  BodyPair* pair = findPair(a, b);
  if (pair == nullptr) return;
  pair->stale = true;
  if (pair->contact == kNone) return;
  wake(a);
  wake(b);
}

}  // namespace sunder
