// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "terminal/standard_streams.hpp"

#include "terminal/json_text.hpp"
#include "terminal/printable.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace xpose::tools {

void open_standard_streams() {
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // Open gives the lowest free number: this one. Opened for the wrong direction, so that a report
    // nobody can read is still an error.
    int const opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != descriptor) _exit(1);
  }
}

void print_line(std::FILE* to, std::string const& text) {
  std::string const line = printable(text) + '\n';
  std::fwrite(line.data(), 1, line.size(), to);
}

void print_text(std::string const& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_json(json_object const& object, std::FILE* to) {
  std::fputs((object.text() + '\n').c_str(), to);
}

}  // namespace xpose::tools
