// SPDX-License-Identifier: MIT
#include "sunder/physics/debug_draw.h"

#include "sunder/physics/world_internal.h"

namespace sunder {

using namespace math;

void World::debugDraw(DebugDraw& draw, const DebugDrawOptions& options) const {
  const Impl& w = *impl_;
  for (std::uint32_t i = 0; i < w.bodies.size(); ++i) {
    const BodyState& body = w.bodies[i];
    if (!body.alive) continue;
    const DebugColor color = body.frozen                            ? DebugColor::Frozen
                             : body.def.kind == BodyKind::Static    ? DebugColor::Static
                             : body.def.kind == BodyKind::Kinematic ? DebugColor::Kinematic
                             : body.sleepingIsland != kNone         ? DebugColor::Asleep
                                                                    : DebugColor::Awake;
    if (options.bodies) draw.box(body.pose, body.def.halfExtents, color);
    if (options.bounds) draw.bounds(w.broadphase.fatAabb(i), DebugColor::Bounds);
  }
  if (!options.contacts) return;
  const double scale = w.lastDt > 0 ? options.forceScale / w.lastDt : 0;
  for (const ContactInfo& contact : contacts()) {
    if (!contact.touching) continue;
    Vec3 center = {0, 0, 0};
    for (int i = 0; i < contact.pointCount; ++i) {
      const ContactPointInfo& point = contact.points[i];
      const Vec3 from = load(point.position);
      center = center + (1.0 / contact.pointCount) * from;
      draw.point(point.position, DebugColor::Contact);
      Eigen::Vector3d to;
      store(to, from + (scale * point.normalImpulse) * load(contact.normal));
      draw.line(point.position, to, DebugColor::Normal);
    }
    Eigen::Vector3d from, to;
    store(from, center);
    store(to, center + scale * load(contact.frictionImpulse));
    draw.line(from, to, DebugColor::Friction);
  }
}

}  // namespace sunder
