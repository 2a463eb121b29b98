// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A folder for tuning files, and files of this machine's processor.
#pragma once

#include <xpose/backends/core/tuning/store.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/tuning.hpp>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// A folder that goes with the test, and calls that follow no file behind it.
class tuning_folder {
 public:
  tuning_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "xpose-tuning-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  tuning_folder(tuning_folder const&) = delete;
  tuning_folder& operator=(tuning_folder const&) = delete;
  ~tuning_folder() {
    xpose::load_tuning("off");
    std::filesystem::remove_all(path_);
  }

  std::string path(std::string const& name) const { return (path_ / name).string(); }
  std::string text(std::string const& name) const {
    std::ifstream file(path_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string write(std::string const& name, std::string const& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path(name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

/// Of this machine, with another number of bytes up to which one thread moves.
inline xpose::detail::tuning_file tuning_of_here(std::string const& bytes = "131072") {
  return {1,
          XPOSE_VERSION,
          "omp",
          xpose::detail::omp_device(),
          {{"move_team_bytes", bytes, "65536", 1.1}}};
}
