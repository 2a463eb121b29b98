// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// In-register transposes for every instruction set that Highway compiles. Elements of 1, 2, 4, 8
// and 16 bytes by tile-inl.h, direct-inl.h and skinny-inl.h, others by odd_sizes-inl.h, batches by
// small_batched-inl.h. Any alignment; reads and writes only the rectangle.

#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <xpose/backends/core/environment.hpp>
#include <xpose/backends/omp/runtime/settings.hpp>
#include <xpose/backends/omp/transpose/kernel_table.hpp>

#include <hwy/cache_control.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/transpose/simd/moves.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

#include <xpose/backends/omp/transpose/simd/casts-inl.h>
#include <xpose/backends/omp/transpose/simd/direct-inl.h>
#include <xpose/backends/omp/transpose/simd/odd_sizes-inl.h>
#include <xpose/backends/omp/transpose/simd/registers-inl.h>
#include <xpose/backends/omp/transpose/simd/skinny-inl.h>
#include <xpose/backends/omp/transpose/simd/small_batched-inl.h>
#include <xpose/backends/omp/transpose/simd/tile-inl.h>
#include <xpose/backends/omp/transpose/simd/tile_unaligned-inl.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

// Plain loops. Scalable vectors have no arrays of vectors, which the in-register transpose needs.
template <int Bytes>
void transpose_rectangle(rectangle const& r, store_mode, char* workspace) {
  constexpr index side = 32;
  index const bytes = element_bytes<Bytes>(r);
  index const rows = std::max<index>(1, std::min(side, tile_function_bytes / (side * bytes)));
  for (index j = 0; j < r.height; j += rows)
    for (index i = 0; i < r.width; i += side) {
      index const width = std::min(side, r.width - i);
      index const height = std::min(rows, r.height - j);
      move_block<Bytes>(bytes, input_at(bytes, r, i, j, width, height, workspace), width, height,
                        r.out + i * r.out_pitch + j * bytes, r.out_pitch);
    }
}

template <int Bytes>
void transpose_odd_size(rectangle const& r, store_mode mode, char* workspace) {
  transpose_rectangle<Bytes>(r, mode, workspace);
}

template <int Bytes, simd_transpose Transpose>
void transpose_batch(matrix_batch const& batch, store_mode mode, char* workspace) {
  rectangle r = batch.first;
  for (index m = 0; m < batch.count; ++m, r.in += batch.in_step, r.out += batch.out_step)
    Transpose(r, mode, workspace);
}

void copy_rows(char const* in, index in_pitch, char* out, index out_pitch, index bytes, index rows,
               store_mode) {
  for (index j = 0; j < rows; ++j)
    std::memcpy(out + j * out_pitch, in + j * in_pitch, static_cast<std::size_t>(bytes));
}

void flush_stream() {}

#else

