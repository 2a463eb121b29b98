// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: cuda.with() takes a pool: a variable with allocate and deallocate

#include <xpose/xpose.hpp>

#include <memory_resource>

// The policy would keep a reference to a pool that is gone.
void call(xpose::matrix_view<float> matrix) {
  xpose::transpose_inplace(xpose::cuda.with(std::pmr::monotonic_buffer_resource()), matrix);
}
