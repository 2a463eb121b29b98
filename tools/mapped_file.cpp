// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "mapped_file.hpp"

#include "failure.hpp"
#include "unfinished_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace xpose::tools {
namespace {

std::string reason(int code) {
  return std::strerror(code);
}

void check_target(std::string const& path, std::string const& target) {
  struct stat existing {};
  if (stat(target.c_str(), &existing) != 0) return;  // to be made; a bad folder shows up there
  if (S_ISDIR(existing.st_mode))
    throw failure(path, "cannot be written: it is a folder; name a file in it");
  if (!S_ISREG(existing.st_mode))
    throw failure(path, "cannot be written: it exists and is not a regular file; name another one");
  if (access(target.c_str(), W_OK) != 0)
    throw failure(path, "cannot be written: ", reason(errno), "; name another file");
}

mode_t permissions() {
  mode_t const mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

input_file::input_file(std::string path) : path_(std::move(path)) {
  // O_NONBLOCK: opening a pipe nobody writes to would wait for ever. It means nothing for a file.
  int const descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw failure(path_, "cannot be read: ", reason(errno));
  struct stat status {};
  bool const is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
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
  if (data_ != nullptr) munmap(const_cast<char*>(data_), bytes_);
}

output_file::output_file(std::string path, std::size_t bytes)
    : path_(std::move(path)), bytes_(bytes) {
  std::error_code ignored;
  // A link stays a link: the file behind it is replaced.
  target_ = std::filesystem::is_symlink(path_, ignored)
                ? std::filesystem::weakly_canonical(path_, ignored).string()
                : path_;
  if (target_.empty()) target_ = path_;
  check_target(path_, target_);
  temporary_ = target_ + ".XXXXXX";
  descriptor_ = create_unfinished_file(temporary_);
  if (descriptor_ < 0) {
    int const code = errno;
    temporary_.clear();
    throw failure(path_, "cannot be written: ", reason(code), "; name a file in a folder that can");
  }
  try {
    int code = fchmod(descriptor_, permissions()) == 0 ? 0 : errno;
    if (code == 0) {
      do code = posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes_));
      while (code == EINTR);
    }
    if (code == ENOSPC || code == EFBIG || code == EDQUOT || code == EINVAL)
      throw failure(path_, "no space for its ", bytes_, " bytes (", reason(code),
                    "); free some or write elsewhere");
    if (code != 0) throw failure(path_, "cannot be written: ", reason(code));
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED) throw failure(path_, "cannot be mapped into memory: ", reason(errno));
    data_ = static_cast<char*>(memory);
  } catch (...) {
    close(descriptor_);
    remove_unfinished_file();
    throw;
  }
}

void output_file::unmap() {
  if (data_ != nullptr) munmap(data_, bytes_);
  data_ = nullptr;
}

void output_file::commit() {
  unmap();
  int const descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0 || !finish_unfinished_file(target_)) {
    int const code = errno;
    remove_unfinished_file();
    throw failure(path_, "cannot be written: ", reason(code));
  }
}

output_file::~output_file() {
  unmap();
  if (descriptor_ < 0) return;
  close(descriptor_);
  remove_unfinished_file();
}

}  // namespace xpose::tools
