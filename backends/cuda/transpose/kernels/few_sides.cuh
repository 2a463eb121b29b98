// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes of matrices of 2 to 4 columns, or rows, without gaps between them and with aligned
// addresses, such as images whose channels come last. A thread takes a unit: 4 bytes of each column
// (one element of 4 bytes and more), which are contiguous as whole rows and as a part of a column:
//
//   transpose_few_cols  in  | row 0 | row 1 | row 2 | row 3 |    bytes of 4 columns: one vec16
//                       out | rows 0-3 of column 0 | .. of column 1, an output row away | ..
//   transpose_few_rows  the other way
//
// Nothing is shared, so that little is between a load and its store: for bytes, and for matrices of
// a few MB, which kernels that go through shared memory take longer to begin with. Lost, for rows
// of bytes at any address: two loads of 4 bytes a row and a funnel shift with the lane before, 0.55
// of a copy where transpose_skinny_rows has 0.65 (1755x3x221x161 by 0231; H200, 2026-11-30).
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/transpose/few_sides.hpp>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A unit of each of C columns of words of W bytes.
template <int W, int C>
struct few_sides_unit {
  static constexpr int bytes = bytes_of_few_sides_unit(W), words = bytes / W;
  static constexpr int access = access_of_few_sides(W, C), accesses = C * bytes / access;
  using word = typename word_of<W>::type;
  union rows {
    typename word_of<access>::type loaded[accesses];
    word words[C * few_sides_unit::words];
  };
  union column {
    typename word_of<bytes>::type whole;
    word words[few_sides_unit::words];
  };
};

struct few_sides_block {
  static constexpr int threads = 256;
};

template <int W, int C, bool AreCols>
__global__ void __launch_bounds__(few_sides_block::threads)
    transpose_few_sides(char const* in, char* out, unsigned const units,
                        outer_dimensions const __grid_constant__ dimensions, index const pitch) {
  using unit = few_sides_unit<W, C>;
  unsigned const u = blockIdx.x * few_sides_block::threads + threadIdx.x;
  if (u >= units) return;
  dimensions.advance_to(u, in, out);
  typename unit::rows rows;
  typename unit::column columns[C];
  if constexpr (AreCols) {
#pragma unroll
    for (int k = 0; k < unit::accesses; ++k)
      rows.loaded[k] = reinterpret_cast<typename word_of<unit::access>::type const*>(in)[k];
  } else {
#pragma unroll
    for (int c = 0; c < C; ++c)
      columns[c].whole =
          *reinterpret_cast<typename word_of<unit::bytes>::type const*>(in + c * pitch);
  }
#pragma unroll
  for (int c = 0; c < C; ++c)
#pragma unroll
    for (int r = 0; r < unit::words; ++r)
      if constexpr (AreCols) columns[c].words[r] = rows.words[r * C + c];
      else rows.words[r * C + c] = columns[c].words[r];
  if constexpr (AreCols) {
#pragma unroll
    for (int c = 0; c < C; ++c)
      *reinterpret_cast<typename word_of<unit::bytes>::type*>(out + c * pitch) = columns[c].whole;
  } else {
#pragma unroll
    for (int k = 0; k < unit::accesses; ++k)
      reinterpret_cast<typename word_of<unit::access>::type*>(out)[k] = rows.loaded[k];
  }
}

/// Of `AreCols`, C columns, else C rows.
template <int W, bool AreCols>
void run_few_sides(execution const& where, transpose_config const& config, bit_copy const& copy) {
  constexpr int words = few_sides_unit<W, 1>::words;
  index const side = AreCols ? copy.cols : copy.rows;
  auto const& longer = copy.plan.dimensions[AreCols ? 1 : copy.plan.in_fastest];
  outer_dimensions dimensions{};
  dimensions.add({longer.extent / words, longer.in_stride * words, longer.out_stride * words});
  for (int d = 2; d < copy.plan.count; ++d)
    if (d != copy.plan.in_fastest) dimensions.add(copy.plan.dimensions[d]);
  index const units = copy.word_count / (side * words);
  index const pitch = AreCols ? copy.out_pitch : copy.in_pitch;
  auto const launch = [&](auto c) {
    constexpr int threads = few_sides_block::threads;
    launch_blocks(where, ceil_div(units, index{threads}), threads, 0, config.name,
                  transpose_few_sides<W, c, AreCols>, copy.in, copy.out,
                  static_cast<unsigned>(units), dimensions, pitch);
  };
  if (side == 2) launch(std::integral_constant<int, 2>{});
  else if (side == 3) launch(std::integral_constant<int, 3>{});
  else launch(std::integral_constant<int, 4>{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
