// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Driver of gemm on a CUDA device: a tile by the size of the accumulator, one block a tile of C,
// launch, wait if asked. Assumes a checked problem. The library instantiates it for the compiled
// types, a user's .cu for its own.
#pragma once

#include <xpose/backends/cuda/gemm_tiles.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// 16-byte accumulators and smaller: 64x64, 4x4 to a thread. Larger ones would spill and leave
/// shared memory's 48 KB.
template <std::size_t AccumulateBytes, bool IsSmall = (AccumulateBytes <= 16)>
struct gemm_tile_for {
  using shape = gemm_tile_shape<64, 64, 16, 4, 4>;
};
template <std::size_t AccumulateBytes>
struct gemm_tile_for<AccumulateBytes, false> {
  static_assert(AccumulateBytes <= 1024,
                "xpose: gemm on xpose::cuda takes accumulators of up to 1024 bytes");
  static constexpr int fitting_depth = static_cast<int>(46080 / (34 * AccumulateBytes));
  using shape = gemm_tile_shape<16, 16, (fitting_depth < 16 ? fitting_depth : 16), 1, 1>;
};

template <class Problem>
void cuda_gemm(execution const& where, Problem const& problem) {
  using shape = typename gemm_tile_for<sizeof(typename Problem::accumulate_type)>::shape;
  index const row_tiles = (problem.rows + shape::rows - 1) / shape::rows;
  index const col_tiles = (problem.cols + shape::cols - 1) / shape::cols;
  launch(where, problem.batch * row_tiles * col_tiles, shape::threads, "gemm_tiles",
         gemm_tiles<shape, Problem>, problem, row_tiles, col_tiles);
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
