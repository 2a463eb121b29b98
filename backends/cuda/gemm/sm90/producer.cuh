// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What gemm/sm90/kernel.cuh has of a row of a table: its tiles in stages of shared memory, the maps
// that the copy engine reads and stores by, and the thread that asks it for the stages.
#pragma once

#include <xpose/backends/cuda/gemm/block/block_tile.cuh>
#include <xpose/backends/cuda/ptx/tma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A row of a table as constants for the kernel, and whether its tiles lie along the depth. A stage
/// has the tiles in boxes of 64 lines of `line_bytes`, plane by plane; those of B are smaller where
/// it has fewer than 64 columns.
template <class Table, int Row, class T, class U, bool ADepth, bool BDepth, int Planes>
struct tile_of_warpgroups {
  static constexpr gemm_row row = Table::rows[Row];
  using a_element = T;
  using b_element = U;
  static constexpr int rows = row.rows;
  static constexpr int cols = row.cols;
  static constexpr int depth = row.depth;
  static constexpr int stages = row.stages;
  static constexpr int cluster = row.cluster;
  static constexpr int planes = Planes;  // of parts of an element
  static constexpr bool is_a_across = !ADepth;
  static constexpr bool is_b_across = !BDepth;
  static constexpr int consumers = rows / row.rows_in_thread;  // warpgroups
  static constexpr bool is_a_in_registers = is_a_across && !may_lie_across<T>;
  static constexpr int line_bytes = depth * static_cast<int>(sizeof(T));
  static constexpr int rows_of_a_box = is_a_across ? line_bytes / static_cast<int>(sizeof(T)) : 64;
  static constexpr int a_box_lines = is_a_across ? depth : rows_of_a_box;
  static constexpr int a_box_bytes = a_box_lines * line_bytes;
  static constexpr int cols_of_b_box = least_of(cols, 64);
  static constexpr int b_box_lines = is_b_across ? depth : cols_of_b_box;
  static constexpr int b_line_bytes =
      is_b_across ? cols_of_b_box * static_cast<int>(sizeof(U)) : line_bytes;
  static constexpr int b_box_bytes = b_box_lines * b_line_bytes;
  static constexpr int a_boxes = rows / rows_of_a_box;
  static constexpr int b_boxes = cols / cols_of_b_box;
  static constexpr int b_boxes_of_block = b_boxes / cluster;
  static constexpr int stage_bytes = planes * (a_boxes * a_box_bytes + b_boxes * b_box_bytes);
  static constexpr int map_alignment = 1024;
  static constexpr int results_bytes = 64 * 128;  // of C, that a warpgroup hands to the copy engine
  static constexpr int results_buffers = 2;       // of a warpgroup
  static constexpr int shared_bytes =
      stages * stage_bytes + consumers * results_buffers * results_bytes + map_alignment;

  // Registers of a thread, which move from the copying warpgroup to the multiplying ones.
  static constexpr int registers_to_copy = 40;
  static constexpr int registers_to_multiply = row.blocks == 1 ? 232 : 208;
  static constexpr int threads_of_sums = consumers * 128;
  static constexpr int threads = threads_of_sums + 128;

  static_assert(row.rows_in_thread == 64 && cols == row.cols_in_thread);
  static_assert(b_boxes % cluster == 0 && stage_bytes % map_alignment == 0);
  static_assert(line_bytes == 128 || (line_bytes == 64 && ADepth && BDepth));
};

/// Of elements as they are.
template <class Table, int Row, class T, class U, bool ADepth, bool BDepth>
using warpgroup_tile = tile_of_warpgroups<Table, Row, T, U, ADepth, BDepth, 1>;
/// Of f32 in three parts (gemm/f32_on_tensor_cores/split_f32.cuh).
template <class Table, int Row>
using split_tile = tile_of_warpgroups<Table, Row, bfloat16, bfloat16, true, true, parts_of_f32>;

struct warpgroup_maps {
  tensor_map a;
  tensor_map b;
  tensor_map c;        // if it stores in bulk
  bool a_has_batches;  // else all batches share it
  bool b_has_batches;
  bool stores_in_bulk;
  bool stores_cols;  // lines of C are its columns
};

