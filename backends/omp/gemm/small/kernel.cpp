// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of small products, for every Highway target of this build: tiles whose rows of B and
// C are contiguous, or with AVX-512 any of these by columns, and dots.

#include <xpose/backends/omp/gemm/small/small.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/gemm/small/kernel.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

#include <xpose/backends/omp/gemm/small/dots-inl.h>
#include <xpose/backends/omp/gemm/small/tiles-inl.h>
#include <xpose/backends/omp/gemm/small/transposes-inl.h>

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

template <int Vectors, int Parts>
using tile_heights = std::make_integer_sequence<int, tile_rows(Vectors, Parts)>;

/// some(tiles, rows) for all rows in tiles of at most two heights, one row apart.
template <class Some>
HWY_INLINE void for_each_height(index all_rows, unsigned most, Some const& some) {
  auto const all = static_cast<unsigned>(all_rows);  // of a small product
  unsigned const tiles = (all + most - 1) / most;
  unsigned const rows = all / tiles, higher = all % tiles;
  if (higher > 0) some(higher, index{rows} + 1);
  some(tiles - higher, index{rows});
}

/// multiply(tile, rows) for all rows of so many vectors of columns. Leaves t as it was.
template <class T, int Parts, int Vectors, bool AByColumns, class Multiply>
HWY_INLINE void for_each_tile(small_product const& p, small_tile& t, Multiply const& multiply) {
  char const* const a = t.a;
  char* const c = t.c;
  for_each_height(p.rows, tile_rows(Vectors, Parts), [&](unsigned tiles, index rows) HWY_ATTR {
    auto const tile = tile_of<T, Parts, Vectors, AByColumns>(rows, tile_heights<Vectors, Parts>());
    for (; tiles > 0; --tiles) {
      multiply(tile, rows);
      t.a += rows * p.a_step;
      t.c += rows * t.c_step;
    }
  });
  t.a = a;
  t.c = c;
}
template <class T, int Parts, int Vectors, bool AByColumns>
void multiply_columns(small_product const& p, small_tile& t) {
  for_each_tile<T, Parts, Vectors, AByColumns>(
      p, t, [&](small_tile_function multiply, index) HWY_ATTR { multiply(p, t); });
}

/// Of the first strip of so many: as many as there are, but of four two and two, a third less to
/// load.
template <int Parts>
constexpr index vectors_of_strip(index vectors) {
  return vectors == 4 ? 2 : std::min<index>(vectors, most_vectors(Parts));
}

/// strip(vectors, t) for all columns.
template <class T, int Parts, class Strip>
HWY_INLINE void for_each_strip(small_product const& p, Strip const& strip) {
  constexpr index in_vector = hn::MaxLanes(hn::ScalableTag<T>()) / Parts;
  constexpr index most = most_vectors(Parts);
  small_tile t{p.a, p.b, p.c, 0, p.b_k_step, p.c_step};
  for (index left = p.cols; left > 0; left -= t.cols) {
    index const here = vectors_of_strip<Parts>((left + in_vector - 1) / in_vector);
    t.cols = std::min(left, here * in_vector);
    if (here == 1) strip(std::integral_constant<int, 1>(), t);
    else if (here == 2) strip(std::integral_constant<int, 2>(), t);
    else if constexpr (most == 3) strip(std::integral_constant<int, 3>(), t);
  }
}

template <class T, int Parts, bool AByColumns>
small_tile_function tile_of_size(index vectors, index rows) {
  return vectors == 1   ? tile_of<T, Parts, 1, AByColumns>(rows, tile_heights<1, Parts>())
         : vectors == 2 ? tile_of<T, Parts, 2, AByColumns>(rows, tile_heights<2, Parts>())
                        : tile_of<T, Parts, most_vectors(Parts), AByColumns>(
                              rows, tile_heights<most_vectors(Parts), Parts>());
}

template <class T, int Parts = 1>
small_tile_function only_tile(small_product const& p) {
  constexpr index in_vector = hn::MaxLanes(hn::ScalableTag<T>()) / Parts;
  index const vectors = (p.cols + in_vector - 1) / in_vector;
  if (vectors != vectors_of_strip<Parts>(vectors) ||
      p.rows > tile_rows(static_cast<int>(vectors), Parts))
    return nullptr;
  return p.a_k_step == Parts * index{sizeof(T)} ? tile_of_size<T, Parts, false>(vectors, p.rows)
                                                : tile_of_size<T, Parts, true>(vectors, p.rows);
}

