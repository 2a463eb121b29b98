// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Encodes TMA descriptors by the driver.

#include <xpose/backends/cuda/runtime/driver_function.cuh>
#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

static_assert(sizeof(tma_descriptor) == sizeof(CUtensorMap) &&
              alignof(tma_descriptor) >= alignof(CUtensorMap));

using encode_function = decltype(&cuTensorMapEncodeTiled);

encode_function encoder() {
  static auto const found = driver_function<encode_function>("cuTensorMapEncodeTiled");
  return found;
}

constexpr index alignment = 16;                 // bytes
constexpr index stride_limit = index{1} << 40;  // bytes, exclusive
constexpr index max_extent = index{1} << 31;

/// Of an extent of one the stride is never used, and may be anything.
index used_stride(index stride, index extent, int bytes) {
  return extent == 1 ? alignment : stride * bytes;
}

bool is_stride(index bytes) { return bytes > 0 && bytes % alignment == 0 && bytes < stride_limit; }

}  // namespace

bool is_tma_compatible(pitched_tensor const& t) {
  return reinterpret_cast<std::uintptr_t>(t.data) % alignment == 0 && t.row_length <= max_extent &&
         t.rows <= max_extent && t.planes <= max_extent &&
         is_stride(used_stride(t.row_stride, t.rows, t.bytes_per_element)) &&
         is_stride(used_stride(t.plane_stride, t.planes, t.bytes_per_element));
}

tma_descriptor make_tma_descriptor(pitched_tensor const& t, tma_box const& box, int swizzle_bytes,
                                   bool rounds_to_tf32) {
  auto const type = t.bytes_per_element == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                    : t.bytes_per_element == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                    : rounds_to_tf32           ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
                                               : CU_TENSOR_MAP_DATA_TYPE_UINT32;
  cuuint64_t const extents[] = {static_cast<cuuint64_t>(t.row_length),
                                static_cast<cuuint64_t>(t.rows), static_cast<cuuint64_t>(t.planes)};
  cuuint64_t const strides[] = {
      static_cast<cuuint64_t>(used_stride(t.row_stride, t.rows, t.bytes_per_element)),
      static_cast<cuuint64_t>(used_stride(t.plane_stride, t.planes, t.bytes_per_element))};
  cuuint32_t const box_extents[] = {static_cast<cuuint32_t>(box.row_length),
                                    static_cast<cuuint32_t>(box.rows), 1};
  cuuint32_t const element_strides[] = {1, 1, 1};
  tma_descriptor descriptor{};
  check_driver(
      encoder()(reinterpret_cast<CUtensorMap*>(&descriptor), type, 3, const_cast<void*>(t.data),
                extents, strides, box_extents, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
                swizzle_bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      "cuTensorMapEncodeTiled");
  return descriptor;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
