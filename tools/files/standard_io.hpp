// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Standard input and output as memory, for `-` in place of a file name.
#pragma once

#include <cstddef>

namespace xpose::tools {

/// Zeroed memory of whole pages, which grows without a copy. Throws std::bad_alloc.
class page_memory {
 public:
  page_memory() = default;
  explicit page_memory(std::size_t bytes);
  page_memory(page_memory const&) = delete;
  page_memory& operator=(page_memory const&) = delete;
  ~page_memory();

  void grow(std::size_t bytes);
  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// All of standard input. Returns its bytes, which may be fewer than the memory's. Throws failure.
std::size_t read_standard_input(page_memory& memory);

/// Throws failure if standard output is a terminal, which an array would garble.
void check_standard_output();

/// Throws failure.
void write_standard_output(char const* data, std::size_t bytes);

}  // namespace xpose::tools
