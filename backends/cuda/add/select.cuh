// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Selects the kernel of an add from sizes, strides and addresses of its operands.
#pragma once

#include <xpose/backends/core/problems/add_problem.hpp>
#include <xpose/backends/cuda/add/both_skinny.cuh>
#include <xpose/backends/cuda/add/tile_strided.cuh>
#include <xpose/backends/cuda/elementwise/select.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

enum class add_kernel {
  in_order,
  both_skinny,
  skinny_cols,
  skinny_rows,
  both_aligned,
  vec16,
  both_transposed,
  unaligned,
  transposed
};

/// What the selection needs of an operand. Strides in elements.
struct add_operand {
  std::uintptr_t address;
  index batch_stride, row_stride, col_stride;
  index bytes;         // of an element
  bool is_read;        // its scalar is not zero
  bool is_transposed;  // fastest along its columns

  index pitch() const { return is_transposed ? col_stride : row_stride; }
  bool is_contiguous() const { return (is_transposed ? row_stride : col_stride) == 1; }
  bool is_aligned_to(index alignment) const {
    return address % static_cast<std::uintptr_t>(alignment) == 0;
  }
};

/// An add whose C is fastest along its rows.
struct add_case {
  add_operand a, b, c;
  index batch, rows, cols;

  index elements() const { return batch * rows * cols; }
  bool transposes_both() const { return a.is_transposed && b.is_transposed; }
};

template <class Problem>
add_case case_of(Problem const& p) {
  auto const described = [&p](auto const& o, scalar_kind scalar) {
    return add_operand{reinterpret_cast<std::uintptr_t>(o.data),
                       o.batch_stride,
                       o.row_stride,
                       o.col_stride,
                       sizeof *o.data,
                       scalar != scalar_kind::zero,
                       p.is_transposed(o)};
  };
  return {described(p.a, p.alpha_kind),
          described(p.b, p.beta_kind),
          described(p.c, scalar_kind::one),
          p.batch,
          p.rows,
          p.cols};
}

// Below so many elements the kernel of single elements keeps more multiprocessors busy.
inline constexpr index min_elements_in_tiles = index{1} << 18;

inline bool needs_no_tile(add_case const& p) {
  return (!p.a.is_transposed && !p.b.is_transposed) || !fit_in_tiles(p.a.bytes, p.b.bytes);
}

/// Both operands are read; all three have one word size, contiguous elements, natural alignment.
inline bool has_contiguous_words(add_case const& p) {
  auto const suits = [&](add_operand const& o) {
    return o.is_read && o.bytes == p.c.bytes && o.is_contiguous() && o.is_aligned_to(p.c.bytes);
  };
  return is_word_size(p.c.bytes) && suits(p.a) && suits(p.b) && suits(p.c);
}

template <skinny_side Side>
bool is_skinny(add_case const& p) {
  index const pitch = (p.a.is_transposed ? p.a : p.b).col_stride;
  return !p.transposes_both() && has_contiguous_words(p) && p.elements() >= min_skinny_elements &&
         skinny_side_of(p.cols, p.rows, p.c.bytes, p.c.bytes, pitch * p.c.bytes) == Side;
}

/// In us, and by tiles of 64x64: f32 8x1348104 58, 153 (cuBLAS 71, adding in order 46), f64
/// 4x953256 35, 115 (40, 33), complex doubles 2x653540 25, 99 (48, 24) (H100, 2026-11-27).
inline bool is_both_skinny(add_case const& p) {
  index const shorter = std::min(p.rows, p.cols);
  return p.transposes_both() && shorter < min_add_tile_side &&
         std::max(p.rows, p.cols) >= 4 * shorter && p.elements() >= min_skinny_elements;
}

inline bool is_vec16_aligned(add_case const& p) {
  auto const suits = [&](add_operand const& o) {
    index const steps = o.pitch() | (p.batch > 1 ? o.batch_stride : 0);
    return o.bytes == p.c.bytes && o.is_contiguous() && steps * o.bytes % vec16_bytes == 0 &&
           o.is_aligned_to(vec16_bytes);
  };
  return is_word_size(p.c.bytes) && p.elements() >= min_elements_in_tiles && suits(p.a) &&
         suits(p.b) && suits(p.c);
}

