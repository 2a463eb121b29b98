// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Test cases that need a process of their own: its first call, or a device that it takes away.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

/// Of such a process, the number that it was started with; less than 0 elsewhere.
inline int number_of_own_process() {
  char const* const number = std::getenv("XPOSE_TESTS_OWN_PROCESS");
  return number == nullptr ? -1 : std::atoi(number);
}

/// body(n) for n below count, each in a process that runs the calling test case alone, whose name
/// has no comma.
template <class Body>
void in_own_processes(int count, Body const& body) {
  int const mine = number_of_own_process();
  if (mine >= 0) return body(mine);
  std::string const self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string const test_case = doctest::getContextOptions()->currentTest->m_name;
  for (int n = 0; n < count; ++n) {
    CAPTURE(n);
    setenv("XPOSE_TESTS_OWN_PROCESS", std::to_string(n).c_str(), 1);
    CHECK(std::system((self + " --test-case='" + test_case + "' >&2").c_str()) == 0);
  }
  unsetenv("XPOSE_TESTS_OWN_PROCESS");
}
