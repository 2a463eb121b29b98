// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "files/mapped_file.hpp"

#include "files/unfinished_file.hpp"
#include "terminal/failure.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace xpose::tools {
namespace {

std::string reason(int code) { return std::strerror(code); }

/// Whether the file exists, and with what attributes.
bool is_replaced(std::string const& path, struct stat& existing) {
  if (stat(path.c_str(), &existing) != 0) {
    if (errno == ENOENT) return false;  // to be made; a bad folder shows up there
    throw failure(path, "cannot be written: ", reason(errno), "; name another file");
  }
  if (S_ISDIR(existing.st_mode))
    throw failure(path, "cannot be written: it is a folder; name a file in it");
  if (!S_ISREG(existing.st_mode))
    throw failure(path, "cannot be written: it exists and is not a regular file; name another one");
  if (access(path.c_str(), W_OK) != 0)
    throw failure(path, "cannot be written: ", reason(errno), "; name another file");
  return true;
}

/// The file that a chain of symbolic links ends at, whether it exists or not.
std::filesystem::path behind_links(std::string const& path) {
  constexpr int longest_chain = 40;  // as the kernel has it
  std::filesystem::path target = path;
  std::error_code ignored;
  for (int links = 0; std::filesystem::is_symlink(target, ignored); ++links) {
    if (links == longest_chain) throw failure(path, "cannot be written: ", reason(ELOOP));
    target = target.parent_path() / std::filesystem::read_symlink(target, ignored);
  }
  return target;
}

/// False if the file's access control list could not be handed on. A list that the new file has
/// from its folder goes if the old one had none.
bool hand_on_access_list(char const* from, int to) {
  constexpr char const* attribute = "system.posix_acl_access";
  char list[65536];  // no attribute is longer
  ssize_t const bytes = getxattr(from, attribute, list, sizeof list);
  if (bytes >= 0) return fsetxattr(to, attribute, list, static_cast<std::size_t>(bytes), 0) == 0;
  fremovexattr(to, attribute);
  return true;
}

/// Owner, group, access control list and permissions of the file that is replaced.
bool hand_on_attributes(char const* from, struct stat const& of, int to) {
  bool const is_owner_kept = fchown(to, of.st_uid, of.st_gid) == 0;
  bool const is_group_kept = is_owner_kept || fchown(to, static_cast<uid_t>(-1), of.st_gid) == 0;
  bool const is_list_kept = hand_on_access_list(from, to);
  mode_t mode = of.st_mode & 0777;
  // Else members of our group, or those that a list named, would get what only others had.
  if (!is_group_kept || !is_list_kept) {
    mode_t const of_both = mode >> 3 & mode & 07;
    mode = (mode & 0700) | of_both << 3 | of_both;
  }
  return fchmod(to, mode) == 0;
}

/// Of a new file.
mode_t permissions() {
  mode_t const mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
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
  if (data_ != nullptr && read_.data() == nullptr) munmap(const_cast<char*>(data_), bytes_);
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
  struct stat replaced {};
  bool const has_replaced = is_replaced(path_, replaced);
  std::filesystem::path const target = behind_links(path_);
  name_ = target.filename().string();
  std::string const folder = target.has_parent_path() ? target.parent_path().string() : ".";
  // Of a file that is replaced nobody else sees the new content before its permissions hold.
  int const descriptor = create_unfinished_file(folder, has_replaced ? 0600 : permissions());
  if (descriptor < 0)
    throw failure(path_, "cannot be written: ", reason(errno),
                  "; name a file in a folder that can");
  try {
    int code = 0;
    if (has_replaced && !hand_on_attributes(target.c_str(), replaced, descriptor)) code = errno;
    if (code == 0) {
      do code = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes_));
      while (code == EINTR);
    }
    if (code == ENOSPC || code == EFBIG || code == EDQUOT || code == EINVAL)
      throw failure(path_, "no space for its ", bytes_, " bytes (", reason(code),
                    "); free some or write elsewhere");
    if (code != 0) throw failure(path_, "cannot be written: ", reason(code));
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) throw failure(path_, "cannot be mapped into memory: ", reason(errno));
    data_ = static_cast<char*>(memory);
  } catch (...) {
    remove_unfinished_file();
    throw;
  }
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
