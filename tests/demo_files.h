// SPDX-License-Identifier: MIT
// Help for tests that read files or run the sunder command.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace sunder::demo {

// A directory that goes away with the object; one per test case and process, since CTest runs cases side by side.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            (std::string("sunder-") + info->name() + "-" + std::to_string(getpid()));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  // Writes the text to a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  std::string read(const std::string& name) const {
    std::ifstream in(file(name));
    return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  }

 private:
  std::filesystem::path path_;
};

// The message of the exception that a call throws; fails when it throws none.
template <typename Call>
std::string messageOf(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

struct CommandResult {
  int exitCode = -1;
  std::string out, error;
};

// Runs `sunder ARGUMENTS` through the shell, standard error apart.
inline CommandResult runCommand(const TemporaryDirectory& directory, const std::string& arguments) {
  const std::string line = std::string("'") + SUNDER_COMMAND + "' " + arguments + " >'" + directory.file("stdout") +
                           "' 2>'" + directory.file("stderr") + "'";
  const int status = std::system(line.c_str());
  CommandResult result;
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.out = directory.read("stdout");
  result.error = directory.read("stderr");
  return result;
}

}  // namespace sunder::demo
