// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cp.async: asynchronous copies from global to shared memory, and the groups that a thread waits
// for (capability 80). Code for older devices copies at once.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Copies the first `count` of Bytes bytes to the shared address `to`, and zeros after them. The
/// bytes are there after cp_async_wait().
template <int Bytes>
__device__ inline void cp_async(unsigned to, void const* from, int count) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(count)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes),
                 "r"(count)
                 : "memory");
#else
#pragma unroll
  for (int at = 0; at < Bytes; at += 4) {
    unsigned word =
        at < count ? *reinterpret_cast<unsigned const*>(static_cast<char const*>(from) + at) : 0;
    if (count - at < 4 && at < count) word &= (1u << 8 * (count - at)) - 1;
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + at), "r"(word) : "memory");
  }
#endif
}

/// Closes a group of copies, which may be empty.
__device__ inline void cp_async_commit() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most Groups of this thread's latest groups are in flight.
template <int Groups>
__device__ inline void cp_async_wait() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
