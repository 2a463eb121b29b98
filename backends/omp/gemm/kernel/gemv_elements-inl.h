// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How GEMV loads each element type, for one Highway target. By rows: a run of elements becomes
// `row_vectors` vectors, in an order that matrix and vector share. By columns: a run of each of
// four columns is added to `vectors` accumulator vectors. Their 16-byte blocks are interleaved:
// block b of vector v holds the sums of elements (b * vectors + v) * 4 and following.

#if defined(XPOSE_OMP_GEMM_GEMV_ELEMENTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_GEMV_ELEMENTS_INL
#undef XPOSE_OMP_GEMM_GEMV_ELEMENTS_INL
#else
#define XPOSE_OMP_GEMM_GEMV_ELEMENTS_INL
#endif

#include <xpose/backends/omp/gemm/kernel/arithmetic-inl.h>
#include <xpose/backends/omp/runtime/float16-inl.h>
#include <xpose/float16.hpp>

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Columns that one pass multiplies, so that sums are loaded and stored a quarter as often as the
/// matrix.
constexpr int columns_per_pass = 4;

/// One FMA chain over ascending k, of widened elements.
template <class Elements>
struct fma_columns {
  using arithmetic = typename Elements::arithmetic;
  using V = typename arithmetic::vector;
  static constexpr int vectors = 1;
  V factors[columns_per_pass];

  HWY_INLINE fma_columns(typename Elements::element const* x, int steps) {
    for (int s = 0; s < columns_per_pass; ++s)
      factors[s] = hn::Set(typename arithmetic::tag(),
                           s < steps ? static_cast<hn::TFromV<V>>(x[s]) : hn::TFromV<V>(0));
  }
  template <class Load>
  HWY_INLINE void add(V (&acc)[vectors], int steps, Load const& load) const {
#pragma GCC unroll 4
    for (int s = 0; s < steps; ++s)
      acc[0] = arithmetic::accumulate(acc[0], Elements::widen(load(s)), factors[s]);
  }
};

/// Accumulators start from 0, and the matrix is unpacked as the vector is.
template <class Elements, class Accumulator>
struct gemv_from_zero {
  static Accumulator initial(void const*, index) { return 0; }
  template <class Run, class Vectors>
  static HWY_INLINE void unpack_matrix(Run run, Vectors& to) {
    Elements::unpack(run, to);
  }
};

/// Elements of the accumulators' own type.
template <class T>
struct gemv_unchanged : gemv_from_zero<gemv_unchanged<T>, T> {
  using element = T;
  using stored = T;
  using arithmetic = plus_times_lanes<T>;
  using V = typename arithmetic::vector;
  using row_run = hn::ScalableTag<T>;
  using column_run = row_run;
  using columns = fma_columns<gemv_unchanged>;
  static constexpr int row_vectors = 1;
  static HWY_INLINE V widen(V run) { return run; }
  static HWY_INLINE void unpack(V run, V (&to)[row_vectors]) { to[0] = run; }
};

struct gemv_float16 : gemv_from_zero<gemv_float16, float> {
  using element = float16;
  using stored = std::uint16_t;
  using arithmetic = plus_times_lanes<float>;
  using V = typename arithmetic::vector;
  using row_run = hn::Rebind<std::uint16_t, arithmetic::tag>;
  using column_run = row_run;
  using columns = fma_columns<gemv_float16>;
  static constexpr int row_vectors = 1;
  static HWY_INLINE V widen(hn::Vec<row_run> run) { return widen_float16(arithmetic::tag(), run); }
  static HWY_INLINE void unpack(hn::Vec<row_run> run, V (&to)[row_vectors]) { to[0] = widen(run); }
};

/// By rows, elements of even and of odd k apart, which takes no shuffle.
struct gemv_bfloat16 : gemv_from_zero<gemv_bfloat16, float> {
  using element = bfloat16;
  using stored = std::uint16_t;
  using arithmetic = plus_times_lanes<float>;
  using V = typename arithmetic::vector;
  using row_run = hn::ScalableTag<std::uint16_t>;
  using column_run = hn::Rebind<std::uint16_t, arithmetic::tag>;
  using columns = fma_columns<gemv_bfloat16>;
  static constexpr int row_vectors = 2;
  static HWY_INLINE V widen(hn::Vec<column_run> run) {
    hn::RebindToUnsigned<arithmetic::tag> const d32;
    return hn::BitCast(arithmetic::tag(), hn::ShiftLeft<16>(hn::PromoteTo(d32, run)));
  }
  static HWY_INLINE void unpack(hn::Vec<row_run> run, V (&to)[row_vectors]) {
    hn::RebindToUnsigned<arithmetic::tag> const d32;
    auto const pairs = hn::BitCast(d32, run);
    to[0] = hn::BitCast(arithmetic::tag(), hn::ShiftLeft<16>(pairs));
    to[1] = hn::BitCast(arithmetic::tag(), hn::And(pairs, hn::Set(d32, 0xffff0000u)));
  }
};

