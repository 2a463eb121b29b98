// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// SIMD kernels of copies and transposes: one table of functions per instruction set, compiled in
// moves.cpp and chosen at run time, so that a user's compiler flags do not matter.
#pragma once

#include <xpose/backends/omp/runtime/isa.hpp>
#include <xpose/backends/omp/transpose/kernel_table.hpp>
#include <xpose/backends/omp/transpose/tile_function.hpp>
#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A tile to transpose: `height` input rows of `width` elements, `width` output rows.
/// Element (i, j) moves from in + i * bytes + j * in_pitch to out + i * out_pitch + j * bytes.
/// Pitches are in bytes and may be negative. With a function, input elements have its in_bytes, and
/// the output gets f of them, at most tile_function_bytes at a time, of some elements twice.
/// `bytes` is read only by the kernel for any size.
struct rectangle {
  char const* in;
  index in_pitch;
  char* out;
  index out_pitch;
  index width;
  index height;
  tile_function const* function = nullptr;
  index bytes = 0;
  /// Not in groups of cache lines, unless output rows share sets of a cache: what lies behind its
  /// rows is read much later, or the hardware prefetches it.
  bool by_single_lines = false;
  /// Bytes of output that a thread transposes, if the rectangle is a tile of it.
  index output_bytes = 0;
};

/// `count` rectangles like the first, in_step and out_step bytes apart, of max_small_matrix_bytes
/// at most and without a function.
struct matrix_batch {
  rectangle first;
  index count;
  index in_step;
  index out_step;
};

/// `streamed` uses streaming (non-temporal) stores of full cache lines; the caller then calls
/// flush_stream().
enum class store_mode { cached, streamed };

using simd_transpose = void (*)(rectangle const& r, store_mode mode, char* workspace);
using simd_transpose_batch = void (*)(matrix_batch const& batch, store_mode mode, char* workspace);

/// out(i, j) = in(j, i) for elements of so many bytes; 0: rectangle::bytes, 64 at most.
struct simd_transposes : element_size {
  simd_transpose transpose;
  simd_transpose_batch transpose_batch;
};
inline constexpr index max_simd_element_bytes = 64;

struct simd_kernels {
  isa target;
  simd_transposes transposes[11];  // the last is for any size
  /// Copies rows of `bytes` contiguous bytes.
  void (*copy_rows)(char const* in, index in_pitch, char* out, index out_pitch, index bytes,
                    index rows, store_mode mode);
  void (*flush_stream)();
  /// xpose::cast as a tile_function that needs no f; apply is null where apply_to_tile is as fast.
  tile_function (*cast_of)(element_type in, element_type out);

  /// For elements of up to max_simd_element_bytes.
  simd_transposes const& transposes_for(index bytes) const {
    return first_that_takes(transposes, bytes);
  }
};

/// Workspace that `transpose` needs per thread, for rectangles of 2048 columns at most; of odd
/// element sizes, of max_odd_size_columns.
inline constexpr index transpose_workspace_bytes = tile_function_bytes + (512 << 10);
inline constexpr index max_odd_size_columns = 1024;
/// Most bytes of a matrix of a matrix_batch.
inline constexpr index max_small_matrix_bytes = 8 << 10;

/// Whether a call of so many threads that reads and writes so many bytes exceeds the caches, and
/// should use streaming stores.
XPOSE_EXPORT bool exceeds_caches(int team, index bytes);
/// And the share of the L3 cache in which a single matrix stays for whoever reads it next: tuned,
/// or half of it.
bool exceeds_l3_share(index bytes);
index built_in_l3_share();

/// For tests: calls of more bytes use streaming stores, whatever the caches are; 0: by the caches.
XPOSE_EXPORT void set_streaming_threshold(index bytes);

/// The kernels of active_isa(); throws what that throws.
XPOSE_EXPORT simd_kernels const& active_simd_kernels();
XPOSE_EXPORT simd_kernels const& simd_kernels_of(isa target);
/// Whether large tiles within the caches go by register_lines-inl.h, not by wide_tile: on AMD's
/// processors with AVX-512. us of one thread by wide_tile, by halves in 128 columns and in 1024,
/// the same operands again and from memory (Zen 5): bytes 1000x1000 32, 30, 29 and 131, 97, 98; 2
/// bytes 1000x999 60, 47, 42 and 178, 170, 163; f32 85, 82, 75 and 255, 269, 251; f64 156, 166, 154
/// and 479, 520, 481; 16 bytes 608x705 (no wide_tile) 155, 137 and 501, 472.
bool register_lines_pay();
/// Those for tiles of wide_tile (kernel_table.hpp): of elements of 8 and 16 bytes by vectors of
/// 32 bytes where active_isa() has 64. us of one thread with 64 and 32, the same operands again and
/// from memory: f64 931x931 861, 826 and 2800, 2470, 300x1400 of odd pitches 415, 395 and 1480,
/// 1240, 16 bytes 600x700 of odd pitches 742, 683 and 2670, 2430 (Emerald Rapids, 2026-11-29). f32
/// loses (658x658 209, 244).
XPOSE_EXPORT simd_kernels const& wide_tile_kernels(index bytes);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
