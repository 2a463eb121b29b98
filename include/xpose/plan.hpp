// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/detail/planned_product.hpp>
#include <xpose/gemm.hpp>

namespace xpose {
inline namespace v0 {

namespace detail {
struct plan_maker;
}

/// A gemm of fixed extents, strides, types, policy and options, called with memory that changes:
///     auto const multiply = xpose::plan(xpose::omp, A, B, C);
///     for (..) multiply(a, b, c);   // where A, B and C would begin
/// plan() makes it. Copyable; calls of several threads at once are safe where gemm's are. It keeps
/// the policy and the options; a stream or a pool that these refer to has to outlive it.
template <class Policy, class A, class B, class C, class K, class Options>
class gemm_plan {
  static_assert(detail::is_in_library<A, B, C, K, Options>,
                "xpose: a plan is for types, semirings and epilogues that are compiled into xpose; "
                "call gemm for your own");
  static_assert(!detail::is_iterator_view<A> && !detail::is_iterator_view<B> &&
                    !detail::is_iterator_view<C> && !detail::view_traits<C>::is_conjugated &&
                    !std::is_const_v<detail::element_of<C>>,
                "xpose: a plan's operands are those that gemm takes, its C neither const nor "
                "conjugated nor an iterator_view");
  static_assert(
      std::is_same_v<decltype(detail::execution_of(std::declval<Policy const&>(), nullptr)),
                     detail::execution>,
      "xpose: a plan's operands lie in one memory; under across() call gemm");
  using a_type = std::remove_const_t<detail::element_of<A>>;
  using b_type = std::remove_const_t<detail::element_of<B>>;
  using c_type = detail::element_of<C>;

 public:
  /// C = .. as gemm, in the memory of the views that the plan was made of.
  void operator()() const { run(request_.a.data, request_.b.data, request_.c.data); }

  /// The same in memory that begins at a, b and c, of the same kind: the host's, or the device's
  /// that the plan runs on. Throws layout_error (null where a view has elements) and alias_error
  /// before any work, then what gemm throws. Where the memory lies is not asked again, nor are
  /// extents compared: with a CUDA driver in the process gemm asks it about every operand.
  void operator()(a_type const* a, b_type const* b, c_type* c) const {
    refuse_null("A", a, request_.a);
    refuse_null("B", b, request_.b);
    refuse_null("C", c, request_.c);
    run(a, b, c);
  }

 private:
  friend detail::plan_maker;

  static void refuse_null(char const* name, void const* data, detail::operand const& o) {
    if (data == nullptr && !detail::is_empty(o)) detail::refuse_null_of_plan(name);
  }

  gemm_plan(Policy const& policy, A const& a, B const& b, C const& c,
            detail::gemm_scalars<K> const& scalars, Options const& options)
      : policy_(policy),
        scalars_(scalars),
        options_(options),
        request_(detail::gemm_request_of(a, b, c, scalars_, options)) {
    with_layer(request_, [&](detail::gemm_request const& r) {
      auto const where = detail::execution_of(policy_, nullptr);
      chosen_ = detail::choose_for_gemm(where, r);
      small_ = detail::plan_small_gemm(where, chosen_, r);
    });
  }

  template <class Run>
  void with_layer(detail::gemm_request& request, Run const& run) const {
    request.alpha = &scalars_.alpha;
    request.beta = &scalars_.beta;
    if constexpr (detail::is_layer_epilogue<typename Options::epilogue_type>::value) {
      detail::require_layer<C, Options>();
      auto const layer = options_.epilogue().request();
      request.layer = &layer;
      run(request);
    } else {
      run(request);
    }
  }

  void run(void const* a, void const* b, void const* c) const {
    if (small_.multiply != nullptr &&
        small_.multiply(small_, a, b, c, &scalars_.alpha, &scalars_.beta))
      return;
    detail::gemm_request request = request_;
    request.a.data = a;
    request.b.data = b;
    request.c.data = c;
    with_layer(request, [&](detail::gemm_request const& r) {
      detail::run_chosen_gemm(detail::execution_of(policy_, nullptr), chosen_, r);
    });
  }

  Policy policy_;  // Thrust's give their allocators by the policy's own address
  detail::gemm_scalars<K> scalars_;
  Options options_;
  detail::gemm_request request_;  // its scalars and layer are those of the call
  detail::chosen_backend chosen_;
  detail::planned_product small_;
};

namespace detail {
struct plan_maker {
  template <class Policy, class A, class B, class C, class K, class Options>
  static gemm_plan<Policy, A, B, C, K, Options> make(Policy const& policy, A const& a, B const& b,
                                                     C const& c, gemm_scalars<K> const& scalars,
                                                     Options const& options) {
    return {policy, a, b, c, scalars, options};
  }
};
}  // namespace detail

/// The gemm of this policy, these views and options, checked, and its backend and device chosen:
/// what gemm(policy, a, b, c, options) does before it multiplies. Throws what gemm throws before
/// any work. Nothing is computed. Calls of the plan have gemm's results to the bit. Of a small
/// product on the host, one of 64x64x64 say, the plan keeps the kernel and asks only for alignment
/// and overlap (until reload_environment(), after which calls are checked as gemm's): 4x4x4 of f32
/// takes 42 ns by gemm, 13 by a plan; 8x8x8 52, 20; 12x12x12 108, 75; 24x24x24 of f64 644, 614
/// (Zen 3).
template <class Policy, class A, class B, class C, class Options = gemm_options<>,
          class = detail::enable_if_gemm<Policy, A, B, C, Options>>
auto plan(Policy const& policy, A const& a, B const& b, C const& c, Options const& options = {}) {
  using K = detail::canonical_type_t<detail::accumulate_of<A, B, Options>>;
  detail::gemm_scalars<K> const scalars{K{}, K{}, true, false, true};
  return detail::plan_maker::make(policy, a, b, c, scalars, options);
}

/// The same of gemm(policy, alpha, a, b, beta, c, options).
template <class Policy, class Alpha, class A, class B, class Beta, class C,
          class Options = gemm_options<>, class = detail::enable_if_gemm<Policy, A, B, C, Options>>
auto plan(Policy const& policy, Alpha const& alpha, A const& a, B const& b, Beta const& beta,
          C const& c, Options const& options = {}) {
  using Accumulate = detail::accumulate_of<A, B, Options>;
  detail::require_gemm_scalars<Accumulate, Alpha, Beta, C>();
  return detail::plan_maker::make(
      policy, a, b, c,
      detail::make_scalars(detail::gemm_scalar<Accumulate>(alpha),
                           detail::gemm_scalar<Accumulate>(beta), options.semiring()),
      options);
}

}  // namespace v0
}  // namespace xpose
