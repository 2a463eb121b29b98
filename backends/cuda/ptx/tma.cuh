// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Bulk tensor copies to shared memory and back, and the barriers they complete on: capability 90,
// compiled for 90a alone, where wgmma reads what they bring. Elsewhere these functions do nothing.
#pragma once

#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

__device__ inline unsigned smem_address(void const* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// Barriers are 8 bytes of shared memory, by address; a phase ends with the last arrival and the
/// last byte that is expected. A wait names the phase by its parity.
__device__ inline void mbarrier_init(unsigned barrier, int arrivals) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
}
/// After the last start, before the blocks of the cluster meet.
__device__ inline void fence_mbarrier_init() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}
/// Arrives, and lets the phase last until so many bytes have come.
__device__ inline void mbarrier_arrive_expect_tx(unsigned barrier, int bytes) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
#endif
}
/// Arrives at the same barrier of block `rank` of the cluster.
__device__ inline void mbarrier_arrive_cluster(unsigned barrier, unsigned rank) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
#endif
}
__device__ inline void mbarrier_wait(unsigned barrier, unsigned parity) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  unsigned is_done = 0;
  while (is_done == 0)
    asm volatile(
        "{\n.reg .pred done;\nmbarrier.try_wait.parity.shared::cta.b64 done, [%1], "
        "%2;\n"
        "selp.u32 %0, 1, 0, done;\n}"
        : "=r"(is_done)
        : "r"(barrier), "r"(parity)
        : "memory");
#endif
}

/// The box of the map's tensor that begins at (x, y, z), zeros outside the tensor, to shared memory
/// of the blocks of the cluster that are bits of `blocks`: the same place in each, and the same
/// barrier of each counts its bytes.
__device__ inline void tma_load_multicast(unsigned to, tma_descriptor const& map, int x, int y,
                                          int z, unsigned barrier, unsigned blocks) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(static_cast<std::uint16_t>(blocks))
      : "memory");
#endif
}
/// The same to the block's own.
__device__ inline void tma_load(unsigned to, tma_descriptor const& map, int x, int y, int z,
                                unsigned barrier) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
#endif
}
/// The box from shared memory to the tensor, but for what lies outside it; after
/// fence_proxy_async by all that wrote it. The thread's stores end in order.
__device__ inline void tma_store(unsigned from, tma_descriptor const& map, int x, int y, int z) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%1, {%2, %3, %4}], [%0];\n"
      "cp.async.bulk.commit_group;" ::"r"(from),
      "l"(&map), "r"(x), "r"(y), "r"(z)
      : "memory");
#endif
}
/// Until all but `Left` of the thread's stores have read shared memory.
template <int Left>
__device__ inline void tma_store_wait() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
#endif
}
/// A value of 4 or 8 bytes to shared memory.
template <class T>
__device__ inline void st_shared(unsigned to, T const& value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 4) {
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(bits_as<unsigned>(value)) : "memory");
  } else {
    auto const words = bits_as<uint2>(value);
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(words.x), "r"(words.y)
                 : "memory");
  }
}
__device__ inline unsigned ld_shared(unsigned from) {
  unsigned word = 0;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(from) : "memory");
#endif
  return word;
}
/// Lets the copy engine see what the thread wrote to shared memory.
__device__ inline void fence_proxy_async() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
/// The threads of a warpgroup meet; `barrier` is theirs, from 1 to 15.
__device__ inline void warpgroup_sync(int barrier) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
#endif
}
__device__ inline void prefetch_tma_descriptor(tma_descriptor const& map) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#endif
}

__device__ inline unsigned block_rank_in_cluster() {
  unsigned rank = 0;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}
/// All threads of all blocks of the cluster meet.
__device__ inline void cluster_sync() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/// Registers of a thread from here on, of all warps of a warpgroup alike.
template <int Count>
__device__ inline void setmaxnreg_inc() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
#endif
}
template <int Count>
__device__ inline void setmaxnreg_dec() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
