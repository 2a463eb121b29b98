// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A call of the C interface that tests change until it is wrong, and what it says then.
#pragma once

#include "support/verbose_lines.hpp"

#include <xpose/xpose.h>

#include <cstdint>
#include <string>

inline float numbers[1024];
inline float results[1024];

/// What a call said: "shape_error: transpose: out is 2x3, expected 3x2", or "ok".
inline std::string said(xpose_status status) {
  std::string const name = xpose_status_name(status);
  return status == XPOSE_OK ? name : name + ": " + xpose_last_error();
}

inline xpose_matrix matrix(float* data, std::int64_t rows, std::int64_t cols) {
  return xpose_row_major(data, XPOSE_F32, rows, cols);
}

/// A transpose of 3x2 numbers that is right, until a test changes it.
struct call {
  xpose_policy policy = xpose_policy_of(XPOSE_OMP);
  xpose_matrix in = matrix(numbers, 3, 2);
  xpose_matrix out = matrix(results, 2, 3);
  xpose_function function = XPOSE_IDENTITY;

  std::string operator()() const { return said(xpose_transpose(&policy, &in, &out, function)); }
};
