// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add on a GPU: select a kernel, launch, synchronise if asked. C is written in row order; an
// operand whose columns are contiguous is transposed in shared memory, by vec16
// (add/tile_aligned.cuh, add/tile_unaligned.cuh) or by single elements. Assumes a checked problem;
// takes any strides and types. The library instantiates it for the compiled types, a user's .cu
// file for mixed types and its own.
#pragma once

#include <xpose/backends/core/problems/add_problem.hpp>
#include <xpose/backends/cuda/add/tile_aligned.cuh>
#include <xpose/backends/cuda/add/tile_unaligned.cuh>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

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

template <class Problem>
inline constexpr bool is_real_scalar =
    std::is_arithmetic_v<std::remove_cv_t<decltype(std::declval<Problem&>().alpha)>>;

/// A problem that reads both operands and multiplies both by their scalars: its type says so, and
/// no element branches on the scalars' kinds. Multiplying real numbers by 1 changes nothing.
template <class Problem>
struct both_applied : Problem {
  explicit both_applied(Problem const& p) : Problem(p) {}
  __device__ typename Problem::output_type value(typename Problem::a_type const& x,
                                                 typename Problem::b_type const& y) const {
    Problem p = *this;
    p.alpha_kind = p.beta_kind = scalar_kind::other;
    return p.value(x, y);
  }
};

template <class Problem>
inline constexpr bool has_both_applied = false;
template <class Problem>
inline constexpr bool has_both_applied<both_applied<Problem>> = true;

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
    if (p.alpha_kind != scalar_kind::zero)
      a[l].load(reinterpret_cast<char const*>(&p.a.at(matrix, i, j)));
    if (p.beta_kind != scalar_kind::zero)
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

/// Whether tiles of A and B fit the 48 KB of shared memory that a block has on every GPU. Larger
/// elements, of 24 bytes and more, nearly fill a 32-byte sector each and need no tile.
constexpr bool fit_in_tiles(index a_bytes, index b_bytes) {
  constexpr index elements = strided_tile::side * (strided_tile::side + strided_tile::pad);
  return elements * (a_bytes + b_bytes) <= 48 << 10;
}

/// A 32x32 tile of C by single elements; a transposed operand goes through shared memory.
template <class Problem>
__global__ void __launch_bounds__(strided_tile::threads)
    add_transposed(Problem const p, add_grid const grid, bool const a_is_transposed,
                   bool const b_is_transposed) {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  constexpr int side = strided_tile::side, steps = strided_tile::steps;
  constexpr int rows_in_step = strided_tile::rows_in_step;
  __shared__ shared_tile<A, side, side + strided_tile::pad> a_tile;
  __shared__ shared_tile<B, side, side + strided_tile::pad> b_tile;
  unsigned const flat_row = grid.cols.quotient(blockIdx.x);
  unsigned const matrix = grid.rows.quotient(flat_row);
  index const row = index{flat_row - matrix * grid.rows.value} * side;
  index const col = index{blockIdx.x - flat_row * grid.cols.value} * side;
  int const lane = static_cast<int>(threadIdx.x) % side;
  int const top = static_cast<int>(threadIdx.x) / side;
  bool const reads_a = p.alpha_kind != scalar_kind::zero;
  bool const reads_b = p.beta_kind != scalar_kind::zero;
  auto const is_inside = [&](int i, int j) { return row + i < p.rows && col + j < p.cols; };

  uninitialized<A> a[steps];
  uninitialized<B> b[steps];
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    int const other = top + rows_in_step * k;
    auto const load = [&](auto& into, auto const& from, bool is_transposed) {
      int const i = is_transposed ? lane : other, j = is_transposed ? other : lane;
      if (is_inside(i, j))
        into.load(reinterpret_cast<char const*>(&from.at(matrix, row + i, col + j)));
    };
    if (reads_a) load(a[k], p.a, a_is_transposed);
    if (reads_b) load(b[k], p.b, b_is_transposed);
  }
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    int const other = top + rows_in_step * k;
    if (!is_inside(lane, other)) continue;
    if (reads_a && a_is_transposed) a_tile(other, lane) = a[k].value;
    if (reads_b && b_is_transposed) b_tile(other, lane) = b[k].value;
  }
  __syncthreads();