/// Bytes widened to pairs of 16-bit integers. By rows, even and odd k apart.
template <class Byte>
struct gemv_int16_pairs : gemv_from_zero<gemv_int16_pairs<Byte>, std::int32_t> {
  using element = Byte;
  using stored = Byte;
  using wide = std::conditional_t<std::is_signed_v<Byte>, std::int16_t, std::uint16_t>;
  using arithmetic = dot_int16_pairs;
  using D = arithmetic::tag;
  using V = arithmetic::vector;
  using row_run = hn::ScalableTag<Byte>;
  using column_run = hn::Rebind<Byte, hn::ScalableTag<wide>>;
  static constexpr int row_vectors = 2;
  static HWY_INLINE void unpack(hn::Vec<row_run> run, V (&to)[row_vectors]) {
    hn::ScalableTag<wide> const d16;
    auto const both = hn::BitCast(d16, run);
    to[0] = hn::BitCast(D(), hn::ShiftRight<8>(hn::ShiftLeft<8>(both)));
    to[1] = hn::BitCast(D(), hn::ShiftRight<8>(both));
  }

  struct columns {
    static constexpr int vectors = 2;
    V factors[2];

    HWY_INLINE columns(Byte const* x, int steps) {
      std::int16_t wide_x[columns_per_pass] = {};
      for (int s = 0; s < steps; ++s) wide_x[s] = x[s];
      for (int n = 0; n < 2; ++n) {
        std::int32_t pair;
        std::memcpy(&pair, wide_x + 2 * n, sizeof(pair));
        factors[n] = hn::Set(D(), pair);
      }
    }
    template <class Load>
    HWY_INLINE void add(V (&acc)[vectors], int, Load const& load) const {
      hn::ScalableTag<wide> const d16;
#pragma GCC unroll 2
      for (int n = 0; n < 2; ++n) {
        auto const even = hn::PromoteTo(d16, load(2 * n));
        auto const odd = hn::PromoteTo(d16, load(2 * n + 1));
        auto const lower = hn::BitCast(D(), hn::InterleaveLower(d16, even, odd));
        auto const upper = hn::BitCast(D(), hn::InterleaveUpper(d16, even, odd));
        acc[0] = arithmetic::accumulate(acc[0], lower, factors[n]);
        acc[1] = arithmetic::accumulate(acc[1], upper, factors[n]);
      }
    }
  };
};

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
/// Byte quads for vpdpbusd, which multiplies unsigned by signed bytes. The matrix's top bits are
/// flipped, which offsets its elements by 128. Accumulators start from minus that offset times the
/// vector.
template <class Byte>
struct gemv_byte_quads {
  using element = Byte;
  using stored = std::uint8_t;
  using arithmetic = dot_byte_quads<std::is_signed_v<Byte>>;
  using D = typename arithmetic::tag;
  using V = typename arithmetic::vector;
  using row_run = hn::ScalableTag<std::uint8_t>;
  using column_run = row_run;
  static constexpr int row_vectors = 1;
  static std::int32_t initial(Byte const* x, index k_extent) {
    std::uint32_t sum = 0;  // wraps around
    for (index p = 0; p < k_extent; ++p) sum += static_cast<std::uint32_t>(std::int32_t{x[p]});
    sum *= 128;
    return static_cast<std::int32_t>(std::is_signed_v<Byte> ? 0 - sum : sum);
  }
  static HWY_INLINE void unpack(hn::Vec<row_run> run, V (&to)[row_vectors]) {
    to[0] = hn::BitCast(D(), run);
  }
  static HWY_INLINE hn::Vec<row_run> flipped(hn::Vec<row_run> run) {
    return hn::Xor(run, hn::Set(row_run(), 0x80));
  }
  static HWY_INLINE void unpack_matrix(hn::Vec<row_run> run, V (&to)[row_vectors]) {
    unpack(flipped(run), to);
  }

  struct columns {
    static constexpr int vectors = 4;
    V factor;

    HWY_INLINE columns(Byte const* x, int steps) {
      std::int32_t quad = 0;
      std::memcpy(&quad, x, static_cast<std::size_t>(steps));
      factor = hn::Set(D(), quad);
    }
    template <class Load>
    HWY_INLINE void add(V (&acc)[vectors], int, Load const& load) const {
      hn::Vec<row_run> const runs[] = {flipped(load(0)), flipped(load(1)), flipped(load(2)),
                                       flipped(load(3))};
      hn::Vec<row_run> quads[4];
      interleave_4(row_run(), runs, quads);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v)
        acc[v] = arithmetic::accumulate(acc[v], hn::BitCast(D(), quads[v]), factor);
    }
  };
};
#endif

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
