// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sums of rectangles in registers, for every instruction set that Highway compiles. Each product
// and sum is rounded, so that all give the reference's bits: compiled without FMA contraction.

#include <xpose/backends/omp/add/simd.hpp>

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/add/simd.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

#include <xpose/backends/omp/transpose/simd/registers-inl.h>
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

add_table table() { return {nullptr, 0}; }

#else

/// x times a scalar, for elements of Bytes whose real (and imaginary) parts are Real.
template <class Real, int Bytes>
class scaled {
  using tag = hn::CappedTag<Real, cache_line / sizeof(Real)>;
  using bits = typename vector_shape<Bytes>::vector;
  static constexpr bool is_complex = sizeof(Real) != Bytes;

 public:
  HWY_INLINE explicit scaled(add_scalar const& s) : has_imaginary_(is_complex && !s.is_one) {
    Real const re = s.is_one ? Real(1) : static_cast<Real>(s.re);
    Real const im = static_cast<Real>(s.im);
    tag const d;
    // (re, im)(x, y) = (re x - im y, re y + im x), and with a conjugate (re x + im y, im x - re y).
    auto const pairs = [d](Real even, Real odd)
                           HWY_ATTR { return hn::OddEven(hn::Set(d, odd), hn::Set(d, even)); };
    straight_ = is_complex && s.is_conjugated ? pairs(re, -re) : hn::Set(d, re);
    crossed_ = s.is_conjugated ? hn::Set(d, im) : pairs(-im, im);
  }

  HWY_INLINE hn::Vec<tag> of(bits v) const {
    tag const d;
    auto const x = hn::BitCast(d, v);
    auto const product = hn::Mul(x, straight_);
    if constexpr (is_complex)
      if (has_imaginary_) return hn::Add(product, hn::Mul(swapped(x), crossed_));
    return product;
  }

 private:
  static HWY_INLINE hn::Vec<tag> swapped(hn::Vec<tag> x) {
    if constexpr (sizeof(Real) == 4) return hn::Shuffle2301(x);
    else return hn::Shuffle01(x);
  }

  bool has_imaginary_;
  hn::Vec<tag> straight_;
  hn::Vec<tag> crossed_;
};

template <class Real, int Bytes>
struct scaled_sum {
  using bits = typename vector_shape<Bytes>::vector;
  scaled<Real, Bytes> x;
  scaled<Real, Bytes> y;

  HWY_INLINE explicit scaled_sum(add_rectangle const& r) : x(r.scalars[0]), y(r.scalars[1]) {}
  HWY_INLINE bits of(bits of_x, bits of_y) const {
    return hn::BitCast(typename vector_shape<Bytes>::tag(), hn::Add(x.of(of_x), y.of(of_y)));
  }
};

/// Fusion of a transpose (tile-inl.h): adds y, which lies as the output does, to the transposed x.
template <class Real, int Bytes>
class add_epilogue {
  using s = vector_shape<Bytes>;

 public:
  static constexpr bool loads = false;
  HWY_INLINE explicit add_epilogue(add_rectangle const& r)
      : y_(r.y), y_pitch_(r.y_pitch), sum_(r) {}

  template <class Vector, class Store>
  HWY_INLINE void finish(Vector const* v, index i, index j, Store const& store) const {
    char const* const y = y_ + i * y_pitch_ + j * Bytes;
    Vector sums[s::vectors_in_line];
#pragma GCC unroll 4
    for (int h = 0; h < s::vectors_in_line; ++h)
      sums[h] = sum_.of(v[h], load<Bytes>(y + h * s::vector_bytes));
    store(sums);
  }

 private:
  char const* y_;
  index y_pitch_;
  scaled_sum<Real, Bytes> sum_;
};

/// Fusion for two transposed operands: loads their sum.
template <class Real, int Bytes>
class add_prologue : public no_fusion {
 public:
  static constexpr bool loads = true;
  HWY_INLINE explicit add_prologue(add_rectangle const& r)
      : x_(r.x.in), x_pitch_(r.x.in_pitch), y_(r.y), y_pitch_(r.y_pitch), sum_(r) {}

  HWY_INLINE auto load(index i, index j) const {
    return sum_.of(HWY_NAMESPACE::load<Bytes>(x_ + i * Bytes + j * x_pitch_),
                   HWY_NAMESPACE::load<Bytes>(y_ + i * Bytes + j * y_pitch_));
  }

 private:
  char const* x_;
  index x_pitch_;
  char const* y_;
  index y_pitch_;
  scaled_sum<Real, Bytes> sum_;
};

/// Whether there is a full cache line and vector; smaller rectangles are added one by one.
template <int Bytes>
HWY_INLINE bool has_lines(rectangle const& r) {
  return r.width >= vector_shape<Bytes>::columns && r.height >= vector_shape<Bytes>::rows;
}

/// So many bytes of an output row, by full aligned cache lines where they are streamed.
template <class Real, int Bytes, store_mode Mode>
HWY_INLINE void add_row(scaled_sum<Real, Bytes> const sum, add_rectangle const& r, char const* x,
                        char const* y, char* out, index bytes) {
  using s = vector_shape<Bytes>;
  index const to_next_line = (cache_line - line_offset(out)) % cache_line;
  index const head = Mode == store_mode::streamed ? std::min(bytes, to_next_line) : 0;
  auto const add_some = [&](index at, index some) {
    r.add_one_by_one(r.problem, x + at, Bytes, y + at, Bytes, out + at, Bytes, some / Bytes);
  };
  if (head > 0) add_some(0, head);
  index at = head;
  for (; at + cache_line <= bytes; at += cache_line)
#pragma GCC unroll 4
    for (index h = at; h < at + cache_line; h += s::vector_bytes)
      store<Bytes, Mode>(sum.of(load<Bytes>(x + h), load<Bytes>(y + h)), out + h);
  if (at < bytes) add_some(at, bytes - at);
}

