// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/blocking.hpp>
#include <xpose/backends/omp/gemm/kernel_table.hpp>

namespace xpose::detail {
namespace {

gemm_kernel const* find_in(gemm_kernel_table table, kernel_types const& types, int first = 0) {
  for (int r = first; r < table.count; ++r) {
    gemm_kernel_entry const& entry = table.entries[r];
    if (entry.types == types && (entry.is_supported == nullptr || entry.is_supported()))
      return &entry.kernel;
  }
  return nullptr;
}

gemm_kernel const* find_for(isa target, kernel_types const& types) {
  if (auto const* kernel = find_in(real_and_complex_kernels(target), types)) return kernel;
  return find_in(integer_and_tropical_kernels(target), types);
}

/// The next kernel of an instruction set for the types of this one; null if it has none, or if this
/// one is not in its tables.
gemm_kernel const* next_for(isa target, gemm_kernel const& kernel) {
  for (gemm_kernel_table const table :
       {real_and_complex_kernels(target), integer_and_tropical_kernels(target)})
    for (int r = 0; r < table.count; ++r)
      if (&table.entries[r].kernel == &kernel) return find_in(table, table.entries[r].types, r + 1);
  return nullptr;
}

}  // namespace

gemm_kernel const& kernel_for_size(gemm_kernel const& kernel, index rows, index cols,
                                   index k_extent) {
  double const products =
      static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(k_extent);
  if (!uses_amx_tiles(kernel) || products > gemm_tuning.least_products_of_amx) return kernel;
  auto const* const next = next_for(active_isa(), kernel);
  return next != nullptr ? *next : kernel;
}

gemm_kernel const* find_gemm_kernel(kernel_types const& types) {
  return find_for(active_isa(), types);
}

}  // namespace xpose::detail
