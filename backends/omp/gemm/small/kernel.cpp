// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of small products, for every Highway target of this build. Tiles of all accumulators
// stay in registers over all of k:
//
//              b[0..lanes) .. b[..cols)     a row of B: one to three vectors, the last one masked
//   a[0] *    | acc[0][0]  .. acc[0][V-1]   a column of A: each element broadcast
//   ...       |    ...          ...         rows x V: 12x1, 12x2, 8x3
//                                           of 16 registers: 12x1, 6x2, 4x3

#include <xpose/backends/omp/gemm/small/small.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/gemm/small/kernel.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

#include <xpose/backends/omp/gemm/kernel/microkernel-inl.h>

#include <hwy/highway.h>

#include <algorithm>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Rows of the highest tile of so many vectors, and of numbers of so many parts.
constexpr int tile_rows(int vectors, int parts) {
  return vectors == 1   ? (parts == 1 ? 12 : micro_tile_rows)
         : vectors == 2 ? micro_tile_rows / parts
                        : micro_tile_rows * 2 / 3;
}
constexpr int most_vectors(int parts) { return parts == 1 ? 3 : 2; }

/// A's rows are contiguous, and `step` bytes apart, or else its columns are. Complex numbers have
/// two parts.
///
/// One pointer moves along k: an address is it plus an odd multiple of the step, times 1, 2, 4
/// or 8. Of pointers for three rows each, GCC 12 kept some in memory: a store and a load for every
/// k, in a chain (63x8x44 of f32 takes 463 ns, and took 504; Zen 5).
template <class T, int Rows, bool AByColumns, int Parts = 1>
class a_elements {
 public:
  explicit HWY_INLINE a_elements(small_product const& p) : at_(p.a) {
#pragma GCC unroll 6
    for (int i = 0; i < multiples; ++i) {
      odd_[i] = (2 * i + 1) * p.a_step;
      asm("" : "+r"(odd_[i]));
    }
  }
  HWY_INLINE T at(int row, int part = 0) const {
    char const* from = at_ + part * index{sizeof(T)};
    if (row > 0) {
      int const twos = __builtin_ctz(static_cast<unsigned>(row));
      from += odd_[(row >> twos) / 2] * (1 << twos);
    }
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
  HWY_INLINE void advance() {
    at_ += Parts * index{sizeof(T)};
    asm("" : "+r"(at_));
  }

 private:
  static constexpr int multiples = Rows / 2 > 0 ? Rows / 2 : 1;  // 1, 3, .. below Rows
  char const* at_;
  index odd_[multiples];
};
template <class T, int Rows, int Parts>
struct a_elements<T, Rows, true, Parts> {
  char const* column;
  index step;

