// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/tuning/store.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Closes what it holds.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor const&) = delete;
  descriptor& operator=(descriptor const&) = delete;
  ~descriptor() { release(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// False with errno set, which may tell of what was written late.
  bool release() {
    int const number = number_;
    number_ = -1;
    return number < 0 || close(number) == 0;
  }

 private:
  int number_;
};

std::string folder_of(std::string const& path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// Of a user's caches; empty if the environment tells of none.
std::string standard_folder() {
  char const* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/xpose";
  char const* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/xpose" : "";
}

bool is_folder(std::string const& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

[[noreturn]] void refuse_to_write(std::string const& path, char const* why) {
  refuse<backend_error>("tune: ", path, " cannot be written: ", why);
}
[[noreturn]] void refuse_to_write(std::string const& path) {
  refuse_to_write(path, std::strerror(errno));
}

/// Makes the folder and those around it, for the user alone, as XDG has it.
bool make_folder(std::string const& path) {
  if (is_folder(path)) return true;
  if (path.size() > 1 && !make_folder(folder_of(path))) return false;
  if (mkdir(path.c_str(), 0700) == 0 || is_folder(path)) return true;
  if (errno == EEXIST) errno = ENOTDIR;
  return false;
}

bool write_all(int to, std::string const& text) {
  for (std::size_t written = 0; written < text.size();) {
    ssize_t const now = write(to, text.data() + written, text.size() - written);
    if (now < 0 && errno != EINTR) return false;
    if (now > 0) written += static_cast<std::size_t>(now);
  }
  return fsync(to) == 0;
}

/// A file of a name that nothing has, in the folder of `path`; removed at the end unless it has
/// become `path`.
class temporary_file {
 public:
  explicit temporary_file(std::string const& path)
      : path_(path), name_(path + ".XXXXXX"), file_(mkostemp(name_.data(), O_CLOEXEC)) {}
  temporary_file(temporary_file const&) = delete;
  temporary_file& operator=(temporary_file const&) = delete;
  ~temporary_file() {
    if (exists_) unlink(name_.c_str());
  }

  bool is_open() const { return exists_; }
  bool write(std::string const& text) {
    return fchmod(file_.number(), 0644) == 0 && write_all(file_.number(), text) && file_.release();
  }
  bool replace() {
    if (rename(name_.c_str(), path_.c_str()) != 0) return false;
    exists_ = false;
    return true;
  }

 private:
  std::string const& path_;
  std::string name_;
  descriptor file_;
  bool exists_ = file_.is_open();
};

/// The text of a regular file of a sane size; a pipe or a device could be without end.
std::string read_all(descriptor const& file) {
  constexpr std::size_t most_bytes = 64 << 10;
  struct stat status {};
  if (fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
    throw backend_error("it is not a regular file");
  if (status.st_size > static_cast<off_t>(most_bytes))
    throw backend_error("it has more than 64 KB");
  std::string text(most_bytes, '\0');
  std::size_t bytes = 0;
  while (bytes < most_bytes) {
    ssize_t const now = read(file.number(), text.data() + bytes, most_bytes - bytes);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) throw backend_error(std::strerror(errno));
    if (now == 0) break;
    bytes += static_cast<std::size_t>(now);
  }
  text.resize(bytes);
  return text;
}

}  // namespace

tuning_location tuning_location_of(char const* setting) {
  using kind = tuning_location::kind;
  if (setting == nullptr || *setting == 0) return {kind::standard, standard_folder()};
  if (strcasecmp(setting, "off") == 0) return {kind::off};
  std::string path = setting;
  if (path.back() != '/' && !is_folder(path)) return {kind::file, path};
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return {kind::folder, path};
}

std::string tuning_path(tuning_location const& location, std::string const& backend,
                        std::string const& device) {
  if (location.is == tuning_location::kind::file || location.path.empty()) return location.path;
  std::string name = backend + '-';
  for (char const c : device) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (name.back() != '-') name += '-';
  }
  constexpr std::size_t most_characters = 100;
  name.resize(std::min(name.size(), most_characters));
  while (name.back() == '-') name.pop_back();
  return location.path + '/' + name + ".json";
}

std::string broken_sentence(std::string const& path, std::string const& what) {
  return message("the tuning file ", path, " cannot be used: ", what,
                 "; delete it, or write it anew by `xpose tune`");
}

std::optional<tuning_file> read_tuning_file(std::string const& path) {
  if (path.empty()) return std::nullopt;
  descriptor const file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  try {
    if (!file.is_open()) throw backend_error(std::strerror(errno));
    return parse_tuning(read_all(file));
  } catch (backend_error const& e) {
    throw backend_error(broken_sentence(path, e.what()).c_str());
  }
}

std::string why_foreign(tuning_file const& tuning, std::string const& backend,
                        std::string const& device) {
  if (tuning.format != tuning_file::known_format)
    return message("it is of format ", tuning.format, ", and this xpose reads format ",
                   tuning_file::known_format);
  if (tuning.version != XPOSE_VERSION)
    return message("it is of xpose ", tuning.version, ", and this is ", XPOSE_VERSION);
  if (tuning.backend != backend || tuning.device != device)
    return message("it is of ", tuning.backend, " on ", tuning.device, ", and this is ", backend,
                   " on ", device);
  return "";
}

void check_tuning_path(std::string const& path) {
  if (path.empty())
    refuse<backend_error>(
        "tune: neither XDG_CACHE_HOME nor HOME names a folder for the file; name a file or a "
        "folder");
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    refuse_to_write(path, "it is there, and no regular file");
  if (!make_folder(folder_of(path))) refuse_to_write(path);
  if (access(folder_of(path).c_str(), W_OK | X_OK) != 0) refuse_to_write(path);
}

void write_tuning_file(std::string const& path, tuning_file const& tuning) {
  check_tuning_path(path);
  temporary_file file(path);
  if (!file.is_open() || !file.write(text_of(tuning)) || !file.replace()) refuse_to_write(path);
  // The rename itself; a file system that cannot be asked has no more to offer.
  descriptor const folder(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) static_cast<void>(fsync(folder.number()));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
