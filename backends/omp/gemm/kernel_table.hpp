// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tables of compiled GEMM kernels: one for each instruction set and file of kernels.
#pragma once

#include <xpose/backends/omp/gemm/kernel/kernel.hpp>
#include <xpose/backends/omp/runtime/isa.hpp>

namespace xpose::detail {

/// The first entry whose types match and whose instructions this machine has is taken.
struct gemm_kernel_entry {
  kernel_types types;
  bool (*is_supported)();  // null: wherever the table's instruction set is
  gemm_kernel kernel;
};

struct gemm_kernel_table {
  gemm_kernel_entry const* entries;
  int count;
};

/// Of gemm/kernel/reals.cpp and gemm/kernel/integers.cpp, for one of Highway's targets.
gemm_kernel_table real_and_complex_kernels(isa target);
gemm_kernel_table integer_and_tropical_kernels(isa target);

}  // namespace xpose::detail
