// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose::seq in a child of fork() whose parent has used OpenMP. A program of its own: in the first
// case xpose must not have had a team yet.

#include "omp/inner_calls.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace calls_within;
using calls_within::index;

constexpr index side = 200;

bool is_right_on_seq() {
  for (inner_call const& call : inner_calls)
    if (call.run(host_policy::seq, side) != call.run(host_policy::reference, side)) return false;
  return true;
}

/// Runs every operation under seq in a child, which ends within a minute: a wait for the parent's
/// threads would never end.
void check_in_child() {
  std::fflush(nullptr);
  pid_t const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60);
    std::_Exit(is_right_on_seq() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));  // else by the alarm
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("seq runs in a child whose parent has a team that xpose knows nothing of") {
  std::atomic<int> members{0};
#pragma omp parallel num_threads(4)
  ++members;
  REQUIRE(members == 4);
  check_in_child();
}

TEST_CASE("seq runs in a child whose parent has called omp") {
  for (inner_call const& call : inner_calls)
    CHECK(call.run(host_policy::omp, side) == call.run(host_policy::seq, side));
  check_in_child();
}

}  // namespace
