// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The epilogue of a neural network's layer: scale, bias and activation, in the pass that stores C.
#pragma once

#include <xpose/detail/request.hpp>

#include <cmath>

namespace xpose {
inline namespace v0 {

/// x -> x; x -> max(x, 0), a NaN stays one; x -> x / 2 (1 + erf(x / sqrt 2)).
enum class activation : int { none, relu, gelu };

namespace detail {

/// float: a rational function, which compilers turn into vectors (std::erf they do not); at most
/// 4e-7 from erf.
template <class T>
XPOSE_HOST_DEVICE T erf_of(T x) {
  if constexpr (std::is_same_v<T, float>) {
    constexpr float edge = 3.925F;  // from there on erf rounds to 1
    float const c = x > edge ? edge : x < -edge ? -edge : x;
    float const t = c * c;
    float const p =
        c * (1.12837911F +
             t * (0.190582499F +
                  t * (0.0527676083F +
                       t * (0.00377201592F + t * (0.000284823152F + t * 2.04600315e-06F)))));
    float const q =
        1.0F +
        t * (0.502232075F +
             t * (0.11417789F + t * (0.0149821294F + t * (0.00116371294F + t * 3.80464589e-05F))));
#ifdef __CUDA_ARCH__
    float const r = __fdividef(p, q);  // q is 1 to 200; an IEEE division has a branch
#else
    float const r = p / q;
#endif
    return r > 1.0F ? 1.0F : r < -1.0F ? -1.0F : r;
  } else {
    using std::erf;
    return erf(x);
  }
}

template <class T>
XPOSE_HOST_DEVICE T activated(activation f, T x) {
  if (f == activation::relu) return x < T(0) ? T(0) : x;
  if (f == activation::gelu) return T(0.5) * x * (T(1) + erf_of(x * T(0.70710678118654752440)));
  return x;
}

/// A layer_epilogue as it crosses into the library. Operands without data are left out.
struct layer_request {
  operand scale;
  operand bias;
  activation last;
};

/// A matrix whose single row or column repeats: its stride is 0.
template <class T>
struct repeated_matrix {
  T const* data = nullptr;
  index rows = 0;
  index cols = 0;
  index row_stride = 0;
  index col_stride = 0;

  constexpr repeated_matrix() noexcept = default;
  explicit repeated_matrix(operand const& o) noexcept
      : data(static_cast<T const*>(o.data)),
        rows(o.rows),
        cols(o.cols),
        row_stride(o.rows > 1 ? o.row_stride : 0),
        col_stride(o.cols > 1 ? o.col_stride : 0) {}
  XPOSE_HOST_DEVICE T const& at(index i, index j) const {
    return data[i * row_stride + j * col_stride];
  }
  operand given() const {
    return make_operand(matrix_view<T const>(data, rows, cols, strided{row_stride, col_stride}), 1,
                        0);
  }
};

}  // namespace detail

/// What gemm stores is activation(scale(i, j) x + bias(i, j)), with x = alpha A B + beta C:
///     auto const relu = xp::layer_epilogue<float>().bias(b).activate(xp::activation::relu);
///     xp::gemm(xp::omp, A, B, C, xp::options().epilogue(relu));
/// T is C's element type. It is calculated in the accumulate type, for integers in float. Scale and
/// bias have one row or C's rows, one column or C's columns; a single one repeats, in every matrix
/// of a batch. They must live where C does, and apart from it. No semiring but plus_times; real
/// numbers. The library has it compiled for f32, f64, f16, bf16, and A and B of i8 with C of f32;
/// other types are compiled where you call, as an epilogue of yours is.
template <class T>
class layer_epilogue {
  static_assert(std::is_floating_point_v<T> || detail::is_short_real<detail::kernel_type_t<T>>,
                "xpose: a layer_epilogue is of floating-point numbers");

 public:
  constexpr layer_epilogue() noexcept = default;
  /// \cond  The library's side.
  explicit layer_epilogue(detail::layer_request const& r) noexcept
      : scale_(r.scale), bias_(r.bias), last_(r.last) {}
  /// The operands as gemm checks them.
  detail::layer_request request() const { return {scale_.given(), bias_.given(), last_}; }
  XPOSE_HOST_DEVICE detail::repeated_matrix<T> const& scale() const { return scale_; }
  XPOSE_HOST_DEVICE detail::repeated_matrix<T> const& bias() const { return bias_; }
  XPOSE_HOST_DEVICE activation last() const { return last_; }
  XPOSE_HOST_DEVICE bool is_identity() const {
    return scale_.data == nullptr && bias_.data == nullptr && last_ == activation::none;
  }
  template <class Change>
  layer_epilogue with_operands(Change const& change) const {
    layer_epilogue changed = *this;
    changed.scale_ = change(scale_);
    changed.bias_ = change(bias_);
    return changed;
  }
  /// \endcond

  layer_epilogue scale(matrix_view<T const> s) const { return with(&layer_epilogue::scale_, s); }
  layer_epilogue bias(matrix_view<T const> b) const { return with(&layer_epilogue::bias_, b); }
  layer_epilogue activate(activation f) const {
    layer_epilogue changed = *this;
    changed.last_ = f;
    return changed;
  }

  template <class X>
  XPOSE_HOST_DEVICE auto operator()(X const& x, index i, index j) const {
    using W = std::conditional_t<std::is_integral_v<X>, float, X>;
    W y = static_cast<W>(x);
    if (scale_.data != nullptr) y *= cast<W>{}(scale_.at(i, j));
    if (bias_.data != nullptr) y += cast<W>{}(bias_.at(i, j));
    return detail::activated(last_, y);
  }

 private:
  using operand_type = detail::repeated_matrix<T>;

  layer_epilogue with(operand_type layer_epilogue::*operand, matrix_view<T const> view) const {
    layer_epilogue changed = *this;
    changed.*operand = operand_type(detail::make_operand(view, 1, 0));
    return changed;
  }

  operand_type scale_;
  operand_type bias_;
  activation last_ = activation::none;
};

namespace detail {
template <class T>
struct is_layer_epilogue<layer_epilogue<T>> : std::true_type {
  using element_type = T;
};
}  // namespace detail

}  // namespace v0
}  // namespace xpose
