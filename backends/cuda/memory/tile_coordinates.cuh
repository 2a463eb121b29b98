// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Where a block of a copy kernel works: blockIdx.x becomes a batch index and the coordinates of a
// tile. Indices and coordinates have 31 bits (the driver cuts larger copies), offsets 64.
//
//   blockIdx.x --fast_divisor--> batch_index --outer_dimensions--> matrix in, matrix out
//              --fast_divisor--> row_tile, col_tile
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/core/problems/copy_plan.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Exact division of numbers below 2^31 by one multiplication and one shift:
///     q = 2 n m >> (32 + shift), m = ceil(2^(31 + shift) / d), 2^shift >= d.
/// The multiplier's error, below 1, times n stays below 2^(31 + shift) / d. Twice n, so that a
/// divisor of 1 is no case of its own: a test for it takes two instructions more.
struct fast_divisor {
  unsigned value;
  unsigned multiplier;
  unsigned shift;

  fast_divisor() : fast_divisor(1) {}
  explicit fast_divisor(index divisor)
      : value(static_cast<unsigned>(divisor)), multiplier(0), shift(0) {
    while ((index{1} << shift) < divisor) ++shift;
    multiplier = static_cast<unsigned>(ceil_div(std::uint64_t{1} << (31 + shift), value));
  }
  __device__ unsigned quotient(unsigned dividend) const {
    return __umulhi(2 * dividend, multiplier) >> shift;
  }
  __device__ int quotient(int dividend) const {
    return static_cast<int>(quotient(static_cast<unsigned>(dividend)));
  }
  __device__ int operator*(int count) const { return static_cast<int>(value) * count; }
};

/// In bytes, of a side each.
struct outer_offsets {
  index in, out;
};

/// Dimensions that a kernel enumerates by one linear index, the first one fastest.
struct outer_dimensions {
  struct dimension {
    fast_divisor extent;
    index in_stride;  // in bytes
    index out_stride;
  };

  int count = 0;
  dimension dimensions[copy_plan::max_dimensions];

  void add(copy_plan::dimension const& d) {
    dimensions[count++] = {fast_divisor(d.extent), d.in_stride, d.out_stride};
  }
  /// Unrolled, so that the first dimensions are operands of instructions; a loop loads each of
  /// their values, by an address. The last one takes no division. With that, and without a test for
  /// a divisor of 1, runs of 80 to 96 bytes are copied at 0.94 of cudaMemcpy, not 0.91, runs of 344
  /// bytes at any address at 0.75, not 0.66 (H200, 2026-11-29).
  __device__ outer_offsets offsets(unsigned linear_index) const {
    constexpr int most_unrolled = 4;
    outer_offsets found{0, 0};
    if (count == 0) return found;
    int d = 0;
#pragma unroll
    for (; d < most_unrolled; ++d) {
      if (d + 1 == count) {
        add_to(found, dimensions[d], linear_index);
        return found;
      }
      linear_index = step(found, dimensions[d], linear_index);
    }
#pragma unroll 1
    for (; d < count; ++d) linear_index = step(found, dimensions[d], linear_index);
    return found;
  }
  __device__ void advance_to(unsigned linear_index, char const*& in, char*& out) const {
    outer_offsets const at = offsets(linear_index);
    in += at.in;
    out += at.out;
  }

 private:
  __device__ static void add_to(outer_offsets& found, dimension const& d, index at) {
    found.in += at * d.in_stride;
    found.out += at * d.out_stride;
  }
  __device__ static unsigned step(outer_offsets& found, dimension const& d, unsigned linear_index) {
    unsigned const rest = d.extent.quotient(linear_index);
    add_to(found, d, linear_index - rest * d.extent.value);
    return rest;
  }
};

/// A batch of matrices to transpose: out(j, i) = in(i, j). Pitches and steps are in bytes, of
/// either sign. An element is N words of W bytes, as the kernel's template arguments say.
struct transpose_problem {
  char const* in;
  char* out;
  index in_pitch;  // from row to row
  index out_pitch;
  index in_step;   // from element to element in a row: the element's bytes, except in
  index out_step;  // transpose_tile_strided
  int rows;        // of the input
  int cols;
  index batch_count = 1;  // product of the outer extents
  outer_dimensions outer;

