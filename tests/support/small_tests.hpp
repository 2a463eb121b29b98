// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdlib>

/// Whether XPOSE_TEST_SMALL is set: under a tool with which all cases take minutes, a part of them.
inline bool wants_small_tests() {
  static bool const answer = std::getenv("XPOSE_TEST_SMALL") != nullptr;
  return answer;
}
