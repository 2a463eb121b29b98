// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a bit copy on a CUDA device is made of: pieces, each with the row of
// transpose/kernel_table.hpp that was chosen for its own addresses and extents. Host code alone; no
// device is asked.
#pragma once

#include <xpose/backends/cuda/memory/pieces.hpp>
#include <xpose/backends/cuda/transpose/kernel_table.hpp>
#include <xpose/backends/cuda/transpose/launch_kernel.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What launches can number; tests ask for less.
struct transpose_limits {
  index extent = index{1} << 30;
  index words = index{1} << 30;           // of kernels that number words or chunks
  index words_in_tiles = index{1} << 33;  // of those that number tiles, of 16 words at least
};

/// A copy by a plan of runs, from and to the addresses of its first unit.
transpose_piece piece_of(copy_plan const& plan, char const* in, char* out);
transpose_piece piece_of(tensor_operand const& in, tensor_operand const& out);

/// The number of its row.
int config_for(transpose_piece const& piece, int capability);

piece_limits limits_of(transpose_config const& config, transpose_limits const& most = {});

/// launch(row, piece) for what one launch each can number. A half of a piece may lie at other
/// addresses than the whole, or have narrower words, so its row is chosen anew.
template <class Launch>
void for_each_transpose_piece(transpose_piece const& whole, int capability, Launch const& launch,
                              transpose_limits const& most = {}) {
  int const config = config_for(whole, capability);
  piece_limits const of_row = limits_of(transpose_configs[config], most);
  if (is_one_piece(whole.plan, of_row)) return launch(config, whole);
  for (copy_plan const& half : cut_in_two(whole.plan, of_row))
    for_each_transpose_piece(piece_of(half, whole.in + (half.in_offset - whole.plan.in_offset),
                                      whole.out + (half.out_offset - whole.plan.out_offset)),
                             capability, launch, most);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
