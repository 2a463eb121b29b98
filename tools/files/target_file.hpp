// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The file that an output will get the name of: what it is now, and what of it is handed on.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace xpose::tools {

struct target_file {
  std::string given;           // as the command line names it
  std::filesystem::path path;  // behind symbolic links
  bool is_replaced;            // there is such a file
  struct stat replaced;        // what it is

  std::string folder() const;
  std::string name() const { return path.filename().string(); }
};

/// Throws failure if no file of that name can be made or replaced.
target_file find_target(std::string const& path);

/// Permissions to create the output with: of a file that is replaced nobody else sees the new
/// content before hand_on_attributes().
mode_t first_permissions(target_file const& target);

/// Gives the new file the owner, group, access control list and permissions of the replaced one, as
/// far as the system lets us. Then takes the disk space at once, so that a full disk is an error
/// here and not SIGBUS later. Throws failure.
void prepare_output(target_file const& target, int descriptor, std::size_t bytes);

/// The file as shared memory. Throws failure.
char* map_output(target_file const& target, int descriptor, std::size_t bytes);

}  // namespace xpose::tools
