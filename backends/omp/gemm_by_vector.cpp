// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm_by_vector.hpp>

#include <xpose/backends/omp/gemm_plan.hpp>
#include <xpose/backends/omp/panel_memory.hpp>
#include <xpose/backends/omp/parallel.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

bool is_by_vector(gemm_call const& call) {
  index const bytes = call.kernel->element_bytes;
  return call.kernel->multiply_rows != nullptr && call.cols == 1 &&
         (call.a.depth_step == bytes || call.a.step == bytes);
}

/// In parts of rows; no sum depends on which.
void multiply_by_vector(int threads, gemm_call const& call) {
  gemm_kernel const& kernel = *call.kernel;
  index const bytes = kernel.element_bytes;
  index const sum_step = kernel.sum_bytes;
  bool const has_rows = call.a.depth_step == bytes;
  double const matrix_bytes = static_cast<double>(call.batch) * static_cast<double>(call.rows) *
                              static_cast<double>(call.depth) * static_cast<double>(bytes);
  int const team = matrix_bytes < gemm_numbers.serial_vector_bytes
                       ? 1
                       : team_size(threads, call.batch * call.rows);
  index const most_rows = gemm_numbers.vector_part_bytes / bytes;
  index const parts = std::max((call.rows + most_rows - 1) / most_rows,
                               std::min(call.rows, (team + call.batch - 1) / call.batch));
  index const sums_bytes = (call.rows + parts - 1) / parts * sum_step;
  bool const sums_in_c = call.c_holds_sums && call.c_row_step == sum_step;
  bool const copies_x = call.b.depth_step != bytes;
  auto const multiply_part = [&](index n) {
    index const b = n / parts;
    range const rows = range{0, call.rows}.part(parts, n % parts);
    panel_memory const memory(kernel, sums_bytes + (copies_x ? call.depth * bytes : 0),
                              panel_owner::thread);
    char const* x = call.b.data + b * call.b.batch_step;
    if (copies_x) {
      char* const copy = memory.data() + sums_bytes;
      for (index p = 0; p < call.depth; ++p)
        std::memcpy(copy + p * bytes, x + p * call.b.depth_step, static_cast<std::size_t>(bytes));
      x = copy;
    }
    char* const c = call.c + b * call.c_batch_step + rows.first * call.c_row_step;
    char* const sums = sums_in_c ? c : memory.data();
    char const* const matrix = call.a.data + b * call.a.batch_step + rows.first * call.a.step;
    (has_rows ? kernel.multiply_rows : kernel.multiply_columns)(
        {matrix, has_rows ? call.a.step : call.a.depth_step, rows.count(), x, call.depth, sums,
         call.a.conjugated, call.b.conjugated});
    if (sums_in_c && call.c_is_sums) return;
    if (call.is_turned)
      call.finish(call.problem, {b, 0, rows.first, 1, rows.count(), sums, sum_step, sum_step});
    else call.finish(call.problem, {b, rows.first, 0, rows.count(), 1, sums, sum_step, sum_step});
  };
  if (team == 1)
    for (index n = 0; n < call.batch * parts; ++n) multiply_part(n);
  else parallel_for(threads, call.batch * parts, multiply_part);
}

gemm_call turned(gemm_call call) {
  std::swap(call.a, call.b);
  std::swap(call.rows, call.cols);
  std::swap(call.c_row_step, call.c_col_step);
  call.is_turned = !call.is_turned;
  return call;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
