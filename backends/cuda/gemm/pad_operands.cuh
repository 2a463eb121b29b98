// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Operands of short elements that have no aligned chunks of 16 bytes, or no unit stride, are copied
// to a workspace where they have: every tile of C would put the chunks together anew. So are
// operands of 1 byte that wgmma would need turned, B of 4 bytes, and unaligned doubles of large
// products.
#pragma once

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/cuda/gemm/launch.cuh>
#include <xpose/backends/cuda/gemm/pad_rows.hpp>
#include <xpose/backends/cuda/ptx/wgmma.cuh>
#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// An operand as lines of elements, of itself where a kernel can read it, else of its copy.
template <class T>
class aligned_operand {
  using element = std::remove_cv_t<T>;

 public:
  /// Of an operand whose elements across the depth, and along it, lie so far apart.
  aligned_operand(strided_batch<T> const& operand, index batch, index mn, index k_extent,
                  index mn_stride, index k_stride, bool for_tma, bool can_be_mn_major)
      : operand_(operand),
        batch_(operand.batch_stride == 0 ? 1 : batch),
        is_k_major_((for_tma && !can_be_mn_major) ||
                    prefers_k_major(operand, batch, mn_stride, k_stride)),
        lines_(is_k_major_ ? mn : k_extent),
        length_(is_k_major_ ? k_extent : mn),
        line_stride_(is_k_major_ ? mn_stride : k_stride),
        stride_(is_k_major_ ? k_stride : mn_stride) {
    if (for_tma) {
      is_aligned_ = stride_ == 1 && is_tma_compatible(tensor_of_lines(operand_.data, line_stride_,
                                                                      operand_.batch_stride));
    } else {
      operand_access const how = access_of(operand, batch, mn_stride, k_stride);
      is_aligned_ = how == operand_access::mn_major_vec16 || how == operand_access::k_major_vec16;
    }
  }

  bool is_k_major() const { return is_k_major_; }
  /// Of the copy, if there has to be one, in whole cache lines.
  index bytes() const {
    if (is_aligned_) return 0;
    index const cache_lines = (batch_ * lines_ * pitch() + in_cache_line - 1) / in_cache_line;
    return cache_lines * in_cache_line * index{sizeof(T)};
  }
  /// Whether there has to be one of elements that do not lie side by side.
  bool needs_transpose() const { return bytes() > 0 && stride_ != 1; }

  /// Where the lines are once they are copied to `to`, if they have to be.
  pitched_tensor tensor_at(void const* to) const {
    if (bytes() == 0) return tensor_of_lines(operand_.data, line_stride_, operand_.batch_stride);
    return tensor_of_lines(to, pitch(), batch_ == 1 ? 0 : lines_ * pitch());
  }

  /// Copies what has to be copied to `to`, at a multiple of 16 bytes, but for lines of neighbours:
  /// they are left to *copies.
  void copy_transposed(execution const& where, void* to, padded_copy*& copies) const {
    if (bytes() == 0) return;
    if (!needs_transpose()) {
      *copies++ = {tensor_of_lines(operand_.data, line_stride_, operand_.batch_stride), to,
                   pitch()};
      return;
    }
    copy_request request{};
    request.op = operation::copy;
    request.in = tensor_of(const_cast<element*>(operand_.data), operand_.batch_stride, line_stride_,
                           stride_);
    request.out = tensor_of(to, lines_ * pitch(), pitch(), 1);
    execution copying = where;
    copying.nosync = true;
    cuda_run_copy(copying, request);
  }

  /// The lines as an operand again.
  strided_batch<T> operand_of(pitched_tensor const& t, bool rows_are_across) const {
    auto* const data = static_cast<T*>(t.data);
    return is_k_major_ == rows_are_across
               ? strided_batch<T>{data, t.plane_stride, t.line_stride, 1}
               : strided_batch<T>{data, t.plane_stride, 1, t.line_stride};
  }

 private:
  static constexpr index in_chunk = 16 / sizeof(T);
  static constexpr index in_cache_line = 128 / sizeof(T);

  /// Long lines begin where the cache's do: 1000x1000x1000 of float16 with odd leading dimensions
  /// takes 12.3 us so, 16.8 where they begin at multiples of 16 bytes (H100, 2026-11-22).
  index pitch() const {
    index const whole = length_ >= 4 * in_cache_line ? in_cache_line : in_chunk;
    return (length_ + whole - 1) / whole * whole;
  }

  pitched_tensor tensor_of_lines(void const* data, index line_stride, index plane_stride) const {
    return {data, sizeof(T), length_, lines_, batch_, line_stride, plane_stride};
  }

  tensor_operand tensor_of(void* data, index plane_stride, index line_stride, index stride) const {
    return {
        data,      3,          {{batch_, plane_stride}, {lines_, line_stride}, {length_, stride}},
        sizeof(T), alignof(T), element_type_of<element>(),
        false,     false};
  }

  strided_batch<T> operand_;
  index batch_;
  bool is_k_major_;
  bool is_aligned_;
  index lines_;
  index length_;
  index line_stride_;
  index stride_;
};

template <class Problem>
auto aligned_a(Problem const& p, bool for_tma) {
  return aligned_operand(p.a, p.batch, p.rows, p.k_extent, p.a.row_stride, p.a.col_stride, for_tma,
                         a_can_be_mn_major<typename Problem::a_type>);
}
template <class Problem>
auto aligned_b(Problem const& p, bool for_tma) {
  return aligned_operand(p.b, p.batch, p.cols, p.k_extent, p.b.col_stride, p.b.row_stride, for_tma,
                         can_be_mn_major<typename Problem::b_type>);
}

template <class Problem>
operand_copies copies_to_align(Problem const& p, bool for_tma) {
  constexpr index most_bytes = index{1} << 30;
  auto const a = aligned_a(p, for_tma);
  auto const b = aligned_b(p, for_tma);
  if (a.bytes() > most_bytes || b.bytes() > most_bytes) return {-1, false};
  return {a.bytes() + b.bytes(), a.needs_transpose() || b.needs_transpose()};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
