// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Synchronisation of a warpgroup and of the blocks of a cluster; for code of capability 90.
#pragma once

#include <xpose/config.hpp>

namespace xpose::detail {

/// bar.sync of a warpgroup at its named barrier, 1 to 15 (0 is __syncthreads').
__device__ inline void warpgroup_sync(int barrier) {
  asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}
__device__ inline unsigned block_rank_in_cluster() {
  unsigned rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// All threads of all blocks of the cluster.
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

}  // namespace xpose::detail
