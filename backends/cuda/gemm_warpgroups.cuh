// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of 1- and 2-byte elements by wgmma, of f32 as tf32 (gemm_tf32.cuh), and of f32 in parts of
// two bytes (gemm_split.cuh), on devices of capability 90. Blocks stay and take one tile of C after
// the other. One thread copies stages of A and B to shared memory by the tensor copy engine, the
// other warpgroups multiply 64 rows each; barriers tell either side of whole and free stages. The
// blocks of a cluster have tiles below each other, and each copies a part of the B they share to
// all. Assumes operands that have tensor maps, those of 1 and 4 bytes along the depth.
#pragma once

#include <xpose/backends/cuda/gemm_block.cuh>
#include <xpose/backends/cuda/tensor_copy.cuh>
#include <xpose/backends/cuda/wgmma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A row of a table as constants for the kernel, and whether its tiles lie along the depth. A stage
/// has the tiles in boxes of 64 lines of `line_bytes`, plane by plane.
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
  static constexpr int box_lines = 64;
  static constexpr int line_bytes = depth * static_cast<int>(sizeof(T));
  static constexpr int box_bytes = box_lines * line_bytes;
  static constexpr int a_boxes = rows / 64;
  static constexpr int b_boxes = cols / 64;
  static constexpr int b_boxes_of_block = b_boxes / cluster;
  static constexpr int stage_bytes = planes * (a_boxes + b_boxes) * box_bytes;
  static constexpr int map_alignment = 1024;
  static constexpr int shared_bytes = stages * stage_bytes + map_alignment;

  // Registers of a thread, which move from the copying warpgroup to the multiplying ones.
  static constexpr int registers_to_copy = 40;
  static constexpr int registers_to_multiply = 232;
  static constexpr int threads_of_sums = consumers * 128;
  static constexpr int threads = threads_of_sums + 128;

  static_assert(row.rows_in_thread == 64 && cols == row.cols_in_thread && b_boxes % cluster == 0);
  static_assert(line_bytes == 128 || (line_bytes == 64 && ADepth && BDepth));
};

/// Of elements as they are.
template <class Table, int Row, class T, class U, bool ADepth, bool BDepth>
using warpgroup_tile = tile_of_warpgroups<Table, Row, T, U, ADepth, BDepth, 1>;
/// Of f32 in three parts (gemm_split.cuh).
template <class Table, int Row>
using split_tile = tile_of_warpgroups<Table, Row, bfloat16, bfloat16, true, true, parts_of_f32>;

struct warpgroup_maps {
  tensor_map a;
  tensor_map b;
  bool a_has_batches;  // else all batches share it
  bool b_has_batches;
};

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
    return a(stage) + static_cast<unsigned>(Tile::planes * Tile::a_boxes * Tile::box_bytes);
  }
  __device__ unsigned is_whole(int stage) const {
    return barriers + static_cast<unsigned>(stage * 16);
  }
  __device__ unsigned is_free(int stage) const { return is_whole(stage) + 8; }
};

/// What the copying thread does for a tile.
template <class Tile>
__device__ void copy_stages(warpgroup_stages<Tile> const& stages, stage_counter<Tile::stages>& at,
                            gemm_block const& block, warpgroup_maps const& maps, unsigned rank) {
  constexpr unsigned all_blocks = (1u << Tile::cluster) - 1;
  int const a_plane = maps.a_has_batches ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const b_plane = maps.b_has_batches ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const row = static_cast<int>(block.place.row);
  int const first_b_box = static_cast<int>(rank) * Tile::b_boxes_of_block;
  int const col = static_cast<int>(block.place.col) + first_b_box * 64;
  index const end = block.first_depth + block.depth;
  for (index depth = block.first_depth; depth < end; depth += Tile::depth) {
    int const stage = at.stage();
    unsigned const whole = stages.is_whole(stage);
    wait_for_phase(stages.is_free(stage), at.parity() ^ 1);
    expect_bytes(whole, Tile::stage_bytes);
#pragma unroll
    for (int plane = 0; plane < Tile::planes; ++plane) {
      unsigned const a =
          stages.a(stage) + static_cast<unsigned>(plane * Tile::a_boxes * Tile::box_bytes);
      unsigned const b =
          stages.b(stage) +
          static_cast<unsigned>((plane * Tile::b_boxes + first_b_box) * Tile::box_bytes);
#pragma unroll
      for (int box = 0; box < Tile::a_boxes; ++box)
        copy_operand_box<Tile::is_a_across>(a + static_cast<unsigned>(box * Tile::box_bytes),
                                            maps.a, row + box * 64, static_cast<int>(depth),
                                            a_plane + plane, whole, 1);
#pragma unroll
      for (int box = 0; box < Tile::b_boxes_of_block; ++box)
        copy_operand_box<Tile::is_b_across>(b + static_cast<unsigned>(box * Tile::box_bytes),
                                            maps.b, col + box * 64, static_cast<int>(depth),
                                            b_plane + plane, whole, all_blocks);
    }
    at.advance();
  }
}

