// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The command on the CUDA runtime of tests/faults/fake, without a GPU: the library's own pieces,
// streams and pinned blocks, on streams that run late. A call that a machine would not take, as a
// kernel of pageable memory, fails the command with 99.

#include "faults/fake/fake_streams.hpp"

#include <cstdio>
#include <cstdlib>

extern "C" {

int __real_main(int count, char** words);

/// XPOSE_FAKE_DEVICE_BYTES: device memory that a command may take at a time. XPOSE_FAKE_BLOCKS: how
/// often it is given some before the device is full.
int __wrap_main(int count, char** words) {
  fake::start();
  fake::run_late(1, xpose::detail::backend_id::omp);
  if (char const* const most = std::getenv("XPOSE_FAKE_DEVICE_BYTES"))
    fake::allow_device_bytes(std::strtoull(most, nullptr, 10));
  if (char const* const blocks = std::getenv("XPOSE_FAKE_BLOCKS"))
    fake::allow_blocks(std::atoi(blocks));
  int const code = __real_main(count, words);
  std::string const wrong = fake::wrongs();
  if (wrong.empty()) return code;
  std::fprintf(stderr, "fake device: %s\n", wrong.c_str());
  return 99;
}
}
