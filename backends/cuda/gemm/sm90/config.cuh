// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Constants of a wgmma kernel: a config of a table, the layout of its operands' tiles in shared
// memory, its threads and registers; and its TMA descriptors, made on the host for each launch.
#pragma once

#include <xpose/backends/cuda/gemm/block/block_tile.cuh>
#include <xpose/backends/cuda/gemm/block/deferred_layer.cuh>
#include <xpose/backends/cuda/ptx/wgmma.cuh>
#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// An operand's tile in a stage: swizzled lines of `line_bytes`, one below the other.
///
///   K-major    for each m (or n) of the tile, all its k
///   MN-major   panel by panel of panel_mn of m: for each k, these
///
///     panel 0   panel 1        of 2-byte elements: 64 of m in each panel, the last may have less
///     k0 ....   k0 ....
///     k1 ....   k1 ....
template <bool IsMnMajor, int BytesOfElement, int Mn, int KExtent>
struct operand_tile {
  static constexpr bool is_mn_major = IsMnMajor;
  static constexpr int line_bytes = KExtent * BytesOfElement;
  static constexpr int panel_mn = line_bytes / BytesOfElement;
  static constexpr int panel_bytes = KExtent * line_bytes;

  static constexpr int mn = Mn;
  static constexpr int last_panel_mn = !IsMnMajor || mn % panel_mn == 0 ? panel_mn : mn % panel_mn;
  static constexpr int panels = IsMnMajor ? (mn + panel_mn - 1) / panel_mn : 1;
  static constexpr int bytes = IsMnMajor ? panels * panel_bytes : mn * line_bytes;
  /// Lines that each of 2^log_blocks blocks loads, of each panel if there are some: whole swizzle
  /// atoms, of 8. Slices of a K-major tile may overlap.
  XPOSE_HOST_DEVICE static constexpr int slice_lines(int log_blocks) {
    return IsMnMajor ? KExtent >> log_blocks : ((mn - 1) >> (3 + log_blocks)) * 8 + 8;
  }
  /// What arrives in a stage, from all of them.
  XPOSE_HOST_DEVICE static constexpr int loaded_bytes(int log_blocks) {
    return IsMnMajor ? mn * KExtent * BytesOfElement
                     : (slice_lines(log_blocks) << log_blocks) * line_bytes;
  }
};

/// A stage holds a tile of A and one of B, plane by plane (an f32 as three bfloat16 has three). A
/// config has a kernel for every number of columns that a launch may choose.
///
/// Shared memory:  [stage][A planes | B planes]  [consumer warpgroup][epilogue buffer]  [scale |
/// bias]
template <class Table, int Config, int Cols, class T, class U, bool AKMajor, bool BKMajor,
          int Planes>
struct basic_wgmma_tile {
  static constexpr gemm_config config = Table::configs[Config];
  using a_element = T;
  using b_element = U;
  static constexpr int rows = config.block_rows;
  static constexpr int cols = Cols;
  static constexpr int k_extent = config.block_k;
  static constexpr int planes = Planes;
  using a_tile = operand_tile<!AKMajor, sizeof(T), rows, k_extent>;
  using b_tile = operand_tile<!BKMajor, sizeof(U), cols, k_extent>;
  static constexpr bool a_from_registers = !AKMajor && !can_be_mn_major<T>;
  static constexpr int swizzle_bytes = a_tile::line_bytes;
  static constexpr int a_64_rows_bytes = a_tile::bytes / (rows / 64);
  static constexpr int stage_bytes = planes * (a_tile::bytes + b_tile::bytes);
  static constexpr int tile_alignment = 1024;  // of a swizzle atom, 8 rows of 128 bytes

  static constexpr int consumer_warpgroups = rows / config.inner_rows;
  // wgmma multiplies 64 rows. A warpgroup's next 64 lie 64 * consumer_warpgroups rows below.
  static constexpr int row_blocks = config.inner_rows / 64;
  static constexpr int consumer_threads = consumer_warpgroups * 128;
  static constexpr int threads = consumer_threads + 128;  // and the producer warpgroup
  // Of a thread, by setmaxnreg: with two consumer warpgroups, all of the 504 that three have. Of
  // 128 columns float8 has three sets of 64 accumulators: 224 registers left 24 bytes of stack.
  static constexpr int consumer_registers = consumer_warpgroups == 1 ? 240
                                            : a_from_registers || is_float8<T> || row_blocks > 1
                                                ? 232
                                                : 224;
  static constexpr int producer_registers =
      consumer_warpgroups == 1 ? 120 : 504 - 2 * consumer_registers;

  static constexpr int epilogue_buffer_bytes = 64 * 128;
  // Of a warpgroup. One leaves room for a fourth stage of 256x144, K-major.
  static constexpr int epilogue_buffers = row_blocks > 1 ? 1 : 2;
  static constexpr int bytes_of_epilogue =
      consumer_warpgroups * epilogue_buffers * epilogue_buffer_bytes;

  // Rows of C that are stored together: a warp's, unless its rows are not neighbours.
  static constexpr int store_rows = a_from_registers && sizeof(T) == 4 ? 64 : 16;

  // A layer's scale and bias, as f32: of the tile's columns, or of its rows.
  static constexpr int layer_values = (rows < cols ? cols + 63 : rows + 63) / 64 * 64;
  static constexpr int bytes_of_layer = 2 * layer_values * static_cast<int>(sizeof(float));

