// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "files/mapped_file.hpp"

#include "files/target_file.hpp"
#include "files/unfinished_file.hpp"
#include "terminal/failure.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace xpose::tools {
namespace {

std::string reason(int code) { return std::strerror(code); }

std::string stamp_of(struct stat const& status) {
  char nanoseconds[16];
  std::snprintf(nanoseconds, sizeof nanoseconds, "%09ld", status.st_mtim.tv_nsec);
  return text_of(status.st_size, " bytes, modified at ", status.st_mtim.tv_sec, ".", nanoseconds);
}

}  // namespace

input_file::input_file(std::string path) : path_(std::move(path)) {
  if (path_ != "-") {
    map();
    return;
  }
  path_ = "standard input";
  bytes_ = read_standard_input(read_);
  data_ = read_.data();
}

void input_file::map() {
  // O_NONBLOCK: opening a pipe nobody writes to would wait for ever. It means nothing for a file.
  int const descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw failure(path_, "cannot be read: ", reason(errno));
  struct stat status {};
  bool const is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  stamp_ = stamp_of(status);
  device_ = status.st_dev;
  number_ = status.st_ino;
  bytes_ = is_file ? static_cast<std::size_t>(status.st_size) : 0;
  void* const memory =
      bytes_ != 0 ? mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0) : nullptr;
  int const code = errno;
  close(descriptor);
  if (!is_file)
    throw failure(path_, S_ISDIR(status.st_mode)
                             ? "cannot be read: it is a folder"
                             : "cannot be read: it is not a regular file; store the data in one");
  if (memory == MAP_FAILED) {
    throw failure(path_, "cannot be mapped into memory: ", reason(code));
  }
  data_ = static_cast<char const*>(memory);
}

input_file::~input_file() {
  if (is_mapped()) munmap(const_cast<char*>(data_), bytes_);
}

void input_file::release() const {
  if (is_mapped()) madvise(const_cast<char*>(data_), bytes_, MADV_DONTNEED);
}

void input_file::read_no_more_than_is_used() const {
  if (is_mapped()) madvise(const_cast<char*>(data_), bytes_, MADV_RANDOM);
}

bool input_file::is_at(std::string const& path) const {
  struct stat status {};
  return is_mapped() && lstat(path.c_str(), &status) == 0 && status.st_dev == device_ &&
         status.st_ino == number_;
}

bool input_file::is_unchanged() const {
  struct stat status {};
  return !is_mapped() || (stat(path_.c_str(), &status) == 0 && stamp_of(status) == stamp_);
}

output_file::output_file(std::string path, std::size_t bytes)
    : path_(std::move(path)), bytes_(bytes) {
  if (path_ != "-") {
    create();
    return;
  }
  check_standard_output();
  to_write_.grow(bytes_);
  data_ = to_write_.data();
}

void output_file::create() {
  target_file const target = find_target(path_);
  name_ = target.name();
  int const descriptor = create_unfinished_file(target.folder(), first_permissions(target));
  if (descriptor < 0)
    throw failure(path_, "cannot be written: ", reason(errno),
                  "; name a file in a folder that can");
  try {
    prepare_output(target, descriptor, bytes_);
    data_ = map_output(target, descriptor, bytes_);
  } catch (...) {
    remove_unfinished_file();
    throw;
  }
}

void output_file::release() {
  if (data_ != nullptr && to_write_.data() == nullptr) madvise(data_, bytes_, MADV_DONTNEED);
}

void output_file::unmap() {
  if (data_ != nullptr && to_write_.data() == nullptr) munmap(data_, bytes_);
  data_ = nullptr;
}

void output_file::commit() {
  if (to_write_.data() != nullptr) return write_standard_output(data_, bytes_);
  unmap();
  if (!finish_unfinished_file(name_)) throw failure(path_, "cannot be written: ", reason(errno));
}

output_file::~output_file() {
  unmap();
  remove_unfinished_file();
}

}  // namespace xpose::tools
