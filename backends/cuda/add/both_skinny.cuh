// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add of two transposed operands with few rows or columns: tiles are as narrow as the matrix. Only
// the sum passes through shared memory.
//
//     A, B: i fastest            tile of C, padded           C: j fastest
//     a00 a10 a01 a11 ..   -->   s00 s01 s02 .. .      -->   s00 s01 s02 ..
//                                s10 s11 s12 .. .            s10 s11 s12 ..
//
// By vectors along i where A and B have them, and along j where C has; else by single elements.
// Assumes natural alignment only.
#pragma once

#include <xpose/backends/cuda/add/in_order.cuh>

#include <algorithm>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Both sides of what other kernels take of two transposed operands have so many.
inline constexpr index min_add_tile_side = 32;

/// Of both_skinny_block::elements at most.
struct both_skinny_tile {
  int rows, cols;
  int pitch;            // from one row in shared memory to the next
  bool stores_vectors;  // along the rows of C
  fast_divisor down;    // vectors in a column of A and B
  fast_divisor across;  // vectors, or elements, in a row of C
};

template <class C>
struct both_skinny_block {
  static constexpr int threads = 256;
  static constexpr int elements_each = sizeof(C) <= 8 ? 8 : 4;
  static constexpr int elements = threads * elements_each;
  static constexpr int shared_elements = elements + elements / 2;

  /// Long sides in steps of a warp. The padding spreads what a warp writes, `rows` by `rows`, over
  /// the banks.
  static both_skinny_tile tile_of(index rows, index cols, index count, bool stores_vectors) {
    auto const side = [](index own, index other) {
      index const most = elements / std::min<index>(other, min_add_tile_side);
      return own < min_add_tile_side ? own : std::min(most / 32 * 32, ceil_div(own, 32) * 32);
    };
    index const down = side(rows, cols);
    index const across = side(cols, rows);
    index const padded = across + std::max<index>(1, 32 / down);
    index const padded_vectors = ceil_div(padded, count) * count;
    bool const has_vectors = stores_vectors && down * padded_vectors <= shared_elements;
    return {static_cast<int>(down),
            static_cast<int>(across),
            static_cast<int>(has_vectors ? padded_vectors : padded),
            has_vectors,
            fast_divisor(down / count),
            fast_divisor(has_vectors ? across / count : across)};
  }
};

/// By vectors of `Count`; operands that are not contiguous along their vectors by single elements.
/// 16x6258904 TT of f32: 291 us, element by element 520 (131 instructions each; cuBLAS 357; H200).
template <int Count, bool IsContiguous, class Problem>
__global__ void __launch_bounds__(both_skinny_block<typename Problem::output_type>::threads)
    add_both_skinny(Problem const p, add_grid const grid, both_skinny_tile const tile) {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using C = typename Problem::output_type;
  using block = both_skinny_block<C>;
  constexpr int loads = block::elements_each / Count;
  __shared__ alignas(vec16_bytes) shared_tile<C, 1, block::shared_elements> sums;
  unsigned const flat_row = grid.cols.quotient(blockIdx.x);
  unsigned const matrix = grid.rows.quotient(flat_row);
  index const row = index{flat_row - matrix * grid.rows.value} * tile.rows;
  index const col = index{blockIdx.x - flat_row * grid.cols.value} * tile.cols;
  int const rows = static_cast<int>(min(index{tile.rows}, p.rows - row));
  int const cols = static_cast<int>(min(index{tile.cols}, p.cols - col));
  auto const at = [](auto* tile, int along, index stride, int across, index pitch) {
    return tile + (IsContiguous ? index{along} : along * stride) + across * pitch;
  };

  uninitialized<element_vector<A, Count>> a[loads];
  uninitialized<element_vector<B, Count>> b[loads];
  int to[loads];
  auto const* const a_tile = &p.a.at(matrix, row, col);
  auto const* const b_tile = &p.b.at(matrix, row, col);
#pragma unroll
  for (int l = 0; l < loads; ++l) {
    unsigned const e = threadIdx.x + l * block::threads;
    int const j = static_cast<int>(tile.down.quotient(e));
    int const i = static_cast<int>(e - j * tile.down.value) * Count;
    to[l] = i < rows && j < cols ? i * tile.pitch + j : -1;
    if (to[l] < 0) continue;
    if (has_both_applied<Problem> || p.alpha_kind != scalar_kind::zero)
      a[l].load(reinterpret_cast<char const*>(at(a_tile, i, p.a.row_stride, j, p.a.col_stride)));
    if (has_both_applied<Problem> || p.beta_kind != scalar_kind::zero)
      b[l].load(reinterpret_cast<char const*>(at(b_tile, i, p.b.row_stride, j, p.b.col_stride)));
  }
#pragma unroll
  for (int l = 0; l < loads; ++l) {
    if (to[l] < 0) continue;
#pragma unroll
    for (int k = 0; k < Count; ++k)
      new (&sums(0, to[l] + k * tile.pitch))
          C(p.value(a[l].value.elements[k], b[l].value.elements[k]));
  }
  __syncthreads();

  C* const c_tile = &p.c.at(matrix, row, col);
  auto const store_by = [&](auto count) {
    constexpr int elements = decltype(count)::value;
    using vector = element_vector<C, elements>;
#pragma unroll
    for (int l = 0; l < block::elements_each / elements; ++l) {
      unsigned const e = threadIdx.x + l * block::threads;
      int const i = static_cast<int>(tile.across.quotient(e));
      int const j = static_cast<int>(e - i * tile.across.value) * elements;
      if (i < rows && j < cols)
        *reinterpret_cast<vector*>(at(c_tile, j, p.c.col_stride, i, p.c.row_stride)) =
            *reinterpret_cast<vector const*>(&sums(0, i * tile.pitch + j));
    }
  };
  if constexpr (Count > 1)
    if (tile.stores_vectors) return store_by(std::integral_constant<int, Count>{});
  store_by(std::integral_constant<int, 1>{});
}

template <int Count, bool IsContiguous, class Problem>
void launch_add_both_skinny(execution const& where, Problem const& p, bool stores_vectors) {
  using block = both_skinny_block<typename Problem::output_type>;
  both_skinny_tile const tile = block::tile_of(p.rows, p.cols, Count, stores_vectors);
  index const down = ceil_div(p.rows, index{tile.rows});
  index const across = ceil_div(p.cols, index{tile.cols});
  launch_blocks(where, p.batch * down * across, block::threads, 0, "add_both_skinny",
                add_both_skinny<Count, IsContiguous, Problem>, p,
                add_grid{fast_divisor(across), fast_divisor(down), 0}, tile);
}

/// In the widest vectors that suit A and B.
template <class Problem>
void launch_add_both_skinny(execution const& where, Problem const& p) {
  using C = typename Problem::output_type;
  constexpr int count = std::min({elements_in_vector(sizeof *p.a.data, sizeof(C)),
                                  elements_in_vector(sizeof *p.b.data, sizeof(C)),
                                  both_skinny_block<C>::elements_each});
  if (p.a.row_stride != 1 || p.b.row_stride != 1 || p.c.col_stride != 1)
    return launch_add_both_skinny<1, false>(where, p, false);
  if constexpr (count > 1) {
    auto const columns = p.transposed();
    if (p.rows % count == 0 && has_vectors(columns, columns.a, count) &&
        has_vectors(columns, columns.b, count))
      return launch_add_both_skinny<count, true>(where, p,
                                                 p.cols % count == 0 && has_vectors(p, p.c, count));
  }
  launch_add_both_skinny<1, true>(where, p, false);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
