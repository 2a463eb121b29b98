// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// options(): what gemm does beyond alpha A B + beta C.
#pragma once

#include <xpose/functional.hpp>
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
  constexpr gemm_options(Epilogue const& epilogue, Semiring const& semiring)
      : epilogue_(epilogue), semiring_(semiring) {}

  /// Sums, alpha and beta in T.
  template <class T>
  constexpr gemm_options<T, Epilogue, Semiring> accumulate() const {
    return {epilogue_, semiring_};
  }

  /// What is stored is f(x) or f(x, i, j), with x = alpha A B + beta C in the accumulate type,
  /// converted to C's type.
  template <class F>
  constexpr gemm_options<Accumulate, F, Semiring> epilogue(F f) const {
    return {f, semiring_};
  }

  /// Adds and multiplies with s in place of plus and times.
  template <class S>
  constexpr gemm_options<Accumulate, Epilogue, S> over(S const& s) const {
    return {epilogue_, s};
  }

  constexpr Epilogue const& epilogue() const { return epilogue_; }
  constexpr Semiring const& semiring() const { return semiring_; }

 private:
  Epilogue epilogue_;
  Semiring semiring_;
};

/// Nothing special; the start of a chain.
constexpr gemm_options<> options() {
  return {};
}

namespace detail {
template <class T>
struct is_gemm_options : std::false_type {};
template <class Accumulate, class Epilogue, class Semiring>
struct is_gemm_options<gemm_options<Accumulate, Epilogue, Semiring>> : std::true_type {};
}  // namespace detail

}  // namespace v0
}  // namespace xpose