/// Not bytes whose rows begin within cache lines: 10000x8000 0.78 of the bandwidth, 0.86 where each
/// operand is transposed by itself; 8192x8192 0.91, 0.89 (H100, 2026-11-28).
inline bool suits_both_aligned(add_case const& p) {
  constexpr index cache_line = 128, many_bytes = index{1} << 25;
  bool const loses = p.c.bytes == 1 && p.elements() >= many_bytes &&
                     (p.a.pitch() | p.b.pitch() | p.c.pitch()) % cache_line != 0;
  return !loses && p.transposes_both() && has_contiguous_words(p) && is_vec16_aligned(p);
}

inline bool suits_both_transposed(add_case const& p) {
  return p.transposes_both() && has_contiguous_words(p) &&
         std::min(p.rows, p.cols) >= min_add_tile_side && p.elements() >= min_elements_in_tiles;
}

inline bool suits_unaligned(add_case const& p) {
  return !p.transposes_both() && has_contiguous_words(p) && p.elements() >= min_elements_in_tiles;
}

/// Not of 4 and 8 bytes if both operands are read. us so and by add_unaligned, NT: f32
/// 600x620 5.32, 4.80, 1504x1504 11.3, 10.0, 4000x4008 50.4, 49.1, 6616x6616 130.2, 132.0; f64
/// 512x512 5.45, 5.02, 1504x1504 17.7, 16.4, 6616x6616 250, 254; complex floats 512x512 5.61, 5.09,
/// 1504x1504 TN 19.5, 16.6, 6616x6616 TN 278, 259 (cuBLAS 252); 16 bytes 1504x1504 29.0, 29.2,
/// 6616x6616 491, 502 (H200, 2026-12-01). 1 and 2 bytes were not measured.
inline bool suits_vec16(add_case const& p) {
  bool const is_narrow_or_wide = p.c.bytes < 4 || p.c.bytes == vec16_bytes;
  return is_vec16_aligned(p) && (is_narrow_or_wide || !suits_unaligned(p));
}

/// Few elements with transposed operands: strided loads take less time than a tile's barrier and
/// second step. us in tiles and so: f32 92x92 TT 2.81, 2.40, 250x256 NT 3.63, 3.21, 362x362 NT 3.9,
/// 3.63, 512x512 NT 5.1, 4.4, but 300x400 TT 3.89, 4.28; f64 92x92 TT 2.88, 2.43 (cuBLAS 2.76),
/// 250x256 TT 3.78, 3.63; 16 bytes 120x130 NT 3.99, 3.11, 300x400 NT 5.26, 4.96, 512x512
/// NT 6.6, 6.9 (H200, 2026-12-01). Skinny ones were not measured.
inline bool is_fastest_in_order(add_case const& p) {
  index const few_of_one = index{1} << (p.c.bytes < 8 ? 18 : 17);
  constexpr index few_of_both = index{1} << 16;
  return p.elements() <= (p.transposes_both() ? few_of_both : few_of_one);
}

struct add_config {
  char const* name;  // as explain() shows it
  add_kernel kernel;
  bool (*suits)(add_case const& p);
};
inline constexpr add_config add_configs[] = {
    {"add_in_order", add_kernel::in_order, needs_no_tile},
    {"add_both_skinny", add_kernel::both_skinny, is_both_skinny},
    {"add_skinny_cols", add_kernel::skinny_cols, is_skinny<skinny_side::cols>},
    {"add_skinny_rows", add_kernel::skinny_rows, is_skinny<skinny_side::rows>},
    {"add_in_order", add_kernel::in_order, is_fastest_in_order},
    {"add_both_aligned", add_kernel::both_aligned, suits_both_aligned},
    {"add_vec16", add_kernel::vec16, suits_vec16},
    {"add_both_transposed", add_kernel::both_transposed, suits_both_transposed},
    {"add_unaligned", add_kernel::unaligned, suits_unaligned},
    {"add_transposed", add_kernel::transposed, [](add_case const&) { return true; }},
};

/// The first entry that suits.
inline add_config const& select_add_kernel(add_case const& p) {
  add_config const* entry = add_configs;
  while (!entry->suits(p)) ++entry;
  return *entry;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
