// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Operands of short elements that have no aligned chunks of 16 bytes, or no unit stride, are copied
// to a workspace where they have: every tile of C would put the chunks together anew. At
// 4095x4097x4093 of float16 the copies take a tenth of the time (H100, 2026-11-21).
#pragma once

#include <xpose/backends/cuda/gemm_chunks.cuh>
#include <xpose/backends/cuda/gemm_launch.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Lines of an operand, `stride` between the elements of a line, which a copy has in whole chunks.
template <class T>
struct operand_lines {
  T const* data;
  index batch_stride;
  index line_stride;
  index stride;
  unsigned lines;
  unsigned chunks;  // of a line
  index length;
};

inline constexpr int threads_of_alignment = 256;

template <class T>
__global__ void __launch_bounds__(threads_of_alignment)
    align_chunks(operand_lines<T> from, uint4* to, unsigned count) {
  constexpr int in_chunk = 16 / static_cast<int>(sizeof(T));
  unsigned const chunk = blockIdx.x * threads_of_alignment + threadIdx.x;
  if (chunk >= count) return;
  unsigned const line = chunk / from.chunks;
  unsigned const batch = line / from.lines;
  index const first = index{chunk - line * from.chunks} * in_chunk;
  T const* const data =
      from.data + batch * from.batch_stride + (line - batch * from.lines) * from.line_stride;
  to[chunk] = chunk_at(data + first * from.stride, from.stride, from.length - first);
}

/// An operand whose elements across the depth, and along it, lie so far apart, and its copy.
template <class T>
class aligned_operand {
 public:
  aligned_operand(strided_batch<T> const& operand, index batch, index across, index depth,
                  index across_stride, index depth_stride)
      : operand_(operand),
        batch_(operand.batch_stride == 0 ? 1 : batch),
        is_along_depth_(lies_along_depth(operand, batch, across_stride, depth_stride)),
        lines_(is_along_depth_ ? across : depth),
        length_(is_along_depth_ ? depth : across),
        line_stride_(is_along_depth_ ? across_stride : depth_stride),
        stride_(is_along_depth_ ? depth_stride : across_stride) {
    gemm_reading const how = reading_of(operand, batch, across_stride, depth_stride);
    is_aligned_ = how == gemm_reading::vectors || how == gemm_reading::vectors_along_depth;
  }

  bool is_aligned() const { return is_aligned_; }
  /// Of the copy, if there has to be one.
  index bytes() const { return is_aligned_ ? 0 : batch_ * lines_ * pitch() * index{sizeof(T)}; }

  /// Copies to `to`, where chunks are aligned, and says what lies there.
  strided_batch<T> copy(execution const& where, void* to, bool rows_are_across) const {
    if (is_aligned_ || bytes() == 0) return operand_;
    using element = std::remove_cv_t<T>;
    index const count = bytes() / 16;
    launch_blocks(where, (count + threads_of_alignment - 1) / threads_of_alignment,
                  threads_of_alignment, 0, "align_chunks", align_chunks<element>,
                  operand_lines<element>{operand_.data, operand_.batch_stride, line_stride_,
                                         stride_, static_cast<unsigned>(lines_),
                                         static_cast<unsigned>(pitch() / in_chunk), length_},
                  static_cast<uint4*>(to), static_cast<unsigned>(count));
    auto* const data = static_cast<element*>(to);
    index const batch_stride = batch_ == 1 ? 0 : lines_ * pitch();
    return is_along_depth_ == rows_are_across ? strided_batch<T>{data, batch_stride, pitch(), 1}
                                              : strided_batch<T>{data, batch_stride, 1, pitch()};
  }

 private:
  static constexpr index in_chunk = 16 / sizeof(T);

  index pitch() const { return (length_ + in_chunk - 1) / in_chunk * in_chunk; }

  strided_batch<T> operand_;
  index batch_;
  bool is_along_depth_;
  bool is_aligned_;
  index lines_;
  index length_;
  index line_stride_;
  index stride_;
};

template <class Problem>
auto aligned_a(Problem const& p) {
  return aligned_operand(p.a, p.batch, p.rows, p.depth, p.a.row_stride, p.a.col_stride);
}
template <class Problem>
auto aligned_b(Problem const& p) {
  return aligned_operand(p.b, p.batch, p.cols, p.depth, p.b.col_stride, p.b.row_stride);
}

/// Whether tiles can be copied chunk by chunk: the operands are aligned, or worth copying first.
template <class Problem>
bool takes_chunks(Problem const& p) {
  constexpr double least_work = 1 << 20;
  constexpr index most_bytes = index{1} << 30;
  auto const a = aligned_a(p);
  auto const b = aligned_b(p);
  if (a.is_aligned() && b.is_aligned()) return true;
  double const work = static_cast<double>(p.batch) * static_cast<double>(p.rows) *
                      static_cast<double>(p.cols) * static_cast<double>(p.depth);
  return work >= least_work && a.bytes() <= most_bytes && b.bytes() <= most_bytes;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
