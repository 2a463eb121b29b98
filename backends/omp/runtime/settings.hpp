// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The numbers of the omp backend that tune() measures on a machine. None of them changes a bit of a
// result: they decide how many threads take part, which stores are used, and how much is packed at
// a time.
#pragma once

#include <xpose/config.hpp>

#include <atomic>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Read by every call, so plain loads.
class omp_setting {
 public:
  constexpr omp_setting(index built_in) : value_(built_in), built_in_(built_in) {}
  operator index() const { return value_.load(std::memory_order_relaxed); }
  index built_in() const { return built_in_; }
  void set(index value) { value_.store(value, std::memory_order_relaxed); }

 private:
  std::atomic<index> value_;
  index built_in_;
};

struct omp_settings {
  // Bytes of the output up to which one thread moves or adds: waking a team costs more.
  omp_setting move_team_bytes{65536};
  // Bytes of a single matrix and its transpose beyond which it is written past the caches, if they
  // exceed the L2 caches (transpose/kernel_table.hpp). 0: half of the L3 cache, 16 MB at
  // most.
  omp_setting matrix_stream_bytes{0};
  // Products of a gemm below which one thread makes them.
  omp_setting gemm_team_products{1 << 19};
  // Hundredths of an L2 cache for the panels of B that one thread multiplies at a time.
  omp_setting gemm_l2_percent{50};
  // Bytes of A, and of B, that are packed at a time (MC x KC, KC x NC): several of them stay in an
  // L3 cache; with fewer bytes everything is packed more often.
  omp_setting gemm_packed_bytes{8 << 20};
};

/// Exported for tests.
extern XPOSE_EXPORT omp_settings tuned;

}  // namespace detail
}  // namespace v0
}  // namespace xpose
