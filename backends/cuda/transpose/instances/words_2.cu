// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of bit copies for words of 2 bytes.

#include <xpose/backends/cuda/transpose/kernel_table.cuh>

template <>
xpose::detail::transpose_table::config_range xpose::detail::transpose_table::configs<2>() {
  return {table<2>.data(), table<2>.data() + table<2>.size()};
}
