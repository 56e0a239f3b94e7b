// SPDX-License-Identifier: MIT
#include "sunder/broadphase/sweep_and_prune.h"

#include <algorithm>
#include <functional>

#include "sunder/broadphase/radix_sort_internal.h"
#include "sunder/broadphase/sweep_and_prune_state_internal.h"

namespace sunder {
namespace {

[[noreturn]] void refuseId(ProxyId id) {
  throw std::invalid_argument("SweepAndPrune: proxy id = " + std::to_string(id) + " is not in use");
}

}  // namespace

ProxyId SweepAndPrune::State::takeId() {
  if (!freeIds.empty()) {
    std::pop_heap(freeIds.begin(), freeIds.end(), std::greater<>());
    const ProxyId id = freeIds.back();
    freeIds.pop_back();
    return id;
  }
  const ProxyId id = static_cast<ProxyId>(proxies.size());
  growSlowly(proxies);
  growSlowly(fat);
  growSlowly(places);
  proxies.emplace_back();
  fat.emplace_back();
  places.push_back(kNone);
  return id;
}

SweepAndPrune::State::Change& SweepAndPrune::State::noteChange(ProxyId id) {
  Proxy& proxy = proxies[id];
  if (proxy.change == kNone) {
    proxy.change = static_cast<std::uint32_t>(changes.size());
    growSlowly(changes);
    changes.push_back({fat[id], proxy.filter, id, proxy.alive, true, Kind::kNothing});
  }
  return changes[proxy.change];
}

void SweepAndPrune::State::addProxy(ProxyId id, const Aabb& box, bool isStatic, const CollisionFilter& filter,
                                    const Eigen::Vector3d& displacement) {
  noteChange(id);
  proxies[id].alive = true;
  proxies[id].isStatic = isStatic;
  proxies[id].filter = filter;
  fat[id] = fatten(box, displacement, settings);
  ++alive;
}

SweepAndPrune::SweepAndPrune(const BroadphaseSettings& settings) {
  requireValid(settings);
  state_ = std::make_unique<State>();
  state_->settings = settings;
}
SweepAndPrune::~SweepAndPrune() = default;
SweepAndPrune::SweepAndPrune(const SweepAndPrune& other) : state_(std::make_unique<State>(*other.state_)) {}
SweepAndPrune& SweepAndPrune::operator=(const SweepAndPrune& other) {
  // Member by member, so that a target that is used again and again keeps its memory.
  *state_ = *other.state_;
  return *this;
}
SweepAndPrune::SweepAndPrune(SweepAndPrune&&) noexcept = default;
SweepAndPrune& SweepAndPrune::operator=(SweepAndPrune&&) noexcept = default;

ProxyId SweepAndPrune::insert(const Aabb& box, bool isStatic, const CollisionFilter& filter,
                              const Eigen::Vector3d& displacement) {
  requireValid(box);
  requireFinite(displacement, "displacement");
  const ProxyId id = state_->takeId();
  state_->addProxy(id, box, isStatic, filter, displacement);
  return id;
}

void SweepAndPrune::insert(std::span<const ProxyDef> proxies, std::span<ProxyId> ids) {
  if (proxies.size() != ids.size()) {
    throw std::invalid_argument("SweepAndPrune::insert: " + std::to_string(proxies.size()) + " proxies but room for " +
                                std::to_string(ids.size()) + " ids");
  }
  for (std::size_t i = 0; i < proxies.size(); ++i) {
    if (isValid(proxies[i].box)) continue;
    try {
      requireValid(proxies[i].box);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("proxies[" + std::to_string(i) + "]: " + error.what());
    }
  }
  const std::size_t total = state_->proxies.size() + proxies.size();
  state_->proxies.reserve(total);
  state_->fat.reserve(total);
  state_->places.reserve(total);
  state_->changes.reserve(state_->changes.size() + proxies.size());
  for (std::size_t i = 0; i < proxies.size(); ++i) {
    ids[i] = state_->takeId();
    state_->addProxy(ids[i], proxies[i].box, proxies[i].isStatic, proxies[i].filter, {0, 0, 0});
  }
}

MoveStatus SweepAndPrune::move(ProxyId id, const Aabb& box, const Eigen::Vector3d& displacement) {
  State& s = *state_;
  if (!s.isAlive(id)) return MoveStatus::kUnknownProxy;
  if (!isValid(box) || !isFinite(displacement)) return MoveStatus::kInvalidInput;
  if (mayServe(s.fat[id], box, displacement, s.settings)) return MoveStatus::kInside;
  s.noteChange(id);
  s.fat[id] = fatten(box, displacement, s.settings);
  return MoveStatus::kLeft;
}

bool SweepAndPrune::isInside(ProxyId id, const Aabb& box, const Eigen::Vector3d& displacement) const {
  return state_->isAlive(id) && isValid(box) && isFinite(displacement) && mayServe(state_->fat[id], box, displacement, state_->settings);
}

void SweepAndPrune::remove(ProxyId id) {
  if (!contains(id)) refuseId(id);
  state_->noteChange(id);
  state_->proxies[id].alive = false;
  --state_->alive;
}

void SweepAndPrune::setFilter(ProxyId id, const CollisionFilter& filter) {
  if (!contains(id)) refuseId(id);
  if (state_->proxies[id].filter == filter) return;
  state_->noteChange(id);
  state_->proxies[id].filter = filter;
}

const PairEvents& SweepAndPrune::updatePairs() {
  State& s = *state_;
  s.events.began.clear();
  s.events.ended.clear();
  if (!s.changes.empty()) s.update();
  return s.events;
}

void SweepAndPrune::setSettings(const BroadphaseSettings& settings) {
  requireValid(settings);
  state_->settings = settings;
}

bool SweepAndPrune::contains(ProxyId id) const { return state_->isAlive(id); }
std::size_t SweepAndPrune::size() const { return state_->alive; }
std::size_t SweepAndPrune::pairCount() const { return state_->pairCount; }

const SweepAndPrune::State& SweepAndPrune::checked(ProxyId id) const {
  if (!contains(id)) refuseId(id);
  return *state_;
}
const Aabb& SweepAndPrune::fatAabb(ProxyId id) const { return checked(id).fat[id]; }
bool SweepAndPrune::isStatic(ProxyId id) const { return checked(id).proxies[id].isStatic; }
const CollisionFilter& SweepAndPrune::filter(ProxyId id) const { return checked(id).proxies[id].filter; }

std::size_t SweepAndPrune::memoryBytes() const {
  const State& s = *state_;
  return sizeof(State) + s.proxies.capacity() * sizeof(State::Proxy) + s.fat.capacity() * sizeof(Aabb) +
         s.places.capacity() * sizeof(std::uint32_t) + s.trees[0].memoryBytes() + s.trees[1].memoryBytes() +
         s.changes.capacity() * sizeof(State::Change) + s.freeIds.capacity() * sizeof(ProxyId) +
         (s.events.began.capacity() + s.events.ended.capacity()) * sizeof(ProxyPair) +
         (s.keys[0].capacity() + s.keys[1].capacity() + s.sortSpace.capacity()) * sizeof(std::uint64_t) +
         s.pairSpace.capacity() * sizeof(ProxyPair) + s.branches.capacity() * sizeof(State::Branch) +
         s.searched[0].capacity() + s.searched[1].capacity() + s.ids.capacity() * sizeof(ProxyId);
}

}  // namespace sunder
