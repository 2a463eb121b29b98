// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the guards and the poison around operands catch.

#include "support/memory.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <csignal>
#include <initializer_list>

TEST_SUITE_BEGIN("test_memory");

namespace {

bool dies_reading(std::byte const* at) {
  pid_t const child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    auto const volatile byte = *at;
    _exit(static_cast<int>(byte) & 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

TEST_CASE("a guard ends the process that touches it") {
  for (std::size_t const bytes : std::initializer_list<std::size_t>{1, 100, 4096, 5000}) {
    image const before(place::host_guard_before, bytes);
    image const behind(place::host_guard_behind, bytes);
    CHECK(dies_reading(before.there() - 1));
    CHECK_FALSE(dies_reading(before.there()));
    CHECK_FALSE(dies_reading(behind.there() + bytes - 1));
    CHECK(dies_reading(behind.there() + bytes));
  }
}

TEST_CASE("a byte written beside an operand shows wherever there is no guard") {
  for (place const where : {place::host, place::host_guard_before, place::host_guard_behind}) {
    image const memory(where, 100);
    CHECK(memory.is_as_on_host());
    for (std::ptrdiff_t const at : {-64, -1, 0, 99, 100, 163}) {
      bool const has_guard = (at < 0 && where == place::host_guard_before) ||
                             (at > 99 && where == place::host_guard_behind);
      if (has_guard) continue;
      std::byte& byte = memory.there()[at];
      byte ^= std::byte{1};
      CHECK_FALSE(memory.is_as_on_host());
      byte ^= std::byte{1};
    }
  }
}

}  // namespace

TEST_SUITE_END();