#pragma unroll
  for (int k = 0; k < steps; ++k) {
    int const other = top + rows_in_step * k;
    if (!is_inside(other, lane)) continue;
    A const& x = a_is_transposed ? a_tile(lane, other) : a[k].value;
    B const& y = b_is_transposed ? b_tile(lane, other) : b[k].value;
    p.c.at(matrix, row + other, col + lane) = p.value(x, y);
  }
}

/// Whether the operand is fastest along its columns: it is transposed to the rows of C.
XPOSE_HOST_DEVICE constexpr bool has_contiguous_columns(index rows, index cols, index row_stride,
                                                        index col_stride) {
  auto const length = [](index stride) { return stride < 0 ? -stride : stride; };
  return rows > 1 && (cols == 1 || length(row_stride) < length(col_stride));
}

/// What the selection of a kernel needs of an operand. Strides in elements.
struct add_operand {
  std::uintptr_t address;
  index batch_stride, row_stride, col_stride;
  index bytes;   // of an element
  bool is_read;  // its scalar is not zero
};

enum class add_kernel {
  in_order,
  transposed,
  skinny_rows,
  skinny_cols,
  vec16,
  unaligned,
  both_transposed
};

// Below so many elements the kernel of single elements keeps more multiprocessors busy.
inline constexpr index min_elements_in_tiles = index{1} << 18;

/// Whether both operands are read, and both and C have one element size and natural alignment.
inline bool are_at_elements(add_operand const& a, add_operand const& b, add_operand const& c) {
  auto const is_at_elements = [&](add_operand const& o) {
    return o.bytes == c.bytes && o.address % static_cast<std::uintptr_t>(c.bytes) == 0;
  };
  return a.is_read && b.is_read && is_at_elements(a) && is_at_elements(b) && is_at_elements(c);
}

/// For two transposed operands at any address.
inline add_kernel choose_kernel_for_both(add_operand const& a, add_operand const& b,
                                         add_operand const& c, index batch, index rows,
                                         index cols) {
  constexpr index least_side = 32;
  bool const suits = are_at_elements(a, b, c) && a.row_stride == 1 && b.row_stride == 1 &&
                     c.col_stride == 1 && std::min(rows, cols) >= least_side &&
                     batch * rows * cols >= min_elements_in_tiles;
  return suits ? add_kernel::both_transposed : add_kernel::transposed;
}

/// For one transposed operand at any address.
inline add_kernel choose_transposing_kernel(add_operand const& transposed, add_operand const& other,
                                            add_operand const& c, index batch, index rows,
                                            index cols) {
  index const elements = batch * rows * cols;
  if (!are_at_elements(transposed, other, c) || transposed.row_stride != 1 ||
      other.col_stride != 1 || c.col_stride != 1 || elements < min_skinny_elements)
    return add_kernel::transposed;
  switch (skinny_side_of(cols, rows, c.bytes, c.bytes, transposed.col_stride * c.bytes)) {
    case skinny_side::cols:
      return add_kernel::skinny_cols;
    case skinny_side::rows:
      return add_kernel::skinny_rows;
    case skinny_side::none:
      break;
  }
  return elements >= min_elements_in_tiles ? add_kernel::unaligned : add_kernel::transposed;
}

