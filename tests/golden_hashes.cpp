// SPDX-License-Identifier: MIT
// golden_hashes FILE [--update]: runs every scene of the file with 1 to 4 threads and compares the state hashes with
// the file's, or writes them there. Needs neither GoogleTest nor a JSON library, so that tests/determinism.sh can build
// it many times. The file has one scene per line.
#include <sunder/demo/runner.h>
#include <sunder/demo/scenes.h>
#include <sunder/demo/text.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

struct Golden {
  std::string scene;
  int steps = 0;
  std::string hash;
};

// One line of the file: {"scene": "pyr10", "steps": 120, "hash": "0x..."}
bool parse(const std::string& line, Golden& golden) {
  char scene[64], hash[64];
  if (std::sscanf(line.c_str(), " {\"scene\": \"%63[^\"]\", \"steps\": %d, \"hash\": \"%63[^\"]\"}", scene,
                  &golden.steps, hash) != 3)
    return false;
  golden.scene = scene;
  golden.hash = hash;
  return true;
}

std::vector<Golden> read(const char* path) {
  std::vector<Golden> result;
  std::ifstream in(path);
  Golden golden;
  for (std::string line; std::getline(in, line);)
    if (parse(line, golden)) result.push_back(golden);
  return result;
}

bool write(const char* path, const std::vector<Golden>& goldens) {
  std::ofstream out(path);
  out << "[\n";
  for (std::size_t i = 0; i < goldens.size(); ++i)
    out << "  {\"scene\": \"" << goldens[i].scene << "\", \"steps\": " << goldens[i].steps << ", \"hash\": \""
        << goldens[i].hash << "\"}" << (i + 1 < goldens.size() ? ",\n" : "\n");
  out << "]\n";
  return static_cast<bool>(out.flush());
}

}  // namespace

int main(int argc, char** argv) try {
  const bool update = argc == 3 && std::strcmp(argv[2], "--update") == 0;
  if (argc != 2 && !update) {
    std::cerr << "usage: golden_hashes FILE [--update]\n";
    return 2;
  }
  std::vector<Golden> goldens = read(argv[1]);
  if (goldens.empty()) {
    std::cerr << argv[1] << ": no scenes\n";
    return 2;
  }
  bool same = true;
  for (Golden& golden : goldens) {
    const sunder::demo::Scene scene = sunder::demo::builtInScene(golden.scene);
    for (int threads = 1; threads <= 4; ++threads) {
      sunder::demo::RunOptions options;
      options.steps = golden.steps;
      options.world.threads = threads;
      const sunder::demo::RunResult result = runScene(scene, options);
      const std::string hash = sunder::demo::hexadecimal(result.hash);
      if (update && threads == 1) golden.hash = hash;
      if (hash == golden.hash) continue;
      same = false;
      std::cout << golden.scene << ", " << golden.steps << " steps, " << threads << " threads, "
                << result.instructionSet << ": " << hash << ", expected " << golden.hash << '\n';
    }
  }
  if (update && !write(argv[1], goldens)) {
    std::cerr << argv[1] << ": can't be written\n";
    return 2;
  }
  std::cout << goldens.size() << " scenes, 1 to 4 threads: " << (same ? "same hashes" : "DIFFERENT") << '\n';
  return same ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "golden_hashes: " << error.what() << '\n';
  return 2;
}
