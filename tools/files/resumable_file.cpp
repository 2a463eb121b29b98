// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "files/resumable_file.hpp"

#include "files/target_file.hpp"
#include "terminal/failure.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace xpose::tools {
namespace {

/// What is different, of the first line that is.
std::string difference(std::vector<std::string> const& there,
                       std::vector<std::string> const& here) {
  std::size_t const both = std::min(there.size(), here.size());
  for (std::size_t i = 0; i < both; ++i)
    if (there[i] != here[i])
      return text_of("it says \"", there[i], "\", and this run is \"", here[i], '"');
  return "it has other lines than this run";
}

}  // namespace

resumable_file::resumable_file(std::string const& path, std::size_t bytes,
                               run_identity const& identity)
    : identity_(identity.lines), bytes_(bytes) {
  target_file const target = find_target(path);
  target_ = target.path.string();
  partial_ = target_ + ".xpose-partial";
  record_ = target_ + ".xpose-resume";
  keep_off(identity.inputs);
  bool const has_record = read_record(record_, how_to_begin_anew()).has_value();
  descriptor_ = open(partial_.c_str(),
                     O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (has_record ? 0 : O_CREAT),
                     first_permissions(target));
  if (descriptor_ < 0 && has_record && errno == ENOENT)
    throw failure(record_, "its output, ", partial_, ", is gone; ", how_to_begin_anew());
  if (descriptor_ < 0) throw failure(partial_, "cannot be written: ", std::strerror(errno));
  try {
    take();
    // Read again: another run may have had the file between then and now.
    std::optional<run_record> const found = read_record(record_, how_to_begin_anew());
    if (found) go_on(*found);
    else begin(target);
    data_ = map_output(target, descriptor_, bytes_);
  } catch (...) {
    close_file();
    throw;
  }
}

void resumable_file::keep_off(std::vector<input_file const*> const& inputs) const {
  for (std::string const& written : {partial_, record_, name_of_new_record(record_)})
    for (input_file const* const in : inputs)
      if (in->is_at(written))
        throw failure(in->path(), "--resume would write its unfinished output over this input, as ",
                      written, "; give the input or the output another name");
}

/// The lock goes with the process, however that ends.
void resumable_file::take() {
  struct stat ours {
  }, named{};
  if (fstat(descriptor_, &ours) != 0 || !S_ISREG(ours.st_mode))
    throw failure(partial_, "it is not a regular file; ", how_to_begin_anew());
  bool const is_ours = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  if (!is_ours && errno != EWOULDBLOCK)
    throw failure(partial_, "cannot be locked: ", std::strerror(errno),
                  "; name a file on a file system that has locks, or leave out --resume");
  // Who waited for the lock of a run that ended has a file that has another name by now.
  if (!is_ours || lstat(partial_.c_str(), &named) != 0 || named.st_ino != ours.st_ino)
    throw failure(partial_,
                  "another process is writing it; let that one end, or name another file");
  file_number_ = ours.st_ino;
}

void resumable_file::go_on(run_record const& found) {
  struct stat status {};
  bool const is_known = fstat(descriptor_, &status) == 0;
  if (found.identity != identity_)
    throw failure(record_, "it belongs to another run: ", difference(found.identity, identity_),
                  "; repeat that run, or ", how_to_begin_anew());
  if (!is_known || found.file_number != file_number_ ||
      static_cast<std::size_t>(status.st_size) != bytes_)
    throw failure(record_, "its output, ", partial_, ", is another file now; ",
                  how_to_begin_anew());
  tiles_before_ = tiles_ = found.tiles;
}

void resumable_file::begin(target_file const& target) {
  try {
    if (ftruncate(descriptor_, 0) != 0)
      throw failure(partial_, "cannot be written: ", std::strerror(errno));
    prepare_output(target, descriptor_, bytes_);
    write_record(record_, {identity_, file_number_, 0});
  } catch (...) {
    unlink(partial_.c_str());
    throw;
  }
}

std::string resumable_file::how_to_begin_anew() const {
  return text_of("remove it and ", partial_, " to begin anew");
}

void resumable_file::finish_tiles(index tiles) {
  if (msync(data_, bytes_, MS_SYNC) != 0)
    throw failure(partial_, "cannot be written: ", std::strerror(errno));
  write_record(record_, {identity_, file_number_, tiles});
  tiles_ = tiles;
}

void resumable_file::release() {
  if (data_ != nullptr) madvise(data_, bytes_, MADV_DONTNEED);
}

void resumable_file::commit() {
  munmap(data_, bytes_);
  data_ = nullptr;
  if (fsync(descriptor_) != 0) throw failure(partial_, "cannot be written: ", std::strerror(errno));
  // The record first: a run that finds it without its output would have to be refused.
  remove_record(record_);
  if (std::rename(partial_.c_str(), target_.c_str()) == 0) return;
  int const code = errno;
  try {
    write_record(record_, {identity_, file_number_, tiles_});
  } catch (failure const&) {
    // The output is complete, and the sentence below says where it is.
  }
  throw failure(target_, "cannot be written: ", std::strerror(code), "; the output is complete in ",
                partial_);
}

void resumable_file::close_file() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
  data_ = nullptr;
  descriptor_ = -1;
}

resumable_file::~resumable_file() { close_file(); }

}  // namespace xpose::tools
