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
  auto const is_turned = [&](operand const& o) {
    return c_runs_down ? runs_down(r.c.cols, r.c.rows, o.col_stride, o.row_stride)
                       : runs_down(r.c.rows, r.c.cols, o.row_stride, o.col_stride);
  };
  return is_turned(r.a) || is_turned(r.b) ? "add_turned" : "add_in_order";
}

void cuda_run_add(execution const& where, add_request const& r) {
  run_compiled_add(r, [&](auto const& problem) { cuda_add(where, problem); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