  explicit HWY_INLINE a_elements(small_product const& p) : column(p.a), step(p.a_k_step) {}
  HWY_INLINE T at(int row, int part = 0) const {
    return reinterpret_cast<T const*>(column)[Parts * row + part];
  }
  HWY_INLINE void advance() { column += step; }
};

/// A row of so many vectors, of which the last may be partial.
template <int Vectors, class D, class V>
HWY_INLINE void load_row(masked_edge<D> const& last, hn::TFromD<D> const* from, V (&row)[Vectors]) {
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
#pragma GCC unroll 2
  for (int v = 0; v < Vectors - 1; ++v) row[v] = hn::LoadU(d, from + v * lanes);
  row[Vectors - 1] = last.load(from + (Vectors - 1) * lanes);
}
template <int Vectors, class D, class V>
HWY_INLINE void store_row(masked_edge<D> const& last, V const (&row)[Vectors], hn::TFromD<D>* to) {
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
#pragma GCC unroll 2
  for (int v = 0; v < Vectors - 1; ++v) hn::StoreU(row[v], d, to + v * lanes);
  last.store(row[Vectors - 1], to + (Vectors - 1) * lanes);
}

/// sums = [alpha] sums [+ beta C], of a row of C at `to`; times(scalar, vector).
template <int Vectors, class D, class V, class Times>
HWY_INLINE void scale_row(small_product const& p, masked_edge<D> const& last, V (&sums)[Vectors],
                          hn::TFromD<D> const* to, Times const& times) {
  if (p.alpha != nullptr)
#pragma GCC unroll 3
    for (V& v : sums) v = times(p.alpha, v);
  if (p.beta == nullptr) return;
  V c[Vectors];
  load_row(last, to, c);
#pragma GCC unroll 3
  for (int v = 0; v < Vectors; ++v) sums[v] = hn::Add(sums[v], times(p.beta, c[v]));
}

/// All k of a tile of Rows rows, and of so many vectors, of which the last may be partial.
template <class T, int Rows, int Vectors, bool AByColumns>
void multiply_tile(small_product const& p) {
  using arithmetic = plus_times_lanes<T>;
  using D = hn::ScalableTag<T>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  masked_edge<D> const last(p.cols - (Vectors - 1) * lanes);
  hn::Vec<D> acc[Rows][Vectors];
#pragma GCC unroll 12
  for (auto& row : acc)
#pragma GCC unroll 3
    for (auto& v : row) v = arithmetic::zero();

  a_elements<T, Rows, AByColumns> a(p);
  char const* b = p.b;
  for (index k = p.k_extent; k > 0; --k, b += p.b_k_step) {  // unrolled it is no faster
    hn::Vec<D> y[Vectors];
    load_row(last, reinterpret_cast<T const*>(b), y);
#pragma GCC unroll 12
    for (int r = 0; r < Rows; ++r) {
      auto const x = hn::Set(d, a.at(r));
#pragma GCC unroll 3
      for (int v = 0; v < Vectors; ++v) acc[r][v] = arithmetic::accumulate(acc[r][v], x, y[v]);
    }
    a.advance();
  }

  // Copies, since a store of a vector may be one to p as far as the compiler knows.
  char* const c = p.c;
  index const c_step = p.c_step;
  if (p.alpha == nullptr && p.beta == nullptr) {
#pragma GCC unroll 12
    for (int r = 0; r < Rows; ++r) store_row(last, acc[r], reinterpret_cast<T*>(c + r * c_step));
    return;
  }
  auto const times = [&](void const* scalar, hn::Vec<D> v) HWY_ATTR {
    return hn::Mul(hn::Set(d, *static_cast<T const*>(scalar)), v);
  };
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r) {
    T* const to = reinterpret_cast<T*>(c + r * c_step);
    scale_row(p, last, acc[r], to, times);
    store_row(last, acc[r], to);
  }
}

/// v with its real and imaginary parts exchanged, and then with other signs where asked.
template <class D, class V>
HWY_INLINE V exchanged(D d, V v, bool negates_re, bool negates_im) {
  V const re = hn::Set(d, hn::TFromD<D>(negates_re ? -0.0 : 0.0));
  V const im = hn::Set(d, hn::TFromD<D>(negates_im ? -0.0 : 0.0));
  return hn::Xor(hn::Reverse2(d, v), hn::OddEven(im, re));
}

/// The complex number at `scalar` times v, rounded as complex_value's product.
template <class D, class V>
HWY_INLINE V times_scalar(D d, void const* scalar, V v) {
  auto const* const parts = static_cast<hn::TFromD<D> const*>(scalar);
  return hn::Add(hn::Mul(hn::Set(d, parts[0]), v),
                 exchanged(d, hn::Mul(hn::Set(d, parts[1]), v), true, false));
}

/// All k of a tile of complex numbers.
template <class T, int Rows, int Vectors, bool AByColumns>
void multiply_complex_tile(small_product const& p) {
  using D = hn::ScalableTag<T>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  masked_edge<D> const last(2 * p.cols - (Vectors - 1) * lanes);
  hn::Vec<D> by_re[Rows][Vectors];
  hn::Vec<D> by_im[Rows][Vectors];
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) by_re[r][v] = by_im[r][v] = hn::Zero(d);

  a_elements<T, Rows, AByColumns, 2> a(p);
  char const* b = p.b;
  for (index k = p.k_extent; k > 0; --k, b += p.b_k_step) {
    hn::Vec<D> y[Vectors];
    load_row(last, reinterpret_cast<T const*>(b), y);
#pragma GCC unroll 12
    for (int r = 0; r < Rows; ++r) {
      auto const re = hn::Set(d, a.at(r, 0));
      auto const im = hn::Set(d, a.at(r, 1));
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) {
        by_re[r][v] = mul_add(by_re[r][v], re, y[v]);
        by_im[r][v] = mul_add(by_im[r][v], im, y[v]);
      }
    }
    a.advance();
  }

  // re = re(a) re(b) -+ im(a) im(b), im = +- re(a) im(b) +- im(a) re(b). Zero minus a zero is +0,
  // as the sum of such products would be.
  bool const negates_re = p.conjugate_a == p.conjugate_b;
  auto const times = [&](void const* scalar, hn::Vec<D> v)
                         HWY_ATTR { return times_scalar(d, scalar, v); };
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r) {
    T* const to = reinterpret_cast<T*>(p.c + r * p.c_step);
    hn::Vec<D> sums[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
      auto const re = by_re[r][v];
      auto const of_re = p.conjugate_b ? hn::OddEven(hn::Sub(hn::Zero(d), re), re) : re;
      sums[v] = hn::Add(of_re, exchanged(d, by_im[r][v], negates_re, p.conjugate_a));
    }
    scale_row(p, last, sums, to, times);
    store_row(last, sums, to);
  }
}

