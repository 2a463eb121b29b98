// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add on a GPU: select a kernel, launch, synchronise if asked. C is written in row order; an
// operand whose columns are contiguous is transposed in shared memory, by vec16
// (add/both_aligned.cuh, tile_aligned.cuh, tile_unaligned.cuh) or by single elements. Assumes a
// checked problem; takes any strides and types. The library instantiates it for the compiled types,
// a user's .cu file for mixed types and its own.
#pragma once

#include <xpose/backends/cuda/add/both_aligned.cuh>
#include <xpose/backends/cuda/add/select.cuh>
#include <xpose/backends/cuda/runtime/plain_number.hpp>

#include <type_traits>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Problem>
inline constexpr bool has_number_scalars =
    is_plain_number<std::remove_cv_t<decltype(std::declval<Problem&>().alpha)>>;

/// A problem of numbers that reads both operands: its type says so, and no element branches on the
/// scalars' kinds. 254x254 of complex floats took 7.3 us with branches, where doubles took 3.7
/// (H200).
template <class Problem>
struct both_applied : Problem {
  explicit both_applied(Problem const& p) : Problem(p) {}
  __device__ typename Problem::output_type value(typename Problem::a_type const& x,
                                                 typename Problem::b_type const& y) const {
    return this->value_of_both(x, y);
  }
};

template <class Problem>
inline constexpr bool has_both_applied<both_applied<Problem>> = true;

/// Launches the kernel that was selected.
template <class Problem>
void launch_add_kernel(execution const& where, add_kernel kernel, Problem const& p) {
  constexpr index a_bytes = sizeof(typename Problem::a_type);
  constexpr index b_bytes = sizeof(typename Problem::b_type);
  constexpr index c_bytes = sizeof(typename Problem::output_type);
  if constexpr (a_bytes == c_bytes && b_bytes == c_bytes && is_word_size(c_bytes)) {
    if (kernel == add_kernel::vec16) return launch_add_vec16(where, p);
    // Problems of numbers that read both operands arrive as both_applied.
    if constexpr (has_both_applied<Problem> || !has_number_scalars<Problem>) {
      if (kernel == add_kernel::both_aligned) return launch_add_both_aligned(where, p);
      if (kernel == add_kernel::both_transposed) return launch_add_both_transposed(where, p);
      if (kernel == add_kernel::skinny_cols)
        return launch_add_one_transposed(where, skinny_side::cols, p);
      if (kernel == add_kernel::skinny_rows)
        return launch_add_one_transposed(where, skinny_side::rows, p);
      if (kernel == add_kernel::unaligned)
        return launch_add_one_transposed(where, skinny_side::none, p);
    }
  }
  if constexpr (fit_in_tiles(a_bytes, b_bytes)) {
    if (kernel == add_kernel::both_skinny) return launch_add_both_skinny(where, p);
    if (kernel != add_kernel::in_order) return launch_add_transposed(where, p);
  }
  launch_add_vectors(where, p);
}

/// Two halves of a problem, cut along its longest dimension; at a multiple of 1024 if that is long.
template <class Problem>
std::pair<Problem, Problem> halves_of(Problem const& p) {
  std::pair<Problem, Problem> halves{p, p};
  auto const cut = [&](auto extent, auto stride) {
    index const half = p.*extent > 2048 ? ceil_div(p.*extent / 2, 1024) * 1024 : p.*extent / 2;
    Problem& back = halves.second;
    halves.first.*extent = half;
    back.*extent = p.*extent - half;
    back.a.data += half * stride(p.a);
    back.b.data += half * stride(p.b);
    back.c.data += half * stride(p.c);
  };
  if (p.cols >= p.rows && p.cols >= p.batch)
    cut(&Problem::cols, [](auto const& o) { return o.col_stride; });
  else if (p.rows >= p.batch) cut(&Problem::rows, [](auto const& o) { return o.row_stride; });
  else cut(&Problem::batch, [](auto const& o) { return o.batch_stride; });
  return halves;
}

/// Launches a problem whose linear indices fit 31 bits; cuts larger ones in half.
template <class Problem>
void launch_add(execution const& where, Problem const& p) {
  constexpr index max_elements = index{1} << 30;
  if (p.batch * p.rows * p.cols > max_elements) {
    auto const [front, back] = halves_of(p);
    launch_add(where, front);
    return launch_add(where, back);
  }
  add_config const& config = select_add_kernel(case_of(p));
  if (!explain_only(where, config.name)) launch_add_kernel(where, config.kernel, p);
}

template <class Problem>
void cuda_add(execution const& where, Problem const& given) {
  Problem const p = (given.is_transposed(given.c) ? given.transposed() : given).in_one_row();
  if constexpr (has_number_scalars<Problem>) {
    bool const applies_both = p.alpha_kind != scalar_kind::zero && p.beta_kind != scalar_kind::zero;
    if (applies_both) launch_add(where, both_applied<Problem>(p));
    else launch_add(where, p);
  } else {
    launch_add(where, p);
  }
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
