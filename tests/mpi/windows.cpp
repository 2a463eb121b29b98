// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The memory that processes of a node share: every process's part, for all of them.
#include "processes.hpp"

#include "../../mpi/shared_window.hpp"

#include <doctest/doctest.h>

#include <cstdint>

TEST_SUITE_BEGIN("mpi.windows");

namespace {

std::byte pattern_of(int rank, xp::index at) {
  return static_cast<std::byte>((rank * 31 + at * 7 + 1) % 251);
}

TEST_CASE("parts of a shared window begin at cache lines, and all processes see all of each") {
  int rank = 0;
  int processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  xp::detail::shared_window window;
  for (xp::index const bytes : {1, 1001, 4096}) {
    CAPTURE(bytes);
    REQUIRE(window.reserve(MPI_COMM_WORLD, bytes, false, false));
    std::byte* const own = window.of_process(rank);
    for (xp::index n = 0; n < bytes; ++n) own[n] = pattern_of(rank, n);
    window.synchronise();
    MPI_Barrier(MPI_COMM_WORLD);
    window.synchronise();
    xp::index wrong = 0;
    for (int peer = 0; peer < processes; ++peer) {
      std::byte const* const part = window.of_process(peer);
      CHECK(reinterpret_cast<std::uintptr_t>(part) % 64 == 0);
      for (xp::index n = 0; n < bytes; ++n) wrong += part[n] != pattern_of(peer, n);
    }
    CHECK(wrong == 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  window.free();
}

}  // namespace

TEST_SUITE_END();
