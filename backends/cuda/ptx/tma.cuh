// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// TMA: bulk tensor copies between global and shared memory (cp.async.bulk.tensor) by descriptors
// (runtime/tma_descriptor.hpp). A box is what one copy moves; its position is (x, y, z), x along
// the contiguous dimension. For code of capability 90.
#pragma once

#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

__device__ inline void prefetch_tma_descriptor(tma_descriptor const& descriptor) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&descriptor) : "memory");
}
/// Loads a box to shared memory, with zeros for what lies outside the tensor; its bytes complete on
/// the mbarrier.
__device__ inline void tma_load(unsigned to, tma_descriptor const& descriptor, int x, int y, int z,
                                unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
      "l"(&descriptor), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
}
/// The same to each block of the cluster whose bit is set in `block_mask`: to the same address, on
/// the block's own mbarrier of the same address.
__device__ inline void tma_load_multicast(unsigned to, tma_descriptor const& descriptor, int x,
                                          int y, int z, unsigned barrier, unsigned block_mask) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
      "l"(&descriptor), "r"(x), "r"(y), "r"(z), "r"(barrier),
      "h"(static_cast<std::uint16_t>(block_mask))
      : "memory");
}
/// Makes the thread's plain stores to shared memory visible to TMA. All threads that wrote a box
/// call it, and synchronise, before one of them calls tma_store.
__device__ inline void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Stores a box but for what lies outside the tensor, as a bulk group of its own. A thread's groups
/// complete in order.
__device__ inline void tma_store(unsigned from, tma_descriptor const& descriptor, int x, int y,
                                 int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%1, {%2, %3, %4}], [%0];\n"
      "cp.async.bulk.commit_group;" ::"r"(from),
      "l"(&descriptor), "r"(x), "r"(y), "r"(z)
      : "memory");
}
/// Waits until all but the last `Left` of the thread's tma_store have read shared memory.
template <int Left>
__device__ inline void tma_store_wait() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
