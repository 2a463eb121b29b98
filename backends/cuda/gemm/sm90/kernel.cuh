// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of 1- and 2-byte elements by wgmma, of f32 as tf32 (gemm/f32_on_tensor_cores/tf32.cuh), and of f32 in parts of
// two bytes (gemm/f32_on_tensor_cores/split_f32.cuh), on devices of capability 90. Blocks stay and take one tile of C after
// the other. One thread copies stages of A and B to shared memory by the tensor copy engine, the
// other warpgroups multiply 64 rows each; barriers tell either side of whole and free stages. The
// blocks of a cluster have tiles below each other, and each copies a part of the B that they share
// to all. Assumes operands that have tensor maps: of 1 byte along the depth, B
// of 4 bytes too; an A of 4 bytes that lies across goes through registers.
#pragma once

#include <xpose/backends/cuda/gemm/sm90/epilogue.cuh>
#include <xpose/backends/cuda/ptx/wgmma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

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
    int const warp = thread % 128 / 32;
    int const four = thread % 32 / 4;
    if constexpr (Tile::is_a_in_registers)
      return thread / 128 * 64 + warp / 2 * 32 + four / 4 * 16 + (warp % 2 * 2 + r) * 4 + four % 4;
    return thread / 128 * 64 + warp * 16 + four + r * 8;
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
    } else if constexpr (Tile::is_a_in_registers) {
      multiply_across(stages, at, tiles);
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
    constexpr unsigned b_step = Tile::is_b_across ? 16 * Tile::b_line_bytes : 32;
    constexpr unsigned a_plane = Tile::a_boxes * Tile::a_box_bytes;
    constexpr unsigned b_plane = Tile::b_boxes * Tile::b_box_bytes;
    unsigned const of_warpgroup = threadIdx.x / 128 * Tile::a_box_bytes;
    std::uint64_t const a =
        operand_descriptor<Tile::line_bytes>(stages.a(stage) + of_warpgroup, Tile::a_box_bytes);
    std::uint64_t const b =
        operand_descriptor<Tile::b_line_bytes>(stages.b(stage), Tile::b_box_bytes);
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
      settle(sums);
      free_stage(stages, stage);
#pragma unroll
      for (int s = 0; s < count; ++s) sums_[s] += sums[s];
    };
    for (K& sum : sums_) sum = 0;
    settle(even);
    settle(odd);
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

  /// The elements of A that this thread has of a stage's products: along the depth from lines that
  /// lie across it. Threads' rows (row_of) are such that a warp meets every bank once: of its eight
  /// rows of a product, four lie 16 behind the other four.
  static constexpr int steps_of_stage = Tile::depth / 8;
  using a_registers = unsigned[steps_of_stage][4];
  __device__ void load_across(a_registers& a, warpgroup_stages<Tile> const& stages,
                              stage_counter<Tile::stages> const& at) const {
    wait_for_phase(stages.is_whole(at.stage()), at.parity());
    int const depth = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
    for (int q = 0; q < 2; ++q)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        int const row = row_of(h);
        int const line = depth + 4 * q;
        unsigned const from = stages.a(at.stage()) +
                              static_cast<unsigned>(row / 32 * Tile::a_box_bytes + line * 128 +
                                                    ((row % 32 / 4) ^ line) * 16 + row % 4 * 4);
#pragma unroll
        for (int step = 0; step < steps_of_stage; ++step)
          a[step][2 * q + h] = load_shared(from + static_cast<unsigned>(step * 8 * 128));
      }
  }

  /// With A through registers: those of a stage are loaded while the stage before is multiplied.
  __device__ void multiply_across(warpgroup_stages<Tile> const& stages,
                                  stage_counter<Tile::stages>& at, int tiles) {
    a_registers even;
    a_registers odd;
    int before = 0;
    auto const start = [&](a_registers& a, bool keeps) {
      load_across(a, stages, at);
      std::uint64_t const b =
          operand_descriptor<Tile::b_line_bytes>(stages.b(at.stage()), Tile::b_box_bytes);
#pragma unroll
      for (int step = 0; step < steps_of_stage; ++step) {
        begin_products();
        multiply_registers(sums_, a[step], b + static_cast<unsigned>(step * 32 >> 4),
                           keeps || step > 0);
      }
      end_product_group();
    };
    auto const free_before = [&](a_registers& of_before) {
      wait_for_product_groups<1>();
      for (auto& of_step : of_before) settle(of_step);
      free_stage(stages, before);
      before = at.stage();
      at.advance();
    };
    settle(sums_);
    start(even, false);
    before = at.stage();
    at.advance();
    int tile = 1;
    for (; tile + 1 < tiles; tile += 2) {
      start(odd, true);
      free_before(even);
      start(even, true);
      free_before(odd);
    }
    if (tile < tiles) {
      start(odd, true);
      free_before(even);
      wait_for_product_groups<0>();
      for (auto& of_step : odd) settle(of_step);
    } else {
      wait_for_product_groups<0>();
      for (auto& of_step : even) settle(of_step);
    }
    settle(sums_);
    free_stage(stages, before);
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
    auto const settle_all = [&] {
      settle(of_first_parts);
      if constexpr (Tile::planes > 1) settle(of_others);
    };
    settle_all();
    int before = start(false);
    for (int tile = 1; tile < tiles; ++tile) {
      int const stage = start(true);
      wait_for_product_groups<1>();
      free_stage(stages, before);
      before = stage;
    }
    wait_for_product_groups<0>();
    settle_all();
    free_stage(stages, before);
  }

  __device__ static void free_stage(warpgroup_stages<Tile> const& stages, int stage) {
    unsigned const lane = threadIdx.x % 32;
    if (lane < Tile::cluster) arrive_at_block(stages.is_free(stage), lane);
  }

  K sums_[count];
  bool is_turned_ = false;
};

