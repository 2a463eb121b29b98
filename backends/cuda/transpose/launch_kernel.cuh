// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From a row of transpose/kernel_table.hpp and a piece of a copy to a launch: how each kernel cuts its
// grid, and what shared memory it takes.
#pragma once

#include <xpose/backends/cuda/elementwise/direct.cuh>
#include <xpose/backends/cuda/transpose/kernels/contiguous_runs.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_aligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned_bytes.cuh>
#include <xpose/backends/cuda/transpose/kernels/small_scattered.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_strided.cuh>
#include <xpose/backends/cuda/transpose/kernel_table.hpp>
#include <xpose/backends/cuda/transpose/kernels/skinny.cuh>
#include <xpose/backends/cuda/transpose/kernels/small_batched.cuh>
#include <xpose/backends/cuda/transpose/launch_kernel.hpp>
#include <xpose/functional.hpp>

#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

inline index quotient_up(index dividend, index divisor) {
  return (dividend + divisor - 1) / divisor;
}

/// The matrices of a piece; the words of an element are a dimension of their own where a kernel
/// takes one word at a time.
inline transpose_problem problem_of(transpose_piece const& piece, bool is_by_words) {
  copy_plan const& plan = piece.plan;
  auto const& rows = plan.dimensions[1];
  auto const& cols = plan.dimensions[plan.in_fastest];
  transpose_problem p{piece.in,
                      piece.out,
                      rows.in_stride,
                      cols.out_stride,
                      cols.in_stride,
                      rows.out_stride,
                      static_cast<int>(rows.extent),
                      static_cast<int>(cols.extent),
                      1,
                      {}};
  index const run = plan.dimensions[0].extent;
  if (is_by_words && run > piece.word) {
    p.outer.add({run / piece.word, piece.word, piece.word});
    p.places = run / piece.word;
  }
  for (int d = 2; d < plan.count; ++d)
    if (d != plan.in_fastest) {
      p.outer.add(plan.dimensions[d]);
      p.places *= plan.dimensions[d].extent;
    }
  return p;
}

/// Tiles that are cut where output rows meet sectors reach beyond a matrix by what they shift.
inline bool cuts_at_sectors(transpose_problem const& p) {
  index bits = static_cast<index>(reinterpret_cast<std::uintptr_t>(p.out)) | p.out_pitch;
  for (int d = 0; d < p.outer.count; ++d) bits |= p.outer.dimensions[d].out_stride;
  return bits % sector_bytes != 0;
}

template <class Kernel, class... Stored>
void launch_tiles(execution const& where, transpose_row const& row, Kernel* kernel,
                  transpose_problem const& p, int shared_bytes, int extra_rows, Stored... stored) {
  index const down = quotient_up(p.rows + (cuts_at_sectors(p) ? extra_rows : 0), row.rows);
  index const across = quotient_up(p.cols, row.cols);
  launch_blocks(where, down * across * p.places, row.threads,
                std::max(shared_bytes, row.shared_bytes), row.name, kernel, p,
                tile_order(down, across), stored...);
}

template <int W>
void launch_rows(execution const& where, transpose_row const& row, transpose_piece const& piece) {
  copy_plan const& plan = piece.plan;
  index const run = plan.dimensions[0].extent;
  rows_problem p{piece.in, piece.out, piece.readable_end, run, fast_divisor{}, 0, {}};
  index bits = static_cast<index>(reinterpret_cast<std::uintptr_t>(piece.out));
  index rows = 1;
  for (int d = 1; d < plan.count; ++d) {
    p.rows.add(plan.dimensions[d]);
    bits |= plan.dimensions[d].out_stride;
    rows *= plan.dimensions[d].extent;
  }
  index const most_skew = bits % chunk_bytes == 0 ? 0 : chunk_bytes - W;
  index const chunks_in_row = quotient_up(run + most_skew, chunk_bytes);
  p.chunks_in_row = fast_divisor(chunks_in_row);
  p.chunks = static_cast<unsigned>(rows * chunks_in_row);
  launch_blocks(where, quotient_up(rows * chunks_in_row, copy_rows_threads), copy_rows_threads, 0,
                row.name, copy_rows<W>, p);
}

