// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Tickets of launches whose blocks wait for each other (block/stream_k.cuh).

#include <xpose/backends/cuda/gemm/block/stream_k_share.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <random>

namespace xpose {
inline namespace v0 {
namespace detail {

std::uint64_t stream_k_ticket() {
  static std::atomic<std::uint64_t> last = [] {
    try {
      std::random_device random;
      return std::uint64_t{random()} << 32 | random() | 1;
    } catch (std::exception const&) {  // a system without random numbers
      return static_cast<std::uint64_t>(
                 std::chrono::steady_clock::now().time_since_epoch().count()) |
             1;
    }
  }();
  return last += 2;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