/// B up to which a row of tiles reads all of it, a third of an L1 cache.
constexpr index most_bytes_of_b = 16 << 10;

/// A row of tiles after the other, which writes C nearly in its order: 5211 of 56x48x5 of f64 take
/// 16.1 ms, strip by strip 18.7, libxsmm 13.8; 5216 of 20x62x7 4.4, 5.8, 4.2. Of a larger B a strip
/// after the other: 44x58x37 of f64 2.59 us, 2.67 by rows of tiles. With for_each_strip() in each
/// row of tiles, 53x20x3 of f64 takes 170 ns, so 146 (Emerald Rapids, 2026-11-30).
template <class T, int Parts, bool AByColumns>
void multiply_all(small_product const& p) {
  constexpr index in_vector = hn::MaxLanes(hn::ScalableTag<T>()) / Parts;
  constexpr index most_rows = tile_rows(1, Parts);
  if (p.cols <= in_vector && p.rows <= most_rows) {  // one tile, without the loops' 60 instructions
    small_tile const t{p.a, p.b, p.c, p.cols, p.b_k_step, p.c_step};
    return tile_of_size<T, Parts, AByColumns>(1, p.rows)(p, t);
  }
  if (p.k_extent * p.cols * Parts * index{sizeof(T)} > most_bytes_of_b)
    return for_each_strip<T, Parts>(p, [&](auto vectors, small_tile& t) HWY_ATTR {
      multiply_columns<T, Parts, vectors, AByColumns>(p, t);
      t.b += t.cols * Parts * index{sizeof(T)};
      t.c += t.cols * Parts * index{sizeof(T)};
    });
  index const widest = vectors_of_strip<Parts>((p.cols + in_vector - 1) / in_vector);
  auto const most = static_cast<unsigned>(tile_rows(static_cast<int>(widest), Parts));
  small_tile t{p.a, p.b, p.c, 0, p.b_k_step, p.c_step};
  for_each_height(p.rows, most, [&](unsigned tiles, index rows) HWY_ATTR {
    for (; tiles > 0; --tiles) {
      char* const c = t.c;
      t.b = p.b;
      for (index left = p.cols; left > 0; left -= t.cols) {
        index const here = vectors_of_strip<Parts>((left + in_vector - 1) / in_vector);
        t.cols = std::min(left, here * in_vector);
        tile_of_size<T, Parts, AByColumns>(here, rows)(p, t);
        t.b += t.cols * Parts * index{sizeof(T)};
        t.c += t.cols * Parts * index{sizeof(T)};
      }
      t.a += rows * p.a_step;
      t.c = c + rows * p.c_step;
    }
  });
}

template <class T, int Parts = 1>
void multiply(small_product const& p) {
  if (p.a_k_step == Parts * index{sizeof(T)}) multiply_all<T, Parts, false>(p);
  else multiply_all<T, Parts, true>(p);
}

#if HWY_TARGET <= HWY_AVX3

/// So many vectors of columns. C's columns are contiguous: a tile is transposed on its way there,
/// and before where C is read.
template <class T, int Vectors, bool AByColumns>
void multiply_transposed_columns(small_product const& p, small_tile& t) {
  constexpr index pitch = Vectors * 64;
  HWY_ALIGN char rows_of_c[tile_rows(Vectors, 1) * pitch];
  char* to = t.c;
  t.c = rows_of_c;
  t.c_step = pitch;
  for_each_tile<T, 1, Vectors, AByColumns>(
      p, t, [&](small_tile_function multiply, index rows) HWY_ATTR {
        t.c = rows_of_c;
        if (p.beta != nullptr)
          transpose_small<T, true>(to, p.c_step, t.cols, rows, rows_of_c, pitch);
        multiply(p, t);
        transpose_small<T, false>(rows_of_c, pitch, rows, t.cols, to, p.c_step);
        to += rows * index{sizeof(T)};
      });
}

