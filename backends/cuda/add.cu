// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add on a CUDA device for the compiled types.

#include <xpose/backends/cuda/add.cuh>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/compiled_add.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

char const* cuda_add_kernel(add_request const& r) {
  bool const c_runs_down = runs_down(r.c.rows, r.c.cols, r.c.row_stride, r.c.col_stride);
  auto const along_c = [&](operand const& o, scalar_kind scalar) {
    return add_operand{reinterpret_cast<std::uintptr_t>(o.data),
                       o.batch_stride,
                       c_runs_down ? o.col_stride : o.row_stride,
                       c_runs_down ? o.row_stride : o.col_stride,
                       o.bytes_per_element,
                       scalar != scalar_kind::zero};
  };
  switch (choose_add_kernel(along_c(r.a, r.alpha_kind), along_c(r.b, r.beta_kind),
                            along_c(r.c, scalar_kind::one), r.c.batch,
                            c_runs_down ? r.c.cols : r.c.rows, c_runs_down ? r.c.rows : r.c.cols)) {
    case add_kernel::in_order:
      return "add_in_order";
    case add_kernel::turned:
      return "add_turned";
    case add_kernel::thin_rows:
      return "add_thin_rows";
    case add_kernel::thin_cols:
      return "add_thin_cols";
    case add_kernel::chunks:
      return "add_chunks";
    case add_kernel::skewed:
      return "add_skewed";
    case add_kernel::both_turned:
      return "add_both_turned";
  }
  return "none";
}

void cuda_run_add(execution const& where, add_request const& r) {
  run_compiled_add(r, [&](auto const& problem) { cuda_add(where, problem); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
