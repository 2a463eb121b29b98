// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of integers over min-plus, max-plus and or-and.

#include <xpose/backends/cuda/gemm_part.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Row>
struct is_taken {
  using T = types_of<Row>;
  static constexpr bool value = !T::sums_products && std::is_integral_v<typename T::sum>;
};

}  // namespace

gemm_part gemms_of_other_semirings() {
  return part_that_takes<is_taken>();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