/// Of the pairs with the bit in their number, a thread with the bit gives those without, and gets
/// those with it.
template <int Bit, class T>
__device__ inline void exchange(T& without, T& with) {
  bool const has_bit = (threadIdx.x & Bit) != 0;
  T const received = __shfl_xor_sync(0xFFFFFFFFu, has_bit ? without : with, Bit);
  if (has_bit) without = received;
  else with = received;
}
/// Thread t of four has item i of its own at place i; afterwards item t of thread i.
template <class T>
__device__ inline void turn_four(T& a, T& b, T& c, T& d) {
  exchange<1>(a, b);
  exchange<1>(c, d);
  exchange<2>(a, c);
  exchange<2>(b, d);
}

/// The sums of a warpgroup. Before they are turned, a thread has pairs of neighbours of a row, in
/// every eighth column; afterwards eight neighbours, in every 32nd.
template <class Tile, class Problem>
class warpgroup_sums {
  using K = typename Problem::accumulate_type;
  static constexpr int count = Tile::cols / 2;

 public:
  static constexpr int rows = 2;
  static constexpr int cols = count / 2;
  static constexpr int rows_together = 1;
  static constexpr int cols_together = 8;

  __device__ int row_of(int r) const {
    int const thread = static_cast<int>(threadIdx.x);
    return thread / 128 * 64 + thread % 128 / 32 * 16 + thread % 32 / 4 + r * 8;
  }
  __device__ int col_of(int c) const {
    int const in_four = static_cast<int>(threadIdx.x) % 4;
    return is_turned_ ? c / 8 * 32 + in_four * 8 + c % 8 : c / 2 * 8 + in_four * 2 + c % 2;
  }
  __device__ K value(int r, int c) const { return sums_[c / 2 * 4 + r * 2 + c % 2]; }

  /// The products of all stages of a tile; frees each stage when the next one is under way.
  __device__ void multiply(warpgroup_stages<Tile> const& stages, stage_counter<Tile::stages>& at,
                           int tiles) {
    is_turned_ = false;
    if constexpr (is_float8<typename Tile::a_element>) {
      multiply_stages(stages, at, tiles);
    } else if constexpr (Tile::planes == 1) {
      multiply_group(sums_, sums_, stages, at, tiles);
    } else {
      for (K& sum : sums_) sum = 0;
      for (; tiles > 0; tiles -= tiles_of_group) {
        K of_first_parts[count];
        K of_others[count];
        multiply_group(of_first_parts, of_others, stages, at,
                       tiles < tiles_of_group ? tiles : tiles_of_group);
#pragma unroll
        for (int s = 0; s < count; ++s) sums_[s] += of_first_parts[s] + of_others[s];
      }
    }
  }

