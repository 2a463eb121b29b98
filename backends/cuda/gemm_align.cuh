// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Large operands of short elements that have no aligned chunks of 16 bytes, or no unit stride, are
// copied to a workspace where they have: every tile of C would put the chunks together anew.
#pragma once

#include <xpose/backends/cuda/gemm_chunks.cuh>
#include <xpose/backends/cuda/gemm_launch.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Lines of an operand, `stride` between elements of a line.
template <class T>
struct operand_lines {
  T const* data;
  index batch_stride;
  index line_stride;
  index stride;
  index lines;
  index length;
};

inline constexpr int threads_of_alignment = 128;

/// A block copies a line; pitch is the length in whole chunks.
template <class T>
__global__ void __launch_bounds__(threads_of_alignment)
    align_lines(operand_lines<T> from, T* to, index pitch) {
  constexpr int in_chunk = 16 / static_cast<int>(sizeof(T));
  index const batch = blockIdx.x / from.lines;
  index const line = blockIdx.x - batch * from.lines;
  T const* const data = from.data + batch * from.batch_stride + line * from.line_stride;
  T* const aligned = to + index{blockIdx.x} * pitch;
  for (index first = index{threadIdx.x} * in_chunk; first < pitch;
       first += threads_of_alignment * in_chunk)
    *reinterpret_cast<uint4*>(aligned + first) =
        chunk_at(data + first * from.stride, from.stride, from.length - first);
}

/// An operand whose elements across the depth, and along it, lie so far apart, and its copy.
template <class T>
class aligned_operand {
  using lines_type = operand_lines<std::remove_cv_t<T>>;

 public:
  aligned_operand(strided_batch<T> const& operand, index batch, index across, index depth,
                  index across_stride, index depth_stride, index uses)
      : batch_(batch),
        is_along_depth_(lies_along_depth(operand, batch, across_stride, depth_stride)) {
    constexpr index in_chunk = 16 / sizeof(T);
    from_ =
        is_along_depth_
            ? lines_type{operand.data, operand.batch_stride, across_stride, depth_stride, across,
                         depth}
            : lines_type{operand.data, operand.batch_stride, depth_stride, across_stride, depth,
                         across};
    pitch_ = (from_.length + in_chunk - 1) / in_chunk * in_chunk;
    if (batch > 1 && operand.batch_stride == 0) batch_ = 1;
    gemm_reading const how = reading_of(operand, batch, across_stride, depth_stride);
    bool const is_aligned =
        how == gemm_reading::vectors || how == gemm_reading::vectors_along_depth;
    is_copied_ = !is_aligned && uses >= fewest_uses && from_.length >= in_chunk &&
                 bytes_of_copy() <= most_workspace / 2 && batch_ * from_.lines <= most_blocks;
  }

  index bytes() const { return is_copied_ ? bytes_of_copy() : 0; }

  /// Copies to `to`, and says where; or the operand as it was.
  strided_batch<T> copy(execution const& where, strided_batch<T> const& operand, void* to,
                        bool rows_are_across) const {
    if (!is_copied_) return operand;
    using element = std::remove_cv_t<T>;
    auto* const aligned = static_cast<element*>(to);
    launch_blocks(where, batch_ * from_.lines, threads_of_alignment, 0, "align_lines",
                  align_lines<element>, from_, aligned, pitch_);
    index const batch_stride = batch_ == 1 ? 0 : from_.lines * pitch_;
    return is_along_depth_ == rows_are_across ? strided_batch<T>{aligned, batch_stride, pitch_, 1}
                                              : strided_batch<T>{aligned, batch_stride, 1, pitch_};
  }

 private:
  static constexpr index fewest_uses = 256;  // rows or columns of C that read an element

  index bytes_of_copy() const {
    return batch_ * from_.lines * pitch_ * static_cast<index>(sizeof(T));
  }

  index batch_;
  bool is_along_depth_;
  bool is_copied_;
  lines_type from_;
  index pitch_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
