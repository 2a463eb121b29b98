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
/// has the tiles in boxes of 64 lines of `swizzle_bytes`, plane by plane; those of B are smaller
/// where it has fewer than 64 columns.
template <class Table, int Config, class T, class U, bool AKMajor, bool BKMajor, int Planes>
struct basic_wgmma_tile {
  static constexpr gemm_config config = Table::configs[Config];
  using a_element = T;
  using b_element = U;
  static constexpr int rows = config.block_rows;
  static constexpr int cols = config.block_cols;
  static constexpr int k_extent = config.block_k;
  static constexpr int stages = config.stages;
  static constexpr int cluster = config.cluster;
  static constexpr int planes = Planes;  // of parts of an element
  static constexpr bool a_is_mn_major = !AKMajor;
  static constexpr bool b_is_mn_major = !BKMajor;
  static constexpr int consumer_warpgroups = rows / config.inner_rows;  // warpgroups
  static constexpr bool a_from_registers = a_is_mn_major && !can_be_mn_major<T>;
  static constexpr int swizzle_bytes = k_extent * static_cast<int>(sizeof(T));
  static constexpr int a_box_rows =
      a_is_mn_major ? swizzle_bytes / static_cast<int>(sizeof(T)) : 64;
  static constexpr int a_box_height = a_is_mn_major ? k_extent : a_box_rows;
  static constexpr int a_box_bytes = a_box_height * swizzle_bytes;
  static constexpr int b_box_cols = least_of(cols, 64);
  static constexpr int b_box_height = b_is_mn_major ? k_extent : b_box_cols;
  static constexpr int b_swizzle_bytes =
      b_is_mn_major ? b_box_cols * static_cast<int>(sizeof(U)) : swizzle_bytes;
  static constexpr int b_box_bytes = b_box_height * b_swizzle_bytes;
  static constexpr int a_boxes = rows / a_box_rows;
  static constexpr int b_boxes = cols / b_box_cols;
  static constexpr int b_boxes_per_block = b_boxes / cluster;
  static constexpr int stage_bytes = planes * (a_boxes * a_box_bytes + b_boxes * b_box_bytes);
  static constexpr int tile_alignment = 1024;
  static constexpr int epilogue_buffer_bytes =
      64 * 128;                               // of C, that a warpgroup hands to the copy engine
  static constexpr int epilogue_buffers = 2;  // of a warpgroup
  static constexpr int shared_bytes =
      stages * stage_bytes + consumer_warpgroups * epilogue_buffers * epilogue_buffer_bytes +
      tile_alignment;

  // Registers of a thread, which move from the copying warpgroup to the multiplying ones.
  static constexpr int producer_registers = 40;
  static constexpr int consumer_registers = config.resident_blocks == 1 ? 232 : 208;
  static constexpr int consumer_threads = consumer_warpgroups * 128;
  static constexpr int threads = consumer_threads + 128;

  static_assert(config.inner_rows == 64 && cols == config.inner_cols);
  static_assert(b_boxes % cluster == 0 && stage_bytes % tile_alignment == 0);
  static_assert(swizzle_bytes == 128 || (swizzle_bytes == 64 && AKMajor && BKMajor));
};

/// Of elements as they are.
template <class Table, int Config, class T, class U, bool AKMajor, bool BKMajor>
using wgmma_tile = basic_wgmma_tile<Table, Config, T, U, AKMajor, BKMajor, 1>;
/// Of f32 in three parts (gemm/f32_on_tensor_cores/split_f32.cuh).
template <class Table, int Config>
using bf16x3_tile = basic_wgmma_tile<Table, Config, bfloat16, bfloat16, true, true, parts_of_f32>;

struct gemm_tma_descriptors {
  tma_descriptor a;
  tma_descriptor b;
  tma_descriptor c;   // if it stores in bulk
  bool a_is_batched;  // else all batches share it
  bool b_is_batched;
  bool stores_rows;
  bool stores_cols;  // lines of C are its columns
};

