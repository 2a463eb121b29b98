// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// wgmma gemm of 1- and 2-byte elements, of f32 as tf32 (f32_on_tensor_cores/f32_gemm.cuh) and as
// three bfloat16 planes (f32_on_tensor_cores/split_f32.cuh), on capability 90. Warp-specialized and
// persistent: two threads of the producer warpgroup fill the pipeline by TMA, consumer warpgroups
// multiply 64 or 128 rows each. The blocks of a cluster multicast the tiles of A and B that they
// share. Assumes operands that TMA can read: of 2 bytes in any layout, others K-major; an MN-major
// A of tf32 or 1-byte integers goes through registers.
#pragma once

#include <xpose/backends/cuda/gemm/sm90/epilogue.cuh>
#include <xpose/backends/cuda/gemm/sm90/mainloop.cuh>
#include <xpose/backends/cuda/ptx/pdl.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Producers and consumers each have a tile_scheduler.
template <class Tile, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::config.resident_blocks)
    gemm_wgmma(Problem problem, gemm_grid grid, unsigned tiles,
               __grid_constant__ gemm_tma_descriptors const descriptors,
               __grid_constant__ stream_k_share const share) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char stages_and_buffers[];
  static_assert(Tile::tile_alignment == 1024);
  __shared__ std::uint64_t barriers[2 * Tile::stages + 2];  // of the stages, and of a layer
  pdl_trigger();
  unsigned const rank = block_rank_in_cluster();
  cluster_position const cluster(grid, grid.splits_in_cluster ? 0 : rank);
  pipeline_smem<Tile> smem{smem_address(stages_and_buffers), smem_address(barriers), 0};
  if (threadIdx.x == 0) {
    prefetch_tma_descriptor(descriptors.a);
    prefetch_tma_descriptor(descriptors.b);
    if (descriptors.stores_rows || descriptors.stores_cols) prefetch_tma_descriptor(descriptors.c);
    for (int stage = 0; stage < Tile::stages; ++stage) {
      mbarrier_init(smem.full_barrier(stage), 2);
      mbarrier_init(smem.empty_barrier(stage),
                    static_cast<int>(cluster.sharers()) * Tile::consumer_warpgroups * 4);
    }
    mbarrier_init(smem.layer_full_barrier(), layer_loaders);
    mbarrier_init(smem.layer_empty_barrier(), Tile::consumer_threads);
    fence_mbarrier_init();
  }
  // What a block begins with takes some hundred instructions: here it waits for others anyway.
  if (cluster.blocks() > 1) cluster_arrive_relaxed();
  tile_scheduler<Tile> const scheduler(grid, share, tiles, blockIdx.x);
  work_tile const first = scheduler.work(problem);
  if (cluster.blocks() > 1) cluster_wait();
  else __syncthreads();
  pdl_wait();
  if (!grid.condition.holds()) return;
  layer_path const path =
      Tile::row_blocks > 1
          ? layer_path::none
          : layer_path_of(problem, grid, stores_plain_c<Tile>(problem, descriptors));

  if (threadIdx.x >= Tile::consumer_threads) {  // producers
    setmaxnreg_dec<Tile::producer_registers>();
    // By a thread of two warps, so that neither waits for the other's loads to be issued.
    if (threadIdx.x == Tile::consumer_threads)
      produce_operand<Tile, a_operand<Tile>>(
          smem, problem, grid, first, scheduler, descriptors.a_is_batched,
          {descriptors.a, descriptors.a, cluster.log_cols, cluster.col, cluster.beside()});
    if (threadIdx.x == Tile::consumer_threads + 32)
      produce_operand<Tile, b_operand<Tile>>(
          smem, problem, grid, first, scheduler, descriptors.b_is_batched,
          {descriptors.b, descriptors.last_b, cluster.log_rows, cluster.row, cluster.below()});
    if constexpr (may_have_layer<typename Problem::epilogue_type> && Tile::row_blocks == 1)
      if (threadIdx.x >= Tile::consumer_threads + 64 && path != layer_path::none)
        produce_layer(smem, problem, scheduler);
    __syncwarp();
    if (grid.splits_in_cluster) {  // while consumers reduce_in_cluster()
      cluster_sync();
      cluster_sync();
    }
  } else {  // consumers
    setmaxnreg_inc<Tile::consumer_registers>();
    unsigned const lane = threadIdx.x % 32;
    unsigned const sharer = grid.splits_in_cluster ? rank : cluster.sharer(lane);
    if (lane < cluster.sharers())
      smem.barriers_of_sharer = address_in_cluster(smem.barriers, sharer);
    pipeline_state<Tile::stages> at;
    unsigned parity = 0;
    for (tile_scheduler<Tile> of_block(grid, share, tiles, reread_block_index());
         of_block.has_work(); of_block.advance(), parity ^= 1) {
      work_tile const block = of_block.work(problem);
      wgmma_accumulators<Tile, Problem> accumulators;
      accumulators.mainloop(smem, at, static_cast<int>(ceil_div(block.k_extent, Tile::k_extent)));
      if constexpr (has_stream_k<Tile>) {
        using partial = partial_tile<Tile, wgmma_accumulators<Tile, Problem>,
                                     typename Problem::accumulate_type>;
        if (!of_block.ends_tile()) {
          partial(share, reread_block_index()).leave(accumulators);
          parity ^= 1;  // of tiles that end here alone
          continue;
        }
        if (!of_block.begins_tile())
          of_block.for_each_other([&](unsigned other) {
            partial(share, other).add_to(accumulators, problem.semiring);
          });
      }
      if constexpr (Tile::row_blocks == 1) {
        wgmma_epilogue(accumulators, problem, grid, block, descriptors, smem, path, parity);
      } else {
        work_tile rows = block;
        index const end = block.coordinates.row + Tile::rows < problem.rows
                              ? block.coordinates.row + Tile::rows
                              : problem.rows;
#pragma unroll 1
        for (; rows.coordinates.row < end; rows.coordinates.row += Tile::rows / Tile::row_blocks) {
          wgmma_epilogue(accumulators, problem, grid, rows, descriptors, smem, path, parity);
          accumulators.next_row_block();
        }
      }
    }
    if (threadIdx.x % 32 == 0) tma_store_wait<0>();
  }
#else
  __trap();  // never chosen (is_compiled_for_wgmma); no result is better than a wrong one
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