/// For a C that is fastest along its rows.
inline add_kernel choose_add_kernel(add_operand const& a, add_operand const& b,
                                    add_operand const& c, index batch, index rows, index cols) {
  auto const is_transposed = [&](add_operand const& o) {
    return has_contiguous_columns(rows, cols, o.row_stride, o.col_stride);
  };
  auto const suits_vec16 = [&](add_operand const& o) {
    bool const transposed = is_transposed(o);
    index const pitch = transposed ? o.col_stride : o.row_stride;
    index const steps = pitch | (batch > 1 ? o.batch_stride : 0);
    return o.bytes == c.bytes && (transposed ? o.row_stride : o.col_stride) == 1 &&
           steps * o.bytes % vec16_bytes == 0 && o.address % vec16_bytes == 0;
  };
  if ((!is_transposed(a) && !is_transposed(b)) || !fit_in_tiles(a.bytes, b.bytes))
    return add_kernel::in_order;
  if (!is_word_size(c.bytes)) return add_kernel::transposed;
  add_kernel const transposing =
      is_transposed(a) && is_transposed(b) ? choose_kernel_for_both(a, b, c, batch, rows, cols)
      : is_transposed(a)                   ? choose_transposing_kernel(a, b, c, batch, rows, cols)
                                           : choose_transposing_kernel(b, a, c, batch, rows, cols);
  if (transposing == add_kernel::skinny_rows || transposing == add_kernel::skinny_cols)
    return transposing;
  return batch * rows * cols >= min_elements_in_tiles && suits_vec16(a) && suits_vec16(b) &&
                 suits_vec16(c)
             ? add_kernel::vec16
             : transposing;
}

template <class T>
add_operand describe_operand(strided_batch<T> const& o, scalar_kind scalar) {
  return {reinterpret_cast<std::uintptr_t>(o.data),
          o.batch_stride,
          o.row_stride,
          o.col_stride,
          sizeof(T),
          scalar != scalar_kind::zero};
}

template <class Problem, class Operand>
bool has_contiguous_columns(Problem const& p, Operand const& o) {
  return has_contiguous_columns(p.rows, p.cols, o.row_stride, o.col_stride);
}

