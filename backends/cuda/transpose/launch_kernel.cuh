// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From a row of transpose/kernel_table.hpp and a piece of a copy to a launch: how each kernel cuts
// its grid, and what shared memory it takes.
#pragma once

#include <xpose/backends/cuda/elementwise/direct.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/kernel_table.hpp>
#include <xpose/backends/cuda/transpose/kernels/contiguous_runs.cuh>
#include <xpose/backends/cuda/transpose/kernels/skinny.cuh>
#include <xpose/backends/cuda/transpose/kernels/small_batched.cuh>
#include <xpose/backends/cuda/transpose/kernels/small_scattered.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_aligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_strided.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned_bytes.cuh>
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
    p.batch_count = run / piece.word;
  }
  for (int d = 2; d < plan.count; ++d)
    if (d != plan.in_fastest) {
      p.outer.add(plan.dimensions[d]);
      p.batch_count *= plan.dimensions[d].extent;
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
void launch_tiles(execution const& where, transpose_config const& config, Kernel* kernel,
                  transpose_problem const& p, int shared_bytes, int extra_rows, Stored... stored) {
  index const down = quotient_up(p.rows + (cuts_at_sectors(p) ? extra_rows : 0), config.rows);
  index const across = quotient_up(p.cols, config.cols);
  launch_blocks(where, down * across * p.batch_count, config.threads,
                std::max(shared_bytes, config.shared_bytes), config.name, kernel, p,
                tile_order(down, across), stored...);
}

template <int W>
void launch_rows(execution const& where, transpose_config const& config,
                 transpose_piece const& piece) {
  copy_plan const& plan = piece.plan;
  index const run = plan.dimensions[0].extent;
  contiguous_runs_problem p{piece.in, piece.out, piece.readable_end, run, fast_divisor{}, 0, {}};
  index bits = static_cast<index>(reinterpret_cast<std::uintptr_t>(piece.out));
  index rows = 1;
  for (int d = 1; d < plan.count; ++d) {
    p.rows.add(plan.dimensions[d]);
    bits |= plan.dimensions[d].out_stride;
    rows *= plan.dimensions[d].extent;
  }
  index const max_misalignment = bits % vec16_bytes == 0 ? 0 : vec16_bytes - W;
  index const vec16s_in_row = quotient_up(run + max_misalignment, vec16_bytes);
  p.vec16s_in_row = fast_divisor(vec16s_in_row);
  p.chunks = static_cast<unsigned>(rows * vec16s_in_row);
  launch_blocks(where, quotient_up(rows * vec16s_in_row, contiguous_runs_threads),
                contiguous_runs_threads, 0, config.name, copy_contiguous_runs<W>, p);
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
void launch_skinny_words(execution const& where, transpose_config const& config, skinny_side side,
                         transpose_piece const& piece) {
  transpose_problem const p = problem_of(piece, false);
  bool const is_out_contiguous = is_output_contiguous(p, piece.plan.dimensions[0].extent);
  if (config.element == 1)
    return launch_skinny<Threads>(where, config.name, side, p, is_out_contiguous,
                                  copy_epilogue<W>{});
  index const words = piece.plan.dimensions[0].extent / W;
  with_element_words<W>(words, [&](auto const& element) {
    using type = std::decay_t<decltype(element)>;
    if (side == skinny_side::cols)
      return launch_skinny_cols<Threads, type>(where, config.name, p, words, copy_epilogue<W>{});
    launch_skinny_rows<Threads, type>(where, config.name, p, words, is_out_contiguous,
                                      copy_epilogue<W>{});
  });
}

/// Share of a copy with pads and swizzled, bytes: 3x3 0.97, 0.90; 5x7 0.95, 0.87; 16x15 1.00, 1.00;
/// 17x17 0.85, 0.98; 33x31 0.96, 0.94; 63x65 0.81, 0.75; in larger stages 101x99 0.97, 0.98;
/// 201x199 0.45, 0.69. Words of 2 bytes and more reach 1.00 with pads (H100, 2026-11-21).
template <int SmemBytes>
bool suits_swizzle(int rows) {
  constexpr int least_rows = vec16_bytes, most_rows = 2 * vec16_bytes - 1;
  return SmemBytes > small_batched_smem_bytes || (rows >= least_rows && rows <= most_rows);
}

/// As many matrices as the stage holds, whole sectors of them if possible.
template <int W, int Element, int Threads, int SmemBytes>
void launch_small_batched(execution const& where, transpose_config const& config,
                          transpose_piece const& piece) {
  transpose_problem const p = problem_of(piece, false);
  index const words = piece.plan.dimensions[0].extent / W, area = index{p.rows} * p.cols;
  index const matrix_bytes = area * words * W;
  index const fitting = (SmemBytes - vec16_bytes) / matrix_bytes;
  index whole_sectors = 1;
  while (whole_sectors * matrix_bytes % sector_bytes != 0) whole_sectors *= 2;
  index const matrices =
      fitting >= whole_sectors ? fitting / whole_sectors * whole_sectors : fitting;
  auto const launch = [&](auto const& element) {
    using type = std::decay_t<decltype(element)>;
    constexpr int loads = SmemBytes / (Threads * vec16_bytes);
    auto* kernel = transpose_small_batched<W, type, padded_layout, Threads, loads>;
    if constexpr (W == 1 && Element == 1)
      if (suits_swizzle<SmemBytes>(p.rows))
        kernel = transpose_small_batched<W, type, swizzled_layout, Threads, loads>;
    launch_blocks(where, quotient_up(p.batch_count, matrices), Threads,
                  padded_size(static_cast<int>(matrices * matrix_bytes) + 16), config.name, kernel,
                  p, static_cast<int>(matrices), fast_divisor(area), fast_divisor(p.rows), element);
  };
  if constexpr (Element != 0) launch(element_words<Element>(words));
  else with_element_words<W>(words, launch);
}

template <int Threads, int SmemBytes>
void launch_small_batched_bytes(execution const& where, transpose_config const& config,
                                transpose_problem const& p) {
  index const area = index{p.rows} * p.cols;
  index const matrices = SmemBytes / area;
  launch_blocks(where, quotient_up(p.batch_count, matrices), Threads,
                2 * padded_size(static_cast<int>(matrices * area) + 128), config.name,
                transpose_small_batched_bytes<Threads, SmemBytes / (Threads * vec16_bytes)>, p,
                static_cast<int>(matrices), fast_divisor(area / 16), fast_divisor(p.rows / 4));
}

/// 16 KB of words, or what a thread's loads take; a larger matrix by itself.
template <int W>
void launch_small_scattered(execution const& where, transpose_config const& config,
                            transpose_problem const& p) {
  using block = small_scattered_block;
  constexpr index most_words = std::min<index>(block::most_words, (index{16} << 10) / W);
  index const area = index{p.rows} * p.cols;
  index const matrices =
      std::min<index>(block::most_matrices, std::max<index>(1, most_words / area));
  int const shared_bytes = static_cast<int>(matrices * p.rows * small_scattered_pitch(p.cols) * W);
  launch_blocks(where, quotient_up(p.batch_count, matrices), block::threads, shared_bytes,
                config.name, transpose_small_scattered<W>, p, static_cast<int>(matrices),
                fast_divisor(area), fast_divisor(p.rows), fast_divisor(p.cols));
}

/// The library's own rows; the tuner brings others.
struct tuned_configs {
  static constexpr auto const& rows = transpose_configs;
};

template <class Table, int Row>
void launch_row(execution const& where, transpose_piece const& piece) {
  constexpr transpose_config config = Table::rows[Row];
  constexpr int W = config.word;
  constexpr transpose_kernel kernel = config.kernel;
  if constexpr (kernel == transpose_kernel::rows) {
    launch_rows<W>(where, config, piece);
  } else if constexpr (kernel == transpose_kernel::direct) {
    launch_direct_words<W>(where, piece);
  } else if constexpr (kernel == transpose_kernel::strided) {
    using word = typename word_of<W>::type;
    launch_tile_strided<word, word>(where, problem_of(piece, true), identity{});
  } else if constexpr (kernel == transpose_kernel::scattered) {
    launch_small_scattered<W>(where, config, problem_of(piece, true));
  } else {
    transpose_problem const p = problem_of(piece, false);
    if constexpr (kernel == transpose_kernel::tiny_bytes) {
      launch_small_batched_bytes<config.threads, config.shared_bytes>(where, config, p);
    } else if constexpr (kernel == transpose_kernel::tiny) {
      launch_small_batched<W, config.element, config.threads, config.shared_bytes>(where, config,
                                                                                   piece);
    } else if constexpr (kernel == transpose_kernel::thin_cols) {
      launch_skinny_words<W, config.threads>(where, config, skinny_side::cols, piece);
    } else if constexpr (kernel == transpose_kernel::thin_rows) {
      launch_skinny_words<W, config.threads>(where, config, skinny_side::rows, piece);
    } else if constexpr (kernel == transpose_kernel::aligned) {
      using tile = aligned_tile<W, config.rows, config.cols, config.threads>;
      launch_tiles(
          where, config,
          transpose_tile_aligned<W, config.rows, config.cols, config.threads, config.blocks>, p,
          tile::shared_bytes, 0);
    } else if constexpr (kernel == transpose_kernel::unaligned_bytes) {
      using tile = unaligned_bytes_tile<config.rows, config.cols>;
      static_assert(tile::threads == config.threads);
      launch_tiles(
          where, config,
          transpose_tile_unaligned_bytes<copy_epilogue<1>, config.rows, config.cols, config.blocks>,
          p, tile::shared_bytes, tile::extra_rows, copy_epilogue<1>{}, plain_row_loader{});
    } else {
      using tile = unaligned_tile<W, W, config.element, config.rows, config.cols, config.threads,
                                  config.columns>;
      launch_tiles(where, config, transpose_tile_unaligned<copy_epilogue<W>, tile, config.blocks>,
                   p, tile::shared_bytes, tile::extra_rows, copy_epilogue<W>{}, plain_row_loader{});
    }
  }
}

template <class Table, int W, int Row>
void launch_if_asked(execution const& where, int config, transpose_piece const& piece) {
  if constexpr (Table::rows[Row].word == W)
    if (config == Row) launch_row<Table, Row>(where, piece);
}

template <class Table, int W, int... Rows>
void launch_words(execution const& where, int config, transpose_piece const& piece,
                  std::integer_sequence<int, Rows...>) {
  (launch_if_asked<Table, W, Rows>(where, config, piece), ...);
}

/// The kernel of a row, if its words are of W bytes.
template <class Table, int W>
void launch_words(execution const& where, int config, transpose_piece const& piece) {
  constexpr int rows = sizeof Table::rows / sizeof Table::rows[0];
  launch_words<Table, W>(where, config, piece, std::make_integer_sequence<int, rows>{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
