// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of uint8.

#include <xpose/backends/cuda/gemm/instances/groups.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
template <>
gemm_part part_of<gemm_group::uint8>() {
  return plain_part<gemm_group::uint8>();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