template <class Tile, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::row.blocks)
    gemm_warpgroups(Problem problem, gemm_grid grid, index tiles,
                    __grid_constant__ warpgroup_maps const maps) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ std::uint64_t barriers[2 * Tile::stages];
  constexpr unsigned below = Tile::map_alignment - 1;
  let_next_kernel_start();
  warpgroup_stages<Tile> const stages{(shared_address(shared) + below) & ~below,
                                      shared_address(barriers)};
  unsigned const rank = Tile::cluster == 1 ? 0 : rank_in_cluster();
  if (threadIdx.x == 0) {
    prefetch_map(maps.a);
    prefetch_map(maps.b);
    if (maps.stores_in_bulk) prefetch_map(maps.c);
    for (int stage = 0; stage < Tile::stages; ++stage) {
      start_barrier(stages.is_whole(stage), 1);
      start_barrier(stages.is_free(stage), Tile::cluster * Tile::consumers * 4);
    }
    publish_barriers();
  }
  if constexpr (Tile::cluster > 1) meet_cluster();
  else __syncthreads();
  wait_for_kernel_before();
  if (!grid.condition.holds()) return;

  stage_counter<Tile::stages> at;
  if (threadIdx.x >= Tile::threads_of_sums) {
    give_registers<Tile::registers_to_copy>();
    if (threadIdx.x == Tile::threads_of_sums) {
      unsigned const depths_apart = shares_short_lines<Tile>(problem) ? 7 : 0;
      for (index tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        copy_stages<Tile>(stages, at, block_of<Tile>(problem, grid, static_cast<unsigned>(tile)),
                          maps, rank, static_cast<unsigned>(tile / Tile::cluster) * depths_apart);
    }
    __syncwarp();
  } else {
    take_registers<Tile::registers_to_multiply>();
    for (index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      gemm_block const of_block = block_of<Tile>(problem, grid, static_cast<unsigned>(tile));
      warpgroup_sums<Tile, Problem> sums;
      sums.multiply(stages, at, static_cast<int>((of_block.depth + Tile::depth - 1) / Tile::depth));
      write_warpgroup<Tile>(sums, problem, grid, of_block, maps, stages);
    }
    if (threadIdx.x % 128 == 0) wait_for_stores<0>();
  }
  if constexpr (Tile::cluster > 1) meet_cluster();
#else
  __trap();  // never chosen (is_compiled_for_warpgroups); no result is better than a wrong one
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
