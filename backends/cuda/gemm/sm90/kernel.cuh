// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of 1- and 2-byte elements by wgmma, of f32 as tf32 (gemm/f32_on_tensor_cores/tf32.cuh), and
// of f32 in parts of two bytes (gemm/f32_on_tensor_cores/split_f32.cuh), on devices of
// capability 90. Blocks stay and take one tile of C after the other. One thread copies stages of A
// and B to shared memory by the tensor copy engine, the other warpgroups multiply 64 rows each;
// barriers tell either side of whole and free stages. The blocks of a cluster have tiles below each
// other, and each copies a part of the B that they share to all. Assumes operands that have tensor
// maps: of 1 byte along the depth, B of 4 bytes too; an A of 4 bytes that lies across goes through
// registers.
#pragma once

#include <xpose/backends/cuda/gemm/sm90/epilogue.cuh>
#include <xpose/backends/cuda/ptx/wgmma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Of the pairs with the bit in their number, a thread with the bit gives those without, and gets
/// those with it.
template <int Bit, class T>
__device__ inline void exchange_pairs(T& without, T& with) {
  bool const has_bit = (threadIdx.x & Bit) != 0;
  T const received = __shfl_xor_sync(0xFFFFFFFFu, has_bit ? without : with, Bit);
  if (has_bit) without = received;
  else with = received;
}
/// Thread t of four has item i of its own at place i; afterwards item t of thread i.
template <class T>
__device__ inline void transpose_quad(T& a, T& b, T& c, T& d) {
  exchange_pairs<1>(a, b);
  exchange_pairs<1>(c, d);
  exchange_pairs<2>(a, c);
  exchange_pairs<2>(b, d);
}

/// The sums of a warpgroup. Before they are turned, a thread has pairs of neighbours of a row, in
/// every eighth column; afterwards eight neighbours, in every 32nd.
template <class Tile, class Problem>
class wgmma_accumulators {
  using K = typename Problem::accumulate_type;
  static constexpr int count = Tile::cols / 2;

 public:
  static constexpr int rows = 2;
  static constexpr int cols = count / 2;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = 8;

  __device__ int row_of(int r) const {
    int const thread = static_cast<int>(threadIdx.x);
    int const warp = thread % 128 / 32;
    int const four = thread % 32 / 4;
    if constexpr (Tile::a_from_registers)
      return thread / 128 * 64 + warp / 2 * 32 + four / 4 * 16 + (warp % 2 * 2 + r) * 4 + four % 4;
    return thread / 128 * 64 + warp * 16 + four + r * 8;
  }
  __device__ int col_of(int c) const {
    int const in_four = static_cast<int>(threadIdx.x) % 4;
    return is_transposed_ ? c / 8 * 32 + in_four * 8 + c % 8 : c / 2 * 8 + in_four * 2 + c % 2;
  }
  __device__ K value(int r, int c) const { return accumulators_[c / 2 * 4 + r * 2 + c % 2]; }

  /// The products of all stages of a tile; frees each stage when the next one is under way.
  __device__ void mainloop(pipeline_smem<Tile> const& stages, pipeline_state<Tile::stages>& at,
                           int tiles) {
    is_transposed_ = false;
    if constexpr (is_float8<typename Tile::a_element>) {
      mainloop_promoted(stages, at, tiles);
    } else if constexpr (Tile::a_from_registers) {
      mainloop_rs(stages, at, tiles);
    } else if constexpr (Tile::planes == 1) {
      mainloop_ss(accumulators_, accumulators_, stages, at, tiles);
    } else {
      for (K& sum : accumulators_) sum = 0;
      for (; tiles > 0; tiles -= k_tiles_of_group) {
        K large_terms[count];
        K small_terms[count];
        mainloop_ss(large_terms, small_terms, stages, at,
                    tiles < k_tiles_of_group ? tiles : k_tiles_of_group);
#pragma unroll
        for (int s = 0; s < count; ++s) accumulators_[s] += large_terms[s] + small_terms[s];
      }
    }
  }

