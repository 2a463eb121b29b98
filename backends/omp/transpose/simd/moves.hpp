// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Moves of rectangles with vectors: one table of functions for each instruction set, compiled in
// transpose/simd/moves.cpp and picked at run time, so that they keep their speed whatever flags a
// user compiles with.
#pragma once

#include <xpose/backends/omp/runtime/isa.hpp>
#include <xpose/backends/omp/transpose/tile_function.hpp>
#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Elements (i, j) of width x height: element (i, j) lies at in + i * bytes + j * in_pitch and goes
/// to out + i * out_pitch + j * bytes. Pitches are in bytes and may be negative. With a function,
/// input elements are its in_bytes, and what goes to the output is f of them, calculated a tile of
/// tile_function_bytes at a time; of some elements twice. `bytes`: read only by the function for
/// any size.
struct rectangle {
  char const* in;
  index in_pitch;
  char* out;
  index out_pitch;
  index width;
  index height;
  tile_function const* function = nullptr;
  index bytes = 0;
};

/// `count` rectangles like the first, of max_small_matrix_bytes bytes at most and without a
/// function, in_step and out_step bytes apart.
struct matrix_batch {
  rectangle first;
  index count;
  index in_step;
  index out_step;
};

/// `streamed` writes whole 64-byte lines past the caches; the caller issues flush_stream().
enum class store_mode { cached, streamed };

using simd_transpose = void (*)(rectangle const& r, store_mode mode, char* workspace);
using simd_transpose_batch = void (*)(matrix_batch const& batch, store_mode mode, char* workspace);

/// out(i, j) = in(j, i) for elements of so many bytes; 0: of rectangle::bytes, 64 at most.
struct simd_transposes {
  index bytes;
  simd_transpose transpose;
  simd_transpose_batch transpose_batch;
};
inline constexpr index max_simd_element_bytes = 64;

struct simd_kernels {
  isa target;
  simd_transposes transposes[11];  // the last for any size
  /// Rows of `bytes` contiguous bytes.
  void (*copy_rows)(char const* in, index in_pitch, char* out, index out_pitch, index bytes,
                    index rows, store_mode mode);
  void (*flush_stream)();
  /// xpose::cast, without an object; apply is null where nothing is faster than apply_to_tile.
  tile_function (*cast_of)(element_type in, element_type out);

  /// For elements of up to max_simd_element_bytes.
  simd_transposes const& transposes_for(index bytes) const {
    simd_transposes const* row = transposes;
    while (row->bytes != bytes && row->bytes != 0) ++row;
    return *row;
  }
};

/// What turn needs as its workspace, for each thread, and the most columns of a rectangle that it
/// then takes: for elements of 1, 2, 4, 8 and 16 bytes and for others.
inline constexpr index transpose_workspace_bytes = tile_function_bytes + (512 << 10);
inline constexpr index max_transpose_columns = 2048;
inline constexpr index max_odd_size_columns = 1024;
/// Bytes of a matrix of a matrix_batch.
inline constexpr index max_small_matrix_bytes = 8 << 10;

/// Whether what a call of so many threads reads and writes, in bytes, is too much for the caches,
/// so that it should write past them.
XPOSE_EXPORT bool exceeds_caches(int team, index bytes);

/// For tests: calls of more bytes write past the caches, whatever caches there are; 0: by the
/// caches again.
XPOSE_EXPORT void set_streaming_threshold(index bytes);

/// Of active_isa(), and what that throws.
XPOSE_EXPORT simd_kernels const& active_simd_kernels();
XPOSE_EXPORT simd_kernels const& simd_kernels_of(isa target);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
