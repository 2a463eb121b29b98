// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How a small product is multiplied: as C = A B or as C' = B' A', by which kernel, and what of it
// is transposed on the way. By extents, strides and instruction set alone. For small/driver.cpp
// alone.
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/backends/omp/gemm/small/ready.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// What a transpose takes, in products of a vector: a call, and so many elements of blocks as high
/// and as wide as a vector.
constexpr index cost_of_transpose = 64;
constexpr index transposed_elements = 2;

/// An operand as a product, or its transpose, has it: in elements.
struct small_operand {
  char const* data;
  index rows, cols, row_stride, col_stride, batch_stride;
  bool conjugated;
};
template <bool Exchanges>
small_operand operand_of(operand const& o) {
  char const* const data = static_cast<char const*>(o.data);
  if constexpr (Exchanges)
    return {data, o.cols, o.rows, o.col_stride, o.row_stride, o.batch_stride, o.conjugated};
  else return {data, o.rows, o.cols, o.row_stride, o.col_stride, o.batch_stride, o.conjugated};
}

/// Of C = A B, or with Exchanges of C' = B' A'.
struct small_operands {
  small_operand a, b, c;
};
template <bool Exchanges>
small_operands operands_of(gemm_request const& r) {
  return {operand_of<Exchanges>(Exchanges ? r.b : r.a),
          operand_of<Exchanges>(Exchanges ? r.a : r.b), operand_of<Exchanges>(r.c)};
}

/// Whether bytes of strides can be computed, also of those that address nothing.
inline bool has_countable_strides(small_operand const& o) {
  auto const is_countable = [](index stride) { return countable_stride(1, stride) == stride; };
  return is_countable(o.row_stride) && is_countable(o.col_stride) && is_countable(o.batch_stride);
}

/// C = A B, or with Exchanges C' = B' A'. False: some stride is none that the kernels take.
template <bool Exchanges>
bool read(gemm_request const& r, small_batch& s) {
  auto const [a, b, c] = operands_of<Exchanges>(r);
  s.is_exchanged = Exchanges;
  // A single column is contiguous for dots too.
  s.transposes_b = b.col_stride != 1 || (b.cols == 1 && b.row_stride == 1);
  s.transposes_c = c.col_stride != 1;
  if ((a.col_stride != 1 && a.row_stride != 1) || (s.transposes_b && b.row_stride != 1) ||
      (s.transposes_c && c.row_stride != 1) || !has_countable_strides(a) ||
      !has_countable_strides(b) || !has_countable_strides(c))
    return false;
  index const bytes = r.c.bytes_per_element;
  s.first = {a.data,
             a.row_stride * bytes,
             a.col_stride * bytes,
             b.data,
             (s.transposes_b ? b.col_stride : b.row_stride) * bytes,
             const_cast<char*>(c.data),
             (s.transposes_c ? c.col_stride : c.row_stride) * bytes,
             c.rows,
             c.cols,
             a.cols,
             r.alpha_is_one ? nullptr : r.alpha,
             r.beta_is_zero ? nullptr : r.beta,
             a.conjugated,
             b.conjugated,
             false};
  s.multiply = nullptr;
  s.a_batch_step = a.batch_stride * bytes;
  s.b_batch_step = b.batch_stride * bytes;
  s.c_batch_step = c.batch_stride * bytes;
  return true;
}

/// In products of a vector.
inline index cost_of(small_batch const& s, small_kernel const& kernel) {
  small_product const& p = s.first;
  index const lanes = kernel.vector_cols;
  auto const transpose = [=](index rows, index cols) {
    return cost_of_transpose +
           ceil_div(rows, lanes) * ceil_div(cols, lanes) * lanes * lanes / transposed_elements;
  };
  return ceil_div(p.cols, lanes) * p.rows * p.k_extent +
         (s.transposes_b ? transpose(p.k_extent, p.cols) : 0) +
         (s.transposes_c ? transpose(p.rows, p.cols) : 0);
}

