// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of float8s, with results of f32 and bfloat16.

#include <xpose/backends/cuda/gemm_part.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Row>
struct is_taken {
  static constexpr bool value = is_float8<typename types_of<Row>::input>;
};

}  // namespace

gemm_part gemms_of_float8() {
  return part_that_takes<is_taken>();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
