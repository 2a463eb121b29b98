// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// layer_epilogue in kernels. Applied wherever a kernel stores C, it took ptxas 6 to 15 minutes a
// type; kernels of their own would double the library. Hence it is a value of the same kernels,
// applied in few of them: wgmma's (sm90/layer.cuh, sm90/staged_epilogue.cuh), where a
// cluster adds splits of k (sm90/cluster_reduction.cuh), and the split-K reduction (split_k.cuh),
// to which every other kernel hands its accumulators, as one split if need be. That costs a pass
// over C: 1.5 % of 4096x4096x4096 of f32.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/detail/compiled_gemm.hpp>
#include <xpose/layer_epilogue.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The epilogue of a compiled problem: as none, where a kernel stores C.
template <class T>
class deferred_layer : public no_epilogue {
 public:
  using element_type = T;

  deferred_layer() = default;
  explicit deferred_layer(layer_epilogue<T> const& layer) : layer_(layer) {}

  XPOSE_HOST_DEVICE bool is_given() const { return !layer_.is_identity(); }
  XPOSE_HOST_DEVICE layer_epilogue<T> const& layer() const { return layer_; }

  /// Of the part of C that begins at (i, j).
  deferred_layer at(index i, index j) const {
    return deferred_layer(layer_.with_operands([&](auto o) {
      if (o.data != nullptr) o.data += i * o.row_stride + j * o.col_stride;
      return o;
    }));
  }
  /// Of C^T.
  deferred_layer transposed() const {
    return deferred_layer(layer_.with_operands([](auto o) {
      std::swap(o.rows, o.cols);
      std::swap(o.row_stride, o.col_stride);
      return o;
    }));
  }

 private:
  layer_epilogue<T> layer_;
};

/// int32 accumulators become f32 in a layer, whose C has as many bytes.
template <class C>
using element_of_layer = std::conditional_t<std::is_same_v<C, std::int32_t>, float, C>;

template <class Types>
struct deferred_epilogue {
  using type = no_epilogue;
};
template <class A, class B, class C, class K>
struct deferred_epilogue<gemm_types<A, B, C, K, plus_times>> {
  using layer_type = element_of_layer<C>;
  using type = std::conditional_t<is_compiled_layer<gemm_types<A, B, layer_type, K>>,
                                  deferred_layer<layer_type>, no_epilogue>;
};

/// What a kernel has of a layer of types that the library has not compiled: the layer, deferred.
/// Integer accumulators have their layer where C is stored: of a wgmma kernel it would leave them
/// the bits of f32, which only C's of 4 bytes take.
template <class Problem>
Problem const& with_deferred_layer(Problem const& problem) {
  return problem;
}
template <class A, class B, class C, class K, class T, class Accumulate>
std::enable_if_t<std::is_floating_point_v<K>,
                 gemm_problem<A, B, C, K, plus_times, deferred_layer<C>>>
with_deferred_layer(
    gemm_problem<A, B, C, K, plus_times, typed_epilogue<Accumulate, layer_epilogue<T>>> const& p) {
  deferred_layer<C> const layer(layer_epilogue<C>(p.epilogue.f.request()));
  return {p.a,        p.b,           p.c,           p.batch,   p.rows,     p.cols,
          p.k_extent, p.conjugate_a, p.conjugate_b, p.scalars, p.semiring, layer};
}

/// The epilogue of the compiled problem of these types.
struct deferred_epilogue_of {
  template <class Types>
  typename deferred_epilogue<Types>::type operator()(gemm_request const& r, Types) const {
    using epilogue = typename deferred_epilogue<Types>::type;
    if constexpr (!std::is_same_v<epilogue, no_epilogue>)
      if (r.layer != nullptr) return make(*r.layer, epilogue{});
    return {};
  }

 private:
  template <class T>
  static deferred_layer<T> make(layer_request const& r, deferred_layer<T>) {
    return deferred_layer<T>(layer_epilogue<T>(r));
  }
};

