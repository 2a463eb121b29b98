// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Runs tests/trace/program.cpp, and reads what was traced.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

/// Of its own, removed at the end.
class temporary_folder {
 public:
  temporary_folder() {
    char name[] = "/tmp/xpose-trace-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~temporary_folder() { std::filesystem::remove_all(path_); }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  std::string file(std::string const& name) const { return path_ + "/" + name; }
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (auto const& entry : std::filesystem::directory_iterator(path_))
      all.push_back(entry.path().string());
    return all;
  }

 private:
  std::string path_;
};

inline std::vector<std::string> lines_of(std::string const& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Its exit code; settings as of a shell: "XPOSE_LOG=bench".
inline int run_program(std::string const& settings, std::string const& what) {
  return std::system((settings + " " XPOSE_TRACE_PROGRAM " " + what).c_str());
}
