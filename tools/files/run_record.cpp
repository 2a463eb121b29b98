// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "files/run_record.hpp"

#include "terminal/failure.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace xpose::tools {
namespace {

constexpr char const* first_line = "xpose unfinished output, format 1";
constexpr std::size_t most_bytes = 1 << 20;  // a line is cut at 8 KB, and there are a dozen

/// FNV-1a: it tells a file that was cut or edited, and keeps nobody from forging one.
std::uint64_t checksum(std::string const& text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (char const c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}

std::string with_checksum(std::string const& text) {
  char line[32];
  std::snprintf(line, sizeof line, "checksum %016" PRIx64 "\n", checksum(text));
  return text + line;
}

std::string text_of_record(run_record const& record) {
  std::ostringstream text;
  text << first_line << '\n';
  for (std::string const& line : record.identity) text << "is " << line << '\n';
  text << "file " << record.file_number << '\n' << "tiles " << record.tiles << '\n';
  return with_checksum(text.str());
}

/// A descriptor that closes itself.
class open_file {
 public:
  open_file(std::string const& path, int flags)
      : descriptor_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666)) {}
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  ~open_file() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string read_all(int descriptor) {
  std::string text;
  char some[4096];
  while (text.size() <= most_bytes) {
    ssize_t const bytes = read(descriptor, some, sizeof some);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) break;
    text.append(some, static_cast<std::size_t>(bytes));
  }
  return text;
}

bool write_all(int descriptor, std::string const& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    ssize_t const bytes = write(descriptor, text.data() + done, text.size() - done);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return false;
    done += static_cast<std::size_t>(bytes);
  }
  return true;
}

/// The rest of the line, if it begins with that word.
std::optional<std::string> after(std::string const& word, std::string const& line) {
  if (line.compare(0, word.size() + 1, word + ' ') != 0) return std::nullopt;
  return line.substr(word.size() + 1);
}

/// False unless the file is what write_record() writes.
bool parse(std::string const& text, run_record& record) {
  std::size_t const last = text.rfind("checksum ");
  if (last == std::string::npos || with_checksum(text.substr(0, last)) != text) return false;
  std::istringstream lines(text.substr(0, last));
  std::string line;
  if (!std::getline(lines, line) || line != first_line) return false;
  while (std::getline(lines, line)) {
    if (auto const is = after("is", line)) record.identity.push_back(*is);
    else if (auto const number = after("file", line))
      std::istringstream(*number) >> record.file_number;
    else if (auto const tiles = after("tiles", line)) std::istringstream(*tiles) >> record.tiles;
    else return false;
  }
  return record.tiles >= 0;
}

/// So that a name outlives a loss of power, too. Not every file system lets folders be
/// synchronised.
void synchronise_folder_of(std::string const& path) {
  std::size_t const slash = path.rfind('/');
  open_file const folder(slash == std::string::npos ? "." : path.substr(0, slash + 1),
                         O_RDONLY | O_DIRECTORY);
  if (folder.descriptor() >= 0) fsync(folder.descriptor());
}

}  // namespace

std::string name_of_new_record(std::string const& path) { return path + ".new"; }

std::optional<run_record> read_record(std::string const& path,
                                      std::string const& how_to_begin_anew) {
  open_file const file(path, O_RDONLY);
  if (file.descriptor() < 0 && errno == ENOENT) return std::nullopt;
  struct stat status {};
  if (file.descriptor() < 0 || fstat(file.descriptor(), &status) != 0)
    throw failure(path, "cannot be read: ", std::strerror(errno), "; ", how_to_begin_anew);
  run_record record{{}, 0, 0};
  if (!S_ISREG(status.st_mode) || !parse(read_all(file.descriptor()), record))
    throw failure(path, "it is no record of an unfinished output, or it is damaged; ",
                  how_to_begin_anew);
  return record;
}

void write_record(std::string const& path, run_record const& record) {
  std::string const written = name_of_new_record(path);
  {
    open_file const file(written, O_WRONLY | O_CREAT | O_TRUNC);
    if (file.descriptor() < 0 || !write_all(file.descriptor(), text_of_record(record)) ||
        fsync(file.descriptor()) != 0) {
      int const code = errno;
      if (file.descriptor() >= 0) unlink(written.c_str());
      throw failure(written, "cannot be written: ", std::strerror(code));
    }
  }
  if (rename(written.c_str(), path.c_str()) != 0)
    throw failure(path, "cannot be written: ", std::strerror(errno));
  synchronise_folder_of(path);
}

void remove_record(std::string const& path) {
  unlink(path.c_str());
  unlink(name_of_new_record(path).c_str());
}

}  // namespace xpose::tools
