// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Named constructors of gemm configs, one a kind of kernel, and the terms they are written in.
// Tables derive from config_constructors to see these names.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct config_constructors {
  struct tile {  // of a block: rows and columns of C, and the k of a stage
    int rows, cols, k;
  };
  struct thread {  // rows and columns of a thread's accumulators
    int rows, cols;
  };
  struct warp {
    int rows, cols;
  };
  struct lane_rows {  // 4 where it is left out
    int count;
  };
  struct k_slices {  // 1 where it is left out
    int count;
  };
  struct stages {
    int count;
  };
  struct resident {  // blocks of a multiprocessor; 1 where it is left out
    int blocks;
  };
  struct rate {  // multiply-adds per cycle and multiprocessor, cycles of a lone block's stage
    float per_cycle;
    int latency;
  };
  struct cluster {  // 1 where it is left out
    int blocks;
  };

  template <class... Terms>
  static constexpr gemm_config simt(char const* name, tile block, thread inner, Terms... terms) {
    return config(name, gemm_kernel_kind::simt, 0, block, inner, lane_rows{4}, terms...);
  }
  /// SIMT of operands that are converted on their way through registers.
  template <class... Terms>
  static constexpr gemm_config converting(char const* name, tile block, thread inner,
                                          Terms... terms) {
    return through_registers(simt(name, block, inner, stages{2}, terms...));
  }
  template <class... Terms>
  static constexpr gemm_config gemv(char const* name, tile block, thread inner, Terms... terms) {
    return config(name, gemm_kernel_kind::gemv, 0, block, inner, k_slices{block.k}, stages{1},
                  terms...);
  }
  template <class... Terms>
  static constexpr gemm_config dmma(char const* name, tile block, warp inner, Terms... terms) {
    return config(name, gemm_kernel_kind::dmma, 80, block, inner, terms...);
  }
  template <class... Terms>
  static constexpr gemm_config complex_dmma(char const* name, tile block, warp inner,
                                            Terms... terms) {
    return config(name, gemm_kernel_kind::complex_dmma, 80, block, inner, terms...);
  }
  template <class... Terms>
  static constexpr gemm_config mma_sync(char const* name, tile block, warp inner, Terms... terms) {
    return config(name, gemm_kernel_kind::mma_sync, 80, block, inner, terms...);
  }
  /// mma.sync of operands that are gathered through registers.
  template <class... Terms>
  static constexpr gemm_config gathering(char const* name, tile block, warp inner, Terms... terms) {
    return through_registers(mma_sync(name, block, inner, terms...));
  }
  /// A warpgroup has 64 rows of the block tile.
  template <class... Terms>
  static constexpr gemm_config wgmma(char const* name, tile block, Terms... terms) {
    return config(name, gemm_kernel_kind::wgmma, 90, block, warp{64, block.cols}, terms...);
  }
  template <class... Terms>
  static constexpr gemm_config wgmma_bf16x3(char const* name, tile block, Terms... terms) {
    return config(name, gemm_kernel_kind::wgmma_bf16x3, 90, block, warp{64, block.cols}, terms...);
  }

 private:
  template <class Inner, class... Terms>
  static constexpr gemm_config config(char const* name, gemm_kernel_kind kind, int capability,
                                      tile block, Inner inner, Terms... terms) {
    gemm_config c{name, kind, block.rows, block.cols, block.k,    inner.rows, inner.cols, 0,
                  1,    1,    true,       1,          capability, 0,          0};
    (set(c, terms), ...);
    return c;
  }
  static constexpr gemm_config through_registers(gemm_config c) {
    c.uses_cp_async = false;
    return c;
  }
  static constexpr void set(gemm_config& c, lane_rows term) { c.lane_rows = term.count; }
  static constexpr void set(gemm_config& c, k_slices term) { c.k_slices = term.count; }
  static constexpr void set(gemm_config& c, stages term) { c.stages = term.count; }
  static constexpr void set(gemm_config& c, resident term) { c.resident_blocks = term.blocks; }
  static constexpr void set(gemm_config& c, cluster term) { c.cluster = term.blocks; }
  static constexpr void set(gemm_config& c, rate term) {
    c.rate = term.per_cycle;
    c.latency = term.latency;
  }
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