/// Of C, which the copy engine stores from lines of 128 bytes, or of a tile's columns if they have
/// fewer.
template <class Tile, class C>
constexpr int result_line_bytes = least_of(128, Tile::cols* static_cast<int>(sizeof(C)));

/// Stores of a warpgroup's results, of `cols` columns each, that may be under way when it writes to
/// the next buffer: none where a tile is a single store, as the next tile begins with the same.
template <class Tile, int Cols>
constexpr int stores_under_way =
    Tile::cols / Cols % Tile::results_buffers == 0 ? Tile::results_buffers - 1 : 0;

/// Whether results are stored as they are calculated, by 2 or 4 bytes.
template <class Problem>
constexpr bool can_store_in_bulk = std::is_same_v<typename Problem::epilogue_type, no_epilogue> &&
                                   (sizeof(typename Problem::c_type) == 2 ||
                                    sizeof(typename Problem::c_type) == 4);

/// Columns of C that are on their way at once where its columns are stored.
template <class Tile>
constexpr int result_cols = least_of(32, Tile::cols);

/// C as lines for the copy engine: its rows, or its columns.
template <class Problem>
tensor_lines lines_of_c(Problem const& p, bool by_cols) {
  using C = typename Problem::c_type;
  return {p.c.data,
          sizeof(C),
          by_cols ? p.rows : p.cols,
          by_cols ? p.cols : p.rows,
          p.batch,
          by_cols ? p.c.col_stride : p.c.row_stride,
          p.c.batch_stride};
}
/// Whether the engine may store them. It stores whole chunks of 16 bytes, beyond the end of a line
/// too.
template <class Problem>
bool stores_lines_of_c(Problem const& p, bool by_cols) {
  tensor_lines const c = lines_of_c(p, by_cols);
  return p.scalars.beta_is_zero && (by_cols ? p.c.row_stride : p.c.col_stride) == 1 &&
         c.length * c.bytes_per_element % 16 == 0 && has_tensor_map(c);
}

/// For operands that have maps.
template <class Tile, class Problem>
warpgroup_maps maps_of(Problem const& p, tensor_lines const& a, tensor_lines const& b) {
  using C = typename Problem::c_type;
  warpgroup_maps maps{make_tensor_map(a, Tile::a_box_lines, Tile::line_bytes, true),
                      make_tensor_map(b, Tile::b_box_lines, Tile::b_line_bytes, true),
                      {},
                      a.planes > Tile::planes,
                      b.planes > Tile::planes,
                      false,
                      false};
  if constexpr (can_store_in_bulk<Problem>) {
    maps.stores_in_bulk = stores_lines_of_c(p, false);
    if (maps.stores_in_bulk)
      maps.c = make_tensor_map(lines_of_c(p, false), 64, result_line_bytes<Tile, C>, false);
  }
  if constexpr (Tile::is_a_in_registers && can_store_in_bulk<Problem>) {
    maps.stores_cols = !maps.stores_in_bulk && stores_lines_of_c(p, true);
    if (maps.stores_cols)
      maps.c = make_tensor_map(lines_of_c(p, true), result_cols<Tile>, 128, false);
  }
  return maps;
}

/// The box of an operand that begins at element (across, depth) of a plane.
template <bool IsAcross>
__device__ inline void copy_operand_box(unsigned to, tensor_map const& map, int across, int depth,
                                        int plane, unsigned barrier, unsigned blocks) {
  int const x = IsAcross ? across : depth;
  int const y = IsAcross ? depth : across;
  if (blocks == 1) copy_box(to, map, x, y, plane, barrier);
  else copy_box_to_blocks(to, map, x, y, plane, barrier, blocks);
}

/// Stage and phase, as both sides count them.
template <int Stages>
class stage_counter {
 public:
  __device__ void advance() {
    if (++stage_ < Stages) return;
    stage_ = 0;
    parity_ ^= 1;
  }
  __device__ int stage() const { return stage_; }
  __device__ unsigned parity() const { return parity_; }

 private:
  int stage_ = 0;
  unsigned parity_ = 0;
};

