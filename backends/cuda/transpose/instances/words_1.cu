// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of bit copies for words of 1 byte.

#include <xpose/backends/cuda/transpose/kernel_table.cuh>

template <>
xpose::detail::transpose_table::config_range xpose::detail::transpose_table::configs<1>() {
  return {table<1>.data(), table<1>.data() + table<1>.size()};
}
