// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Complex GEMV, for one Highway target: each element of the matrix is read once, in place, as a
// pair of real lanes (re, im). Assumes what gemv-inl.h does. Conjugation costs nothing: it is in
// the signs of the vector's factors, or of the lanes that are added at the end.

#if defined(XPOSE_OMP_GEMM_GEMV_COMPLEX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_GEMV_COMPLEX_INL
#undef XPOSE_OMP_GEMM_GEMV_COMPLEX_INL
#else
#define XPOSE_OMP_GEMM_GEMV_COMPLEX_INL
#endif

#include <xpose/backends/omp/gemm/kernel/gemv-inl.h>

HWY_BEFORE_NAMESPACE();
namespace xpose::detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// (even, odd, even, odd, ...)
template <class D, class T>
HWY_INLINE hn::Vec<D> alternating(D d, T even, T odd) {
  return hn::OddEven(hn::Set(d, odd), hn::Set(d, even));
}

/// Some rows with contiguous k. `same` accumulates (re, im) times the vector's (re, im), `crossed`
/// times its (im, re), lane by lane. The real part is same's even lanes minus its odd ones, the
/// imaginary part all lanes of crossed.
template <class Real, int Rows>
HWY_INLINE void complex_gemv_of_rows(gemv_args const& args, index first) {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  Real const* const x = reinterpret_cast<Real const*>(args.vector);
  Real const* rows[Rows];
  V same[Rows];
  V crossed[Rows];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    rows[r] = reinterpret_cast<Real const*>(args.matrix + (first + r) * args.pitch);
    same[r] = crossed[r] = hn::Zero(d);
  }
  auto const multiply_run = [&](index n, auto const& load) HWY_ATTR __attribute__((always_inline)) {
    V const y = load(x + n);
    V const exchanged = hn::Reverse2(d, y);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      V const z = load(rows[r] + n);
      hwy::Prefetch(reinterpret_cast<char const*>(rows[r] + n) + row_prefetch_bytes);
      same[r] = mul_add(same[r], z, y);
      crossed[r] = mul_add(crossed[r], z, exchanged);
    }
  };
  index const count = 2 * args.k_extent;
  index n = 0;
  for (; n + lanes <= count; n += lanes)
    multiply_run(n, [&](Real const* from) HWY_ATTR { return hn::LoadU(d, from); });
  if (n < count) {
    masked_edge<D> const rest(count - n);
    multiply_run(n, [&](Real const* from) HWY_ATTR { return rest.load(from); });
  }

  Real const minus = Real(-0.0);
  bool const one_is_conjugated = args.matrix_is_conjugated != args.vector_is_conjugated;
  V const re_signs = alternating(d, Real(0), one_is_conjugated ? Real(0) : minus);
  V const im_signs = alternating(d, args.vector_is_conjugated ? minus : Real(0),
                                 args.matrix_is_conjugated ? minus : Real(0));
  Real* const results = reinterpret_cast<Real*>(args.accumulators) + 2 * first;
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    // Adding 0 makes -0 positive: a sum of negated zeros would be negative.
    results[2 * r] = Real(0) + hn::GetLane(hn::SumOfLanes(d, hn::Xor(same[r], re_signs)));
    results[2 * r + 1] = Real(0) + hn::GetLane(hn::SumOfLanes(d, hn::Xor(crossed[r], im_signs)));
  }
}

template <class Real>
void complex_gemv_by_rows(gemv_args const& args) {
  index i = 0;
  for (; i + 4 <= args.rows; i += 4) complex_gemv_of_rows<Real, 4>(args, i);
  for (; i < args.rows; ++i) complex_gemv_of_rows<Real, 1>(args, i);
}

/// Contiguous columns: each sum is one chain over ascending k, four columns a pass.
template <class Real>
void complex_gemv_by_columns(gemv_args const& args) {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  Real const* const x = reinterpret_cast<Real const*>(args.vector);
  Real* const results = reinterpret_cast<Real*>(args.accumulators);
  index const count = 2 * args.rows;
  index const full = count / lanes * lanes;
  masked_edge<D> const rest(std::max<index>(1, count - full));
  Real const matrix_sign = args.matrix_is_conjugated ? -1 : 1;
  Real const vector_sign = args.vector_is_conjugated ? -1 : 1;
  std::fill_n(results, count, Real(0));

  for (index p = 0; p < args.k_extent; p += columns_per_pass) {
    int const steps = static_cast<int>(std::min<index>(columns_per_pass, args.k_extent - p));
    Real const* column[columns_per_pass];
    V straight[columns_per_pass];  // factors of (re, im) and of the swapped (im, re)
    V crossed[columns_per_pass];
    for (int s = 0; s < steps; ++s) {
      column[s] = reinterpret_cast<Real const*>(args.matrix + (p + s) * args.pitch);
      Real const re = x[2 * (p + s)];
      Real const im = vector_sign * x[2 * (p + s) + 1];
      straight[s] = alternating(d, re, matrix_sign * re);
      crossed[s] = alternating(d, -matrix_sign * im, im);
    }
    auto const add = [&](V acc, int known_steps, auto const& load) HWY_ATTR
        __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (int s = 0; s < known_steps; ++s) {
        V const z = load(s);
        acc = mul_add(acc, z, straight[s]);
        acc = mul_add(acc, hn::Reverse2(d, z), crossed[s]);
      }
      return acc;
    };
    auto const add_full = [&](int known_steps) HWY_ATTR __attribute__((always_inline)) {
      for (index n = 0; n < full; n += lanes)
        hn::StoreU(add(hn::LoadU(d, results + n), known_steps,
                       [&](int s) HWY_ATTR {
                         hwy::Prefetch(reinterpret_cast<char const*>(column[s] + n) +
                                       column_prefetch_bytes);
                         return hn::LoadU(d, column[s] + n);
                       }),
                   d, results + n);
    };
    if (steps == columns_per_pass) add_full(columns_per_pass);
    else add_full(steps);
    if (full < count)
      rest.store(add(rest.load(results + full), steps,
                     [&](int s) HWY_ATTR { return rest.load(column[s] + full); }),
                 results + full);
  }
}

template <class Real>
constexpr gemm_kernel with_complex_gemv(gemm_kernel k) {
  k.element_bytes = 2 * sizeof(Real);
  k.gemv_rows = complex_gemv_by_rows<Real>;
  k.gemv_columns = complex_gemv_by_columns<Real>;
  return k;
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xpose::detail
HWY_AFTER_NAMESPACE();

#endif
