// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The split-K reduction of one tile, for one Highway target: adds the partial accumulators of a
// later range of k. Assumes rows whose elements are contiguous.

#if defined(XPOSE_OMP_GEMM_SPLIT_K_REDUCE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_SPLIT_K_REDUCE_INL
#undef XPOSE_OMP_GEMM_SPLIT_K_REDUCE_INL
#else
#define XPOSE_OMP_GEMM_SPLIT_K_REDUCE_INL
#endif

#include <xpose/backends/omp/gemm/kernel/arithmetic-inl.h>
#include <xpose/backends/omp/gemm/kernel/masked_edge-inl.h>
#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace xpose::detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// LanesOfSum: lanes of one accumulator, two for a complex number.
template <class Arithmetic, int LanesOfSum>
void split_k_reduce_rows(split_k_partials const& args) {
  using D = typename Arithmetic::tag;
  using T = hn::TFromD<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  index const count = args.cols * LanesOfSum;
  index const full = count / lanes * lanes;
  masked_edge<D> const rest(std::max<index>(1, count - full));
  for (index i = 0; i < args.rows; ++i) {
    T* const acc = reinterpret_cast<T*>(args.accumulators + i * args.pitch);
    T const* const partials = reinterpret_cast<T const*>(args.partials + i * args.pitch);
    for (index n = 0; n < full; n += lanes)
      hn::StoreU(Arithmetic::add(hn::LoadU(d, acc + n), hn::LoadU(d, partials + n)), d, acc + n);
    if (full < count)
      rest.store(Arithmetic::add(rest.load(acc + full), rest.load(partials + full)), acc + full);
  }
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xpose::detail
HWY_AFTER_NAMESPACE();

#endif
