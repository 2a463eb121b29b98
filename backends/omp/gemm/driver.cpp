// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/driver.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/compiled_gemm.hpp>
#include <xpose/backends/omp/gemm/gemm.hpp>
#include <xpose/backends/omp/gemm/loops.hpp>
#include <xpose/backends/omp/gemm/small/small.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// The first kernel for these types whose instructions this machine has; with `before`, the first
/// behind that one for the same types. Null: there is none.
gemm_kernel const* find_kernel(kernel_types types, gemm_kernel const* before = nullptr) {
  isa const target = active_isa();
  bool is_behind = before == nullptr;
  for (gemm_kernel_table const table :
       {real_and_complex_kernels(target), integer_and_tropical_kernels(target)})
    for (gemm_kernel_entry const* e = table.entries; e != table.entries + table.count; ++e) {
      if (is_behind && e->types == types && (e->is_supported == nullptr || e->is_supported()))
        return &e->kernel;
      if (&e->kernel != before) continue;
      is_behind = true;
      types = e->types;
    }
  return nullptr;
}

/// The kernel for a product of that size: the call's, or, where it is too small for AMX, the one
/// that this machine would have without AMX.
gemm_kernel const* kernel_for_size(gemm_call const& call) {
  double const products = static_cast<double>(call.rows) * static_cast<double>(call.cols) *
                          static_cast<double>(call.k_extent);
  if (!uses_amx_tiles(*call.kernel) || products > gemm_tuning.least_products_of_amx)
    return call.kernel;
  auto const* const next = find_kernel({}, call.kernel);
  return next != nullptr ? next : call.kernel;
}

}  // namespace

gemm_kernel const* find_gemm_kernel(kernel_types const& types) { return find_kernel(types); }

void omp_run_gemm(execution const& where, gemm_request const& r) {
  if (run_small_gemm(where, r)) return;
  run_compiled(r, compiled_gemms{}, compiled_layers{},
               [&](auto const& problem) { omp_gemm(where, problem); });
}

void run_blocked_gemm(execution const& where, gemm_call const& given) {
  if (is_gemv(given)) return run_gemv(where, given);
  if (given.rows == 1 && is_gemv(transposed(given))) return run_gemv(where, transposed(given));
  bool const is_by_columns = given.c_row_step == given.c_bytes && given.c_col_step != given.c_bytes;
  gemm_call call = is_by_columns && given.kernel->commutes ? transposed(given) : given;
  if (is_cheaper_transposed(call)) call = transposed(call);
  call.kernel = kernel_for_size(call);
  if (explain_only(where, call.kernel->name)) return;

  gemm_blocking const blocking = choose_blocking(call, where.threads);
  loop_context const loops(call, blocking, where.threads);
  int const products_at_once =
      blocking.threads_share_batch ? team_for(where.threads, call.batch) : 1;
  workspace const memory(products_at_once * loops.workspace_bytes(),
                         std::max(products_at_once, blocking.threads));
  if (products_at_once > 1)
    return parallel_for(products_at_once, call.batch, [&](index b, int member) {
      tiles_in_use const in_use(*call.kernel, true);
      loops.run(loops, b, memory.data() + member * loops.workspace_bytes());
    });
  tiles_in_use const in_use(*call.kernel, blocking.threads == 1);
  for (index b = 0; b < call.batch; ++b) loops.run(loops, b, memory.data());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
