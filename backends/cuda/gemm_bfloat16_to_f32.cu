// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of bfloat16, with results of f32.

#include <xpose/backends/cuda/gemm_part.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Row>
struct is_taken {
  using T = types_of<Row>;
  static constexpr bool value =
      std::is_same_v<typename T::input, bfloat16> && std::is_same_v<typename T::output, float>;
};

}  // namespace

gemm_part gemms_of_bfloat16_to_f32() {
  return part_that_takes<is_taken>();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