template <int W>
void launch_direct_words(execution const& where, transpose_piece const& piece) {
  copy_plan const& plan = piece.plan;
  index const words = plan.dimensions[0].extent / W;
  outer_dimensions dimensions{};
  if (words > 1) dimensions.add({words, W, W});
  for (int d = 1; d < plan.count; ++d) dimensions.add(plan.dimensions[d]);
  using word = typename word_of<W>::type;
  launch_direct<word, word>(where, piece.in, piece.out, dimensions, plan.units / W, identity{});
}

/// launch(words) for elements of several words: those of three bytes have a type of their own.
template <int W, class Launch>
void with_element_words(index words, Launch const& launch) {
  if constexpr (W == 1)
    if (words == 3) return launch(element_words<3>(words));
  launch(element_words<0>(words));
}

/// Few columns, or rows, of elements of one word or of several.
template <int W, int Threads>
void launch_thin_words(execution const& where, transpose_row const& row, thin_side side,
                       transpose_piece const& piece) {
  transpose_problem const p = problem_of(piece, false);
  bool const is_stretch = writes_a_stretch(p, piece.plan.dimensions[0].extent);
  if (row.element == 1)
    return launch_thin<Threads>(where, row.name, side, p, is_stretch, stored_as_read<W>{});
  index const words = piece.plan.dimensions[0].extent / W;
  with_element_words<W>(words, [&](auto const& element) {
    using type = std::decay_t<decltype(element)>;
    if (side == thin_side::cols)
      return launch_thin_cols_of<Threads, type>(where, row.name, p, words, stored_as_read<W>{});
    launch_thin_rows_of<Threads, type>(where, row.name, p, words, is_stretch, stored_as_read<W>{});
  });
}

/// Share of a copy with pads and swizzled, bytes: 3x3 0.97, 0.90; 5x7 0.95, 0.87; 16x15 1.00, 1.00;
/// 17x17 0.85, 0.98; 33x31 0.96, 0.94; 63x65 0.81, 0.75; in larger stages 101x99 0.97, 0.98;
/// 201x199 0.45, 0.69. Words of 2 bytes and more reach 1.00 with pads (H100, 2026-11-21).
template <int StageBytes>
bool suits_swizzled_stage(int rows) {
  constexpr int least_rows = chunk_bytes, most_rows = 2 * chunk_bytes - 1;
  return StageBytes > tiny_stage_bytes || (rows >= least_rows && rows <= most_rows);
}

/// As many matrices as the stage holds, whole sectors of them if possible.
template <int W, int Element, int Threads, int StageBytes>
void launch_tiny(execution const& where, transpose_row const& row, transpose_piece const& piece) {
  transpose_problem const p = problem_of(piece, false);
  index const words = piece.plan.dimensions[0].extent / W, area = index{p.rows} * p.cols;
  index const matrix_bytes = area * words * W;
  index const fitting = (StageBytes - chunk_bytes) / matrix_bytes;
  index whole_sectors = 1;
  while (whole_sectors * matrix_bytes % sector_bytes != 0) whole_sectors *= 2;
  index const matrices =
      fitting >= whole_sectors ? fitting / whole_sectors * whole_sectors : fitting;
  auto const launch = [&](auto const& element) {
    using type = std::decay_t<decltype(element)>;
    constexpr int loads = StageBytes / (Threads * chunk_bytes);
    auto* kernel = transpose_tiny<W, type, padded_layout, Threads, loads>;
    if constexpr (W == 1 && Element == 1)
      if (suits_swizzled_stage<StageBytes>(p.rows))
        kernel = transpose_tiny<W, type, swizzled_layout, Threads, loads>;
    launch_blocks(where, quotient_up(p.places, matrices), Threads,
                  padded_size(static_cast<int>(matrices * matrix_bytes) + 16), row.name, kernel, p,
                  static_cast<int>(matrices), fast_divisor(area), fast_divisor(p.rows), element);
  };
  if constexpr (Element != 0) launch(element_words<Element>(words));
  else with_element_words<W>(words, launch);
}

template <int Threads, int StageBytes>
void launch_tiny_bytes(execution const& where, transpose_row const& row,
                       transpose_problem const& p) {
  index const area = index{p.rows} * p.cols;
  index const matrices = StageBytes / area;
  launch_blocks(where, quotient_up(p.places, matrices), Threads,
                2 * padded_size(static_cast<int>(matrices * area) + 128), row.name,
                transpose_tiny_bytes<Threads, StageBytes / (Threads * chunk_bytes)>, p,
                static_cast<int>(matrices), fast_divisor(area / 16), fast_divisor(p.rows / 4));
}

