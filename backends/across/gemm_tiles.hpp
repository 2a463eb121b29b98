// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How a gemm whose operands pass through the device is cut into tiles of C: a cost model on extents
// and bytes, without memory or device. k is never cut, so each element of C is one sum of one
// kernel, as without across().
#pragma once

#include <xpose/backends/across/gemm_workspace.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct gemm_traffic {
  index batch;
  index rows;
  index cols;
  index k;
  // Bytes of an element that passes through the device; 0: the operand is in its reach.
  index a_bytes;
  index b_bytes;
  index c_bytes;
  bool reads_c;
  index layer_bytes;   // of scale and bias, for each element of C
  index bytes_of_row;  // of those that have one column, for each row
  index bytes_of_col;
  index element_bytes;  // of A's, moved or not: decides the rate of the kernels
  gemm_workspace workspace = {};
};

/// Tiles of rows x cols; of a batch of small matrices `matrices` whole ones. The outer loop is over
/// rows if outer_is_rows: A's panel stays while B's pass, back and forth.
struct gemm_tiles {
  index matrices;
  index rows;
  index cols;
  bool outer_is_rows;
  int a_buffers;
  int b_buffers;
  int c_buffers;
  double seconds;  // that the model expects

  bool is_found() const { return rows > 0; }
};

/// The fastest that takes at most device_bytes; none is found where 1 x 1 takes more.
gemm_tiles choose_gemm_tiles(gemm_traffic const& t, index device_bytes);

/// The place of a tile in C.
struct gemm_tile {
  index first_matrix, matrices;
  index first_row, rows;
  index first_col, cols;
};
index count_of(gemm_traffic const& t, gemm_tiles const& tiles);
gemm_tile tile_at(gemm_traffic const& t, gemm_tiles const& tiles, index number);

/// Bytes of device memory that the tiles take, and the kernels that run on one.
index bytes_taken(gemm_traffic const& t, gemm_tiles const& tiles);
/// Bytes that cross the bus to the device. Panels at the ends count as whole ones.
index bytes_read(gemm_traffic const& t, gemm_tiles const& tiles);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
