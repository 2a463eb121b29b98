// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tiles of small products, for one Highway target. All accumulators stay in registers over all
// of k:
//
//              b[0..lanes) .. b[..cols)     a row of B: one to three vectors, the last one masked
//   a[0] *    | acc[0][0]  .. acc[0][V-1]   a column of A: each element broadcast
//   ...       |    ...          ...         rows x V: 12x1, 12x2, 8x3
//                                           of 16 registers: 12x1, 6x2, 4x3

#if defined(XPOSE_OMP_GEMM_SMALL_TILES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_SMALL_TILES_INL
#undef XPOSE_OMP_GEMM_SMALL_TILES_INL
#else
#define XPOSE_OMP_GEMM_SMALL_TILES_INL
#endif

#include <xpose/backends/omp/gemm/kernel/microkernel-inl.h>
#include <xpose/backends/omp/gemm/small/small.hpp>

#include <hwy/highway.h>

#include <cstring>
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
  HWY_INLINE a_elements(small_product const& p, char const* a) : at_(a) {
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

  HWY_INLINE a_elements(small_product const& p, char const* a) : column(a), step(p.a_k_step) {}
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

/// Chains over k of each sum where a product may have them: so few vectors of accumulators would
/// wait for each other, an FMA being 4 cycles and two beginning in each. 2x7x34 of f32 takes 84 ns
/// with one chain, 75 with four (Emerald Rapids, 2026-11-29).
constexpr int chains_of(int accumulators) {
  if (HWY_TARGET > HWY_AVX3) return 1;
  return accumulators <= 2 ? 4 : accumulators <= 4 ? 2 : 1;
}

/// All k of a tile of Rows rows, and of so many vectors, of which the last may be partial.
template <class T, int Rows, int Vectors, bool AByColumns>
void multiply_tile(small_product const& p, small_tile const& t) {
  using arithmetic = plus_times_lanes<T>;
  using D = hn::ScalableTag<T>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  masked_edge<D> const last(t.cols - (Vectors - 1) * lanes);
  hn::Vec<D> acc[Rows][Vectors];
#pragma GCC unroll 12
  for (auto& row : acc)
#pragma GCC unroll 3
    for (auto& v : row) v = arithmetic::zero();

  a_elements<T, Rows, AByColumns> a(p, t.a);
  char const* b = t.b;
  index const b_k_step = t.b_k_step;
  auto const add_step = [&](hn::Vec<D>(&sums)[Rows][Vectors]) HWY_ATTR
      __attribute__((always_inline)) {
    hn::Vec<D> y[Vectors];
    load_row(last, reinterpret_cast<T const*>(b), y);
#pragma GCC unroll 12
    for (int r = 0; r < Rows; ++r) {
      auto const x = hn::Set(d, a.at(r));
#pragma GCC unroll 3
      for (int v = 0; v < Vectors; ++v) sums[r][v] = arithmetic::accumulate(sums[r][v], x, y[v]);
    }
    a.advance();
    b += b_k_step;
  };
  index k = p.k_extent;
  constexpr int chains = chains_of(Rows * Vectors);
  if constexpr (chains > 1) {
    if (p.has_chains) {
      hn::Vec<D> more[chains - 1][Rows][Vectors];
#pragma GCC unroll 3
      for (auto& sums : more)
#pragma GCC unroll 4
        for (auto& row : sums)
#pragma GCC unroll 3
          for (auto& v : row) v = arithmetic::zero();
      for (; k >= chains; k -= chains) {
        add_step(acc);
#pragma GCC unroll 3
        for (auto& sums : more) add_step(sums);
      }
#pragma GCC unroll 3
      for (auto const& sums : more)
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 3
          for (int v = 0; v < Vectors; ++v) acc[r][v] = hn::Add(acc[r][v], sums[r][v]);
    }
  }
  for (; k > 0; --k) add_step(acc);  // unrolled it is no faster

  // Copies, since a store of a vector may be one to p as far as the compiler knows.
  char* const c = t.c;
  index const c_step = t.c_step;
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
void multiply_complex_tile(small_product const& p, small_tile const& t) {
  using D = hn::ScalableTag<T>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  masked_edge<D> const last(2 * t.cols - (Vectors - 1) * lanes);
  hn::Vec<D> by_re[Rows][Vectors];
  hn::Vec<D> by_im[Rows][Vectors];
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) by_re[r][v] = by_im[r][v] = hn::Zero(d);

  a_elements<T, Rows, AByColumns, 2> a(p, t.a);
  char const* b = t.b;
  index const b_k_step = t.b_k_step;
  for (index k = p.k_extent; k > 0; --k, b += b_k_step) {
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
    T* const to = reinterpret_cast<T*>(t.c + r * t.c_step);
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
void multiply_tile_of(small_product const& p, small_tile const& t) {
  if constexpr (Parts == 1) multiply_tile<T, Rows, Vectors, AByColumns>(p, t);
  else multiply_complex_tile<T, Rows, Vectors, AByColumns>(p, t);
}

template <class T, int Parts, int Vectors, bool AByColumns, int... R>
small_tile_function tile_of(index rows, std::integer_sequence<int, R...>) {
  static constexpr small_tile_function tiles[] = {
      multiply_tile_of<T, Parts, R + 1, Vectors, AByColumns>...};
  return tiles[rows - 1];
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
