// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Barriers of capability 90: of a warpgroup, of a cluster, and mbarrier: 8 bytes of shared memory,
// by address, that threads arrive at and TMA counts its bytes on. An mbarrier's phase ends with its
// last arrival and its last expected byte; a wait names the phase by its parity.
#pragma once

#include <xpose/config.hpp>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

/// bar.sync of a warpgroup at its named barrier, 1 to 15 (0 is __syncthreads').
__device__ inline void warpgroup_sync(int barrier) {
  asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}
/// The same of `threads` threads, whole warps.
__device__ inline void named_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ inline unsigned block_rank_in_cluster() {
  unsigned rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// The halves of a barrier of all threads of all blocks of the cluster, each warp at once: what a
/// thread wrote before it arrived is not visible behind it, but for fence_mbarrier_init().
__device__ inline void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
/// All threads of all blocks of the cluster, each warp at once.
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ inline void mbarrier_init(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Makes all mbarrier_init visible to the cluster; a barrier of the cluster or block must follow.
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void mbarrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Arrives, and adds `bytes` to what the phase waits for.
__device__ inline void mbarrier_arrive_expect_tx(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Where an address of this block's shared memory is in that of block `rank` of the cluster.
__device__ inline unsigned address_in_cluster(unsigned address, unsigned rank) {
  unsigned remote = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}
/// Arrives at a barrier by its address_in_cluster().
__device__ inline void mbarrier_arrive_cluster(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void mbarrier_wait(unsigned barrier, unsigned parity) {
  unsigned is_done = 0;
  while (is_done == 0)
    asm volatile(
        "{\n.reg .pred done;\nmbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n}"
        : "=r"(is_done)
        : "r"(barrier), "r"(parity)
        : "memory");
}

/// 8 bytes of global memory by which blocks tell each other: what a thread's block wrote, up to a
/// barrier before the store, is visible behind a load that sees it. By fences before capability 70.
__device__ inline void st_release_gpu(std::uint64_t* to, std::uint64_t value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
#else
  __threadfence();
  *static_cast<std::uint64_t volatile*>(to) = value;
#endif
}
__device__ inline std::uint64_t ld_acquire_gpu(std::uint64_t const* from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  std::uint64_t value = 0;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
#else
  std::uint64_t const value = *static_cast<std::uint64_t const volatile*>(from);
  __threadfence();
  return value;
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
