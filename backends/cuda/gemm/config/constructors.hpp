// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Named constructors of gemm configs, one a kind of kernel, and the terms they are written in.
// Tables derive from config_constructors to see these names.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>

namespace xpose::detail {

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
      gemm_config c{name, Kind, block.rows,  block.cols, block.k,    inner.rows, inner.cols, 0,
                    1,    1,    UsesCpAsync, 1,          Capability, 0,          0};
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
  using resident = term<&gemm_config::resident_blocks>;  // 1 where it is left out
  using cluster = term<&gemm_config::cluster>;           // 1 where it is left out
  struct rate {  // multiply-adds per cycle and multiprocessor, cycles of a lone block's stage
    float per_cycle;
    int latency;
    constexpr void set(gemm_config& c) const { c.rate = per_cycle, c.latency = latency; }
  };

  static constexpr constructor<kind::dmma, 80> dmma{};
  static constexpr constructor<kind::complex_dmma, 80> complex_dmma{};
  static constexpr constructor<kind::mma_sync, 80> mma_sync{};
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
  /// A warpgroup has 64 rows of the block tile.
  template <class... Terms>
  static constexpr gemm_config wgmma(char const* name, tile block, Terms... terms) {
    return constructor<kind::wgmma, 90>{}(name, block, inner_tile{64, block.cols}, terms...);
  }
  template <class... Terms>
  static constexpr gemm_config wgmma_bf16x3(char const* name, tile block, Terms... terms) {
    return constructor<kind::wgmma_bf16x3, 90>{}(name, block, inner_tile{64, block.cols}, terms...);
  }
};

}  // namespace xpose::detail
