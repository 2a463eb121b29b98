// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which part of a tensor a block of transpose_tile_tensor or _interleaved takes: of the dimensions
// that are contiguous in the input as many as make a run, of those contiguous in the output
// likewise. A dimension may be in both. Host code alone.
//
//   in  [a][b][c][d]   out [b][d][a][c]   rows are c, columns d: 12 x 9 elements, say
//   tile: 2 of a, all of c and d          in runs [c][d], out runs [a: 2][c]
#pragma once

#include <xpose/backends/core/problems/copy_plan.hpp>
#include <xpose/backends/cuda/transpose/select.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct tensor_tile {
  static constexpr int max_dimensions = copy_plan::max_dimensions;
  // What a block's threads load at once, and number by 16 bits.
  static constexpr int threads = 256;
  static constexpr int max_vec16s = threads * 2;
  static constexpr int max_large_vec16s = threads * 4;
  static constexpr int max_interleaved_vec16s = threads * 4;
  /// Units of 4 bytes of an interleaved tile: four a vec16, and padding of at most half as many, as
  /// a run of 32 bytes has 16 or 32 in a group of rows and up to 8 of padding.
  static constexpr int max_units = max_interleaved_vec16s * 4 * 3 / 2;
  /// Bytes of shared memory before a run: a vec16 that it begins in has up to three words of
  /// others, of 4 bytes or less, or one of 8.
  static constexpr int smem_lead(index word_bytes) { return word_bytes == 8 ? 8 : 12; }

  struct dimension {
    index extent;     // in the tile
    index in_stride;  // in bytes
    index out_stride;
    int smem_stride;  // in bytes; of interleaved tiles in units
  };
  /// Those of the tile, in the order of the output: first those of a run.
  int count = 0;
  dimension dimensions[max_dimensions];
  /// Those of the runs in the input, in any order: numbers of dimensions.
  int in_run_count = 0;
  int in_run_dimensions[max_dimensions];
  int out_run_first = 0;  // the first of the runs' in the output; those before it are in a run
  index in_run = 0, out_run = 0;    // in words
  index in_runs = 1, out_runs = 1;  // of a tile
  index vec16s_in_run = 0;          // wherever it begins; of interleaved tiles from its first word
  int smem_pitch = 0;               // from run to run, in bytes; of groups of rows, in units
  int smem_groups_pitch = 0;        // from the groups of a row to the next ones, in units
  // Of the tile before it grew: a dimension of runs on both sides, and an estimate, by the lengths
  // of the runs; 0: no tile.
  bool shares_dimension = false;
  double efficiency = 0;

  /// Tiles of the tensor: a dimension's tiles are `extent` apart, but for the last one, which ends
  /// where the dimension does, so that all tiles are alike.
  int outer_count = 0;
  struct outer_dimension {
    index tiles;
    index step;  // in elements
    index last;  // likewise: the first of the last tile
    index in_stride;
    index out_stride;
  };
  outer_dimension outer[max_dimensions];
  index tiles = 1;
};

/// The share of the bytes moved that are wanted: runs of so many bytes begin and end within a
/// sector, and sectors that are written in part are worse than those read in part.
double efficiency_of_runs(index in_bytes, index out_bytes);

/// The tile of up to `max_vec16s` with the best estimate; `efficiency` is 0 where neither side has
/// dimensions that make runs of 32 bytes. A word of 16 bytes counts as two of 8.
tensor_tile tensor_tile_of(bit_copy const& copy, index max_vec16s = tensor_tile::max_vec16s);

/// The same for transpose_tile_tensor_interleaved, which takes so many rows, elements of the
/// fastest dimension of the output, to a unit of 4 bytes: tiles have twice the bytes, runs of the
/// input end where a row does, and strides in shared memory are of units.
tensor_tile interleaved_tensor_tile_of(bit_copy const& copy, int interleaved_rows);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