/// Whether all three operands allow aligned vectors of `count` elements.
template <class Problem>
bool takes_vectors(Problem const& p, index count) {
  auto const suits = [&](auto const& o) {
    index const bytes = count * index{sizeof *o.data};
    index const steps = (p.rows > 1 ? o.row_stride : 0) | (p.batch > 1 ? o.batch_stride : 0);
    return o.col_stride == 1 && steps % count == 0 &&
           reinterpret_cast<std::uintptr_t>(o.data) % static_cast<std::uintptr_t>(bytes) == 0;
  };
  return p.cols % count == 0 && suits(p.a) && suits(p.b) && suits(p.c);
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

template <class Problem>
void launch_add_transposed(execution const& where, Problem const& p) {
  index const down = ceil_div(p.rows, strided_tile::side);
  index const across = ceil_div(p.cols, strided_tile::side);
  launch_blocks(where, p.batch * down * across, strided_tile::threads, 0, "add_turned",
                add_transposed<Problem>, p, add_grid{fast_divisor(across), fast_divisor(down), 0},
                has_contiguous_columns(p, p.a), has_contiguous_columns(p, p.b));
}

template <class Problem>
void launch_add_vec16(execution const& where, Problem const& p) {
  using tile = sum_tile<sizeof(typename Problem::output_type)>;
  index const across = ceil_div(p.cols, tile::rows);
  index const down = ceil_div(p.rows, tile::cols);
  int const smem_tiles =
      (has_contiguous_columns(p, p.a) ? 1 : 0) + (has_contiguous_columns(p, p.b) ? 1 : 0);
  launch_blocks(where, p.batch * down * across, tile::threads, smem_tiles * tile::shared_bytes,
                "add_chunks", add_vec16<Problem>, p, fast_divisor(across), fast_divisor(down),
                has_contiguous_columns(p, p.a), has_contiguous_columns(p, p.b));
}

/// Launches a problem whose linear indices fit 31 bits; cuts larger ones in half.
template <class Problem>
void launch_add(execution const& where, Problem const& p) {
  constexpr index most_elements = index{1} << 30;
  if (p.batch * p.rows * p.cols > most_elements) {
    Problem front = p;
    Problem back = p;
    auto const cut = [&](auto extent, auto const& step) {
      index const half = (p.*extent / 2 + 1023) / 1024 * 1024;
      front.*extent = p.*extent > 2048 ? half : p.*extent / 2;
      back.*extent = p.*extent - front.*extent;
      back.a.data += front.*extent * step(p.a);
      back.b.data += front.*extent * step(p.b);
      back.c.data += front.*extent * step(p.c);
    };
    if (p.cols >= p.rows && p.cols >= p.batch)
      cut(&Problem::cols, [](auto const& o) { return o.col_stride; });
    else if (p.rows >= p.batch) cut(&Problem::rows, [](auto const& o) { return o.row_stride; });
    else cut(&Problem::batch, [](auto const& o) { return o.batch_stride; });
    launch_add(where, front);
    return launch_add(where, back);
  }
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using C = typename Problem::output_type;
  constexpr index c_bytes = sizeof(C);
  add_kernel const kernel =
      choose_add_kernel(describe_operand(p.a, p.alpha_kind), describe_operand(p.b, p.beta_kind),
                        describe_operand(p.c, scalar_kind::one), p.batch, p.rows, p.cols);
  if constexpr (sizeof(A) == c_bytes && sizeof(B) == c_bytes && is_word_size(c_bytes)) {
    if (kernel == add_kernel::vec16) {
      if (!explain_only(where, "add_chunks")) launch_add_vec16(where, p);
      return;
    }
    if (kernel != add_kernel::in_order && kernel != add_kernel::transposed) {
      skinny_side const side = kernel == add_kernel::skinny_rows   ? skinny_side::rows
                               : kernel == add_kernel::skinny_cols ? skinny_side::cols
                                                                   : skinny_side::none;
      // Real problems that read both operands arrive as both_applied.
      if constexpr (has_both_applied<Problem> || !is_real_scalar<Problem>) {
        bool const turns_both = kernel == add_kernel::both_transposed;
        if (explain_only(where, turns_both                  ? "add_both_turned"
                                : side == skinny_side::rows ? "add_thin_rows"
                                : side == skinny_side::cols ? "add_thin_cols"
                                                            : "add_skewed"))
          return;
        if (turns_both) return launch_add_both_transposed(where, p);
        return launch_add_one_transposed(where, side, has_contiguous_columns(p, p.a), p);
      }
    }
  }
  if constexpr (fit_in_tiles(sizeof(A), sizeof(B)))
    if (kernel != add_kernel::in_order) {
      if (!explain_only(where, "add_turned")) launch_add_transposed(where, p);
      return;
    }
  if (explain_only(where, "add_in_order")) return;
  constexpr int count =
      std::min(elements_in_vector(sizeof(A), c_bytes), elements_in_vector(sizeof(B), c_bytes));
  if constexpr (count > 1) {
    Problem vectors = p;
    Problem rest = p;
    if (p.rows == 1 && p.batch == 1) vectors.cols = p.cols / count * count;
    if (vectors.cols > 0 && takes_vectors(vectors, count)) {
      launch_add_in_order<count>(where, vectors);
      rest.cols = p.cols - vectors.cols;
      rest.a.data += vectors.cols;
      rest.b.data += vectors.cols;
      rest.c.data += vectors.cols;
    }
    if (rest.cols == 0) return;
    return launch_add_in_order<1>(where, rest);
  }
  launch_add_in_order<1>(where, p);
}

template <class Problem>
void cuda_add(execution const& where, Problem const& given) {
  Problem const p =
      (has_contiguous_columns(given, given.c) ? given.transposed() : given).in_one_row();
  if constexpr (is_real_scalar<Problem>) {
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
