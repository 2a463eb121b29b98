// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The pipeline between the producer and the consumer warpgroups of a wgmma kernel: stages of shared
// memory, each with a full and an empty barrier.
//
//   producer   wait empty[s]   expect bytes on full[s]   TMA loads of stage s
//   consumers  wait full[s]    wgmma on stage s          arrive at empty[s] of all its cluster
#pragma once

#include <xpose/backends/cuda/gemm/sm90/config.cuh>
#include <xpose/backends/cuda/ptx/cluster.cuh>
#include <xpose/backends/cuda/ptx/mbarrier.cuh>
#include <xpose/backends/cuda/ptx/shared_memory.cuh>

namespace xpose::detail {

/// The stage a side is at, and the parity of its phase.
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

/// Addresses in a block's shared memory: tiles, barriers, buffers of the epilogue.
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
  /// Of the thread's warpgroup.
  __device__ unsigned epilogue_buffer(int buffer) const {
    int const warpgroup = static_cast<int>(threadIdx.x) / 128;
    return a(Tile::stages) + static_cast<unsigned>((warpgroup * Tile::epilogue_buffers + buffer) *
                                                   Tile::epilogue_buffer_bytes);
  }

  /// By all threads of a warp: its wgmma have read the stage. A stage is empty when each warp of
  /// each block that its B was multicast to has released it.
  __device__ void release(int stage) const {
    unsigned const lane = threadIdx.x % 32;
    if (lane < Tile::cluster) mbarrier_arrive_cluster(empty_barrier(stage), lane);
  }
};

/// All threads of the cluster.
template <class Tile>
__device__ inline void pipeline_sync() {
  if constexpr (Tile::cluster > 1) cluster_sync();
  else __syncthreads();
}

}  // namespace xpose::detail
