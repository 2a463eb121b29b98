// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of int8.

#include <xpose/backends/cuda/gemm_part.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Row>
struct is_taken {
  using T = types_of<Row>;
  static constexpr bool value = T::sums_products && std::is_same_v<typename T::input, std::int8_t>;
};

}  // namespace

gemm_part gemms_of_int8() {
  return part_that_takes<is_taken>();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
