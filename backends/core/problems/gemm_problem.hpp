// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The problem of gemm: typed operands, scalars, semiring and epilogue. Loading an element and
// storing a result are defined here, once for all backends.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class T>
struct strided_batch {
  T* data;
  index batch_stride;
  index row_stride;
  index col_stride;

  XPOSE_HOST_DEVICE T& at(index b, index i, index j) const {
    return data[b * batch_stride + i * row_stride + j * col_stride];
  }
};

/// The stride of a dimension of extent 1 addresses nothing, yet kernels tell K-major from MN-major
/// by it and compute its bytes. A stride too large for any memory becomes 0, since its bytes would
/// overflow; others are kept: an n x 1 matrix with strides 1, 1 suits either order.
inline index countable_stride(index extent, index stride) {
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 40;
  // One comparison instead of two: a gemm calls this nine times.
  bool const is_countable = static_cast<std::uint64_t>(stride) + most_elements <= 2 * most_elements;
  return extent > 1 || is_countable ? stride : 0;
}

template <class T>
strided_batch<T> typed(operand const& o) {
  return {static_cast<T*>(const_cast<void*>(o.data)), countable_stride(o.batch, o.batch_stride),
          countable_stride(o.rows, o.row_stride), countable_stride(o.cols, o.col_stride)};
}

/// alpha and beta in the accumulate type, with the special values that kernels skip work for.
template <class K>
struct gemm_scalars {
  K alpha;
  K beta;
  bool alpha_is_one;
  bool alpha_is_zero;
  bool beta_is_zero;
};

template <class T, class = void>
struct has_equality : std::false_type {};
template <class T>
struct has_equality<T, std::void_t<decltype(std::declval<T const&>() == std::declval<T const&>())>>
    : std::true_type {};

/// a == b, or false for a user type without ==: then alpha and beta are always applied.
template <class T>
bool same_value(T const& a, T const& b) {
  if constexpr (has_equality<T>::value) return a == b;
  else return false;
}

/// Calls a user's epilogue with the accumulate type that the user named: std::complex, not the
/// kernels' complex_value.
template <class Accumulate, class F>
struct typed_epilogue {
  XPOSE_CALLS_USER_CODE
  template <class K>
  XPOSE_HOST_DEVICE auto operator()(K const& x, index i, index j) const {
    if constexpr (std::is_same_v<kernel_type_t<Accumulate>, Accumulate>)
      return as_kernel_value(call(static_cast<Accumulate>(x), i, j));
    else return as_kernel_value(call(bits_as<Accumulate>(x), i, j));
  }
  F f;

 private:
  XPOSE_CALLS_USER_CODE
  template <class T>
  XPOSE_HOST_DEVICE auto call(T const& x, index i, index j) const {
    if constexpr (std::is_invocable_v<F const&, T const&, index, index>) return f(x, i, j);
    else return f(x);
  }
};

/// No epilogue: the accumulator is stored unchanged.
struct no_epilogue {
  template <class K>
  XPOSE_HOST_DEVICE K const& operator()(K const& x, index, index) const {
    return x;
  }
};

/// x as an element of C. A GPU rounds to 16 bits by one instruction, which makes all NaNs alike; to
/// keep the bits of a NaN, as cast does, would cost seven instructions an element.
template <class C, class X>
XPOSE_HOST_DEVICE C stored_as(X const& x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<X, float> && std::is_same_v<C, float16>) {
    C rounded;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded.bits) : "f"(x));
    return rounded;
  } else if constexpr (std::is_same_v<X, float> && std::is_same_v<C, bfloat16>) {
    C rounded;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded.bits) : "f"(x));
    return rounded;
  } else
#endif
    return cast<C>{}(x);
}

template <class A, class B, class C, class K, class Semiring, class Epilogue>
struct gemm_problem {
  using a_type = A;
  using b_type = B;
  using c_type = C;
  using accumulate_type = K;
  using semiring_type = Semiring;
  using epilogue_type = Epilogue;

