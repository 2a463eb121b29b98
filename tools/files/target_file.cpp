// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "files/target_file.hpp"

#include "terminal/failure.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

std::string target_file::folder() const {
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

target_file find_target(std::string const& path) {
  target_file target{path, {}, false, {}};
  target.is_replaced = is_replaced(path, target.replaced);
  target.path = behind_links(path);
  return target;
}

mode_t first_permissions(target_file const& target) {
  return target.is_replaced ? 0600 : permissions();
}

void prepare_output(target_file const& target, int descriptor, std::size_t bytes) {
  int code = 0;
  if (target.is_replaced && !hand_on_attributes(target.path.c_str(), target.replaced, descriptor))
    code = errno;
  if (code == 0) {
    do code = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
    while (code == EINTR);
  }
  if (code == ENOSPC || code == EFBIG || code == EDQUOT || code == EINVAL)
    throw failure(target.given, "no space for its ", bytes, " bytes (", reason(code),
                  "); free some or write elsewhere");
  if (code != 0) throw failure(target.given, "cannot be written: ", reason(code));
}

char* map_output(target_file const& target, int descriptor, std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED)
    throw failure(target.given, "cannot be mapped into memory: ", reason(errno));
  return static_cast<char*>(memory);
}

}  // namespace xpose::tools
