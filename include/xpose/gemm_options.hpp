// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// options(): what gemm does beyond alpha A B + beta C.
#pragma once

#include <xpose/functional.hpp>
#include <xpose/gemm_precision.hpp>
#include <xpose/semiring.hpp>

namespace xpose {
inline namespace v0 {

/// A value; each member returns a changed copy: options().accumulate<float>().epilogue(relu{}).
/// Accumulate = void stands for the default of the element types.
template <class Accumulate = void, class Epilogue = identity, class Semiring = plus_times>
class gemm_options {
 public:
  using accumulate_type = Accumulate;
  using epilogue_type = Epilogue;
  using semiring_type = Semiring;

  constexpr gemm_options() : epilogue_(), semiring_() {}
  constexpr gemm_options(Epilogue const& epilogue, Semiring const& semiring,
                         gemm_precision precision = gemm_precision::full)
      : epilogue_(epilogue), semiring_(semiring), precision_(precision) {}

  /// Sums, alpha and beta in T.
  template <class T>
  constexpr gemm_options<T, Epilogue, Semiring> accumulate() const {
    return {epilogue_, semiring_, precision_};
  }

  /// What is stored is f(x) or f(x, i, j), with x = alpha A B + beta C in the accumulate type,
  /// converted to C's type.
  template <class F>
  constexpr gemm_options<Accumulate, F, Semiring> epilogue(F f) const {
    return {f, semiring_, precision_};
  }

  /// Adds and multiplies with s in place of plus and times.
  template <class S>
  constexpr gemm_options<Accumulate, Epilogue, S> over(S const& s) const {
    return {epilogue_, s, precision_};
  }

  /// full, fast_f32, tf32 or three_products: see gemm_precision.
  constexpr gemm_options precision(gemm_precision p) const { return {epilogue_, semiring_, p}; }

  constexpr Epilogue const& epilogue() const { return epilogue_; }
  constexpr Semiring const& semiring() const { return semiring_; }
  constexpr gemm_precision precision() const { return precision_; }

 private:
  Epilogue epilogue_;
  Semiring semiring_;
  gemm_precision precision_ = gemm_precision::full;
};

/// Nothing special; the start of a chain.
constexpr gemm_options<> options() { return {}; }

namespace detail {
template <class T>
struct is_gemm_options : std::false_type {};
template <class Accumulate, class Epilogue, class Semiring>
struct is_gemm_options<gemm_options<Accumulate, Epilogue, Semiring>> : std::true_type {};
}  // namespace detail

}  // namespace v0
}  // namespace xpose
