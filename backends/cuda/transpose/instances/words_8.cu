// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of bit copies for words of 8 bytes.

#include <xpose/backends/cuda/transpose/kernel_table.cuh>

template <>
xpose::detail::transpose_table::config_range xpose::detail::transpose_table::configs<8>() {
  return {table<8>.data(), table<8>.data() + table<8>.size()};
}