/// Whether it pays to count what C' = B' A' takes, which is 60 ns. With A by rows and B by columns
/// that transposes A and C instead of B: 4x60x61 of complex doubles takes 2.9 us so, 5.4 otherwise,
/// 8x60x60 of f64 1.6 and 2.1; of f32 it is 8x60x60 1.4 and 1.2 (Zen 3, 2026-11-27).
inline bool may_be_cheaper_exchanged(small_batch const& s, index bytes) {
  constexpr index least_bytes = 8, least_elements = 1024;  // of B
  small_product const& p = s.first;
  index const of_b = p.k_extent * p.cols;
  return p.a_step == bytes || (s.transposes_b && bytes >= least_bytes && of_b >= least_elements &&
                               of_b > p.rows * (p.k_extent + p.cols));
}

/// Fewer steps of k are not worth several chains.
constexpr index least_k_of_chains = 16;

/// A product whose C has contiguous rows, as C = A B.
struct small_shape {
  index rows, cols, k_extent;
  bool a_by_rows;
  bool b_by_columns;

  bool has_dots() const { return a_by_rows && cols <= most_dot_columns; }
  bool has_exchanged_dots() const { return b_by_columns && rows <= most_dot_columns; }
  /// They transpose C instead of B, or with A by rows A and C.
  bool has_exchanged_tiles() const { return !a_by_rows || (b_by_columns && cols > rows); }
};
/// Of the kernels for contiguous columns. Exchanged: as C' = B' A'.
enum class small_way : int { tiles, dots, exchanged_tiles, exchanged_dots };

/// Cycles that the kernels with vectors of 64 bytes take, roughly. Of 80 random products of sides 2
/// to 64, half of them with a side up to 8, the chosen way takes 1.02 to 1.04 of the least of all
/// four (Emerald Rapids, 2026-11-29).
class small_cycles {
 public:
  explicit small_cycles(index vector_cols)
      : lanes_(vector_cols),
        shift_(__builtin_ctzll(static_cast<unsigned long long>(vector_cols))) {}

  index of_tiles(index rows, index cols, index k_extent) const {
    index const vectors = vectors_of(cols);
    index const accumulators = rows * vectors;
    index const latency = accumulators <= 2 ? 1 : accumulators <= 4 ? 2 : 4;
    index const of_step = std::max(latency, (2 * accumulators + rows) >> 2);
    return of_step * k_extent + accumulators + of_tile;
  }
  index of_transpose(index rows, index cols) const {
    index const of_vector =
        4 * cols < lanes_ ? (3 * lanes_ * cols) >> 2 : (4 * rows <= lanes_ ? 2 : 3) * cols;
    return vectors_of(rows) * of_vector;
  }
  index of_dots(index rows, index cols, index k_extent) const {
    // At once: lanes / cols rows, as quotients by divisions take as long as a tile.
    index const at_once = (lanes_ * inverses[cols]) >> 16;
    index const groups = (rows * inverses[at_once] + 0xffff) >> 16;
    index const of_step = (at_once * cols + at_once + cols) >> 1;
    return groups * (vectors_of(k_extent) * of_step + 3 * lanes_);
  }

 private:
  static constexpr index of_tile = 20;
  // 2^16 / n, rounded up: of 1 to 8 columns, of which a vector has 16 rows to one.
  static constexpr int inverses[17] = {0,    65536, 32768, 21846, 16384, 13108, 10923, 9363, 8192,
                                       7282, 6554,  5958,  5462,  5042,  4682,  4370,  4096};

  index vectors_of(index elements) const { return (elements + lanes_ - 1) >> shift_; }

  index lanes_;
  int shift_;
};

