// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Operands of 1 or 2 bytes that have no aligned vec16, or no unit stride, are copied to a workspace
// where they have, unless the product is small (sm80/unaligned_tiles.cuh): else every tile of C
// would assemble these vectors anew. So are MN-major operands
// that wgmma does not take, float8 and a B of 1-byte integers or of 4 bytes, and unaligned doubles
// of large products. One launch copies both operands (pad_rows.cu), so that the device does not
// drain between two launches and the product: 1000x1000x1000 of float16 with odd leading dimensions
// (H100, 2026-11-22): a launch for each, by transpose/driver.cu, took twice as long as the product.
#pragma once

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/cuda/gemm/block/block_tile.cuh>
#include <xpose/backends/cuda/ptx/wgmma.cuh>
#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Element k of row j of plane i goes to out + ((i * rows + j) * pitch + k) * bytes_per_element.
/// Zeros fill the rest of a row up to a multiple of 16 bytes.
struct padded_copy {
  pitched_tensor in;
  void* out;    // 16-byte aligned
  index pitch;  // in elements; a multiple of 16 bytes
};

/// One copy or two, of elements of the same size: 1, 2, 4 or 8 bytes, aligned to it. Fewer than
/// 2^31 vectors of 16 bytes each, no extent of zero. One launch on the policy's stream; does not
/// wait, takes no memory. Throws cuda_error.
XPOSE_EXPORT void cuda_pad_rows(execution const& where, padded_copy const* copies, int count);

/// An operand as rows of contiguous elements: itself where a kernel can read it, else its copy.
template <class T>
class aligned_operand {
 public:
  aligned_operand(mn_operand<T> const& o, bool for_tma, bool can_be_mn_major)
      : data_(o.data),
        batch_(o.batch_stride == 0 ? 1 : o.batch),
        batch_stride_(o.batch_stride),
        is_k_major_((for_tma && !can_be_mn_major) || prefers_k_major(o)),
        rows_(is_k_major_ ? o.mn : o.k_extent),
        row_length_(is_k_major_ ? o.k_extent : o.mn),
        row_stride_(is_k_major_ ? o.mn_stride : o.k_stride),
        element_stride_(is_k_major_ ? o.k_stride : o.mn_stride) {
    if (for_tma) {
      is_aligned_ = element_stride_ == 1 && is_tma_compatible(tensor());
    } else {
      operand_access const how = access_of(o);
      is_aligned_ = how == operand_access::mn_major_vec16 || how == operand_access::k_major_vec16;
    }
  }

  bool is_k_major() const { return is_k_major_; }
  /// Of the copy, in cache lines; 0 if none is needed.
  index bytes() const {
    if (is_aligned_) return 0;
    index const cache_lines = ceil_div(batch_ * rows_ * pitch(), elements_in_cache_line);
    return cache_lines * elements_in_cache_line * index{sizeof(T)};
  }
  /// Whether rows of the tensor, or of its copy, begin at sectors of memory.
  bool has_sectors() const {
    constexpr index sector = 32;
    pitched_tensor const t = tensor_at(nullptr);
    auto const is_multiple = [](index elements) {
      return elements * index{sizeof(T)} % sector == 0;
    };
    return is_multiple(t.row_stride) && is_multiple(t.plane_stride) &&
           reinterpret_cast<std::uintptr_t>(t.data) % sector == 0;
  }
  /// Whether a copy is needed whose elements are not contiguous.
  bool needs_transpose() const { return bytes() > 0 && element_stride_ != 1; }

  /// The tensor once it is copied to `to`, if it has to be.
  pitched_tensor tensor_at(void const* to) const {
    if (bytes() == 0) return tensor();
    return tensor_of(to, pitch(), batch_ == 1 ? 0 : rows_ * pitch());
  }

  /// Copies to `to` (16-byte aligned) what has to be transposed; a copy of contiguous rows is left
  /// to *copies.
  void copy_transposed(execution const& where, void* to, padded_copy*& copies) const {
    if (bytes() == 0) return;
    if (!needs_transpose()) {
      *copies++ = {tensor(), to, pitch()};
      return;
    }
    copy_request request{};
    request.op = operation::copy;
    request.in = copy_operand(const_cast<std::remove_cv_t<T>*>(data_), batch_stride_, row_stride_,
                              element_stride_);
    request.out = copy_operand(to, rows_ * pitch(), pitch(), 1);
    execution copying = where;
    copying.nosync = true;
    cuda_run_copy(copying, request);
  }

  /// The tensor as an operand again.
  strided_batch<T> operand_of(pitched_tensor const& t, bool rows_are_mn) const {
    auto* const data = static_cast<T*>(t.data);
    return is_k_major_ == rows_are_mn ? strided_batch<T>{data, t.plane_stride, t.row_stride, 1}
                                      : strided_batch<T>{data, t.plane_stride, 1, t.row_stride};
  }

 private:
  static constexpr index elements_in_vec16 = 16 / sizeof(T);
  static constexpr index elements_in_cache_line = 128 / sizeof(T);

  /// Long rows begin at cache lines: 1000x1000x1000 of float16 with odd leading dimensions
  /// takes 12.3 us so, 16.8 where rows begin at multiples of 16 bytes (H100, 2026-11-22).
  index pitch() const {
    index const multiple =
        row_length_ >= 4 * elements_in_cache_line ? elements_in_cache_line : elements_in_vec16;
    return ceil_div(row_length_, multiple) * multiple;
  }

  pitched_tensor tensor() const { return tensor_of(data_, row_stride_, batch_stride_); }
  pitched_tensor tensor_of(void const* data, index row_stride, index plane_stride) const {
    return {data, sizeof(T), row_length_, rows_, batch_, row_stride, plane_stride};
  }

  tensor_operand copy_operand(void* data, index plane_stride, index row_stride,
                              index element_stride) const {
    return {data,
            3,
            {{batch_, plane_stride}, {rows_, row_stride}, {row_length_, element_stride}},
            sizeof(T),
            alignof(T),
            element_type_of<std::remove_cv_t<T>>(),
            false,
            false};
  }

  T* data_;
  index batch_, batch_stride_;
  bool is_k_major_, is_aligned_;
  index rows_, row_length_, row_stride_, element_stride_;
};

template <class Problem>
auto aligned_a(Problem const& p, bool for_tma) {
  return aligned_operand(operand_a(p), for_tma, a_can_be_mn_major<typename Problem::a_type>);
}
template <class Problem>
auto aligned_b(Problem const& p, bool for_tma) {
  return aligned_operand(operand_b(p), for_tma, can_be_mn_major<typename Problem::b_type>);
}

template <class Problem>
operand_copies copies_to_align(Problem const& p, bool for_tma) {
  constexpr index max_bytes = index{1} << 30;
  auto const a = aligned_a(p, for_tma);
  auto const b = aligned_b(p, for_tma);
  if (a.bytes() > max_bytes || b.bytes() > max_bytes) return {-1, false};
  return {a.bytes() + b.bytes(), a.needs_transpose() || b.needs_transpose()};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