  strided_batch<A const> a;
  strided_batch<B const> b;
  strided_batch<C> c;
  index batch;
  index rows;
  index cols;
  index k_extent;  // 0 also when alpha is zero: A and B are then never read
  bool conjugate_a;
  bool conjugate_b;
  gemm_scalars<K> scalars;
  Semiring semiring;
  Epilogue epilogue;

  XPOSE_CALLS_USER_CODE
  XPOSE_HOST_DEVICE K zero() const { return zero_of<K>(semiring); }

  XPOSE_HOST_DEVICE K read_a(A const& element) const { return read(element, conjugate_a); }
  XPOSE_HOST_DEVICE K read_b(B const& element) const { return read(element, conjugate_b); }
  XPOSE_HOST_DEVICE K read_a(index batch_index, index i, index p) const {
    return read_a(a.at(batch_index, i, p));
  }
  XPOSE_HOST_DEVICE K read_b(index batch_index, index p, index j) const {
    return read_b(b.at(batch_index, p, j));
  }

  /// sum + x * y in the semiring.
  XPOSE_CALLS_USER_CODE
  XPOSE_HOST_DEVICE K accumulate(K const& sum, K const& x, K const& y) const {
    return semiring.add(sum, semiring.multiply(x, y));
  }

  /// Stores epilogue(alpha sum + beta C).
  XPOSE_CALLS_USER_CODE
  XPOSE_HOST_DEVICE void write(index batch_index, index i, index j, K const& sum) const {
    write_to(c.at(batch_index, i, j), scalars, i, j, sum);
  }
  /// The same with the address of the element, and the scalars as `known` where the compiler sees
  /// that no store changes them.
  XPOSE_CALLS_USER_CODE
  XPOSE_HOST_DEVICE void write_to(C& target, gemm_scalars<K> const& known, index i, index j,
                                  K const& sum) const {
    target = stored_as<C>(epilogue(scaled(target, known, sum), i, j));
  }
  /// alpha sum + beta C, in the semiring.
  XPOSE_CALLS_USER_CODE
  XPOSE_HOST_DEVICE K scaled(C const& target, gemm_scalars<K> const& known, K sum) const {
    if (!known.alpha_is_one) sum = semiring.multiply(known.alpha, sum);
    // A C that does not convert to K is only written; the overload with beta refuses it at compile
    // time.
    if constexpr (std::is_constructible_v<K, C const&>)
      if (!known.beta_is_zero)
        sum = semiring.add(sum, semiring.multiply(known.beta, cast<K>{}(target)));
    return sum;
  }

 private:
  XPOSE_CALLS_USER_CODE
  template <class T>
  XPOSE_HOST_DEVICE static K read(T const& element, bool is_conjugated) {
    K const x = cast<K>{}(element);
    return is_conjugated ? scalar_traits<K>::conj(x) : x;
  }
};

template <class A, class B, class C, class K, class Semiring, class Epilogue>
gemm_problem<A, B, C, K, Semiring, Epilogue> make_problem(gemm_request const& r,
                                                          Semiring const& semiring,
                                                          Epilogue const& epilogue) {
  index const k_extent = r.alpha_is_zero ? index{0} : r.a.cols;
  // An empty sum is zero whatever alpha is: a NaN or infinite alpha must not turn it into NaN.
  gemm_scalars<K> const scalars{*static_cast<K const*>(r.alpha), *static_cast<K const*>(r.beta),
                                r.alpha_is_one || k_extent == 0, r.alpha_is_zero, r.beta_is_zero};
  return {typed<A const>(r.a),
          typed<B const>(r.b),
          typed<C>(r.c),
          r.c.batch,
          r.c.rows,
          r.c.cols,
          k_extent,
          r.a.conjugated,
          r.b.conjugated,
          scalars,
          semiring,
          epilogue};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
