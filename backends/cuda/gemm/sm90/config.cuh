// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Constants of a wgmma kernel: a config of a table, the layout of its operands' tiles in shared
// memory, its threads and registers; and its TMA descriptors, made on the host for each launch.
#pragma once

#include <xpose/backends/cuda/gemm/block/block_tile.cuh>
#include <xpose/backends/cuda/gemm/block/deferred_layer.cuh>
#include <xpose/backends/cuda/ptx/wgmma.cuh>
#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

namespace xpose::detail {

/// A stage holds a tile of A and one of B, plane by plane (an f32 as three bfloat16 has three). A
/// tile lies in swizzled lines of `swizzle_bytes`, one below the other:
///
///   K-major    for each row of A or column of B, k_extent elements of k
///   MN-major   panel by panel of swizzle_bytes of m or n: for each k, these
///
/// Blocks of a cluster that share a tile load a slice of its lines each (operand_slice).
///
/// Shared memory:  [stage][A planes, boxes | B planes, boxes]  [consumer warpgroup][epilogue
/// buffer]
template <class Table, int Config, class T, class U, bool AKMajor, bool BKMajor, int Planes>
struct basic_wgmma_tile {
  static constexpr gemm_config config = Table::configs[Config];
  using a_element = T;
  using b_element = U;
  static constexpr int rows = config.block_rows;
  static constexpr int cols = config.block_cols;
  static constexpr int k_extent = config.block_k;
  static constexpr int stages = config.stages;
  static constexpr int planes = Planes;
  static constexpr bool a_is_mn_major = !AKMajor;
  static constexpr bool b_is_mn_major = !BKMajor;
  static constexpr bool a_from_registers = a_is_mn_major && !can_be_mn_major<T>;

  static constexpr int swizzle_bytes = k_extent * static_cast<int>(sizeof(T));
  static constexpr int a_panel_rows = swizzle_bytes / static_cast<int>(sizeof(T));
  static constexpr int b_panel_cols = cols % 64 == 0 ? 64 : 32;
  static constexpr int b_swizzle_bytes =
      b_is_mn_major ? b_panel_cols * static_cast<int>(sizeof(U)) : swizzle_bytes;
  static constexpr int a_lines = a_is_mn_major ? rows / a_panel_rows * k_extent : rows;
  static constexpr int b_lines = b_is_mn_major ? cols / b_panel_cols * k_extent : cols;
  static constexpr int a_plane_bytes = a_lines * swizzle_bytes;
  static constexpr int b_plane_bytes = b_lines * b_swizzle_bytes;
  static constexpr int stage_bytes = planes * (a_plane_bytes + b_plane_bytes);
  // From 64 rows of A, and from a panel of B, to the next.
  static constexpr int a_64_rows_bytes = a_plane_bytes / (rows / 64);
  static constexpr int b_panel_bytes = (b_is_mn_major ? k_extent : 64) * b_swizzle_bytes;
  static constexpr int tile_alignment = 1024;  // of a swizzle atom, 8 rows of 128 bytes

  static constexpr int consumer_warpgroups = rows / config.inner_rows;
  static constexpr int consumer_threads = consumer_warpgroups * 128;
  static constexpr int threads = consumer_threads + 128;  // and the producer warpgroup
  // Of a thread, by setmaxnreg.
  static constexpr int producer_registers = 40;
  static constexpr int consumer_registers = config.resident_blocks == 1 ? 232 : 208;

  static constexpr int epilogue_buffer_bytes = 64 * 128;
  static constexpr int epilogue_buffers = 2;  // of a warpgroup
  static constexpr int shared_bytes =
      stages * stage_bytes + consumer_warpgroups * epilogue_buffers * epilogue_buffer_bytes +
      tile_alignment;

