// SPDX-License-Identifier: MIT
#include "sunder/demo/pair_file.h"

#include <cmath>
#include <set>

#include "sunder/demo/json_input.h"

namespace sunder::demo {
namespace {

// A tenth of what the queries take (tolerances.h): they see the difference of two positions, turned.
constexpr double kSmallest = 1e-99, kLargest = 1e99;

PlacedBox readBox(const JsonObject& object) {
  PlacedBox result;
  result.box.halfExtents = object.vector3("half");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double extent = result.box.halfExtents.data()[axis];
    if (!(extent > 0)) object.fail(indexed("half", axis), "must be > 0, got " + nlohmann::json(extent).dump());
    if (extent < kSmallest || extent > kLargest)
      object.fail(indexed("half", axis), "must be between 1e-99 and 1e99, got " + nlohmann::json(extent).dump());
  }
  result.pose.position = object.vector3("pos");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double place = result.pose.position.data()[axis];
    if (!(std::fabs(place) <= kLargest))
      object.fail(indexed("pos", axis), "must be between -1e99 and 1e99, got " + nlohmann::json(place).dump());
  }
  result.pose.orientation = object.rotation("quat_wxyz");
  return result;
}

}  // namespace

std::vector<BoxPair> readPairFile(const std::string& path) {
  const nlohmann::json json = parseJsonFile(path);
  const JsonObject root(path, "", json);
  const nlohmann::json& cases = root.array("cases");
  std::vector<BoxPair> pairs;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const JsonObject item(path, indexed("cases", i), cases[i]);
    BoxPair pair;
    pair.id = item.has("id") ? item.string("id") : std::to_string(i);
    if (!ids.insert(pair.id).second) item.fail("id", "\"" + pair.id + "\" is the id of another pair, too");
    pair.a = readBox(item.object("a"));
    pair.b = readBox(item.object("b"));
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace sunder::demo