  transpose_problem(char const* in, char* out, copy_plan::dimension const& rows,
                    copy_plan::dimension const& cols)
      : in(in),
        out(out),
        in_pitch(rows.in_stride),
        out_pitch(cols.out_stride),
        in_step(cols.in_stride),
        out_step(rows.out_stride),
        rows(static_cast<int>(rows.extent)),
        cols(static_cast<int>(cols.extent)) {}

  /// The matrices of another dimension, in bytes.
  void add_outer(copy_plan::dimension const& d) {
    outer.add(d);
    batch_count *= d.extent;
  }
  /// One past the last byte of an input matrix whose rows have `row_bytes`.
  __device__ char const* end_of(char const* matrix, index row_bytes) const {
    return matrix + max(index{0}, (rows - 1) * in_pitch) + row_bytes;
  }
};

/// The order in which blocks take tiles: along one side first (launch_tiles.cuh says which). Square
/// super-tiles of 8x8 lost: 0.940 of a copy where down first gives 0.969 (H100, 2026-11-21). A long
/// side may be cut into bands of equal size, of which the last may be smaller:
///     down first      bands of 2 and 1
///     0 3 6 9         0 2 4 6
///     1 4 7 10        1 3 5 7
///     2 5 8 11        8 9 10 11
struct tile_order {
  fast_divisor in_band;  // extent, in tiles, along the side that is walked first
  fast_divisor in_last_band;
  fast_divisor tiles_per_band;
  fast_divisor tiles_per_matrix;
  int last_band;
  bool is_down_first;

  /// The shorter side first.
  tile_order(index down, index across)
      : tile_order(down, across, down <= across, std::min(down, across)) {}
  tile_order(index down, index across, bool down_first, index most_in_band)
      : tiles_per_matrix(down * across), is_down_first(down_first) {
    index const first = down_first ? down : across;
    index const band = ceil_div(first, ceil_div(first, most_in_band));
    last_band = static_cast<int>(ceil_div(first, band) - 1);
    in_band = fast_divisor(band);
    in_last_band = fast_divisor(first - last_band * band);
    tiles_per_band = fast_divisor(band * (down_first ? across : down));
  }
};

struct tile_coordinates {
  char const* in;  // element (0, 0) of the matrix
  char* out;
  int row_tile;
  int col_tile;
  unsigned batch_index;
};

/// The tile of a block, but for its matrix, whose addresses are those of the first one.
__device__ inline tile_coordinates number_tile(transpose_problem const& p,
                                               tile_order const& order) {
  tile_coordinates at{p.in, p.out, 0, 0, 0};
  unsigned tile = blockIdx.x;
  if (p.outer.count != 0) {
    at.batch_index = order.tiles_per_matrix.quotient(tile);
    tile -= at.batch_index * order.tiles_per_matrix.value;
  }
  int const band = order.tiles_per_band.quotient(static_cast<int>(tile));
  int const tile_in_band = static_cast<int>(tile) - order.tiles_per_band * band;
  // By values: a reference to either divisor puts both into local memory, and 0.97 becomes 0.73.
  bool const is_last = band == order.last_band;
  int const second =
      is_last ? order.in_last_band.quotient(tile_in_band) : order.in_band.quotient(tile_in_band);
  int const first = order.in_band * band + tile_in_band -
                    (is_last ? order.in_last_band * second : order.in_band * second);
  at.row_tile = order.is_down_first ? first : second;
  at.col_tile = order.is_down_first ? second : first;
  return at;
}

__device__ inline tile_coordinates locate_tile(transpose_problem const& p,
                                               tile_order const& order) {
  tile_coordinates at = number_tile(p, order);
  p.outer.advance_to(at.batch_index, at.in, at.out);
  return at;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