/// Shared memory of a block, and its barriers, by address.
template <class Tile>
struct warpgroup_stages {
  unsigned tiles;
  unsigned barriers;

  __device__ unsigned a(int stage) const {
    return tiles + static_cast<unsigned>(stage * Tile::stage_bytes);
  }
  __device__ unsigned b(int stage) const {
    return a(stage) + static_cast<unsigned>(Tile::planes * Tile::a_boxes * Tile::a_box_bytes);
  }
  __device__ unsigned is_whole(int stage) const {
    return barriers + static_cast<unsigned>(stage * 16);
  }
  __device__ unsigned is_free(int stage) const { return is_whole(stage) + 8; }
  /// A buffer of the thread's warpgroup.
  __device__ unsigned results(int buffer) const {
    int const warpgroup = static_cast<int>(threadIdx.x) / 128;
    return a(Tile::stages) + static_cast<unsigned>((warpgroup * Tile::results_buffers + buffer) *
                                                   Tile::results_bytes);
  }
};

/// Whether all blocks read the same lines across the depth, and these are shorter than the cache's.
/// Each then begins at a depth of its own: asked for the same depth at once, parts of the
/// second-level cache have many requests for few bytes. 4096x16x4096 of float16 16.0 us in place of
/// 18.6, by columns 19.5 in place of 22.7; lines along the depth 16x4096x4096 25.5 in place of 18.5
/// (H100, 2026-11-22).
template <class Tile, class Problem>
__device__ inline bool shares_short_lines(Problem const& problem) {
  constexpr index of_cache = 128;
  return (Tile::is_b_across && problem.cols * index{sizeof(*problem.b.data)} < of_cache) ||
         (Tile::is_a_across && problem.rows * index{sizeof(*problem.a.data)} < of_cache);
}

/// What the copying thread does for a tile, beginning at stage `first` of its depth, the others
/// following in a circle.
template <class Tile>
__device__ void copy_stages(warpgroup_stages<Tile> const& stages, stage_counter<Tile::stages>& at,
                            gemm_block const& block, warpgroup_maps const& maps, unsigned rank,
                            unsigned first) {
  constexpr unsigned blocks_of_b = (1u << Tile::cluster) - 1;
  int const a_plane = maps.a_has_batches ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const b_plane = maps.b_has_batches ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const first_b_box = static_cast<int>(rank) * Tile::b_boxes_of_block;
  int const row = static_cast<int>(block.place.row);
  int const col = static_cast<int>(block.place.col) + first_b_box * 64;
  auto const tiles = static_cast<unsigned>((block.depth + Tile::depth - 1) / Tile::depth);
  unsigned tile = first % tiles;
  for (unsigned n = 0; n < tiles; ++n) {
    index const depth = block.first_depth + index{tile} * Tile::depth;
    if (++tile == tiles) tile = 0;
    int const stage = at.stage();
    unsigned const whole = stages.is_whole(stage);
    wait_for_phase(stages.is_free(stage), at.parity() ^ 1);
    expect_bytes(whole, Tile::stage_bytes);
#pragma unroll
    for (int plane = 0; plane < Tile::planes; ++plane) {
      unsigned const a =
          stages.a(stage) + static_cast<unsigned>(plane * Tile::a_boxes * Tile::a_box_bytes);
      unsigned const b =
          stages.b(stage) +
          static_cast<unsigned>((plane * Tile::b_boxes + first_b_box) * Tile::b_box_bytes);
#pragma unroll
      for (int box = 0; box < Tile::a_boxes; ++box)
        copy_operand_box<Tile::is_a_across>(a + static_cast<unsigned>(box * Tile::a_box_bytes),
                                            maps.a, row + box * Tile::rows_of_a_box,
                                            static_cast<int>(depth), a_plane + plane, whole, 1);
#pragma unroll
      for (int box = 0; box < Tile::b_boxes_of_block; ++box)
        copy_operand_box<Tile::is_b_across>(b + static_cast<unsigned>(box * Tile::b_box_bytes),
                                            maps.b, col + box * 64, static_cast<int>(depth),
                                            b_plane + plane, whole, blocks_of_b);
    }
    at.advance();
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
