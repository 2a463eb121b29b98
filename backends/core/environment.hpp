// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the XPOSE_ environment variables say. std::getenv compares every variable of the process: in
// an environment of 60 it took a tenth of the time of a 4x4x4 gemm. So a variable is read once, and
// again after reload_environment().
#pragma once

#include <xpose/config.hpp>

#include <atomic>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Number of the reload_environment() calls so far, and 1.
inline std::atomic<unsigned> environment_generation{1};

/// The value that read() gives. What read() throws is thrown at every use, until it throws no more.
/// Safe for concurrent callers.
template <class T>
class environment_setting {
 public:
  constexpr explicit environment_setting(T (*read)()) : read_(read) {}

  T value() {
    unsigned const now = environment_generation.load(std::memory_order_acquire);
    if (generation_.load(std::memory_order_acquire) != now) {
      value_.store(read_(), std::memory_order_relaxed);
      generation_.store(now, std::memory_order_release);
    }
    return value_.load(std::memory_order_relaxed);
  }

 private:
  T (*const read_)();
  std::atomic<T> value_{};
  std::atomic<unsigned> generation_{0};
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