/// Of C, which the copy engine stores from lines of 128 bytes, or of a tile's columns if they have
/// fewer.
template <class Tile, class C>
constexpr int epilogue_row_bytes = least_of(128, Tile::cols* static_cast<int>(sizeof(C)));

/// Stores of a warpgroup's results, of `cols` columns each, that may be under way when it writes to
/// the next buffer: none where a tile is a single store, as the next tile begins with the same.
template <class Tile, int Cols>
constexpr int tma_stores_in_flight =
    Tile::cols / Cols % Tile::epilogue_buffers == 0 ? Tile::epilogue_buffers - 1 : 0;

/// Whether results are stored as they are calculated, by 2 or 4 bytes.
template <class Problem>
constexpr bool has_smem_epilogue = std::is_same_v<typename Problem::epilogue_type, no_epilogue> &&
                                   (sizeof(typename Problem::c_type) == 2 ||
                                    sizeof(typename Problem::c_type) == 4);

/// Columns of C that are on their way at once where its columns are stored.
template <class Tile>
constexpr int col_major_epilogue_cols = least_of(32, Tile::cols);

/// C as lines for the copy engine: its rows, or its columns.
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
/// Whether the engine may store them. It stores whole chunks of 16 bytes, beyond the end of a line
/// too.
template <class Problem>
bool can_tma_store_c(Problem const& p, bool by_cols) {
  pitched_tensor const c = tensor_of_c(p, by_cols);
  return p.scalars.beta_is_zero && (by_cols ? p.c.row_stride : p.c.col_stride) == 1 &&
         c.length * c.bytes_per_element % 16 == 0 && is_tma_compatible(c);
}

/// For operands that have maps.
template <class Tile, class Problem>
gemm_tma_descriptors tma_descriptors_of(Problem const& p, pitched_tensor const& a,
                                        pitched_tensor const& b) {
  using C = typename Problem::c_type;
  gemm_tma_descriptors maps{make_tma_descriptor(a, Tile::a_box_height, Tile::swizzle_bytes, true),
                            make_tma_descriptor(b, Tile::b_box_height, Tile::b_swizzle_bytes, true),
                            {},
                            a.planes > Tile::planes,
                            b.planes > Tile::planes,
                            false,
                            false};
  if constexpr (has_smem_epilogue<Problem>) {
    maps.stores_rows = can_tma_store_c(p, false);
    if (maps.stores_rows)
      maps.c = make_tma_descriptor(tensor_of_c(p, false), 64, epilogue_row_bytes<Tile, C>, false);
  }
  if constexpr (Tile::a_from_registers && has_smem_epilogue<Problem>) {
    maps.stores_cols = !maps.stores_rows && can_tma_store_c(p, true);
    if (maps.stores_cols)
      maps.c = make_tma_descriptor(tensor_of_c(p, true), col_major_epilogue_cols<Tile>, 128, false);
  }
  return maps;
}

/// The box of an operand that begins at element (across, depth) of a plane.
template <bool IsMnMajor>
__device__ inline void load_operand_box(unsigned to, tma_descriptor const& map, int across,
                                        int k_extent, int plane, unsigned barrier,
                                        unsigned blocks) {
  int const x = IsMnMajor ? across : k_extent;
  int const y = IsMnMajor ? k_extent : across;
  if (blocks == 1) tma_load(to, map, x, y, plane, barrier);
  else tma_load_multicast(to, map, x, y, plane, barrier, blocks);
}

/// Stage and phase, as both sides count them.
template <int Stages>
class pipeline_state {
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
struct pipeline_smem {
  unsigned tiles;
  unsigned barriers;

