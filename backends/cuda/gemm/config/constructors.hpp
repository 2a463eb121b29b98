// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The words in which config/table.hpp writes a config of gemm on CUDA devices.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Named constructors of configs, one a kind of kernel, and the terms they are written in. Tables
/// derive from it to see these names.
class config_constructors {
  using kind = gemm_kernel_kind;

  template <int gemm_config::*Field>
  struct term {
    int value;
    constexpr void set(gemm_config& c) const { c.*Field = value; }
  };

  template <kind Kind, int Capability, bool UsesCpAsync = true>
  struct constructor {
    template <class Tile, class Inner, class... Terms>
    constexpr gemm_config operator()(char const* name, Tile block, Inner inner,
                                     Terms... terms) const {
      gemm_config c{name, Kind, block.rows, block.cols,  block.k, inner.rows, inner.cols,
                    0,    1,    1,          UsesCpAsync, 1,       Capability, wgmma_col_step,
                    128,  0,    0,          2,           0};
      (terms.set(c), ...);
      return c;
    }
  };

 public:
  struct tile {  // of a block: rows and columns of C, and the k of a stage
    int rows, cols, k;
  };
  struct inner_tile {  // rows and columns of accumulators
    int rows, cols;
  };
  using thread = inner_tile;
  using warp = inner_tile;
  using lane_rows = term<&gemm_config::lane_rows>;  // simt: 4 where it is left out
  using k_slices = term<&gemm_config::k_slices>;    // 1 where it is left out
  using stages = term<&gemm_config::stages>;
  using fragment_buffers = term<&gemm_config::fragment_buffers>;
  using resident = term<&gemm_config::resident_blocks>;    // 1 where it is left out
  using least_cols = term<&gemm_config::least_cols>;       // wgmma: 16 where it is left out
  using split_cols = term<&gemm_config::most_split_cols>;  // wgmma: 128 where it is left out
  struct rate {  // multiply-adds per cycle and multiprocessor, cycles of a lone block's stage
    float per_cycle;
    int latency;
    constexpr void set(gemm_config& c) const { c.rate = per_cycle, c.latency = latency; }
  };
  struct stream_k {
    float slowdown;
    constexpr void set(gemm_config& c) const { c.stream_k_slowdown = slowdown; }
  };

  static constexpr constructor<kind::dmma, 80> dmma{};
  static constexpr constructor<kind::complex_dmma, 80> complex_dmma{};
  static constexpr constructor<kind::mma_sync, 80> mma_sync{};
  static constexpr constructor<kind::mma_sync_unaligned, 80> unaligned{};
  /// mma.sync of operands that are gathered through registers.
  static constexpr constructor<kind::mma_sync, 80, false> gathering{};

  template <class... Terms>
  static constexpr gemm_config simt(char const* name, tile block, thread inner, Terms... terms) {
    return constructor<kind::simt, 0>{}(name, block, inner, lane_rows{4}, terms...);
  }
  /// SIMT of operands that are converted on their way through registers.
  template <class... Terms>
  static constexpr gemm_config converting(char const* name, tile block, thread inner,
                                          Terms... terms) {
    return constructor<kind::simt, 0, false>{}(name, block, inner, lane_rows{4}, stages{2},
                                               terms...);
  }
  template <class... Terms>
  static constexpr gemm_config gemv(char const* name, tile block, thread inner, Terms... terms) {
    return constructor<kind::gemv, 0>{}(name, block, inner, k_slices{block.k}, terms...);
  }
  /// A warpgroup has 64 rows of the block tile, or half of 256; its columns are the most that a
  /// launch may choose.
  template <class... Terms>
  static constexpr gemm_config wgmma(char const* name, tile block, Terms... terms) {
    inner_tile const of_warpgroup{block.rows > 128 ? block.rows / 2 : 64, block.cols};
    return constructor<kind::wgmma, 90>{}(name, block, of_warpgroup, terms...);
  }
  template <class... Terms>
  static constexpr gemm_config wgmma_bf16x3(char const* name, tile block, Terms... terms) {
    return constructor<kind::wgmma_bf16x3, 90>{}(name, block, inner_tile{64, block.cols}, terms...);
  }
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
