// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on the cores: from a typed problem to the compiled driver and a kernel: the compiled one of
// its operands and semiring, or else the one instantiated here. Assumes a checked problem.
#pragma once

#include <xpose/backends/gemm_problem.hpp>
#include <xpose/backends/omp/gemm_driver.hpp>
#include <xpose/backends/omp/gemm_scalar_kernel.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Scales, adds beta C, applies the epilogue and stores.
template <class Problem>
void finish_sums(void const* context, finished_tile const& t) {
  using C = typename Problem::c_type;
  using K = typename Problem::accumulate_type;
  Problem const& problem = *static_cast<Problem const*>(context);
  auto const scalars = problem.scalars;
  bool const are_runs = t.col_step == index{sizeof(K)} && problem.c.col_stride == 1;
  for (index i = 0; i < t.rows; ++i) {
    char const* const from = t.sums + i * t.row_step;
    C* const to = &problem.c.at(t.batch, t.first_row + i, t.first_col);
    index const row = t.first_row + i;
    if (are_runs) {  // whose strides the compiler then knows: it takes vectors
      K const* const sums = reinterpret_cast<K const*>(from);
      for (index j = 0; j < t.cols; ++j)
        problem.write_to(to[j], scalars, row, t.first_col + j, sums[j]);
    } else {
      for (index j = 0; j < t.cols; ++j)
        problem.write_to(to[j * problem.c.col_stride], scalars, row, t.first_col + j,
                         *reinterpret_cast<K const*>(from + j * t.col_step));
    }
  }
}

template <class T>
gemm_operand operand_of(strided_batch<T> const& s, index step, index depth_step,
                        bool is_conjugated) {
  index const bytes = sizeof(T);
  return {reinterpret_cast<char const*>(s.data), s.batch_stride * bytes, step * bytes,
          depth_step * bytes, is_conjugated};
}

template <class Problem>
void omp_gemm(int threads, Problem const& problem) {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using C = typename Problem::c_type;
  using K = typename Problem::accumulate_type;
  using Semiring = typename Problem::semiring_type;
  static constexpr gemm_kernel any = scalar_kernel<Problem>::make();
  gemm_kernel const* const compiled =
      find_gemm_kernel({element_type_of<A>(), element_type_of<B>(), element_type_of<K>(),
                        semiring_id_of<Semiring>()});
  auto const& scalars = problem.scalars;
  constexpr bool c_is_k = std::is_same_v<C, K>;
  index const c_bytes = sizeof(C);

  gemm_call call{};
  call.kernel = compiled != nullptr ? compiled : &any;
  call.a = operand_of(problem.a, problem.a.row_stride, problem.a.col_stride, problem.conjugate_a);
  call.b = operand_of(problem.b, problem.b.col_stride, problem.b.row_stride, problem.conjugate_b);
  call.c = reinterpret_cast<char*>(problem.c.data);
  call.c_batch_step = problem.c.batch_stride * c_bytes;
  call.c_row_step = problem.c.row_stride * c_bytes;
  call.c_col_step = problem.c.col_stride * c_bytes;
  call.c_bytes = c_bytes;
  call.c_holds_sums = c_is_k && scalars.beta_is_zero;
  call.c_is_sums = c_is_k && scalars.alpha_is_one &&
                   std::is_same_v<typename Problem::epilogue_type, no_epilogue>;
  call.batch = problem.batch;
  call.rows = problem.rows;
  call.cols = problem.cols;
  call.depth = problem.depth;
  call.problem = &problem;
  call.finish = finish_sums<Problem>;
  run_gemm_tiles(threads, call);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
