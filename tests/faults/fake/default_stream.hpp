// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The same calls from translation units that have another default stream.
#pragma once

#include <xpose/xpose.hpp>

/// From a .cpp with CUDA_API_PER_THREAD_DEFAULT_STREAM.
namespace per_thread {
void transpose_on_cuda(xpose::matrix_view<float const> in, xpose::matrix_view<float> out);
void transpose_by_automatic(xpose::matrix_view<float const> in, xpose::matrix_view<float> out);
}  // namespace per_thread

/// From a .cu under nvcc --default-stream per-thread, through a function of its own.
namespace from_nvcc {
void transpose_on_cuda(xpose::cuda_policy const& policy, xpose::matrix_view<float const> in,
                       xpose::matrix_view<float> out);
xpose::cuda_policy cuda();
/// What an iterator gives, which has no memory.
void copy_numbers(xpose::cuda_policy const& policy, xpose::matrix_view<float> out);
void copy_numbers_by_automatic(xpose::matrix_view<float> out);
}  // namespace from_nvcc
