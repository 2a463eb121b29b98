// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// SIMD kernels of add for real and complex elements: one table of functions per instruction set,
// compiled in add/simd.cpp.
#pragma once

#include <xpose/backends/omp/transpose/simd/moves.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What an operand is multiplied by.
struct add_scalar {
  double re;
  double im;
  bool is_one;
  bool is_conjugated;  // the operand is conjugated before
};

/// x.out = scalars[0] x + scalars[1] y. Element (i, j) of the output lies at i * x.out_pitch +
/// j * bytes. That of an operand lies at i * pitch + j * bytes; transposed, i * bytes + j * pitch.
struct add_rectangle {
  rectangle x;
  char const* y;
  index y_pitch;
  add_scalar scalars[2];
  /// The same sums one by one: `count` elements, so many bytes apart.
  void (*add_one_by_one)(void const* problem, char const* x, index x_step, char const* y,
                         index y_step, char* out, index out_step, index count);
  void const* problem;
};

using add_kernel = void (*)(add_rectangle const& r, store_mode mode, char* workspace);

/// Cache lines of scratch per output row of add_transposed with streaming stores: two more than the
/// row has, made odd against set conflicts, max_scratch_lines at most.
inline constexpr index max_scratch_lines = 63;
constexpr index scratch_lines(index row_bytes) {
  return std::min(max_scratch_lines, ((row_bytes + 63) / 64 + 2) | 1);
}

/// For elements of a type. The output may be an operand that is not transposed. `streamed` and the
/// workspace are as in transpose/simd/moves.hpp.
struct add_kernels {
  element_type type;
  add_kernel run[3];  // with so many transposed operands: x alone, or x and y
};

/// The kernels of one instruction set.
struct add_table {
  add_kernels const* rows;
  int count;
};

/// The kernels of simd's instruction set; null for other types, and where vectors are scalable.
XPOSE_EXPORT add_kernels const* add_kernels_for(simd_kernels const& simd, element_type type);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