template <class Real, int Bytes, store_mode Mode>
void add_each_row(add_rectangle const& r) {
  scaled_sum<Real, Bytes> const sum(r);
  for (index i = 0; i < r.x.width; ++i)
    add_row<Real, Bytes, Mode>(sum, r, r.x.in + i * r.x.in_pitch, r.y + i * r.y_pitch,
                               r.x.out + i * r.x.out_pitch, r.x.height * Bytes);
}

template <class Real, int Bytes>
void add_rows(add_rectangle const& r, store_mode mode, char*) {
  if (mode == store_mode::streamed && address_bits(r.x) % Bytes == 0)
    add_each_row<Real, Bytes, store_mode::streamed>(r);
  else add_each_row<Real, Bytes, store_mode::cached>(r);
}

/// Transposes pieces of x to scratch in the L2 cache, then adds them to y in long rows:
///   scratch row  [ 64 bytes: rest of the piece before | one piece of an output row ]
/// Fraction of a sum of rows, 4096x4096 and 4097x4097 of 4 bytes: 0.60, 0.53. In one pass, which
/// reads cache lines of y one row apart, 0.45, 0.40: loads wait for stores at the same page offset.
/// Rows of x are prefetched one cache line of the output ahead: 0.49 without.
template <class Real, int Bytes>
void add_transposed_streamed(add_rectangle const& r, char* workspace) {
  using s = vector_shape<Bytes>;
  constexpr index piece = (max_scratch_lines - 3) * index{s::rows};
  index const scratch_pitch = scratch_lines(r.x.height * Bytes) * cache_line;
  char* const scratch = workspace + tile_function_bytes + cache_line;
  scaled_sum<Real, Bytes> const sum(r);
  index const row_bytes = r.x.width * Bytes;
  for (index first = 0; first < r.x.height; first += piece) {
    index const height = std::min(piece, r.x.height - first);
    char const* const in = r.x.in + first * r.x.in_pitch;
    rectangle const transposed{in, r.x.in_pitch, scratch, scratch_pitch, r.x.width, height};
    index j = 0;
    for (; j + s::rows <= height; j += s::rows) {
      for (index k = j + s::rows; k < std::min(j + 2 * s::rows, height); ++k)
        for (index b = 0; b < row_bytes; b += cache_line)
          __builtin_prefetch(in + k * r.x.in_pitch + b);
      transpose_line_to_rows<Bytes, store_mode::cached>(transposed, j, workspace, no_fusion());
    }
    move_block<Bytes>(Bytes, {in + j * r.x.in_pitch, r.x.in_pitch}, r.x.width, height - j,
                      scratch + j * Bytes, scratch_pitch);

    bool const is_last = first + height == r.x.height;
    for (index i = 0; i < r.x.width; ++i) {
      char* const x = scratch + i * scratch_pitch;
      char* const out = r.x.out + i * r.x.out_pitch + first * Bytes;
      index const before = first == 0 ? 0 : line_offset(out);
      index const after = is_last ? 0 : line_offset(out + height * Bytes);
      add_row<Real, Bytes, store_mode::streamed>(sum, r, x - before,
                                                 r.y + i * r.y_pitch + first * Bytes - before,
                                                 out - before, before + height * Bytes - after);
      if (!is_last) copy_line(x + piece * Bytes - cache_line, x - cache_line);
    }
  }
}

template <class Real, int Bytes>
void add_transposed(add_rectangle const& r, store_mode mode, char* workspace) {
  index done = 0;
  if (has_lines<Bytes>(r.x)) {
    if (mode == store_mode::streamed && address_bits(r.x) % Bytes == 0)
      return add_transposed_streamed<Real, Bytes>(r, workspace);
    done = transpose_lines<Bytes, store_mode::cached>(r.x, workspace, add_epilogue<Real, Bytes>(r));
  }
  for (index j = done; j < r.x.height; ++j)
    r.add_one_by_one(r.problem, r.x.in + j * r.x.in_pitch, Bytes, r.y + j * Bytes, r.y_pitch,
                     r.x.out + j * Bytes, r.x.out_pitch, r.x.width);
}

template <class Real, int Bytes>
void add_both_transposed(add_rectangle const& r, store_mode mode, char* workspace) {
  add_prologue<Real, Bytes> const fusion(r);
  index const done =
      has_lines<Bytes>(r.x) ? transpose_lines_in_mode<Bytes>(r.x, mode, workspace, fusion) : 0;
  for (index j = done; j < r.x.height; ++j)
    r.add_one_by_one(r.problem, r.x.in + j * r.x.in_pitch, Bytes, r.y + j * r.y_pitch, Bytes,
                     r.x.out + j * Bytes, r.x.out_pitch, r.x.width);
}

template <class Real, int Bytes>
constexpr add_kernels kernels_of(element_type type) {
  return {type,
          {add_rows<Real, Bytes>, add_transposed<Real, Bytes>, add_both_transposed<Real, Bytes>}};
}

add_table table() {
  static constexpr add_kernels rows[] = {kernels_of<float, 4>(element_type::f32),
                                         kernels_of<double, 8>(element_type::f64),
                                         kernels_of<float, 8>(element_type::complex_f32),
                                         kernels_of<double, 16>(element_type::complex_f64)};
  return {rows, static_cast<int>(std::size(rows))};
}

#endif

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

add_kernels const* add_kernels_for(simd_kernels const& simd, element_type type) {
  add_table const functions = table_of(HWY_DISPATCH_TABLE(table), simd.target);
  for (int row = 0; row < functions.count; ++row)
    if (functions.rows[row].type == type) return functions.rows + row;
  return nullptr;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
