// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add of operands that are fastest along the same dimension: vector loads and stores, no tile.
// Single elements where operands are not contiguous or not aligned.
#pragma once

#include <xpose/backends/cuda/elementwise/tile_aligned.cuh>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether a problem's type says that both operands are read: both_applied (add/driver.cuh).
template <class Problem>
inline constexpr bool has_both_applied = false;

/// The block of add_in_order on vectors of `Count` elements.
template <int Count>
struct add_block {
  static constexpr int threads = 256;
  // Vector loads in flight per operand. From 8 elements a vector on sums need the registers: with 4
  // loads bf16 gets 0.83 of the bandwidth, not 1.00, and i8 0.39, not 0.99 (H100, 2026-11-21).
  static constexpr int loads = Count < 8 ? 4 : 1;
};

/// From linear indices, of 31 bits, to batch, row and column.
struct add_grid {
  fast_divisor cols;  // elements, vectors or tiles across
  fast_divisor rows;
  unsigned count;
};

/// Vectors of `Count` elements of C, contiguous in all three operands unless Count is 1.
template <int Count, class Problem>
__global__ void __launch_bounds__(add_block<Count>::threads)
    add_in_order(Problem const p, add_grid const grid) {
  using block = add_block<Count>;
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using C = typename Problem::output_type;
  unsigned const first = blockIdx.x * (block::threads * block::loads) + threadIdx.x;
  uninitialized<element_vector<A, Count>> a[block::loads];
  uninitialized<element_vector<B, Count>> b[block::loads];
  C* to[block::loads];
#pragma unroll
  for (int l = 0; l < block::loads; ++l) {
    unsigned const number = first + l * block::threads;
    to[l] = nullptr;
    if (number >= grid.count) continue;
    unsigned const flat_row = grid.cols.quotient(number);
    index const j = index{number - flat_row * grid.cols.value} * Count;
    unsigned const matrix = grid.rows.quotient(flat_row);
    index const i = flat_row - matrix * grid.rows.value;
    if (has_both_applied<Problem> || p.alpha_kind != scalar_kind::zero)
      a[l].load(reinterpret_cast<char const*>(&p.a.at(matrix, i, j)));
    if (has_both_applied<Problem> || p.beta_kind != scalar_kind::zero)
      b[l].load(reinterpret_cast<char const*>(&p.b.at(matrix, i, j)));
    to[l] = &p.c.at(matrix, i, j);
  }
#pragma unroll
  for (int l = 0; l < block::loads; ++l) {
    if (to[l] == nullptr) continue;
    uninitialized<element_vector<C, Count>> c;
#pragma unroll
    for (int k = 0; k < Count; ++k)
      new (&c.value.elements[k]) C(p.value(a[l].value.elements[k], b[l].value.elements[k]));
    *reinterpret_cast<element_vector<C, Count>*>(to[l]) = c.value;
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

/// Whether all three operands allow aligned vectors of `count` elements.
template <class Problem>
bool takes_vectors(Problem const& p, index count) {
  return p.cols % count == 0 && has_vectors(p, p.a, count) && has_vectors(p, p.b, count) &&
         has_vectors(p, p.c, count);
}

template <int Count, class Problem>
void launch_add_in_order(execution const& where, Problem const& p) {
  using block = add_block<Count>;
  constexpr index at_once = block::threads * block::loads;
  index const count = p.batch * p.rows * p.cols / Count;
  add_grid const grid{fast_divisor(p.cols / Count), fast_divisor(p.rows),
                      static_cast<unsigned>(count)};
  launch_blocks(where, ceil_div(count, at_once), block::threads, 0, "add_in_order",
                add_in_order<Count, Problem>, p, grid);
}

/// In the widest vectors that suit; elements of a single row that fill no vector one by one.
template <class Problem>
void launch_add_vectors(execution const& where, Problem const& p) {
  constexpr index c_bytes = sizeof *p.c.data;
  constexpr int count = std::min(elements_in_vector(sizeof *p.a.data, c_bytes),
                                 elements_in_vector(sizeof *p.b.data, c_bytes));
  Problem rest = p;
  if constexpr (count > 1) {
    Problem vectors = p;
    if (p.rows == 1 && p.batch == 1) vectors.cols = p.cols / count * count;
    if (vectors.cols > 0 && takes_vectors(vectors, count)) {
      launch_add_in_order<count>(where, vectors);
      rest.cols = p.cols - vectors.cols;
      rest.a.data += vectors.cols;
      rest.b.data += vectors.cols;
      rest.c.data += vectors.cols;
    }
  }
  if (rest.cols != 0) launch_add_in_order<1>(where, rest);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
