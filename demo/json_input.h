// SPDX-License-Identifier: MIT
// Reading JSON with messages that name the file, the place and the value. Only .cpp files include it.
#pragma once
#include <sunder/narrowphase/pose.h>

#include <Eigen/Core>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

namespace sunder::demo {

// Throws std::runtime_error: the file can't be read, is a device or larger than 1 GiB, is no JSON (with line and column),
// nests too deep, or has a key twice in one object.
nlohmann::json parseJsonFile(const std::string& path);

// "bodies", 3 -> "bodies[3]"
std::string indexed(const std::string& name, std::size_t index);

// An object somewhere in a JSON file. Every call throws std::runtime_error "FILE: PLACE: what is wrong"; but for the name of
// the file, that is one line.
class JsonObject {
 public:
  // `place` is how messages call this object, e.g. "bodies[3]"; empty for the whole file.
  JsonObject(std::string file, std::string place, const nlohmann::json& value);

  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  void allowOnly(std::initializer_list<const char*> keys) const;
  bool has(const char* key) const { return value_.contains(key); }

  const nlohmann::json& array(const char* key) const;
  std::string string(const char* key) const;
  bool boolean(const char* key) const;
  double number(const char* key) const;
  Eigen::Vector3d vector3(const char* key) const;
  // w, x, y, z; the length must be 1 to 1e-3. Normalised when it is off by more than rounding.
  Quaternion rotation(const char* key) const;
  JsonObject object(const char* key) const;

 private:
  const nlohmann::json& get(const char* key) const;
  void numbers(const char* key, int count, double* out) const;

  std::string file_, place_;
  const nlohmann::json& value_;
};

}  // namespace sunder::demo
