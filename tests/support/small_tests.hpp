// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdlib>

/// Whether XPOSE_TEST_SMALL is set: under a tool with which all cases take minutes, a part of them.
inline bool wants_small_tests() {
  static bool const answer = std::getenv("XPOSE_TEST_SMALL") != nullptr;
  return answer;
}

/// Whether a test leaves out the next of its many combinations: under XPOSE_TEST_SMALL all but
/// every nineteenth, as 19 divides no list of layouts.
inline bool is_left_out() {
  static int number = 0;
  return wants_small_tests() && number++ % 19 != 0;
}
