// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Device memory that gemm's kernels take for a tile of across(): an upper bound from types,
// strides and extents, known before the tiles are chosen. What a kernel takes exactly depends on
// the config that is selected for each tile.
//     copies      operands that tensor cores cannot read as they lie; the planes of fast_f32 and of
//                 three_products
//     partials    of split-K: accumulators of at most two fills of the GPU; with a layer C's tile;
//                 of stream-K: those of the tiles that multiprocessors hold at a time
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// How an operand lies in its buffer, and what a kernel's copy of it takes.
struct copied_panel {
  enum { unknown, along_k, along_mn } order = unknown;  // in which it is contiguous
  bool is_streamed = false;  // to an aligned buffer, in which long rows are aligned too
  int element_bytes = 0;
  int copy_bytes = 0;  // of an element; 0: never copied
};

struct gemm_workspace {
  copied_panel a;
  copied_panel b;
  int c_copy_bytes = 0;       // of an element: the planes of three_products
  index most_copies = 0;      // kernels that need more for an operand are not selected; 0: no limit
  int planes = 1;             // of a copy
  int accumulator_bytes = 0;  // of an element of partials
  bool has_layer = false;
  index resident_bytes = 0;   // of accumulators of all blocks that run at a time
  bool shares_tiles = false;  // by stream-K
  index multiprocessors = 0;
};

/// Of a call whose operands are streamed, or are used where they lie.
gemm_workspace workspace_of(gemm_request const& r, bool a_is_streamed, bool b_is_streamed,
                            int multiprocessors);

/// At most so many bytes are taken for a tile of rows x cols of `matrices` matrices at once.
index most_bytes(gemm_workspace const& w, index matrices, index rows, index cols, index k);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