  __device__ unsigned a(int stage) const {
    return tiles + static_cast<unsigned>(stage * Tile::stage_bytes);
  }
  __device__ unsigned b(int stage) const {
    return a(stage) + static_cast<unsigned>(Tile::planes * Tile::a_boxes * Tile::a_box_bytes);
  }
  __device__ unsigned full_barrier(int stage) const {
    return barriers + static_cast<unsigned>(stage * 16);
  }
  __device__ unsigned empty_barrier(int stage) const { return full_barrier(stage) + 8; }
  /// A buffer of the thread's warpgroup.
  __device__ unsigned results(int buffer) const {
    int const warpgroup = static_cast<int>(threadIdx.x) / 128;
    return a(Tile::stages) + static_cast<unsigned>((warpgroup * Tile::epilogue_buffers + buffer) *
                                                   Tile::epilogue_buffer_bytes);
  }
};

/// Whether all blocks read the same lines across the depth, and these are shorter than the cache's.
/// Each then begins at a depth of its own: asked for the same depth at once, parts of the
/// second-level cache have many requests for few bytes. 4096x16x4096 of float16 16.0 us in place of
/// 18.6, by columns 19.5 in place of 22.7; lines along the depth 16x4096x4096 25.5 in place of 18.5
/// (H100, 2026-11-22).
template <class Tile, class Problem>
__device__ inline bool shares_short_rows(Problem const& problem) {
  constexpr index of_cache = 128;
  return (Tile::b_is_mn_major && problem.cols * index{sizeof(*problem.b.data)} < of_cache) ||
         (Tile::a_is_mn_major && problem.rows * index{sizeof(*problem.a.data)} < of_cache);
}

/// What the copying thread does for a tile, beginning at stage `first` of its depth, the others
/// following in a circle.
template <class Tile>
__device__ void produce_stages(pipeline_smem<Tile> const& stages, pipeline_state<Tile::stages>& at,
                               work_tile const& block, gemm_tma_descriptors const& maps,
                               unsigned rank, unsigned first) {
  constexpr unsigned blocks_of_b = (1u << Tile::cluster) - 1;
  int const a_plane = maps.a_is_batched ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const b_plane = maps.b_is_batched ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const first_b_box = static_cast<int>(rank) * Tile::b_boxes_per_block;
  int const row = static_cast<int>(block.coordinates.row);
  int const col = static_cast<int>(block.coordinates.col) + first_b_box * 64;
  auto const tiles = static_cast<unsigned>(ceil_div(block.k_extent, Tile::k_extent));
  unsigned tile = first % tiles;
  for (unsigned n = 0; n < tiles; ++n) {
    index const k_extent = block.k_begin + index{tile} * Tile::k_extent;
    if (++tile == tiles) tile = 0;
    int const stage = at.stage();
    unsigned const whole = stages.full_barrier(stage);
    mbarrier_wait(stages.empty_barrier(stage), at.parity() ^ 1);
    mbarrier_arrive_expect_tx(whole, Tile::stage_bytes);
#pragma unroll
    for (int plane = 0; plane < Tile::planes; ++plane) {
      unsigned const a =
          stages.a(stage) + static_cast<unsigned>(plane * Tile::a_boxes * Tile::a_box_bytes);
      unsigned const b =
          stages.b(stage) +
          static_cast<unsigned>((plane * Tile::b_boxes + first_b_box) * Tile::b_box_bytes);
#pragma unroll
      for (int box = 0; box < Tile::a_boxes; ++box)
        load_operand_box<Tile::a_is_mn_major>(
            a + static_cast<unsigned>(box * Tile::a_box_bytes), maps.a,
            row + box * Tile::a_box_rows, static_cast<int>(k_extent), a_plane + plane, whole, 1);
#pragma unroll
      for (int box = 0; box < Tile::b_boxes_per_block; ++box)
        load_operand_box<Tile::b_is_mn_major>(b + static_cast<unsigned>(box * Tile::b_box_bytes),
                                              maps.b, col + box * 64, static_cast<int>(k_extent),
                                              b_plane + plane, whole, blocks_of_b);
    }
    at.advance();
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
