// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How many rows or columns transpose_few_sides takes, and by which accesses
// (kernels/few_sides.cuh).
#pragma once

#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr index min_few_sides = 2, max_few_sides = 4;

/// Bytes of one column that a thread takes at once.
constexpr int bytes_of_few_sides_unit(index word_bytes) {
  return word_bytes < 4 ? 4 : static_cast<int>(word_bytes);
}

/// Bytes of an access to units of `sides` columns, which are contiguous by rows.
constexpr int access_of_few_sides(index word_bytes, index sides) {
  int const bytes = bytes_of_few_sides_unit(word_bytes);
  int const whole = sides == 3 ? bytes : static_cast<int>(sides) * bytes;
  return whole < vec16_bytes ? whole : vec16_bytes;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
