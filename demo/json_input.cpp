// SPDX-License-Identifier: MIT
#include "sunder/demo/json_input.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>
#include <vector>

#include "sunder/demo/text.h"

namespace sunder::demo {
namespace {

// A value as a message shows it: on one line and not too long.
std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

// The library's own text without its "[json.exception...] parse error at " in front.
std::string withoutPrefix(std::string text) {
  const std::size_t bracket = text.find("] ");
  if (bracket != std::string::npos) text.erase(0, bracket + 2);
  const std::string at = "parse error at ";
  if (text.compare(0, at.size(), at) == 0) text.erase(0, at.size());
  return oneLine(text);
}

// Our formats nest three deep. Values are printed and destroyed by functions that call themselves: the stack is finite.
constexpr int kDeepest = 64;

// Refuses what nests too deep and a key that stands twice in one object: JSON readers keep one of the two values and say
// nothing.
class ParseRules {
 public:
  bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > kDeepest) throw std::runtime_error("nests deeper than " + std::to_string(kDeepest) + " levels");
    if (event == Event::object_start) open_.emplace_back();
    if (event == Event::object_end) open_.pop_back();
    if (event == Event::key && !open_.back().insert(parsed.get<std::string>()).second) {
      throw std::runtime_error("the key " + shown(parsed) + " is there twice in one object");
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> open_;
};

// Some ten million boxes. Values take about ten times the memory of their text.
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;

// The whole text of a file or a pipe. A device may never end, and neither may a pipe.
std::string readText(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw std::runtime_error(path + ": is a directory");
  if (fs::is_character_file(status) || fs::is_block_file(status)) throw std::runtime_error(path + ": is a device, not a file");
  const std::string tooLarge = path + ": is larger than 1 GiB";
  if (fs::is_regular_file(status)) {
    const std::uintmax_t size = fs::file_size(path, ignored);
    if (!ignored && size > kLargestFile) throw std::runtime_error(tooLarge);
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": can't be opened: " + std::strerror(errno != 0 ? errno : EIO));
  std::string text;
  std::vector<char> block(1 << 16);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestFile) throw std::runtime_error(tooLarge);
  }
  if (in.bad()) throw std::runtime_error(path + ": can't be read");
  return text;
}

}  // namespace

nlohmann::json parseJsonFile(const std::string& path) {
  const std::string text = readText(path);
  try {
    ParseRules rules;
    return nlohmann::json::parse(text, std::ref(rules));
  } catch (const std::exception& error) {
    throw std::runtime_error(path + ": " + withoutPrefix(error.what()));
  }
}

std::string indexed(const std::string& name, std::size_t index) {
  std::string result = name;
  result += '[';
  result += std::to_string(index);
  result += ']';
  return result;
}

JsonObject::JsonObject(std::string file, std::string place, const nlohmann::json& value)
    : file_(std::move(file)), place_(std::move(place)), value_(value) {
  if (!value_.is_object()) fail("", "must be an object, got " + shown(value_));
}

void JsonObject::fail(const std::string& key, const std::string& message) const {
  std::string where = place_;
  if (!key.empty()) where += (where.empty() ? "" : ".") + key;
  throw std::runtime_error(file_ + ": " + (where.empty() ? "" : where + ": ") + oneLine(message));
}

void JsonObject::allowOnly(std::initializer_list<const char*> keys) const {
  for (const auto& item : value_.items()) {
    const auto same = [&](const char* key) { return item.key() == key; };
    if (std::none_of(keys.begin(), keys.end(), same)) fail("", "unknown key " + shown(item.key()));
  }
}

const nlohmann::json& JsonObject::get(const char* key) const {
  const auto found = value_.find(key);
  if (found == value_.end()) fail("", std::string("the key \"") + key + "\" is missing");
  return *found;
}

const nlohmann::json& JsonObject::array(const char* key) const {
  const nlohmann::json& value = get(key);
  if (!value.is_array()) fail(key, "must be an array, got " + shown(value));
  return value;
}

std::string JsonObject::string(const char* key) const {
  const nlohmann::json& value = get(key);
  if (!value.is_string()) fail(key, "must be a string, got " + shown(value));
  return value.get<std::string>();
}

bool JsonObject::boolean(const char* key) const {
  const nlohmann::json& value = get(key);
  if (!value.is_boolean()) fail(key, "must be true or false, got " + shown(value));
  return value.get<bool>();
}

double JsonObject::number(const char* key) const {
  const nlohmann::json& value = get(key);
  if (!value.is_number()) fail(key, "must be a number, got " + shown(value));
  return value.get<double>();
}

void JsonObject::numbers(const char* key, int count, double* out) const {
  const nlohmann::json& value = get(key);
  if (!value.is_array() || value.size() != static_cast<std::size_t>(count))
    fail(key, "must be an array of " + std::to_string(count) + " numbers, got " + shown(value));
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_number()) fail(indexed(key, i), "must be a number, got " + shown(value[i]));
    out[i] = value[i].get<double>();
  }
}

Eigen::Vector3d JsonObject::vector3(const char* key) const {
  double v[3];
  numbers(key, 3, v);
  return {v[0], v[1], v[2]};
}

Quaternion JsonObject::rotation(const char* key) const {
  double q[4];
  numbers(key, 4, q);
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  // Four digits, as people write 0.7071, are off by 1e-5; 1e-3 is a typing error.
  if (!(std::abs(length - 1) <= 1e-3)) {
    fail(key, "must be a unit quaternion w, x, y, z, got " + shown(get(key)) + " of length " + shown(length));
  }
  const bool exact = std::abs(length - 1) <= 1e-14;  // a unit quaternion that was printed keeps its bits
  const double scale = exact ? 1 : 1 / length;
  return {scale * q[0], scale * q[1], scale * q[2], scale * q[3]};
}

JsonObject JsonObject::object(const char* key) const {
  return JsonObject(file_, place_.empty() ? key : place_ + "." + key, get(key));
}

}  // namespace sunder::demo
