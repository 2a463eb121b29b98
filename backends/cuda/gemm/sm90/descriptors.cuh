// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// TMA descriptors of a wgmma kernel's operands and of C, made on the host for each launch.
#pragma once

#include <xpose/backends/cuda/gemm/sm90/config.cuh>
#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

namespace xpose::detail {

struct gemm_tma_descriptors {
  tma_descriptor a;
  tma_descriptor b;
  tma_descriptor c;   // if stores_rows or stores_cols
  bool a_is_batched;  // else all batches share it
  bool b_is_batched;
  bool stores_rows;  // of C, by TMA
  bool stores_cols;  // of a column-major C, by TMA
};

/// Whether C goes through shared memory: elements of 2 or 4 bytes, and no epilogue of the user's.
template <class Problem>
constexpr bool has_smem_epilogue = std::is_same_v<typename Problem::epilogue_type, no_epilogue> &&
                                   (sizeof(typename Problem::c_type) == 2 ||
                                    sizeof(typename Problem::c_type) == 4);

/// C for TMA, whose contiguous dimension is a row of it, or a column.
template <class Problem>
pitched_tensor tensor_of_c(Problem const& p, bool by_cols) {
  using C = typename Problem::c_type;
  return {p.c.data,
          sizeof(C),
          by_cols ? p.rows : p.cols,
          by_cols ? p.cols : p.rows,
          p.batch,
          by_cols ? p.c.col_stride : p.c.row_stride,
          p.c.batch_stride};
}
/// TMA stores 16 bytes at once, beyond the end of a row too: hence rows of whole 16 bytes.
template <class Problem>
bool can_tma_store_c(Problem const& p, bool by_cols) {
  pitched_tensor const c = tensor_of_c(p, by_cols);
  return p.scalars.beta_is_zero && (by_cols ? p.c.row_stride : p.c.col_stride) == 1 &&
         c.row_length * c.bytes_per_element % 16 == 0 && is_tma_compatible(c);
}

/// Requires is_tma_compatible() of both operands.
template <class Tile, class Problem>
gemm_tma_descriptors tma_descriptors_of(Problem const& p, pitched_tensor const& a,
                                        pitched_tensor const& b) {
  using C = typename Problem::c_type;
  gemm_tma_descriptors made{make_tma_descriptor(a, Tile::a_box_height, Tile::swizzle_bytes, true),
                            make_tma_descriptor(b, Tile::b_box_height, Tile::b_swizzle_bytes, true),
                            {},
                            a.planes > Tile::planes,
                            b.planes > Tile::planes,
                            false,
                            false};
  if constexpr (has_smem_epilogue<Problem>) {
    made.stores_rows = can_tma_store_c(p, false);
    if (made.stores_rows)
      made.c = make_tma_descriptor(tensor_of_c(p, false), 64, epilogue_row_bytes<Tile, C>, false);
  }
  if constexpr (Tile::a_from_registers && has_smem_epilogue<Problem>) {
    made.stores_cols = !made.stores_rows && can_tma_store_c(p, true);
    if (made.stores_cols)
      made.c = make_tma_descriptor(tensor_of_c(p, true), col_major_epilogue_cols<Tile>, 128, false);
  }
  return made;
}

}  // namespace xpose::detail
