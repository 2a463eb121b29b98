// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Whether this machine has a GPU that the build can use, and the count of test cases that could not
// run without one.
#pragma once

#include <xpose/explain.hpp>

inline int& skipped_for_lack_of_gpu() {
  static int count = 0;
  return count;
}

inline bool has_gpu() {
  static bool const answer = [] {
    char reason[256];
    return xpose::detail::cuda_is_available(reason, sizeof reason);
  }();
  return answer;
}

/// First line of a test case that needs a GPU: `if (!needs_gpu()) return;`. Counts the case as
/// skipped without one.
inline bool needs_gpu() {
  if (!has_gpu()) ++skipped_for_lack_of_gpu();
  return has_gpu();
}