template <class Epilogue>
constexpr bool may_have_layer = false;
template <class T>
constexpr bool may_have_layer<deferred_layer<T>> = true;

/// Whether a kernel may store alpha A B + beta C as it is, wherever in C.
template <class Problem>
constexpr bool stores_plain = std::is_base_of_v<no_epilogue, typename Problem::epilogue_type>;

template <class Problem>
bool has_layer(Problem const& problem) {
  if constexpr (may_have_layer<typename Problem::epilogue_type>) return problem.epilogue.is_given();
  else return false;
}

/// The same product, whose epilogue is the layer.
template <class A, class B, class C, class K, class T>
XPOSE_HOST_DEVICE auto with_layer(
    gemm_problem<A, B, C, K, plus_times, deferred_layer<T>> const& p) {
  static_assert(sizeof(T) == sizeof(C));
  strided_batch<T> const c{reinterpret_cast<T*>(p.c.data), p.c.batch_stride, p.c.row_stride,
                           p.c.col_stride};
  return gemm_problem<A, B, T, K, plus_times, layer_epilogue<T>>{
      p.a,           p.b,       c,          p.batch,
      p.rows,        p.cols,    p.k_extent, p.conjugate_a,
      p.conjugate_b, p.scalars, p.semiring, p.epilogue.layer()};
}

/// An epilogue at Count neighbours of a row: store(e, its value) for each.
template <class Epilogue, class K, int Count>
class epilogue_columns {
 public:
  /// `inside` of the columns exist: a user's function is called with no others.
  __device__ epilogue_columns(Epilogue const& epilogue, index col, int inside)
      : epilogue_(epilogue), col_(col), inside_(inside) {}
  __device__ void begin_row(index row) { row_ = row; }
  XPOSE_CALLS_USER_CODE
  template <class Store>
  __device__ void apply(K const (&x)[Count], Store const& store) const {
#pragma unroll
    for (int e = 0; e < Count; ++e)
      if (e < inside_) store(e, epilogue_(x[e], row_, col_ + e));
  }

 private:
  Epilogue const& epilogue_;
  index col_;
  int inside_;
  index row_ = 0;
};

/// A layer's scale and bias are read once where they repeat in all rows.
template <class T, class K, int Count>
class epilogue_columns<layer_epilogue<T>, K, Count> {
  using real = std::conditional_t<std::is_integral_v<K>, float, K>;
  using operand = repeated_matrix<T>;

 public:
  /// `inside` of the columns exist.
  __device__ epilogue_columns(layer_epilogue<T> const& layer, index col, int inside)
      : layer_(layer), col_(col), inside_(inside) {
    for (real& s : scale_) s = real(1);
    for (real& b : bias_) b = real(-0.0);  // x + -0 is x, also where x is -0
    if (layer.scale().row_stride == 0) read(layer.scale(), 0, scale_);
    if (layer.bias().row_stride == 0) read(layer.bias(), 0, bias_);
  }
  __device__ void begin_row(index row) {
    if (layer_.scale().row_stride != 0) read(layer_.scale(), row, scale_);
    if (layer_.bias().row_stride != 0) read(layer_.bias(), row, bias_);
  }
  template <class Store>
  __device__ void apply(K const (&x)[Count], Store const& store) const {
#pragma unroll
    for (int e = 0; e < Count; ++e)
      store(e, activated(layer_.last(), static_cast<real>(x[e]) * scale_[e] + bias_[e]));
  }

 private:
  __device__ void read(operand const& o, index row, real (&to)[Count]) const {
    if (o.data == nullptr) return;
#pragma unroll
    for (int e = 0; e < Count; ++e)
      if (e < inside_) to[e] = cast<real>{}(o.at(row, col_ + e));
  }

  layer_epilogue<T> const& layer_;
  index col_;
  int inside_;
  real scale_[Count];
  real bias_[Count];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
