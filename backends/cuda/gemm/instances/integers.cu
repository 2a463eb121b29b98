// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of integers of 4 and 8 bytes.

#include <xpose/backends/cuda/gemm/instances/groups.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
template <>
gemm_instance instance_of_group<gemm_type_group::integers>() {
  return plain_instance<gemm_type_group::integers>();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