/// 16 KB of words, or what a thread's loads take; a larger matrix by itself.
template <int W>
void launch_scattered(execution const& where, transpose_row const& row,
                      transpose_problem const& p) {
  using block = scattered_block;
  constexpr index most_words = std::min<index>(block::most_words, (index{16} << 10) / W);
  index const area = index{p.rows} * p.cols;
  index const matrices =
      std::min<index>(block::most_matrices, std::max<index>(1, most_words / area));
  int const shared_bytes = static_cast<int>(matrices * p.rows * scattered_pitch(p.cols) * W);
  launch_blocks(where, quotient_up(p.places, matrices), block::threads, shared_bytes, row.name,
                transpose_scattered<W>, p, static_cast<int>(matrices), fast_divisor(area),
                fast_divisor(p.rows), fast_divisor(p.cols));
}

/// The library's own rows; the tuner brings others.
struct tuned_rows {
  static constexpr auto const& rows = transpose_rows;
};

template <class Table, int Row>
void launch_row(execution const& where, transpose_piece const& piece) {
  constexpr transpose_row row = Table::rows[Row];
  constexpr int W = row.word;
  constexpr transpose_kernel kernel = row.kernel;
  if constexpr (kernel == transpose_kernel::rows) {
    launch_rows<W>(where, row, piece);
  } else if constexpr (kernel == transpose_kernel::direct) {
    launch_direct_words<W>(where, piece);
  } else if constexpr (kernel == transpose_kernel::strided) {
    using word = typename word_of<W>::type;
    launch_strided<word, word>(where, problem_of(piece, true), identity{});
  } else if constexpr (kernel == transpose_kernel::scattered) {
    launch_scattered<W>(where, row, problem_of(piece, true));
  } else {
    transpose_problem const p = problem_of(piece, false);
    if constexpr (kernel == transpose_kernel::tiny_bytes) {
      launch_tiny_bytes<row.threads, row.shared_bytes>(where, row, p);
    } else if constexpr (kernel == transpose_kernel::tiny) {
      launch_tiny<W, row.element, row.threads, row.shared_bytes>(where, row, piece);
    } else if constexpr (kernel == transpose_kernel::thin_cols) {
      launch_thin_words<W, row.threads>(where, row, thin_side::cols, piece);
    } else if constexpr (kernel == transpose_kernel::thin_rows) {
      launch_thin_words<W, row.threads>(where, row, thin_side::rows, piece);
    } else if constexpr (kernel == transpose_kernel::aligned) {
      using tile = aligned_tile<W, row.rows, row.cols, row.threads>;
      launch_tiles(where, row, transpose_aligned<W, row.rows, row.cols, row.threads, row.blocks>, p,
                   tile::shared_bytes, 0);
    } else if constexpr (kernel == transpose_kernel::packed) {
      using tile = packed_tile<row.rows, row.cols>;
      static_assert(tile::threads == row.threads);
      launch_tiles(where, row, transpose_packed<stored_as_read<1>, row.rows, row.cols, row.blocks>,
                   p, tile::shared_bytes, tile::extra_rows, stored_as_read<1>{}, rows_as_read{});
    } else {
      using tile = skewed_tile<W, W, row.element, row.rows, row.cols, row.threads, row.columns>;
      launch_tiles(where, row, transpose_skewed<stored_as_read<W>, tile, row.blocks>, p,
                   tile::shared_bytes, tile::extra_rows, stored_as_read<W>{}, rows_as_read{});
    }
  }
}

template <class Table, int W, int Row>
void launch_if_asked(execution const& where, int row, transpose_piece const& piece) {
  if constexpr (Table::rows[Row].word == W)
    if (row == Row) launch_row<Table, Row>(where, piece);
}

template <class Table, int W, int... Rows>
void launch_words(execution const& where, int row, transpose_piece const& piece,
                  std::integer_sequence<int, Rows...>) {
  (launch_if_asked<Table, W, Rows>(where, row, piece), ...);
}

/// The kernel of a row, if its words are of W bytes.
template <class Table, int W>
void launch_words(execution const& where, int row, transpose_piece const& piece) {
  constexpr int rows = sizeof Table::rows / sizeof Table::rows[0];
  launch_words<Table, W>(where, row, piece, std::make_integer_sequence<int, rows>{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
