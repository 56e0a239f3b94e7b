// SPDX-License-Identifier: MIT
#include "sunder/demo/report.h"

#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sunder/demo/text.h"

namespace sunder::demo {
namespace {

using Json = nlohmann::ordered_json;

// One line of the table: a label of 22 columns, then the text as printf makes it.
[[gnu::format(printf, 3, 4)]] void row(std::ostream& out, const char* label, const char* format, ...) {
  char left[32], right[128];
  std::snprintf(left, sizeof left, "  %-22s", label);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(right, sizeof right, format, arguments);
  va_end(arguments);
  out << left << right << '\n';
}

Json toJson(const Eigen::Vector3d& v) {
  return {v[0], v[1], v[2]};
}

}  // namespace

void printTable(const RunResult& r, std::ostream& out) {
  char dt[32];
  std::snprintf(dt, sizeof dt, "%.6g", r.dt);
  out << oneLine(r.scene) << ": " << r.bodies.size() << " bodies, " << r.steps << " steps of " << dt << " s, "
      << r.world.substeps << " substeps, " << r.world.threads << (r.world.threads == 1 ? " thread, " : " threads, ")
      << r.instructionSet << '\n';
  row(out, "ms per step", "%9s %9s", "median", "p99");
  for (const StageTiming& time : r.times)
    row(out, ("  " + time.stage).c_str(), "%9.3f %9.3f", time.timing.median, time.timing.p99);
  row(out, "pairs", "%d", r.last.pairs);
  row(out, "contacts", "%d with %d points", r.last.contacts, r.last.contactPoints);
  row(out, "deepest penetration", "%.4f mm now, %.4f mm over the run", 1e3 * r.deepestPenetration,
      1e3 * r.deepestPenetrationRun);
  row(out, "mean penetration", "%.4f mm", 1e3 * r.meanPenetration);
  row(out, "rms speed", "%.3g m/s", r.rmsSpeed);
  row(out, "energy", "%.8g J at the start, %.8g J now", r.energyStart, r.energyEnd);
  row(out, "asleep", "%d of %d", r.asleep, r.dynamicBodies);
  row(out, "state hash", "%s", hexadecimal(r.hash).c_str());
}

void writeJson(const RunResult& r, std::ostream& out) {
  Json times = {{"median", r.times[0].timing.median}, {"p99", r.times[0].timing.p99}};
  for (std::size_t i = 1; i < r.times.size(); ++i) times[r.times[i].stage] = r.times[i].timing.median;
  Json bodies = Json::array();
  for (const BodyResult& body : r.bodies) {
    const Quaternion& q = body.pose.orientation;
    bodies.push_back({{"name", body.name},
                      {"position", toJson(body.pose.position)},
                      {"orientation", {q.w(), q.x(), q.y(), q.z()}},
                      {"linear_velocity", toJson(body.linearVelocity)},
                      {"angular_velocity", toJson(body.angularVelocity)},
                      {"asleep", body.asleep}});
  }
  const Json json = {{"scene", r.scene},
                     {"steps", r.steps},
                     {"dt", r.dt},
                     {"substeps", r.world.substeps},
                     {"threads", r.world.threads},
                     {"instruction_set", r.instructionSet},
                     {"hash", hexadecimal(r.hash)},
                     {"deepest_penetration", r.deepestPenetration},
                     {"deepest_penetration_run", r.deepestPenetrationRun},
                     {"mean_penetration", r.meanPenetration},
                     {"rms_speed", r.rmsSpeed},
                     {"energy_start", r.energyStart},
                     {"energy_end", r.energyEnd},
                     {"asleep", r.asleep},
                     {"awake", r.last.awakeBodies},
                     {"pairs", r.last.pairs},
                     {"contacts", r.last.contacts},
                     {"contact_points", r.last.contactPoints},
                     {"narrowphase_queries", r.last.narrowphaseQueries},
                     {"islands", r.last.islands},
                     {"colors", r.last.colors},
                     {"most_substeps", r.last.mostSubsteps},
                     {"ms_per_step", times},
                     {"problems", r.problems},
                     {"bodies", bodies}};
  out << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace sunder::demo
