// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The driver encodes tensor maps.

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

constexpr index chunk = 16;                    // bytes
constexpr index most_stride = index{1} << 40;  // bytes, exclusive
constexpr index most_extent = index{1} << 31;

/// A stride that nothing is read with may be anything.
index used_stride(index stride, index extent, int bytes) {
  return extent == 1 ? chunk : stride * bytes;
}

bool is_stride(index bytes) {
  return bytes > 0 && bytes % chunk == 0 && bytes < most_stride;
}

}  // namespace

bool is_tma_compatible(pitched_tensor const& t) {
  return reinterpret_cast<std::uintptr_t>(t.data) % chunk == 0 && t.length <= most_extent &&
         t.lines <= most_extent && t.planes <= most_extent &&
         is_stride(used_stride(t.line_stride, t.lines, t.bytes_per_element)) &&
         is_stride(used_stride(t.plane_stride, t.planes, t.bytes_per_element));
}

tma_descriptor make_tma_descriptor(pitched_tensor const& t, int lines_of_box, int bytes_of_line,
                                   bool rounds) {
  auto const type = t.bytes_per_element == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                    : t.bytes_per_element == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                    : rounds                   ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
                                               : CU_TENSOR_MAP_DATA_TYPE_UINT32;
  cuuint64_t const extents[] = {static_cast<cuuint64_t>(t.length), static_cast<cuuint64_t>(t.lines),
                                static_cast<cuuint64_t>(t.planes)};
  cuuint64_t const strides[] = {
      static_cast<cuuint64_t>(used_stride(t.line_stride, t.lines, t.bytes_per_element)),
      static_cast<cuuint64_t>(used_stride(t.plane_stride, t.planes, t.bytes_per_element))};
  cuuint32_t const box[] = {static_cast<cuuint32_t>(bytes_of_line / t.bytes_per_element),
                            static_cast<cuuint32_t>(lines_of_box), 1};
  cuuint32_t const steps[] = {1, 1, 1};
  tma_descriptor map{};
  check_driver(
      encoder()(reinterpret_cast<CUtensorMap*>(&map), type, 3, const_cast<void*>(t.data), extents,
                strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                bytes_of_line == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      "cuTensorMapEncodeTiled");
  return map;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