  static constexpr int most_stages = 16;
  static constexpr int bytes_of_stages = (227 << 10) -   // a block may have
                                         tile_alignment  // barriers are in the first of these
                                         - bytes_of_epilogue - bytes_of_layer;
  static constexpr int stages = least_of(bytes_of_stages / stage_bytes, most_stages);
  static constexpr int shared_bytes = stages * stage_bytes + bytes_of_epilogue + bytes_of_layer;

  static_assert(config.resident_blocks == 1);
  static_assert(config.inner_rows % 64 == 0 && cols <= config.inner_cols);
  static_assert(stage_bytes % tile_alignment == 0 && swizzle_bytes == b_tile::line_bytes);
  static_assert(swizzle_bytes == 128 || (swizzle_bytes == 64 && AKMajor && BKMajor));
  static_assert(stages >= config.stages, "a launch was allowed by what config.stages need");
};

template <class Table, int Config, int Cols, class T, class U, bool AKMajor, bool BKMajor>
using wgmma_tile = basic_wgmma_tile<Table, Config, Cols, T, U, AKMajor, BKMajor, 1>;
/// 3xBF16 emulation of f32 (f32_on_tensor_cores/split_f32.cuh).
template <class Table, int Config>
using bf16x3_tile = basic_wgmma_tile<Table, Config, Table::configs[Config].block_cols, bfloat16,
                                     bfloat16, true, true, parts_of_f32>;

/// The epilogue stores C through shared memory in swizzled rows of so many bytes.
inline constexpr int epilogue_row_bytes = 128;
template <class C>
constexpr int epilogue_cols = epilogue_row_bytes / static_cast<int>(sizeof(C));

/// The last of B and C are for the last panel and the last buffer of a tile, if it has fewer
/// columns than the others. Its lines lie in shared memory as far apart as all.
struct gemm_tma_descriptors {
  tma_descriptor a, b, last_b;
  tma_descriptor c, last_c;  // if stores_rows or stores_cols
  bool a_is_batched;         // else all batches share it
  bool b_is_batched;
  bool stores_rows;  // of C, by TMA
  bool stores_cols;  // of a column-major C, by TMA
};

/// Whether C goes through shared memory: elements of 2 or 4 bytes, and no epilogue of the user's.
template <class Problem>
constexpr bool has_smem_epilogue = stores_plain<Problem> &&
                                   (sizeof(typename Problem::c_type) == 2 ||
                                    sizeof(typename Problem::c_type) == 4);

/// Whether kernels take an MN-major A from registers; whether they store a column-major C by TMA:
/// of 4-byte elements those that do, of 2-byte ones others, whose rows are all as wgmma has them.
template <class Problem>
constexpr bool takes_a_from_registers =
    a_can_be_mn_major<typename Problem::a_type> && !can_be_mn_major<typename Problem::a_type>;
template <class Problem>
constexpr bool has_col_epilogue = [] {
  constexpr bool is_wide = sizeof(typename Problem::c_type) == 4;
  return has_smem_epilogue<Problem> && is_wide == takes_a_from_registers<Problem>;
}();
/// Whether the kernel of a tile does.
template <class Tile, class Problem>
constexpr bool can_store_cols =
    has_col_epilogue<Problem>&& Tile::a_from_registers == takes_a_from_registers<Problem>;

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

/// Requires is_tma_compatible() of both operands.
template <class Tile, class Problem>
gemm_tma_descriptors tma_descriptors_of(Problem const& p, pitched_tensor const& a,
                                        pitched_tensor const& b, multicast_cluster const& cluster) {
  using C = typename Problem::c_type;
  constexpr int cols = Tile::cols;
  auto const of_operand = [](auto tile, pitched_tensor const& t, int length, int blocks) {
    return make_tma_descriptor(t, {length, tile.slice_lines(binary_logarithm(blocks))},
                               Tile::swizzle_bytes, true);
  };
  typename Tile::a_tile const a_tile;
  typename Tile::b_tile const b_tile;
  gemm_tma_descriptors made{};
  static_assert(a_tile.panels == 1 || a_tile.last_panel_mn == a_tile.panel_mn);
  made.a = of_operand(a_tile, a, a_tile.last_panel_mn, cluster.cols);
  made.b = of_operand(b_tile, b, b_tile.panel_mn, cluster.rows);
  made.last_b = b_tile.last_panel_mn == b_tile.panel_mn
                    ? made.b
                    : of_operand(b_tile, b, b_tile.last_panel_mn, cluster.rows);
  made.a_is_batched = a.planes > Tile::planes;
  made.b_is_batched = b.planes > Tile::planes;
  if constexpr (has_smem_epilogue<Problem>) {
    constexpr int width = epilogue_cols<C>;
    constexpr int of_last = cols % width == 0 ? width : cols % width;
    made.stores_rows = can_tma_store_c(p, false);
    if (made.stores_rows) {
      pitched_tensor const c = tensor_of_c(p, false);
      made.c = make_tma_descriptor(c, {width, Tile::store_rows}, epilogue_row_bytes, false);
      made.last_c = make_tma_descriptor(c, {of_last, Tile::store_rows}, epilogue_row_bytes, false);
    }
    if constexpr (can_store_cols<Tile, Problem>) {
      made.stores_cols = !made.stores_rows && can_tma_store_c(p, true);
      if (made.stores_cols) {
        pitched_tensor const c = tensor_of_c(p, true);
        made.c = make_tma_descriptor(c, {width, width}, epilogue_row_bytes, false);
        made.last_c = make_tma_descriptor(c, {width, of_last}, epilogue_row_bytes, false);
      }
    }
  }
  return made;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
