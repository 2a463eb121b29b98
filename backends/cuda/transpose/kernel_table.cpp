// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the rows of the table of bit copies ask for.

#include <xpose/backends/cuda/transpose/kernel_table.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// Bytes that an access moves at most.
constexpr index chunk = 16;
// A run of so many bytes fills sectors by itself, whatever the order it is taken in; and is worth a
// division of its own where runs are in the same order on both sides.
constexpr index least_long_element = 32;
constexpr index least_long_run = 64;
// Matrices of fewer elements leave most of a tile's block idle, more so if they are narrow.
constexpr index least_elements_in_tile = 1024;
constexpr index least_elements_if_narrow = 2048;
constexpr index narrow_side = 16;
// A block a matrix: fewer leave multiprocessors idle.
constexpr index least_whole_matrices = 256;

/// Elements of several words: tiles of narrow words are at least 64 wide (3 bytes, 4194304x32:
/// tiles 0.34 of a copy, 31 columns as thin ones 0.91; H100, 2026-11-21), those of wide ones 32.
constexpr index max_skinny_side_of_elements(int word) {
  return word <= 2 ? 33 : 31;
}

/// Sides up to which the kernels for thin matrices beat tiles that are filled exactly; others fill
/// less than tiles of 64.
constexpr struct {
  int word;
  index side;
} max_skinny_side[] = {{1, 33}, {2, 33}, {4, 24}, {8, 17}, {16, 16}};

bool fills_tiles(transpose_case const& c, index side) {
  return c.is_aligned && side % 16 == 0;
}

bool is_skinny(transpose_case const& c, index side) {
  if (c.element > 1)
    return c.element * c.word < least_long_element && side <= max_skinny_side_of_elements(c.word);
  for (auto const& most : max_skinny_side)
    if (most.word == c.word && side <= most.side) return true;
  return side < 64 && !fills_tiles(c, side);
}

bool is_small_batch(transpose_case const& c, index most_bytes) {
  index const element_bytes = c.element * c.word;
  return c.is_transposed && c.is_batch && !c.has_gaps &&
         (c.element == 1 || element_bytes < least_long_element) &&
         c.rows * c.cols * element_bytes <= most_bytes;
}

bool is_small_batch_of_bytes(transpose_case const& c, index most_bytes) {
  return c.is_vec16_aligned && c.rows % 4 == 0 && c.cols % 4 == 0 && is_small_batch(c, most_bytes);
}

/// Whether aligned tiles, which elements of one word have, would be mostly inside the matrix.
bool fills_square_tiles(transpose_case const& c) {
  constexpr index side = 64;
  constexpr double least_filled = 0.8;
  auto const in_tiles = [](index extent) { return (extent + side - 1) / side * side; };
  return c.is_aligned && c.element == 1 &&
         static_cast<double>(c.rows * c.cols) >=
             least_filled * static_cast<double>(in_tiles(c.rows) * in_tiles(c.cols));
}

/// Rows so close together that they are read as one stretch, of 128 bytes of the output at least.
bool is_skinny_cols(transpose_case const& c) {
  return c.is_transposed && is_skinny(c, c.cols) && c.rows > 4 * c.cols &&
         fits_skinny_cols(c.cols * c.element * c.word, c.in_pitch, c.word);
}

bool is_skinny_rows(transpose_case const& c) {
  return c.is_transposed && is_skinny(c, c.rows) && c.cols > 4 * c.rows &&
         fits_skinny_rows(c.rows, c.element * c.word, c.word);
}

/// So few that tiles are idle for the most part. In the order of the output instead, 12 bytes:
/// 33554432x3 0.52 of a copy, not 0.19; 3x33554432 0.60, not 0.13; 7 columns 0.31, not 0.44; 15
/// rows 0.61 and 0.62. 3 bytes: 33554432x3 0.15, not 0.04 (H100, 2026-11-21).
bool is_skinny_multiword(transpose_case const& c) {
  constexpr index most_cols = 5;
  constexpr index most_rows = 12;
  return c.is_transposed && c.element > 1 && c.element * c.word < least_long_element &&
         (c.cols <= most_cols || c.rows <= most_rows);
}

bool is_scattered(transpose_case const& c) {
  bool const is_narrow = c.rows < narrow_side || c.cols < narrow_side;
  return c.is_batch && c.element * c.word < least_long_element &&
         c.rows * c.cols < (is_narrow ? least_elements_if_narrow : least_elements_in_tile);
}

bool holds(transpose_config const& config, transpose_case const& c) {
  bool const is_in_order = c.rows == 0;
  index const run_bytes = c.element * c.word;
  switch (config.shape) {
    case transpose_shape::long_runs:
      return is_in_order && (run_bytes >= least_long_run || c.element == c.units);
    case transpose_shape::in_order:
      return is_in_order;
    case transpose_shape::tiny_bytes:
      return is_small_batch_of_bytes(c, config.shared_bytes);
    case transpose_shape::tiny:
      return is_small_batch(c, config.shared_bytes - chunk);
    case transpose_shape::whole:
      return is_small_batch(c, config.shared_bytes - chunk) &&
             (c.is_in_place ||
              ((!fills_square_tiles(c) || c.rows * c.cols * c.word <= small_batched_smem_bytes) &&
               c.units >= least_whole_matrices * c.rows * c.cols * c.element));
    case transpose_shape::whole_in_place:
      return c.is_in_place && is_small_batch(c, config.shared_bytes - chunk);
    case transpose_shape::scattered:
      return is_scattered(c);
    case transpose_shape::thin_cols:
      return is_skinny_cols(c);
    case transpose_shape::thin_rows:
      return is_skinny_rows(c);
    case transpose_shape::thin_elements:
      return is_skinny_multiword(c);
    case transpose_shape::aligned:
      return c.is_transposed && c.is_aligned;
    case transpose_shape::turned:
      return c.is_transposed;
    case transpose_shape::long_elements:
      return run_bytes >= least_long_element;
    case transpose_shape::any:
      return true;
  }
  return false;
}

bool fits(transpose_config const& config, transpose_case const& c, int capability) {
  return config.word == c.word && (config.element == 0 || config.element == c.element) &&
         c.units >= config.from && c.units < config.below && c.rows >= config.side &&
         c.cols >= config.side && capability >= config.capability && holds(config, c);
}

}  // namespace

int choose_transpose(transpose_case const& c, int capability) {
  int config = 0;  // every word has a row for anything
  while (!fits(transpose_configs[config], c, capability)) ++config;
  return config;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
