// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of bit copies for words of 4 bytes.

#include <xpose/backends/cuda/transpose/launch_kernel.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

void launch_words_4(execution const& where, int row, transpose_piece const& piece) {
  launch_words<tuned_rows, 4>(where, row, piece);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