  /// Four threads exchange their pairs of 32 columns, so that each has eight neighbours.
  __device__ void transpose_quads() {
    is_transposed_ = true;
#pragma unroll
    for (int first = 0; first < count; first += 16)
#pragma unroll
      for (int line = 0; line < 2; ++line)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          int const at = first + line * 2 + e;
          transpose_quad(accumulators_[at], accumulators_[at + 4], accumulators_[at + 8],
                         accumulators_[at + 12]);
        }
  }

 private:
  // Matrix units cut sums where they should round them: with all six products in one sum, added to
  // another of f32 after every 256 of the depth, the error of positive operands was 33 units of
  // 2^-24 |A||B| where that of the plain kernel is 4 to 10. Hence two sums, as only products of
  // first parts are large, and groups of 128.
  static constexpr int k_tiles_of_group = 128 / Tile::k_extent;

  /// The products of a stage. Of the parts of an operand the first is the largest.
  __device__ static void mma_stage(K (&large_terms)[count], K (&small_terms)[count],
                                   pipeline_smem<Tile> const& stages, int stage, bool keeps) {
    constexpr int k_blocks = Tile::swizzle_bytes / 32;
    constexpr unsigned a_step = Tile::a_is_mn_major ? 16 * 128 : 32;
    constexpr unsigned b_step = Tile::b_is_mn_major ? 16 * Tile::b_swizzle_bytes : 32;
    constexpr unsigned a_plane = Tile::a_boxes * Tile::a_box_bytes;
    constexpr unsigned b_plane = Tile::b_boxes * Tile::b_box_bytes;
    unsigned const of_warpgroup = threadIdx.x / 128 * Tile::a_box_bytes;
    std::uint64_t const a =
        smem_descriptor<Tile::swizzle_bytes>(stages.a(stage) + of_warpgroup, Tile::a_box_bytes);
    std::uint64_t const b =
        smem_descriptor<Tile::b_swizzle_bytes>(stages.b(stage), Tile::b_box_bytes);
    auto const mma_parts = [&](K(&accumulators)[count], unsigned a_part, unsigned b_part,
                               bool keeps_sums) {
#pragma unroll
      for (int step = 0; step < k_blocks; ++step)
        wgmma_ss<typename Tile::a_element, typename Tile::b_element, Tile::a_is_mn_major,
                 Tile::b_is_mn_major>(
            accumulators, a + ((a_part * a_plane + static_cast<unsigned>(step) * a_step) >> 4),
            b + ((b_part * b_plane + static_cast<unsigned>(step) * b_step) >> 4),
            keeps_sums || step > 0);
    };
    warpgroup_arrive();
    if constexpr (Tile::planes == parts_of_f32) {
      mma_parts(small_terms, 2, 0, keeps);
      mma_parts(small_terms, 0, 2, true);
      mma_parts(small_terms, 1, 1, true);
      mma_parts(small_terms, 1, 0, true);
      mma_parts(small_terms, 0, 1, true);
    }
    mma_parts(large_terms, 0, 0, keeps);
    warpgroup_commit();
  }

  /// Of float8, whose sums have 14 bits in the matrix units: each stage, 128 deep, has sums of its
  /// own, which are added to the others while the units make those of the next.
  __device__ void mainloop_promoted(pipeline_smem<Tile> const& stages,
                                    pipeline_state<Tile::stages>& at, int tiles) {
    static_assert(Tile::k_extent == 128);
    K even[count];
    K odd[count];
    auto const start = [&](K(&accumulators)[count]) {
      int const stage = at.stage();
      mbarrier_wait(stages.full_barrier(stage), at.parity());
      mma_stage(accumulators, accumulators, stages, stage, false);
      at.advance();
      return stage;
    };
    auto const add = [&](K(&accumulators)[count], int stage) {
      fence_operands(accumulators);
      release_stage(stages, stage);
#pragma unroll
      for (int s = 0; s < count; ++s) accumulators_[s] += accumulators[s];
    };
    for (K& sum : accumulators_) sum = 0;
    fence_operands(even);
    fence_operands(odd);
    int of_even = start(even);
    int tile = 1;
    for (; tile + 1 < tiles; tile += 2) {
      int const of_odd = start(odd);
      warpgroup_wait<1>();
      add(even, of_even);
      of_even = start(even);
      warpgroup_wait<1>();
      add(odd, of_odd);
    }
    if (tile < tiles) {
      int const of_odd = start(odd);
      warpgroup_wait<1>();
      add(even, of_even);
      warpgroup_wait<0>();
      add(odd, of_odd);
    } else {
      warpgroup_wait<0>();
      add(even, of_even);
    }
  }

  /// The elements of A that this thread has of a stage's products: along the depth from lines that
  /// lie across it. Threads' rows (row_of) are such that a warp meets every bank once: of its eight
  /// rows of a product, four lie 16 behind the other four.
  static constexpr int k_blocks_of_stage = Tile::k_extent / 8;
  using a_fragments = unsigned[k_blocks_of_stage][4];
  __device__ void load_a_fragments(a_fragments& a, pipeline_smem<Tile> const& stages,
                                   pipeline_state<Tile::stages> const& at) const {
    mbarrier_wait(stages.full_barrier(at.stage()), at.parity());
    int const k_extent = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
    for (int q = 0; q < 2; ++q)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        int const row = row_of(h);
        int const line = k_extent + 4 * q;
        unsigned const from = stages.a(at.stage()) +
                              static_cast<unsigned>(row / 32 * Tile::a_box_bytes + line * 128 +
                                                    ((row % 32 / 4) ^ line) * 16 + row % 4 * 4);
#pragma unroll
        for (int step = 0; step < k_blocks_of_stage; ++step)
          a[step][2 * q + h] = ld_shared(from + static_cast<unsigned>(step * 8 * 128));
      }
  }

  /// With A through registers: those of a stage are loaded while the stage before is multiplied.
  __device__ void mainloop_rs(pipeline_smem<Tile> const& stages, pipeline_state<Tile::stages>& at,
                              int tiles) {
    a_fragments even;
    a_fragments odd;
    int before = 0;
    auto const start = [&](a_fragments& a, bool keeps) {
      load_a_fragments(a, stages, at);
      std::uint64_t const b =
          smem_descriptor<Tile::b_swizzle_bytes>(stages.b(at.stage()), Tile::b_box_bytes);
#pragma unroll
      for (int step = 0; step < k_blocks_of_stage; ++step) {
        warpgroup_arrive();
        wgmma_rs(accumulators_, a[step], b + static_cast<unsigned>(step * 32 >> 4),
                 keeps || step > 0);
      }
      warpgroup_commit();
    };
    auto const free_before = [&](a_fragments& of_before) {
      warpgroup_wait<1>();
      for (auto& of_step : of_before) fence_operands(of_step);
      release_stage(stages, before);
      before = at.stage();
      at.advance();
    };
    fence_operands(accumulators_);
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
      warpgroup_wait<0>();
      for (auto& of_step : odd) fence_operands(of_step);
    } else {
      warpgroup_wait<0>();
      for (auto& of_step : even) fence_operands(of_step);
    }
    fence_operands(accumulators_);
    release_stage(stages, before);
  }

  __device__ static void mainloop_ss(K (&large_terms)[count], K (&small_terms)[count],
                                     pipeline_smem<Tile> const& stages,
                                     pipeline_state<Tile::stages>& at, int tiles) {
    auto const start = [&](bool keeps) {
      int const stage = at.stage();
      mbarrier_wait(stages.full_barrier(stage), at.parity());
      mma_stage(large_terms, small_terms, stages, stage, keeps);
      at.advance();
      return stage;
    };
    auto const settle_all = [&] {
      fence_operands(large_terms);
      if constexpr (Tile::planes > 1) fence_operands(small_terms);
    };
    settle_all();
    int before = start(false);
    for (int tile = 1; tile < tiles; ++tile) {
      int const stage = start(true);
      warpgroup_wait<1>();
      release_stage(stages, before);
      before = stage;
    }
    warpgroup_wait<0>();
    settle_all();
    release_stage(stages, before);
  }

  __device__ static void release_stage(pipeline_smem<Tile> const& stages, int stage) {
    unsigned const lane = threadIdx.x % 32;
    if (lane < Tile::cluster) mbarrier_arrive_cluster(stages.empty_barrier(stage), lane);
  }

  K accumulators_[count];
  bool is_transposed_ = false;
};

