// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of float16 and bfloat16.

#include <xpose/backends/cuda/gemm_part.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Row>
struct is_taken {
  using T = types_of<Row>;
  static constexpr bool value = sizeof(typename T::input) == 2;
};

}  // namespace

gemm_part gemms_of_halves() {
  return part_that_takes<is_taken>();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
