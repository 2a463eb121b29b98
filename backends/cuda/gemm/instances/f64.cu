// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of doubles.

#include <xpose/backends/cuda/gemm/instances/groups.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
template <>
gemm_instance instance_of_group<gemm_type_group::f64>() {
  return plain_instance<gemm_type_group::f64>();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