template <class T, bool AByColumns>
void multiply_all_by_columns(small_product const& p, bool b_by_columns, bool c_by_columns) {
  HWY_ALIGN char rows_of_b[most_k_by_columns * 3 * 64];
  for_each_strip<T, 1>(p, [&](auto vectors, small_tile& t) HWY_ATTR {
    char const* const b = t.b;
    char* const c = t.c;
    if (b_by_columns) {
      t.b_k_step = vectors * 64;
      t.b = rows_of_b;
      transpose_small<T, true>(b, p.b_k_step, t.cols, p.k_extent, rows_of_b, t.b_k_step);
    }
    if (c_by_columns) multiply_transposed_columns<T, vectors, AByColumns>(p, t);
    else multiply_columns<T, 1, vectors, AByColumns>(p, t);
    t.b = b + t.cols * (b_by_columns ? p.b_k_step : index{sizeof(T)});
    t.c = c + t.cols * (c_by_columns ? p.c_step : index{sizeof(T)});
  });
}

template <class T>
void multiply_by_columns(small_product const& p, bool b_by_columns, bool c_by_columns) {
  if (p.a_k_step == index{sizeof(T)})
    multiply_all_by_columns<T, false>(p, b_by_columns, c_by_columns);
  else multiply_all_by_columns<T, true>(p, b_by_columns, c_by_columns);
}

template <class T>
void multiply_dots(small_product const& p, bool b_by_columns, bool c_by_columns) {
  constexpr index pitch = most_k_by_columns * sizeof(T);
  HWY_ALIGN char columns_of_b[most_dot_columns * pitch];
  char const* b = p.b;
  index b_step = p.b_k_step;
  if (!b_by_columns) {
    b = columns_of_b;
    b_step = pitch;
    transpose_small<T, true>(p.b, p.b_k_step, p.k_extent, p.cols, columns_of_b, pitch);
  }
  std::make_integer_sequence<int, most_dot_columns> const columns;
  (c_by_columns ? dots_of<T, true>(p.cols, columns) : dots_of<T, false>(p.cols, columns))(p, b,
                                                                                          b_step);
}

template <class T>
constexpr small_kernel with_columns(small_kernel kernel) {
  kernel.multiply_by_columns = multiply_by_columns<T>;
  kernel.multiply_dots = multiply_dots<T>;
  return kernel;
}
#else
template <class T>
constexpr small_kernel with_columns(small_kernel kernel) {
  return kernel;
}
#endif

#endif

small_kernels const& table() {
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
  static constexpr small_kernels none{};
  return none;
#else
  // With a vector of one complex number there is nothing to gain: c128 of SSE and NEON.
  constexpr bool has_c128 = hn::MaxLanes(hn::ScalableTag<double>()) >= 4;
  constexpr index floats = hn::MaxLanes(hn::ScalableTag<float>());
  // With AVX-512 packing reals does not pay before 160 cubed. us by the general driver and here,
  // Zen 5, 2026-11-29: f32 100 cubed NN 9.8, 8.9, TN 12.2, 8.9; 160 cubed NN 34.2, 32.1,
  // TN 37.5, 32.2; f64 100 cubed TN 20.7, 16.4; 256 cubed 281, 288. With AVX2 on the same processor
  // f32 100 cubed NN 18.1, 17.0, 160 cubed 65.6, 68.0; f64 129, 138. Complex numbers gain too (c64
  // 100 cubed 38.5, 32.8), but have other bits here than the general driver gives several threads.
  constexpr index most = HWY_TARGET <= HWY_AVX3 ? 160 * 160 * 160 : most_small_products;
  static constexpr small_kernels kernels{
      with_columns<float>({"gemm_f32_small", multiply<float>, only_tile<float>, floats, most}),
      with_columns<double>(
          {"gemm_f64_small", multiply<double>, only_tile<double>, floats / 2, most}),
      {"gemm_c64_small", multiply<float, 2>, only_tile<float, 2>, floats / 2, most_small_products},
      {"gemm_c128_small", has_c128 ? multiply<double, 2> : nullptr,
       has_c128 ? only_tile<double, 2> : nullptr, floats / 4, most_small_products}};
  return kernels;
#endif
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
}  // namespace

small_kernels const& small_kernels_of(isa target) {
  return table_of(HWY_DISPATCH_TABLE(table), target);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