  static_assert(config.inner_rows == 64 && cols == config.inner_cols);
  static_assert(stage_bytes % tile_alignment == 0);
  static_assert(swizzle_bytes == 128 || (swizzle_bytes == 64 && AKMajor && BKMajor));
};

template <class Table, int Config, class T, class U, bool AKMajor, bool BKMajor>
using wgmma_tile = basic_wgmma_tile<Table, Config, T, U, AKMajor, BKMajor, 1>;
/// 3xBF16 emulation of f32 (f32_on_tensor_cores/split_f32.cuh).
template <class Table, int Config>
using bf16x3_tile = basic_wgmma_tile<Table, Config, bfloat16, bfloat16, true, true, parts_of_f32>;

/// The epilogue stores C through shared memory in swizzled rows of so many bytes.
template <class Tile, class C>
constexpr int epilogue_row_bytes = Tile::cols * sizeof(C) % 128 == 0 ? 128 : 64;

/// Columns of C in an epilogue buffer where C is column-major.
template <class Tile>
constexpr int col_major_epilogue_cols = least_of(32, Tile::cols);

struct gemm_tma_descriptors {
  tma_descriptor a, b;
  tma_descriptor c;   // if stores_rows or stores_cols
  bool a_is_batched;  // else all batches share it
  bool b_is_batched;
  bool stores_rows;  // of C, by TMA
  bool stores_cols;  // of a column-major C, by TMA
};

/// Whether C goes through shared memory: elements of 2 or 4 bytes, and no epilogue of the user's.
template <class Problem>
constexpr bool has_smem_epilogue = stores_plain<Problem> &&
                                   (sizeof(typename Problem::c_type) == 2 ||
                                    sizeof(typename Problem::c_type) == 4);

/// C for TMA, whose contiguous dimension is a row of it, or a column.
template <class Problem>
pitched_tensor tensor_of_c(Problem const& p, bool by_cols) {
  using C = typename Problem::c_type;
  return {p.c.data,
          sizeof(C),
          by_cols ? p.rows : p.cols,
          by_cols ? p.cols : p.rows,
          p.batch,
          by_cols ? p.c.col_stride : p.c.row_stride,
          p.c.batch_stride};
}
/// TMA stores 16 bytes at once, beyond the end of a row too: hence rows of whole 16 bytes.
template <class Problem>
bool can_tma_store_c(Problem const& p, bool by_cols) {
  pitched_tensor const c = tensor_of_c(p, by_cols);
  return p.scalars.beta_is_zero && (by_cols ? p.c.row_stride : p.c.col_stride) == 1 &&
         c.row_length * c.bytes_per_element % 16 == 0 && is_tma_compatible(c);
}

/// The lines of an operand's tile that one of `blocks` loads, in TMA boxes of equal height, none of
/// which reaches from one panel of an MN-major tile into the next. Whole swizzle atoms, 8 lines.
template <bool IsMnMajor, int Lines, int KExtent>
struct operand_slice {
  int lines, box_lines;

  XPOSE_HOST_DEVICE explicit operand_slice(int blocks) : lines(Lines / blocks), box_lines(lines) {
    if (IsMnMajor) {  // both are multiples of 8
      box_lines = 8;
      while (box_lines < KExtent && lines % (2 * box_lines) == 0) box_lines *= 2;
    }
  }
};
template <class Tile>
using a_slice = operand_slice<Tile::a_is_mn_major, Tile::a_lines, Tile::k_extent>;
template <class Tile>
using b_slice = operand_slice<Tile::b_is_mn_major, Tile::b_lines, Tile::k_extent>;

/// Requires is_tma_compatible() of both operands.
template <class Tile, class Problem>
gemm_tma_descriptors tma_descriptors_of(Problem const& p, pitched_tensor const& a,
                                        pitched_tensor const& b, multicast_cluster const& cluster) {
  using C = typename Problem::c_type;
  gemm_tma_descriptors made{
      make_tma_descriptor(a, a_slice<Tile>(cluster.cols).box_lines, Tile::swizzle_bytes, true),
      make_tma_descriptor(b, b_slice<Tile>(cluster.rows).box_lines, Tile::b_swizzle_bytes, true),
      {},
      a.planes > Tile::planes,
      b.planes > Tile::planes,
      false,
      false};
  if constexpr (has_smem_epilogue<Problem>) {
    made.stores_rows = can_tma_store_c(p, false);
    if (made.stores_rows)
      made.c = make_tma_descriptor(tensor_of_c(p, false), 64, epilogue_row_bytes<Tile, C>, false);
  }
  if constexpr (Tile::a_from_registers && has_smem_epilogue<Problem>) {
    made.stores_cols = !made.stores_rows && can_tma_store_c(p, true);
    if (made.stores_cols)
      made.c = make_tma_descriptor(tensor_of_c(p, true), col_major_epilogue_cols<Tile>, 128, false);
  }
  return made;
}

}  // namespace xpose::detail