/// The tiles of a kind of numbers: of reals `Parts` is 1.
template <class T, int Parts, int Rows, int Vectors, bool AByColumns>
void multiply_tile_of(small_product const& p) {
  if constexpr (Parts == 1) multiply_tile<T, Rows, Vectors, AByColumns>(p);
  else multiply_complex_tile<T, Rows, Vectors, AByColumns>(p);
}

using tile_function_of_rows = void (*)(small_product const&);
template <class T, int Parts, int Vectors, bool AByColumns, int... R>
tile_function_of_rows tile_of(index rows, std::integer_sequence<int, R...>) {
  static constexpr tile_function_of_rows tiles[] = {
      multiply_tile_of<T, Parts, R + 1, Vectors, AByColumns>...};
  return tiles[rows - 1];
}

/// All rows of so many vectors of columns, in tiles of nearly equal heights. Leaves p as it was.
template <class T, int Parts, int Vectors, bool AByColumns>
void multiply_columns(small_product& p) {
  constexpr int most = tile_rows(Vectors, Parts);
  std::make_integer_sequence<int, most> const heights;
  char const* const a = p.a;
  char* const c = p.c;
  index left = p.rows;
  for (index tiles = (left + most - 1) / most; tiles > 1; --tiles) {
    index const rows = (left + tiles - 1) / tiles;
    tile_of<T, Parts, Vectors, AByColumns>(rows, heights)(p);
    p.a += rows * p.a_step;
    p.c += rows * p.c_step;
    left -= rows;
  }
  tile_of<T, Parts, Vectors, AByColumns>(left, heights)(p);
  p.a = a;
  p.c = c;
}

/// In tiles of as many vectors as there are, but four in two and two: a third less to load.
template <class T, int Parts, bool AByColumns>
void multiply_all(small_product p) {
  constexpr index in_vector = hn::MaxLanes(hn::ScalableTag<T>()) / Parts;
  constexpr index most = most_vectors(Parts);
  for (index left = p.cols; left > 0;) {
    index const vectors = (left + in_vector - 1) / in_vector;
    index const here = vectors == 4 ? 2 : std::min(vectors, most);
    p.cols = std::min(left, here * in_vector);
    if (here == 1) multiply_columns<T, Parts, 1, AByColumns>(p);
    else if (here == 2) multiply_columns<T, Parts, 2, AByColumns>(p);
    else if constexpr (most == 3) multiply_columns<T, Parts, 3, AByColumns>(p);
    p.b += p.cols * Parts * index{sizeof(T)};
    p.c += p.cols * Parts * index{sizeof(T)};
    left -= p.cols;
  }
}

template <class T, int Parts = 1>
void multiply(small_product const& p) {
  if (p.a_k_step == Parts * index{sizeof(T)}) multiply_all<T, Parts, false>(p);
  else multiply_all<T, Parts, true>(p);
}

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
      {"gemm_f32_small", multiply<float>, floats, most},
      {"gemm_f64_small", multiply<double>, floats / 2, most},
      {"gemm_c64_small", multiply<float, 2>, floats / 2, most_small_products},
      {"gemm_c128_small", has_c128 ? multiply<double, 2> : nullptr, floats / 4,
       most_small_products}};
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