/// Without its first `rows` rows.
HWY_INLINE rectangle without_rows(rectangle const& r, index bytes, index rows) {
  rectangle rest = r;
  rest.in += rows * r.in_pitch;
  rest.out += rows * bytes;
  rest.height -= rows;
  return rest;
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

/// Up to a cache line of rows and a vector of columns, of which nothing else is read. A fusion of
/// transpose_line.
template <int Bytes>
struct masked_rows {
  using s = vector_shape<Bytes>;
  static constexpr bool loads = true;
  pitched_rows rows;
  index width;
  index height;

  static HWY_INLINE auto first(index elements) {
    return hn::FirstN(typename s::tag(),
                      static_cast<std::size_t>(elements * Bytes / index{sizeof(typename s::lane)}));
  }
  HWY_INLINE auto load(index, index row) const {
    typename s::tag const d;
    auto const* const from =
        reinterpret_cast<typename s::lane const*>(rows.first + row * rows.pitch);
    return row < height ? hn::MaskedLoad(first(width), d, from) : hn::Zero(d);
  }
};

/// For rectangles below a cache line or a vector in one direction: by masked loads and stores.
template <int Bytes>
void transpose_skinny(rectangle const& r, char* workspace) {
  using s = vector_shape<Bytes>;
  for (index j = 0; j < r.height; j += s::rows)
    for (index i = 0; i < r.width; i += s::columns) {
      index const height = std::min<index>(s::rows, r.height - j);
      index const width = std::min<index>(s::columns, r.width - i);
      char* const to = r.out + i * r.out_pitch + j * Bytes;
      auto const stored = masked_rows<Bytes>::first(height);
      auto const sink = [&](int column, typename s::vector const* v) HWY_ATTR {
        if (column < width)
          hn::BlendedStore(*v, stored, typename s::tag(),
                           reinterpret_cast<typename s::lane*>(to + column * r.out_pitch));
      };
      masked_rows<Bytes> const in{input_at(Bytes, r, i, j, width, height, workspace), width,
                                  height};
      transpose_line<Bytes, store_mode::cached>({nullptr, 0, nullptr, 0, s::columns, s::rows}, 0,
                                                step_range{0, 1}, workspace, in,
                                                [&](index, index) HWY_ATTR { return sink; });
    }
}

#else

/// Up to so many bytes go one by one. Zen 3, ns of a kernel's call by tiles, and so: bytes 4x4 124,
/// 49; 11x11 171, 118; 2 bytes 8x8 89, 64; 4 bytes 4x4 49, 41; 8x8 71, 72.
constexpr index few_bytes = 128;

/// For rectangles below a cache line or a vector in one direction: copies the elements to a padded
/// tile of scratch, transposes that, and copies the elements back.
template <int Bytes>
void transpose_skinny(rectangle const& r, char* workspace) {
  using s = vector_shape<Bytes>;
  alignas(64) char rows[s::rows * cache_line];
  alignas(64) char lines[s::columns * cache_line];
  for (index j = 0; j < r.height; j += s::rows) {
    index const height = std::min<index>(s::rows, r.height - j);
    for (index i = 0; i < r.width; i += s::columns) {
      index const width = std::min<index>(s::columns, r.width - i);
      pitched_rows const p = input_at(Bytes, r, i, j, width, height, workspace);
      char* const to = r.out + i * r.out_pitch + j * Bytes;
      if (width * height * Bytes <= few_bytes) {
        move_block<Bytes>(Bytes, p, width, height, to, r.out_pitch);
        continue;
      }
      for (index k = 0; k < height; ++k)
        copy_short(p.first + k * p.pitch, rows + k * cache_line, width * Bytes);
      transpose_line_to_rows<Bytes, store_mode::cached>(
          {rows, cache_line, lines, cache_line, s::columns, s::rows}, 0, workspace, no_fusion());
      for (index k = 0; k < width; ++k)
        copy_short(lines + k * cache_line, to + k * r.out_pitch, height * Bytes);
    }
  }
}

#endif

/// Software prefetches rows with gaps between them, which the hardware prefetcher does not follow.
/// Streaming rows of 128, 512, 640 and 1536 bytes, fraction of memcpy without and with: 0.18 and
/// 0.56, 0.22 and 0.62, 0.22 and 0.63, 0.77 and 0.84.
void copy_rows(char const* in, index in_pitch, char* out, index out_pitch, index bytes, index rows,
               store_mode mode) {
  constexpr index rows_ahead = 2;
  constexpr index max_prefetched_bytes = 4096;
  bool const prefetches =
      mode == store_mode::streamed && in_pitch != bytes && bytes <= max_prefetched_bytes;
  auto const copy = mode == store_mode::streamed ? copy_row_streamed : copy_row_cached;
  for (index j = 0; j < rows; ++j) {
    char const* const from = in + j * in_pitch;
    if (prefetches && j + rows_ahead < rows)
      for (index b = 0; b < bytes; b += cache_line)
        __builtin_prefetch(from + rows_ahead * in_pitch + b);
    copy(from, out + j * out_pitch, bytes);
  }
}

/// For a height of one cache line at least, and a width of one vector at least or packed rows.
template <int Bytes>
void transpose_full_lines(rectangle const& r, store_mode mode, char* workspace) {
  index const done = transpose_lines_in_mode<Bytes>(r, mode, workspace, no_fusion());
  if (done == r.height) return;
  if (streams_unaligned(r, mode))
    return transpose_skinny<Bytes>(without_rows(r, Bytes, done), workspace);
  if (has_vectors<Bytes>(r) && transpose_last_part<Bytes>(r, r.height - done)) return;
  // The last vector_shape::rows rows overlap those before.
  transpose_line_to_rows<Bytes, store_mode::cached>(r, r.height - vector_shape<Bytes>::rows,
                                                    workspace, no_fusion());
}

/// Contiguous output of vectors of 64 bytes goes by parts of cache lines where an L1 cache holds
/// both operands. Sapphire Rapids, us by transpose_to_run and by parts: f32 12x400 1.15, 0.60, but
/// 8x1528 1.8, 2.4 and 12x4000 11.1, 14.7; f64 2x764 0.56, 0.36, 4x764 0.88, 1.15; bytes 31x4000
/// 8.6, 14.0. With AVX2, f32 12x4000 takes 12.4 and 13.6 there, and 12.6 and 6.4 on Zen 3.
constexpr index most_run_bytes_in_parts = 20 << 10;

template <int Bytes>
void transpose_rectangle(rectangle const& r, store_mode mode, char* workspace) {
  using s = vector_shape<Bytes>;
  if (r.width >= s::columns && r.height >= s::rows)
    return transpose_full_lines<Bytes>(r, mode, workspace);
  bool const is_run = r.out_pitch == r.height * Bytes;
  bool const parts_pay =
      !is_run || (mode == store_mode::cached &&
                  (s::blocks < 4 || r.width * r.out_pitch <= most_run_bytes_in_parts));
  if (fits_parts<Bytes>(r) && parts_pay) return transpose_parts<Bytes>(r);
  if (r.width >= s::columns && is_run) return transpose_to_run_by_height<Bytes>(r, mode, workspace);
  // Rows shorter than 16 bytes are read beyond their end: that must lie in the rectangle.
  bool const is_packed = r.function != nullptr || r.in_pitch == r.width * Bytes;
  index const behind =
      r.function == nullptr && r.width * Bytes < 16 ? 16 / (r.width * Bytes) + 1 : 0;
  index const height = is_packed ? std::max<index>(0, r.height - behind) / s::rows * s::rows : 0;
  rectangle part = r;
  part.height = height;
  if (height > 0) transpose_full_lines<Bytes>(part, mode, workspace);
  transpose_skinny<Bytes>(without_rows(r, Bytes, height), workspace);
}

void flush_stream() { hwy::FlushStream(); }

#endif

template <int Bytes>
constexpr simd_transposes power_of_two_size() {
  return {{Bytes}, transpose_rectangle<Bytes>, transpose_batch<Bytes, transpose_rectangle<Bytes>>};
}
template <int Bytes>
constexpr simd_transposes odd_size() {
  return {{Bytes}, transpose_odd_size<Bytes>, transpose_batch<Bytes, transpose_odd_size<Bytes>>};
}

simd_kernels const& table() {
  static constexpr simd_kernels functions = {
      HWY_TARGET,
      {power_of_two_size<1>(), power_of_two_size<2>(), power_of_two_size<4>(),
       power_of_two_size<8>(), power_of_two_size<16>(), odd_size<3>(), odd_size<6>(),
       odd_size<12>(), odd_size<24>(), odd_size<32>(), odd_size<0>()},
      copy_rows,
      flush_stream,
      cast_of};
  return functions;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

HWY_EXPORT(table);

std::atomic<index> streaming_threshold{0};
/// Found once, not at each call: that took 9 of the 52 ns of 4x4 floats (Zen 5).
environment_setting<simd_kernels const*> active_kernels([] {
  return &simd_kernels_of(active_isa());
});

}  // namespace

simd_kernels const& simd_kernels_of(isa target) {
  return table_of(HWY_DISPATCH_TABLE(table), target);
}

simd_kernels const& active_simd_kernels() { return *active_kernels.value(); }

namespace {

bool has_vectors_of_64_bytes(simd_kernels const& kernels) {
  return kernels.target < HWY_AVX2;  // on x86; all others are above
}

}  // namespace

bool register_lines_pay() { return is_amd() && has_vectors_of_64_bytes(active_simd_kernels()); }

simd_kernels const& wide_tile_kernels(index bytes) {
  simd_kernels const& active = active_simd_kernels();
  auto const& isas = supported_isas();
  bool const has_longer_vectors = has_vectors_of_64_bytes(active);
  bool const has_avx2 = std::find(isas.begin(), isas.end(), HWY_AVX2) != isas.end();
  return bytes >= 8 && has_longer_vectors && has_avx2 ? simd_kernels_of(HWY_AVX2) : active;
}

bool exceeds_caches(int team, index bytes) {
  index const threshold = streaming_threshold.load(std::memory_order_relaxed);
  index const in_l2_caches = std::max<index>(team, tuning.min_l2_caches) * l2_cache_bytes();
  return bytes > (threshold > 0 ? threshold : std::min(in_l2_caches, tuning.most_cached_bytes));
}

index built_in_l3_share() { return std::min(l3_cache_bytes() / 2, tuning.most_cached_bytes); }

bool exceeds_l3_share(index bytes) {
  index const found = tuned.matrix_stream_bytes;
  return streaming_threshold.load(std::memory_order_relaxed) > 0 ||
         bytes > (found > 0 ? found : built_in_l3_share());
}

void set_streaming_threshold(index bytes) {
  streaming_threshold.store(bytes, std::memory_order_relaxed);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
