// SPDX-License-Identifier: MIT
#include "sunder/broadphase/brute_force.h"

#include <algorithm>
#include <iterator>

#include "sunder/broadphase/fat_box_internal.h"

namespace sunder {

BruteForce::BruteForce(const BroadphaseSettings& settings) : settings_(settings) { requireValid(settings); }

const BruteForce::Proxy& BruteForce::checked(ProxyId id) const {
  if (!contains(id)) throw std::invalid_argument("BruteForce: proxy id = " + std::to_string(id) + " is not in use");
  return proxies_[id];
}

ProxyId BruteForce::insert(const Aabb& box, bool isStatic, const CollisionFilter& filter,
                           const Eigen::Vector3d& displacement) {
  requireValid(box);
  requireFinite(displacement, "displacement");
  ProxyId id = 0;
  while (id < proxies_.size() && !proxies_[id].idIsFree) ++id;
  if (id == proxies_.size()) proxies_.emplace_back();
  proxies_[id] = {fatten(box, displacement, settings_), filter, isStatic, true, false};
  return id;
}

void BruteForce::insert(std::span<const ProxyDef> proxies, std::span<ProxyId> ids) {
  if (proxies.size() != ids.size()) throw std::invalid_argument("BruteForce::insert: spans differ in length");
  for (const ProxyDef& p : proxies) requireValid(p.box);
  for (std::size_t i = 0; i < proxies.size(); ++i) {
    ids[i] = insert(proxies[i].box, proxies[i].isStatic, proxies[i].filter);
  }
}

void BruteForce::setSettings(const BroadphaseSettings& settings) {
  requireValid(settings);
  settings_ = settings;
}

MoveStatus BruteForce::move(ProxyId id, const Aabb& box, const Eigen::Vector3d& displacement) {
  if (!contains(id)) return MoveStatus::kUnknownProxy;
  if (!isValid(box) || !isFinite(displacement)) return MoveStatus::kInvalidInput;
  if (mayServe(proxies_[id].fat, box, displacement, settings_)) return MoveStatus::kInside;
  proxies_[id].fat = fatten(box, displacement, settings_);
  return MoveStatus::kLeft;
}

void BruteForce::remove(ProxyId id) {
  checked(id);
  proxies_[id].alive = false;
}

void BruteForce::setFilter(ProxyId id, const CollisionFilter& filter) {
  checked(id);
  proxies_[id].filter = filter;
}

const PairEvents& BruteForce::updatePairs() {
  std::vector<ProxyPair> now;
  pairs(now);
  events_.began.clear();
  events_.ended.clear();
  std::set_difference(now.begin(), now.end(), pairs_.begin(), pairs_.end(), std::back_inserter(events_.began));
  std::set_difference(pairs_.begin(), pairs_.end(), now.begin(), now.end(), std::back_inserter(events_.ended));
  pairs_ = std::move(now);
  for (Proxy& p : proxies_) p.idIsFree = !p.alive;
  return events_;
}

const Aabb& BruteForce::fatAabb(ProxyId id) const { return checked(id).fat; }
bool BruteForce::isStatic(ProxyId id) const { return checked(id).isStatic; }
const CollisionFilter& BruteForce::filter(ProxyId id) const { return checked(id).filter; }
std::size_t BruteForce::size() const {
  return static_cast<std::size_t>(
      std::count_if(proxies_.begin(), proxies_.end(), [](const Proxy& p) { return p.alive; }));
}

void BruteForce::pairs(std::vector<ProxyPair>& out) const {
  out.clear();
  for (ProxyId a = 0; a < proxies_.size(); ++a) {
    for (ProxyId b = a + 1; b < proxies_.size(); ++b) {
      const Proxy &p = proxies_[a], &q = proxies_[b];
      if (p.alive && q.alive && !(p.isStatic && q.isStatic) && accepts(p.filter, q.filter) && overlaps(p.fat, q.fat)) {
        out.push_back({a, b});
      }
    }
  }
}

bool BruteForce::overlap(const Aabb& box, std::vector<ProxyId>& out) const {
  out.clear();
  if (!isValid(box)) return false;
  for (ProxyId id = 0; id < proxies_.size(); ++id) {
    if (proxies_[id].alive && overlaps(proxies_[id].fat, box)) out.push_back(id);
  }
  return true;
}

bool BruteForce::castAll(const BoxCast& cast, std::vector<CastHit>& out) const {
  out.clear();
  if (!isValid(cast)) return false;
  for (ProxyId id = 0; id < proxies_.size(); ++id) {
    CastHit hit{id, 0};
    if (proxies_[id].alive && castBox(cast, proxies_[id].fat, 1, hit.fraction)) out.push_back(hit);
  }
  std::sort(out.begin(), out.end(), sooner);
  return true;
}

bool BruteForce::castClosest(const BoxCast& cast, CastHit& hit) const {
  std::vector<CastHit> all;
  castAll(cast, all);
  if (!all.empty()) hit = all.front();
  return !all.empty();
}

bool BruteForce::castAny(const BoxCast& cast) const {
  CastHit hit;
  return castClosest(cast, hit);
}

bool BruteForce::nearest(const Eigen::Vector3d& point, std::size_t k, std::vector<NearHit>& out) const {
  out.clear();
  if (!isFinite(point)) return false;
  for (ProxyId id = 0; id < proxies_.size(); ++id) {
    if (proxies_[id].alive) out.push_back({id, std::sqrt(squaredDistance(point, proxies_[id].fat))});
  }
  std::sort(out.begin(), out.end(), nearer);
  out.resize(std::min(out.size(), k));
  return true;
}

}  // namespace sunder
