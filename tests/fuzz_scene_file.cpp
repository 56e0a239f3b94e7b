// SPDX-License-Identifier: MIT
// Any bytes as a scene file: the reader accepts or throws, and a world that was made of what it accepted can be
// stepped.
#include <sunder/demo/runner.h>
#include <sunder/demo/scene_file.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/tmp/sunder-fuzz-scene-" + std::to_string(getpid()) + ".json";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) std::abort();
  if (size > 0 && std::fwrite(data, 1, size, file) != size) std::abort();
  std::fclose(file);
  sunder::demo::Scene scene;
  try {
    scene = sunder::demo::readSceneFile(path);
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    return 0;
  }
  if (scene.bodies.size() > 50) return 0;
  sunder::demo::RunOptions options;
  options.steps = 3;
  try {
    const auto result = sunder::demo::runScene(scene, options);
    if (!(result.deepestPenetrationRun >= 0)) std::abort();
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
