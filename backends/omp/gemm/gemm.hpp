// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From a typed GEMM problem to the compiled driver and a kernel: the library's kernel for these
// types and this semiring, or else the scalar one, instantiated here. Assumes a checked problem.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/backends/omp/gemm/driver.hpp>
#include <xpose/backends/omp/gemm/kernel/scalar.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Scales, adds beta C, applies the epilogue and stores.
template <class Problem>
void write_accumulators(void const* context, accumulator_tile const& t) {
  using C = typename Problem::c_type;
  using K = typename Problem::accumulate_type;
  Problem const& problem = *static_cast<Problem const*>(context);
  auto const scalars = problem.scalars;
  bool const is_contiguous = t.col_step == index{sizeof(K)} && problem.c.col_stride == 1;
  for (index i = 0; i < t.rows; ++i) {
    char const* const from = t.accumulators + i * t.row_step;
    C* const to = &problem.c.at(t.batch, t.first_row + i, t.first_col);
    index const row = t.first_row + i;
    if (is_contiguous) {  // the compiler knows these strides, and uses vectors
      K const* const accumulators = reinterpret_cast<K const*>(from);
      for (index j = 0; j < t.cols; ++j)
        problem.write_to(to[j], scalars, row, t.first_col + j, accumulators[j]);
    } else {
      for (index j = 0; j < t.cols; ++j)
        problem.write_to(to[j * problem.c.col_stride], scalars, row, t.first_col + j,
                         *reinterpret_cast<K const*>(from + j * t.col_step));
    }
  }
}

/// An epilogue that only casts, with vectors: the loops above take as long as the products
/// (256x256x256 of bfloat16 with AMX).
template <class Problem>
struct casting_problem {
  Problem const* problem;
  tile_function cast;

  static void epilogue(void const* context, accumulator_tile const& t) {
    using K = typename Problem::accumulate_type;
    auto const& self = *static_cast<casting_problem const*>(context);
    auto const& c = self.problem->c;
    index const bytes = sizeof(*c.data);
    index const row_step = c.row_stride * bytes;
    index const col_step = c.col_stride * bytes;
    auto* const to = reinterpret_cast<char*>(&c.at(t.batch, t.first_row, t.first_col));
    bool const is_by_cols = t.row_step == index{sizeof(K)} && row_step == bytes;
    self.cast.apply(self.cast.f, is_by_cols
                                     ? function_tile{t.accumulators, t.row_step, t.col_step, to,
                                                     row_step, col_step, t.rows, t.cols}
                                     : function_tile{t.accumulators, t.col_step, t.row_step, to,
                                                     col_step, row_step, t.cols, t.rows});
  }
};

template <class T>
gemm_operand operand_of(strided_batch<T> const& s, index step, index k_step, bool is_conjugated) {
  index const bytes = sizeof(T);
  return {reinterpret_cast<char const*>(s.data), s.batch_stride * bytes, step * bytes,
          k_step * bytes, is_conjugated};
}

template <class Problem>
void omp_gemm(execution const& where, Problem const& problem) {
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
  call.c_can_accumulate = c_is_k && scalars.beta_is_zero;
  call.c_needs_no_epilogue = c_is_k && scalars.alpha_is_one &&
                             std::is_same_v<typename Problem::epilogue_type, no_epilogue>;
  call.batch = problem.batch;
  call.rows = problem.rows;
  call.cols = problem.cols;
  call.k_extent = problem.k_extent;
  call.problem = &problem;
  call.epilogue = write_accumulators<Problem>;
  call.epilogue_is_user_code = (!std::is_same_v<typename Problem::epilogue_type, no_epilogue> &&
                                !is_layer_epilogue<typename Problem::epilogue_type>::value) ||
                               element_type_of<C>() == element_type::other;
  casting_problem<Problem> casting{&problem, {}};
  if constexpr (!c_is_k && std::is_same_v<typename Problem::epilogue_type, no_epilogue>) {
    if (compiled != nullptr && scalars.alpha_is_one && scalars.beta_is_zero)
      casting.cast = active_simd_kernels().cast_of(element_type_of<K>(), element_type_of<C>());
    if (casting.cast.apply != nullptr) {
      call.problem = &casting;
      call.epilogue = casting_problem<Problem>::epilogue;
    }
  }
  run_blocked_gemm(where, call);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
