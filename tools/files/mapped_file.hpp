// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Files as memory: inputs mapped read-only, the output mapped while nobody sees it. The name `-` is
// standard input or output.
#pragma once

#include "files/standard_io.hpp"

#include <xpose/config.hpp>

#include <sys/types.h>

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

  /// Size and time of the last change, as text; empty for standard input.
  std::string const& stamp() const { return stamp_; }
  /// Whether the file of this name still has them.
  bool is_unchanged() const;

  /// Whether the path names this very file, under whatever name it was opened. Follows no symbolic
  /// link.
  bool is_at(std::string const& path) const;

  /// Only pages that are used or asked for are read from a mapped file.
  void read_no_more_than_is_used() const;

  /// Takes the pages of a mapped file out of this process; they come back as they are read.
  void release() const;

 private:
  void map();
  bool is_mapped() const { return data_ != nullptr && read_.data() == nullptr; }

  std::string path_;
  std::string stamp_;
  dev_t device_ = 0;  // that has the file, if it is mapped
  ino_t number_ = 0;
  page_memory read_;  // of standard input
  char const* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Where a command writes its output, which gets its name when commit() is called.
class output_bytes {
 public:
  output_bytes() = default;
  output_bytes(output_bytes const&) = delete;
  output_bytes& operator=(output_bytes const&) = delete;
  virtual ~output_bytes() = default;

  virtual char* data() = 0;
  virtual void commit() = 0;

  /// Only pages that are used or asked for are read from a mapped file.
  void read_no_more_than_is_used() const;

  /// Takes the pages of a mapped file out of this process; the file keeps what they hold.
  virtual void release() = 0;

  /// Tiles that an earlier run has finished, the first ones.
  virtual index tiles_before() const { return 0; }
  /// So many tiles are finished.
  virtual void finish_tiles(index) {}
};

/// A file that appears under its name only when commit() is called, at once and whole. Before that
/// it is removed by the destructor and by whatever else ends the command. A symbolic link stays a
/// link: the file behind it is made or replaced. A file that is replaced hands on its permissions
/// and access control list, and owner and group as far as the system lets us; never is the new one
/// open to more users. The target may be one of the inputs. At most one exists at a time. Standard
/// output gets its bytes when commit() is called. Throws failure.
class output_file : public output_bytes {
 public:
  /// Takes the disk space at once, so that a full disk is an error here and not SIGBUS later.
  output_file(std::string path, std::size_t bytes);
  ~output_file() override;

  char* data() override { return data_; }
  void commit() override;
  void release() override;

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
