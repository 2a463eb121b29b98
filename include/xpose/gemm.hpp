// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/detail/gemm_dispatch.hpp>
#include <xpose/detail/wrong_call.hpp>
#include <xpose/gemm_options.hpp>

namespace xpose {
inline namespace v0 {

/// C(i, j) = epilogue(sum over k of A(i, k) * B(k, j)), for every matrix of a batch; sum and
/// product are the options' semiring. A is m x k, B is k x n, C is m x n: matrix_view or batch_view
/// of any strides; op() is .transposed() and conjugated() on the view. With a batch C, a
/// matrix_view A or B is used for every matrix. Requires elements of C distinct and memory of C
/// disjoint from A and B. C is never read. Sums in the accumulate type (options().accumulate<T>();
/// default: float for float16, bfloat16 and the float8s, int32 for 1-byte and int64 for 2-byte
/// integers, else the element type), in an order that the operands' extents, strides and types,
/// an epilogue and the instruction set decide, never the thread count. Error at most gamma_k |A||B|
/// in that type; of float8 on cuda devices of capability 90 2^-10 |A||B|; with
/// options().precision(..) what gemm_precision says; omp may take bfloat16, and its sums, below
/// 2^-126 for zeros. Throws shape_error, layout_error, alias_error, residency_error, backend_error
/// before any work; cuda_error from the device. Returns when C is ready unless the policy says
/// nosync. Cost: 2 m n k operations. cuda takes memory from the policy's pool, else from xpose's:
/// for split-K partial sums (256 MB at most), for accumulators of fast_f32's tiles that blocks
/// share (64 KiB for each multiprocessor), for copies (up to 1 GiB each) of 1- and 2-byte operands
/// without aligned rows, of 1-byte operands that are not K-major (on capability 90 one of two of
/// integers), of large double operands without aligned rows, and for any precision() but full;
/// std::bad_alloc if there is none, never other bits. omp packs A and B in blocks of up to 8 MB
/// each, and keeps sums that C cannot hold (2048x2048 at most), in memory that it takes before it
/// writes (std::bad_alloc) and that the calling thread keeps for its next call: up to 24 MB, twice,
/// for each thread of the team and once more.
template <class Policy, class A, class B, class C, class Options = gemm_options<>,
          class = detail::enable_if_gemm<Policy, A, B, C, Options>>
void gemm(Policy const& policy, A const& a, B const& b, C const& c, Options const& options = {}) {
  using Accumulate = detail::accumulate_of<A, B, Options>;
  using K = detail::canonical_type_t<Accumulate>;
  detail::gemm_scalars<K> const scalars{K{}, K{}, true, false, true};
  detail::dispatch_gemm<A, B, C, Accumulate>(policy, a, b, c, scalars, options);
}

/// C(i, j) = epilogue(alpha * sum over k of A(i, k) * B(k, j) + beta * C(i, j)), in the accumulate
/// type and the options' semiring. alpha and beta convert to the accumulate type. BLAS's rules:
/// beta == 0 never reads C, alpha == 0 never reads A or B, k == 0 gives beta * C (0 being the
/// semiring's zero). Everything else as above.
template <class Policy, class Alpha, class A, class B, class Beta, class C,
          class Options = gemm_options<>, class = detail::enable_if_gemm<Policy, A, B, C, Options>>
void gemm(Policy const& policy, Alpha const& alpha, A const& a, B const& b, Beta const& beta,
          C const& c, Options const& options = {}) {
  using Accumulate = detail::accumulate_of<A, B, Options>;
  detail::require_gemm_scalars<Accumulate, Alpha, Beta, C>();
  detail::dispatch_gemm<A, B, C, Accumulate>(
      policy, a, b, c,
      detail::make_scalars(detail::gemm_scalar<Accumulate>(alpha),
                           detail::gemm_scalar<Accumulate>(beta), options.semiring()),
      options);
}

/// Any other call does not compile; the message says what to write.
template <class Policy, class... Arguments>
detail::wrong_call<operation::gemm, Policy, Arguments...> gemm(Policy const&, Arguments const&...) {
  return {};
}

}  // namespace v0
}  // namespace xpose