  /// Four threads exchange their pairs of 32 columns, so that each has eight neighbours.
  __device__ void turn() {
    is_turned_ = true;
#pragma unroll
    for (int first = 0; first < count; first += 16)
#pragma unroll
      for (int line = 0; line < 2; ++line)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          int const at = first + line * 2 + e;
          turn_four(sums_[at], sums_[at + 4], sums_[at + 8], sums_[at + 12]);
        }
  }

 private:
  // Matrix units cut sums where they should round them: with all six products in one sum, added to
  // another of f32 after every 256 of the depth, the error of positive operands was 33 units of
  // 2^-24 |A||B| where that of the plain kernel is 4 to 10. Hence two sums, as only products of
  // first parts are large, and groups of 128.
  static constexpr int tiles_of_group = 128 / Tile::depth;

  /// The products of a stage. Of the parts of an operand the first is the largest.
  __device__ static void multiply_stage(K (&of_first_parts)[count], K (&of_others)[count],
                                        warpgroup_stages<Tile> const& stages, int stage,
                                        bool keeps) {
    constexpr int steps = Tile::line_bytes / 32;
    constexpr unsigned a_step = Tile::is_a_across ? 16 * 128 : 32;
    constexpr unsigned b_step = Tile::is_b_across ? 16 * 128 : 32;
    constexpr unsigned a_plane = Tile::a_boxes * Tile::box_bytes;
    constexpr unsigned b_plane = Tile::b_boxes * Tile::box_bytes;
    unsigned const of_warpgroup = threadIdx.x / 128 * Tile::box_bytes;
    std::uint64_t const a =
        operand_descriptor<Tile::line_bytes>(stages.a(stage) + of_warpgroup, Tile::box_bytes);
    std::uint64_t const b = operand_descriptor<Tile::line_bytes>(stages.b(stage), Tile::box_bytes);
    auto const multiply_parts = [&](K(&sums)[count], unsigned a_part, unsigned b_part,
                                    bool keeps_sums) {
#pragma unroll
      for (int step = 0; step < steps; ++step)
        multiply_warpgroup<typename Tile::a_element, typename Tile::b_element, Tile::is_a_across,
                           Tile::is_b_across>(
            sums, a + ((a_part * a_plane + static_cast<unsigned>(step) * a_step) >> 4),
            b + ((b_part * b_plane + static_cast<unsigned>(step) * b_step) >> 4),
            keeps_sums || step > 0);
    };
    begin_products();
    if constexpr (Tile::planes == parts_of_f32) {
      multiply_parts(of_others, 2, 0, keeps);
      multiply_parts(of_others, 0, 2, true);
      multiply_parts(of_others, 1, 1, true);
      multiply_parts(of_others, 1, 0, true);
      multiply_parts(of_others, 0, 1, true);
    }
    multiply_parts(of_first_parts, 0, 0, keeps);
    end_product_group();
  }

  /// Of float8, whose sums have 14 bits in the matrix units: each stage, 128 deep, has sums of its
  /// own, which are added to the others while the units make those of the next.
  __device__ void multiply_stages(warpgroup_stages<Tile> const& stages,
                                  stage_counter<Tile::stages>& at, int tiles) {
    static_assert(Tile::depth == 128);
    K even[count];
    K odd[count];
    auto const start = [&](K(&sums)[count]) {
      int const stage = at.stage();
      wait_for_phase(stages.is_whole(stage), at.parity());
      multiply_stage(sums, sums, stages, stage, false);
      at.advance();
      return stage;
    };
    auto const add = [&](K(&sums)[count], int stage) {
      settle_sums(sums);
      free_stage(stages, stage);
#pragma unroll
      for (int s = 0; s < count; ++s) sums_[s] += sums[s];
    };
    for (K& sum : sums_) sum = 0;
    settle_sums(even);
    settle_sums(odd);
    int of_even = start(even);
    int tile = 1;
    for (; tile + 1 < tiles; tile += 2) {
      int const of_odd = start(odd);
      wait_for_product_groups<1>();
      add(even, of_even);
      of_even = start(even);
      wait_for_product_groups<1>();
      add(odd, of_odd);
    }
    if (tile < tiles) {
      int const of_odd = start(odd);
      wait_for_product_groups<1>();
      add(even, of_even);
      wait_for_product_groups<0>();
      add(odd, of_odd);
    } else {
      wait_for_product_groups<0>();
      add(even, of_even);
    }
  }

  __device__ static void multiply_group(K (&of_first_parts)[count], K (&of_others)[count],
                                        warpgroup_stages<Tile> const& stages,
                                        stage_counter<Tile::stages>& at, int tiles) {
    auto const start = [&](bool keeps) {
      int const stage = at.stage();
      wait_for_phase(stages.is_whole(stage), at.parity());
      multiply_stage(of_first_parts, of_others, stages, stage, keeps);
      at.advance();
      return stage;
    };
    auto const settle = [&] {
      settle_sums(of_first_parts);
      if constexpr (Tile::planes > 1) settle_sums(of_others);
    };
    settle();
    int before = start(false);
    for (int tile = 1; tile < tiles; ++tile) {
      int const stage = start(true);
      wait_for_product_groups<1>();
      free_stage(stages, before);
      before = stage;
    }
    wait_for_product_groups<0>();
    settle();
    free_stage(stages, before);
  }

  __device__ static void free_stage(warpgroup_stages<Tile> const& stages, int stage) {
    unsigned const lane = threadIdx.x % 32;
    if (lane < Tile::cluster) arrive_at_block(stages.is_free(stage), lane);
  }

  K sums_[count];
  bool is_turned_ = false;
};

