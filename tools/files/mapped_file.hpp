// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Files as memory: inputs mapped read-only, the output mapped while nobody sees it. The name `-` is
// standard input or output.
#pragma once

#include "files/standard_io.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace xpose::tools {

/// A regular file's bytes, or those that come from standard input. Throws failure.
class input_file {
 public:
  explicit input_file(std::string path);
  input_file(input_file const&) = delete;
  input_file& operator=(input_file const&) = delete;
  ~input_file();

  /// "standard input" for `-`.
  std::string const& path() const { return path_; }
  std::string_view bytes() const { return {data_, bytes_}; }

 private:
  void map();

  std::string path_;
  page_memory read_;  // of standard input
  char const* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A file that appears under its name only when commit() is called, at once and whole. Before that
/// it is removed by the destructor and by whatever else ends the command. A symbolic link stays a
/// link: the file behind it is made or replaced. A file that is replaced hands on its permissions
/// and access control list, and owner and group as far as the system lets us; never is the new one
/// open to more users. The target may be one of the inputs. At most one exists at a time. Standard
/// output gets its bytes when commit() is called. Throws failure.
class output_file {
 public:
  /// Takes the disk space at once, so that a full disk is an error here and not SIGBUS later.
  output_file(std::string path, std::size_t bytes);
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;
  ~output_file();

  char* data() { return data_; }
  void commit();

 private:
  void create();
  void unmap();

  std::string path_;
  std::string name_;      // in its folder, behind symbolic links
  page_memory to_write_;  // to standard output
  char* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace xpose::tools
