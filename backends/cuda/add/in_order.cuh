// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add of operands that are fastest along the same dimension: vector loads and stores, no tile.
// Single elements where operands are not contiguous or not aligned.
#pragma once

#include <xpose/backends/cuda/elementwise/tile_aligned.cuh>

#include <algorithm>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether a problem's type says that both operands are read: both_applied (add/driver.cuh).
template <class Problem>
inline constexpr bool has_both_applied = false;

inline constexpr int add_in_order_threads = 256;

/// From linear indices, of 31 bits, to batch, row and column.
struct add_grid {
  fast_divisor cols;  // elements, vectors or tiles across
  fast_divisor rows;
  unsigned count;
};

/// Where a thread stores a vector of sums, and the operands' vectors.
template <int Count, class Problem>
struct add_vectors {
  using C = typename Problem::output_type;
  uninitialized<element_vector<typename Problem::a_type, Count>> a;
  uninitialized<element_vector<typename Problem::b_type, Count>> b;
  C* to = nullptr;

  __device__ void load(Problem const& p, unsigned matrix, index i, index j) {
    if (has_both_applied<Problem> || p.alpha_kind != scalar_kind::zero)
      a.load(reinterpret_cast<char const*>(&p.a.at(matrix, i, j)));
    if (has_both_applied<Problem> || p.beta_kind != scalar_kind::zero)
      b.load(reinterpret_cast<char const*>(&p.b.at(matrix, i, j)));
    to = &p.c.at(matrix, i, j);
  }
  __device__ void store_sums(Problem const& p) {
    if (to == nullptr) return;
    uninitialized<element_vector<C, Count>> c;
#pragma unroll
    for (int k = 0; k < Count; ++k)
      new (&c.value.elements[k]) C(p.value(a.value.elements[k], b.value.elements[k]));
    *reinterpret_cast<element_vector<C, Count>*>(to) = c.value;
  }
};

/// Vectors of `Count` elements of C, contiguous in all three operands unless Count is 1. A thread
/// has `Loads` loads of each operand in flight. `left` elements behind the vectors of a single row
/// go to the first thread: in a launch of their own, f32 of 301x303 took 5.1 us, cuBLAS 4.2 (H200).
template <int Count, int Loads, class Problem>
__global__ void __launch_bounds__(add_in_order_threads)
    add_in_order(Problem const p, add_grid const grid, int const left) {
  unsigned const first = blockIdx.x * (add_in_order_threads * Loads) + threadIdx.x;
  add_vectors<Count, Problem> vectors[Loads];
#pragma unroll
  for (int l = 0; l < Loads; ++l) {
    unsigned const number = first + l * add_in_order_threads;
    if (number >= grid.count) continue;
    unsigned const flat_row = grid.cols.quotient(number);
    unsigned const matrix = grid.rows.quotient(flat_row);
    vectors[l].load(p, matrix, flat_row - matrix * grid.rows.value,
                    index{number - flat_row * grid.cols.value} * Count);
  }
#pragma unroll
  for (int l = 0; l < Loads; ++l) vectors[l].store_sums(p);
  if constexpr (Count > 1)
    for (int k = 0; first == 0 && k < left; ++k) {
      add_vectors<1, Problem> element;
      element.load(p, 0, 0, index{grid.count} * Count + k);
      element.store_sums(p);
    }
}

/// Whether the rows of an operand of p begin with aligned vectors of `count` elements.
template <class Problem, class T>
bool has_vectors(Problem const& p, strided_batch<T> const& o, index count) {
  index const bytes = count * index{sizeof *o.data};
  index const steps = (p.rows > 1 ? o.row_stride : 0) | (p.batch > 1 ? o.batch_stride : 0);
  return o.col_stride == 1 && steps % count == 0 &&
         reinterpret_cast<std::uintptr_t>(o.data) % static_cast<std::uintptr_t>(bytes) == 0;
}

/// Whether all three operands allow aligned vectors of `count` elements, which fill the rows but of
/// a single one.
template <class Problem>
bool takes_vectors(Problem const& p, index count) {
  bool const is_single_row = p.rows == 1 && p.batch == 1;
  return p.cols >= count && (is_single_row || p.cols % count == 0) && has_vectors(p, p.a, count) &&
         has_vectors(p, p.b, count) && has_vectors(p, p.c, count);
}

/// Vectors go one a thread, narrow elements by four if there are many: us by four and so, f32 NN
/// of 92x92 2.57, 1.99, 1024x1024 6.03, 5.85, 8192x8192 187.5, 186.3, f64 NN of 300x400 3.78, 3.48;
/// 16 bytes TT of 120x130 4.80, 3.33; but f32 TT of 92x92 2.44, 2.32, 250x256 3.10, 3.65 (H200,
/// 2026-12-01). By four, 8 elements a vector and more lack registers: bf16 gets 0.83 of the
/// bandwidth, not 1.00 (H100, 2026-11-21).
template <int Count, class Problem>
void launch_add_in_order(execution const& where, Problem const& p) {
  constexpr index few = 1 << 15;
  constexpr bool are_vectors = Count > 1 || sizeof *p.c.data >= vec16_bytes;
  index const vectors_in_row = p.cols / Count, left = p.cols % Count;
  index const count = p.batch * p.rows * vectors_in_row;
  add_grid const grid{fast_divisor(vectors_in_row), fast_divisor(p.rows),
                      static_cast<unsigned>(count)};
  auto const launch = [&](auto loads) {
    launch_blocks(where, ceil_div(count, index{add_in_order_threads * loads}), add_in_order_threads,
                  0, "add_in_order", add_in_order<Count, loads, Problem>, p, grid,
                  static_cast<int>(left));
  };
  if constexpr (are_vectors) {
    launch(std::integral_constant<int, 1>{});
  } else {
    if (count <= few) launch(std::integral_constant<int, 1>{});
    else launch(std::integral_constant<int, 4>{});
  }
}

/// In the widest vectors that suit, or element by element.
template <class Problem>
void launch_add_vectors(execution const& where, Problem const& p) {
  constexpr index c_bytes = sizeof *p.c.data;
  constexpr int count = std::min(elements_in_vector(sizeof *p.a.data, c_bytes),
                                 elements_in_vector(sizeof *p.b.data, c_bytes));
  if constexpr (count > 1)
    if (takes_vectors(p, count)) return launch_add_in_order<count>(where, p);
  launch_add_in_order<1>(where, p);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