template <class Tile, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::config.resident_blocks)
    gemm_wgmma(Problem problem, gemm_grid grid, index tiles,
               __grid_constant__ gemm_tma_descriptors const maps) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ std::uint64_t barriers[2 * Tile::stages];
  constexpr unsigned below = Tile::tile_alignment - 1;
  pdl_trigger();
  pipeline_smem<Tile> const stages{(smem_address(shared) + below) & ~below, smem_address(barriers)};
  unsigned const rank = Tile::cluster == 1 ? 0 : block_rank_in_cluster();
  if (threadIdx.x == 0) {
    prefetch_tma_descriptor(maps.a);
    prefetch_tma_descriptor(maps.b);
    if (maps.stores_rows) prefetch_tma_descriptor(maps.c);
    for (int stage = 0; stage < Tile::stages; ++stage) {
      mbarrier_init(stages.full_barrier(stage), 1);
      mbarrier_init(stages.empty_barrier(stage), Tile::cluster * Tile::consumer_warpgroups * 4);
    }
    fence_mbarrier_init();
  }
  if constexpr (Tile::cluster > 1) cluster_sync();
  else __syncthreads();
  pdl_wait();
  if (!grid.condition.holds()) return;

  pipeline_state<Tile::stages> at;
  if (threadIdx.x >= Tile::consumer_threads) {
    setmaxnreg_dec<Tile::producer_registers>();
    if (threadIdx.x == Tile::consumer_threads) {
      unsigned const depths_apart = shares_short_rows<Tile>(problem) ? 7 : 0;
      for (index tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        produce_stages<Tile>(stages, at,
                             work_tile_of<Tile>(problem, grid, static_cast<unsigned>(tile)), maps,
                             rank, static_cast<unsigned>(tile / Tile::cluster) * depths_apart);
    }
    __syncwarp();
  } else {
    setmaxnreg_inc<Tile::consumer_registers>();
    for (index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      work_tile const of_block = work_tile_of<Tile>(problem, grid, static_cast<unsigned>(tile));
      wgmma_accumulators<Tile, Problem> accumulators;
      accumulators.mainloop(stages, at,
                            static_cast<int>(ceil_div(of_block.k_extent, Tile::k_extent)));
      wgmma_epilogue<Tile>(accumulators, problem, grid, of_block, maps, stages);
    }
    if (threadIdx.x % 128 == 0) tma_store_wait<0>();
  }
  if constexpr (Tile::cluster > 1) cluster_sync();
#else
  __trap();  // never chosen (is_compiled_for_wgmma); no result is better than a wrong one
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