/// The cheapest way, where there are several. Apart: most calls need none of its registers.
[[gnu::noinline]] inline small_way cheapest_way(small_shape const& s, index vector_cols) {
  small_cycles const cycles(vector_cols);
  small_way way = small_way::tiles;
  index least = cycles.of_tiles(s.rows, s.cols, s.k_extent) +
                (s.b_by_columns ? cycles.of_transpose(s.cols, s.k_extent) : 0);
  auto const compare = [&](small_way other, index cost) {
    if (cost >= least) return;
    least = cost;
    way = other;
  };
  if (s.has_dots())
    compare(small_way::dots, cycles.of_dots(s.rows, s.cols, s.k_extent) +
                                 (s.b_by_columns ? 0 : cycles.of_transpose(s.k_extent, s.cols)));
  if (s.has_exchanged_dots())
    compare(small_way::exchanged_dots,
            cycles.of_dots(s.cols, s.rows, s.k_extent) +
                (s.a_by_rows ? 0 : cycles.of_transpose(s.k_extent, s.rows)));
  if (s.has_exchanged_tiles())
    compare(small_way::exchanged_tiles,
            cycles.of_tiles(s.cols, s.rows, s.k_extent) + cycles.of_transpose(s.cols, s.rows) +
                (s.a_by_rows ? cycles.of_transpose(s.rows, s.k_extent) : 0));
  return way;
}

inline small_way way_of(small_shape const& s, index vector_cols) {
  // A count of what the others take, 5 to 9 ns, pays neither for dots of so few steps, whose B has
  // to be transposed, nor where rows fill vectors: 45x3x17 NN of f64 takes 328 ns by dots, 217 by
  // tiles (Emerald Rapids, 2026-11-29).
  constexpr index few_steps = 24;
  bool const has_one_way =
      !s.b_by_columns && (s.a_by_rows ? s.cols > most_dot_columns || s.k_extent < few_steps
                                      : s.cols >= 4 * vector_cols);
  return has_one_way ? small_way::tiles : cheapest_way(s, vector_cols);
}

/// Whether the kernels for contiguous columns take it: no more than is small whatever the threads,
/// since dots have other bits than the general driver, which takes larger ones on several.
inline bool takes_columns(small_product const& p) {
  auto const is_short = [](index step) {
    return step < most_step_by_columns && step > -most_step_by_columns;
  };
  return p.k_extent <= most_k_by_columns && p.rows * p.cols * p.k_extent <= most_small_products &&
         is_short(p.a_step) && is_short(p.a_k_step) && is_short(p.b_k_step) && is_short(p.c_step);
}

/// The kernel of a product that takes_columns(), and its operands as that kernel has them.
template <bool IsByColumns>
void choose_way(gemm_request const& r, small_kernel const& kernel, small_batch& s) {
  small_product const& p = s.first;
  small_way const way =
      way_of({p.rows, p.cols, p.k_extent, p.a_k_step == r.c.bytes_per_element, s.transposes_b},
             kernel.vector_cols);
  if (way == small_way::exchanged_tiles || way == small_way::exchanged_dots)
    read<!IsByColumns>(r, s);
  if (way == small_way::dots || way == small_way::exchanged_dots) s.multiply = kernel.multiply_dots;
  else if (s.transposes_b || s.transposes_c) s.multiply = kernel.multiply_by_columns;
  s.first.has_chains = p.k_extent >= least_k_of_chains;
}

/// The cheaper of the two ways. The other one transposes C.
template <bool IsByColumns>
inline bool choose(gemm_request const& r, small_kernel const& kernel, small_batch& s) {
  if (!read<IsByColumns>(r, s) || s.transposes_c) return false;
  if (kernel.multiply_by_columns != nullptr && takes_columns(s.first)) {
    choose_way<IsByColumns>(r, kernel, s);
    return true;
  }
  small_batch other;
  if (may_be_cheaper_exchanged(s, r.c.bytes_per_element) && read<!IsByColumns>(r, other) &&
      cost_of(other, kernel) < cost_of(s, kernel))
    s = other;
  return true;
}
inline bool choose(gemm_request const& r, small_kernel const& kernel, small_batch& s) {
  return r.c.col_stride != 1 ? choose<true>(r, kernel, s) : choose<false>(r, kernel, s);
}

}  // namespace
}  // namespace detail
}  // namespace v0
}  // namespace xpose
