// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Threads that meet: those of a warpgroup, and all blocks of a cluster. Compiled for 90a alone;
// elsewhere these functions do nothing.
#pragma once

namespace xpose {
inline namespace v0 {
namespace detail {

/// bar.sync of a warpgroup at its named barrier, 1 to 15 (0 is __syncthreads').
__device__ inline void warpgroup_sync(int barrier) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
#endif
}
__device__ inline unsigned block_rank_in_cluster() {
  unsigned rank = 0;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}
/// All threads of all blocks of the cluster.
__device__ inline void cluster_sync() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
