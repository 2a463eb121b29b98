// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "faults/fake/default_stream.hpp"

namespace per_thread {

void transpose_on_cuda(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(xpose::cuda, in, out);
}

void transpose_by_automatic(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(xpose::automatic, in, out);
}

}  // namespace per_thread