/// Whether the results of a tile can be packed before they are turned: two bytes each, and no code
/// of the user's, which must not see rows and columns outside the matrix.
template <class Problem>
constexpr bool can_pack_results = vector_of<typename Problem::c_type> == 8 &&
                                  std::is_same_v<typename Problem::epilogue_type, no_epilogue>;

/// Results without beta in rows of whole, aligned vectors: half the exchanges of turned sums.
template <class Sums, class Problem>
__device__ void write_packed(Sums const& sums, Problem const& problem, gemm_block const& block) {
  using C = typename Problem::c_type;
  auto known = scalars_of(problem);
  known.beta_is_zero = true;
  int const rows_left = inside_tile(problem.rows, block.place.row);
  int const cols_left = inside_tile(problem.cols, block.place.col);
  C* const first = &problem.c.at(block.batch, block.place.row, block.place.col);
  int const first_col = static_cast<int>(threadIdx.x) % 4 * 8;
#pragma unroll
  for (int line = 0; line < Sums::rows; ++line) {
    int const row = sums.row_of(line);
    C* const to = first + row * problem.c.row_stride + first_col;
#pragma unroll
    for (int c = 0; c < Sums::cols; c += 8) {
      unsigned words[4];
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        element_group<C, 2> results;
#pragma unroll
        for (int e = 0; e < 2; ++e)
          problem.write_to(results[e], known, 0, 0, sums.value(line, c + 2 * pair + e));
        words[pair] = bits_as<unsigned>(results);
      }
      turn_four(words[0], words[1], words[2], words[3]);
      if (row < rows_left && first_col + c * 4 < cols_left)
        *reinterpret_cast<uint4*>(to + c * 4) = {words[0], words[1], words[2], words[3]};
    }
  }
}

/// What a multiplying warpgroup does with a tile's sums.
template <class Sums, class Problem>
__device__ void write_warpgroup(Sums& sums, Problem const& problem, gemm_grid const& grid,
                                gemm_block const& block) {
  if (grid.splits > 1) {
    sums.turn();
    return store_partial(sums, problem, grid, block);
  }
  sums_writer<Sums, Problem> const writer(sums, problem, block.batch, block.place);
  if (grid.c != gemm_writing::along_rows) return writer.write_one_by_one();
  if constexpr (can_pack_results<Problem>)
    if (problem.scalars.beta_is_zero) return write_packed(sums, problem, block);
  sums.turn();
  writer.write_along_rows();
}

template <class Tile, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::row.blocks)
    gemm_warpgroups(Problem problem, gemm_grid grid, index tiles,
                    __grid_constant__ warpgroup_maps const maps) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ std::uint64_t barriers[2 * Tile::stages];
  constexpr unsigned below = Tile::map_alignment - 1;
  if (!grid.condition.holds()) return;
  warpgroup_stages<Tile> const stages{(shared_address(shared) + below) & ~below,
                                      shared_address(barriers)};
  unsigned const rank = Tile::cluster == 1 ? 0 : rank_in_cluster();
  if (threadIdx.x == 0) {
    prefetch_map(maps.a);
    prefetch_map(maps.b);
    for (int stage = 0; stage < Tile::stages; ++stage) {
      start_barrier(stages.is_whole(stage), 1);
      start_barrier(stages.is_free(stage), Tile::cluster * Tile::consumers * 4);
    }
    publish_barriers();
  }
  if constexpr (Tile::cluster > 1) meet_cluster();
  else __syncthreads();

  stage_counter<Tile::stages> at;
  if (threadIdx.x >= Tile::threads_of_sums) {
    give_registers<Tile::registers_to_copy>();
    if (threadIdx.x == Tile::threads_of_sums)
      for (index tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        copy_stages<Tile>(stages, at, block_of<Tile>(problem, grid, static_cast<unsigned>(tile)),
                          maps, rank);
    __syncwarp();
  } else {
    take_registers<Tile::registers_to_multiply>();
    for (index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      gemm_block const of_block = block_of<Tile>(problem, grid, static_cast<unsigned>(tile));
      warpgroup_sums<Tile, Problem> sums;
      sums.multiply(stages, at, static_cast<int>((of_block.depth + Tile::depth - 1) / Tile::depth));
      write_warpgroup(sums, problem, grid, of_block);
    }
  }
  if constexpr (Tile::cluster > 1) meet_cluster();
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
