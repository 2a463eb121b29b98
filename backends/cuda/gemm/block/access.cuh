// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How blocks read A and B and write C: by aligned vectors of 16 bytes where strides and addresses
// allow it.
#pragma once

#include <xpose/backends/cuda/gemm/block/block_tile.cuh>

namespace xpose::detail {

/// Whether all vectors of `width` elements along the unit stride are aligned to their size.
inline bool has_aligned_vectors(void const* data, index bytes_of_element, int width, index batch,
                                index batch_stride, index unit_stride, index other_stride) {
  index const bytes = bytes_of_element * width;
  return unit_stride == 1 && reinterpret_cast<std::uintptr_t>(data) % bytes == 0 &&
         other_stride % width == 0 && (batch == 1 || batch_stride % width == 0);
}

/// How an operand with these strides along MN and along k is read.
template <class T>
operand_access access_of(strided_batch<T> const& o, index batch, index mn_stride, index k_stride) {
  if constexpr ((elements_of_vec16<std::remove_cv_t<T>>) > 1 || sizeof(T) == 16) {
    auto const is_aligned = [&](index unit_stride, index other_stride) {
      return has_aligned_vectors(o.data, sizeof(T), 16 / sizeof(T), batch, o.batch_stride,
                                 unit_stride, other_stride);
    };
    if (is_aligned(mn_stride, k_stride)) return operand_access::mn_major_vec16;
    if (is_aligned(k_stride, mn_stride)) return operand_access::k_major_vec16;
  }
  return k_stride == 1 ? operand_access::k_major : operand_access::mn_major;
}

/// Whether tiles of an operand of 1- or 2-byte elements are K-major: unless it is MN-major, and
/// better copied in that order.
template <class T>
bool prefers_k_major(strided_batch<T> const& o, index batch, index mn_stride, index k_stride) {
  operand_access const how = access_of(o, batch, mn_stride, k_stride);
  return how == operand_access::k_major_vec16 ||
         (how != operand_access::mn_major_vec16 && (k_stride == 1 || mn_stride != 1));
}

/// How C is written by threads that hold vectors of at least vector_rows x vector_cols
/// accumulators.
template <class C>
c_access c_access_of(strided_batch<C> const& c, index batch, index rows, index cols,
                     int vector_rows, int vector_cols) {
  int const of_row = std::min(vector_cols, elements_of_vec16<C>);
  int const of_col = std::min(vector_rows, elements_of_vec16<C>);
  if (cols % of_row == 0 && has_aligned_vectors(c.data, sizeof(C), of_row, batch, c.batch_stride,
                                                c.col_stride, c.row_stride))
    return c_access::row_vectors;
  if (rows % of_col == 0 && has_aligned_vectors(c.data, sizeof(C), of_col, batch, c.batch_stride,
                                                c.row_stride, c.col_stride))
    return c_access::col_vectors;
  return c_access::scalar;
}

}  // namespace xpose::detail
