// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "files/standard_io.hpp"

#include "terminal/failure.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace xpose::tools {

page_memory::page_memory(std::size_t bytes) { grow(bytes); }

void page_memory::grow(std::size_t bytes) {
  void* const memory = data_ == nullptr ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                        : mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(memory);
  bytes_ = bytes;
}

page_memory::~page_memory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

std::size_t read_standard_input(page_memory& memory) {
  if (isatty(STDIN_FILENO) == 1)
    throw failure("standard input", "it is a terminal; pipe a .npy file into the command");
  memory.grow(std::size_t{1} << 20);
  std::size_t bytes = 0;
  while (true) {
    if (bytes == memory.bytes()) memory.grow(2 * bytes);
    ssize_t const some = read(STDIN_FILENO, memory.data() + bytes, memory.bytes() - bytes);
    if (some == 0) return bytes;
    if (some > 0) bytes += static_cast<std::size_t>(some);
    else if (errno != EINTR)
      throw failure("standard input", "cannot be read: ", std::strerror(errno));
  }
}

void check_standard_output() {
  if (isatty(STDOUT_FILENO) == 1)
    throw failure("standard output", "it is a terminal; pipe the array on or name a file");
}

void write_standard_output(char const* data, std::size_t bytes) {
  while (bytes > 0) {
    ssize_t const some = write(STDOUT_FILENO, data, bytes);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) throw failure("standard output", "cannot be written: ", std::strerror(errno));
    data += some;
    bytes -= static_cast<std::size_t>(some);
  }
}

}  // namespace xpose::tools
