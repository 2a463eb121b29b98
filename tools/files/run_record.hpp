// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a run leaves behind so that another can go on with it: a small text file, whose every
// version is whole.
#pragma once

#include <xpose/config.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xpose::tools {

class input_file;

struct run_identity {
  std::vector<std::string> lines;         // of the record
  std::vector<input_file const*> inputs;  // which no unfinished output may overwrite
};

struct run_record {
  /// All that decides the bits of the output, one printable line each: versions, options, inputs.
  std::vector<std::string> identity;
  std::uint64_t file_number;  // the inode of the unfinished output
  index tiles;                // that are finished, the first ones
};

/// The record in the file; none if there is no file. Throws failure for a file that no run has
/// written as it is: of another format, cut, or changed.
std::optional<run_record> read_record(std::string const& path,
                                      std::string const& how_to_begin_anew);

/// Puts the record under that name at once and whole; before that it is in path + ".new". It is on
/// the disk when this returns. Throws failure, and leaves the record that was there.
void write_record(std::string const& path, run_record const& record);

/// Where write_record() puts it before that.
std::string name_of_new_record(std::string const& path);

/// Removes the record and what an interrupted write_record() has left.
void remove_record(std::string const& path);

}  // namespace xpose::tools
