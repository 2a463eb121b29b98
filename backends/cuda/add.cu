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
  auto const along_c = [&](operand const& o) {
    return add_operand{reinterpret_cast<std::uintptr_t>(o.data), o.batch_stride,
                       c_runs_down ? o.col_stride : o.row_stride,
                       c_runs_down ? o.row_stride : o.col_stride, o.bytes_per_element};
  };
  switch (choose_add_kernel(along_c(r.a), along_c(r.b), along_c(r.c), r.c.batch,
                            c_runs_down ? r.c.cols : r.c.rows, c_runs_down ? r.c.rows : r.c.cols)) {
    case add_kernel::in_order:
      return "add_in_order";
    case add_kernel::turned:
      return "add_turned";
    case add_kernel::chunks:
      return "add_chunks";
  }
  return "none";
}

void cuda_run_add(execution const& where, add_request const& r) {
  run_compiled_add(r, [&](auto const& problem) { cuda_add(where, problem); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
