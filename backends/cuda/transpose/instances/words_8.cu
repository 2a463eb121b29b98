// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of bit copies for words of 8 bytes.

#include <xpose/backends/cuda/transpose/launch_kernel.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

void launch_words_8(execution const& where, int config, transpose_piece const& piece) {
  launch_words<tuned_configs, 8>(where, config, piece);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
