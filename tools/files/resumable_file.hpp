// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// An output that outlives its run: a run that ends half-way, by whatever cause, leaves it and a
// record of its finished tiles, and the same run goes on from there.
#pragma once

#include "files/mapped_file.hpp"
#include "files/run_record.hpp"

namespace xpose::tools {

struct target_file;

/// Until commit() the output is in OUT.xpose-partial, and its record in OUT.xpose-resume, in the
/// folder of OUT, behind symbolic links. commit() removes the record and gives the output its name;
/// what had that name is untouched until then. If the output cannot have it, the record comes back.
/// A record comes into being when the output has all its disk space; an output without a record is
/// begun anew, and removed if it cannot be. One process at a time has them: the second one is
/// refused. Throws failure.
class resumable_file : public output_bytes {
 public:
  /// Goes on with what a run of the same identity has left, or begins. A record of another run,
  /// and one whose output is gone or another file, is refused and left as it is. So is an input at
  /// one of the names that are written before commit().
  resumable_file(std::string const& path, std::size_t bytes, run_identity const& identity);
  ~resumable_file() override;

  char* data() override { return data_; }
  void commit() override;
  void release() override;

  index tiles_before() const override { return tiles_before_; }
  /// The tiles' bytes are on the disk before the record says so, and both when this returns.
  void finish_tiles(index tiles) override;

 private:
  void keep_off(std::vector<input_file const*> const& inputs) const;
  void take();
  void go_on(run_record const& found);
  void begin(target_file const& target);
  std::string how_to_begin_anew() const;
  void close_file();

  std::string partial_;  // paths
  std::string record_;
  std::string target_;
  std::vector<std::string> identity_;
  std::size_t bytes_;
  int descriptor_ = -1;
  std::uint64_t file_number_ = 0;
  index tiles_before_ = 0;
  index tiles_ = 0;  // that the record has
  char* data_ = nullptr;
};

}  // namespace xpose::tools
