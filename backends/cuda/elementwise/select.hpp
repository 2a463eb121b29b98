// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Selects the kernel of a copy through an element function from sizes, strides and addresses alone,
// so that the library, a user's file and explain() agree.
#pragma once

#include <xpose/backends/core/problems/copy_plan.hpp>
#include <xpose/backends/cuda/memory/pieces.hpp>
#include <xpose/backends/cuda/transpose/skinny.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

enum class function_kernel {
  vectors,
  direct,
  small_batched,
  small_scattered,
  skinny_cols,
  skinny_rows,
  aligned,
  unaligned,
  strided
};

/// Sizes of 1, 2, 4, 8 and 16 bytes.
XPOSE_HOST_DEVICE constexpr bool is_word_size(index bytes) {
  return bytes > 0 && bytes <= 16 && (bytes & (bytes - 1)) == 0;
}

/// Elements of one vector access where both sides are contiguous; 1 for sizes other than powers of
/// two up to 16.
XPOSE_HOST_DEVICE constexpr int elements_in_vector(index in_bytes, index out_bytes) {
  if (!is_word_size(in_bytes) || !is_word_size(out_bytes)) return 1;
  return static_cast<int>(16 / (in_bytes > out_bytes ? in_bytes : out_bytes));
}

/// Whether the aligned tile takes these sizes. Elements that grow would be read by loads narrower
/// than 16 bytes (bytes to f32 0.83 of a copy, bfloat16 to f32 0.92; H100, 2026-11-21).
XPOSE_HOST_DEVICE constexpr bool has_aligned_tile(index in_bytes, index out_bytes) {
  return is_word_size(in_bytes) && is_word_size(out_bytes) && in_bytes >= out_bytes &&
         (in_bytes < 16 || out_bytes == 16);
}

/// Whether the skinny kernels and the unaligned tile take these sizes.
XPOSE_HOST_DEVICE constexpr bool has_unaligned_tile(index in_bytes, index out_bytes) {
  return is_word_size(in_bytes) && is_word_size(out_bytes);
}

struct tile_extents {
  int rows, cols;
};
/// Of the aligned tile.
XPOSE_HOST_DEVICE constexpr tile_extents aligned_tile_extents(index out_bytes) {
  if (out_bytes == 1) return {128, 64};
  int const side = out_bytes <= 4 ? 64 : out_bytes == 8 ? 32 : 16;
  return {side, side};
}
/// Of the unaligned tile. 4 bytes to 2 and back in 64x64, 256 threads and 6 blocks, on the H200
/// (2026-11-28): 5001x5003 0.92, 0.93, 8191x8193 0.92, 0.90, 7001x901 0.82, 0.94; in 128x128 and
/// 64x128, 512 threads and 2 blocks, 0.86, 0.81, 0.90, 0.80, 0.64, 0.73; 128x64, 512 threads and 3
/// blocks, 0.92 (4 to 2), 64x128 with 3 0.89 (2 to 4).
XPOSE_HOST_DEVICE constexpr tile_extents unaligned_tile_extents(index in_bytes, index out_bytes) {
  if (in_bytes * out_bytes == 8 && in_bytes != 8 && out_bytes != 8) return {64, 64};
  int const most_cols = out_bytes <= 4 ? 128 : out_bytes == 8 ? 64 : 32;
  // f64 to 2 bytes: rows of 512 bytes 0.49, of 256 0.83.
  bool const has_short_rows = out_bytes == 1 || (out_bytes == 2 && in_bytes > 4);
  int const cols = static_cast<int>((has_short_rows ? 256 : 512) / in_bytes);
  return {out_bytes <= 2   ? 128
          : out_bytes == 4 ? 64
                           : 32,
          cols < 32          ? 32
          : cols > most_cols ? most_cols
                             : cols};
}

/// Of the input, that a block of the kernel for batches without gaps takes at most.
inline constexpr int most_bytes_of_small_batched = 16 << 10;

/// Larger elements fill whole 32-byte sectors by themselves, so a tile would gain nothing.
inline constexpr int max_tile_element_bytes = 32;

/// A copy through a function. The plan counts elements; its strides are in bytes.
struct function_copy {
  copy_plan plan;
  char const* in;
  char* out;
  index in_bytes;  // per element
  index out_bytes;
};
XPOSE_EXPORT function_copy plan_function_copy(tensor_operand const& in, tensor_operand const& out);

/// An entry of the table of kernels.
struct function_config {
  char const* name;  // as explain() shows it
  function_kernel kernel;
  bool (*suits)(function_copy const& copy);
};
/// The first entry that suits the copy.
XPOSE_EXPORT function_config const& select_function_kernel(function_copy const& copy);

/// Most elements of one launch, whose indices have 31 bits.
inline constexpr piece_limits function_limits{index{1} << 30, index{1} << 30, false};

/// Calls launch(piece) for pieces within the limits; tests set lower ones.
template <class Launch>
void for_each_function_piece(function_copy const& whole, Launch const& launch,
                             piece_limits const& most = function_limits) {
  for_each_piece(whole.plan, most, [&](copy_plan const& plan) {
    function_copy piece = whole;
    piece.plan = plan;
    piece.in += plan.in_offset - whole.plan.in_offset;
    piece.out += plan.out_offset - whole.plan.out_offset;
    launch(piece);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
