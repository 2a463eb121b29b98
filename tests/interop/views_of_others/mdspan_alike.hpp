// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The least that is an mdspan to xpose, for machines without one, and layouts that the mdspans of
// CUDA 13.0 lack: padded, without strides, with strides for some extents only.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace alike {

template <class T>
struct default_accessor {
  using element_type = T;
  using reference = T&;
  using data_handle_type = T*;
  reference access(T* p, std::size_t i) const { return p[i]; }
};

template <class Factor, class Nested>
struct scaled_accessor {
  using element_type =
      decltype(std::declval<Factor>() * std::declval<typename Nested::element_type>()) const;
  using reference = std::remove_const_t<element_type>;
  using data_handle_type = typename Nested::data_handle_type;
  Factor scaling_factor() const { return factor; }
  Nested const& nested_accessor() const { return nested; }
  reference access(data_handle_type p, std::size_t i) const {
    return factor * typename Nested::element_type(nested.access(p, i));
  }
  Factor factor;
  Nested nested;
};

inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(std::complex<double> x) { return {x.real(), -x.imag()}; }

template <class Nested>
struct conjugated_accessor {
  using element_type = std::remove_const_t<typename Nested::element_type> const;
  using reference = std::remove_const_t<element_type>;
  using data_handle_type = typename Nested::data_handle_type;
  Nested const& nested_accessor() const { return nested; }
  reference access(data_handle_type p, std::size_t i) const {
    return conjugate(nested.access(p, i));
  }
  Nested nested;
};

/// Elements with the other sign: a nested accessor that is not about conjugation.
template <class Nested>
struct negated_accessor : conjugated_accessor<Nested> {};

template <std::size_t N>
struct strided_layout {
  std::size_t stride(std::size_t d) const { return static_cast<std::size_t>(strides[d]); }
  std::array<long, N> strides;
};

/// Element (i, j) of a triangle; has strides where there is no more than one row.
struct packed_triangle {
  long stride(std::size_t) const { return 1; }
};

/// Blocks one behind the other.
struct blocks {};

template <class T, std::size_t N, class Layout = strided_layout<N>,
          class Accessor = default_accessor<T>>
class mdspan {
 public:
  using element_type = typename Accessor::element_type;
  using mapping_type = Layout;
  using accessor_type = Accessor;

  mdspan(T* data, std::array<long, N> extents, Layout layout, Accessor accessor = {})
      : data_(data), extents_(extents), layout_(layout), accessor_(accessor) {}

  static constexpr std::size_t rank() { return N; }
  static constexpr bool is_always_strided() { return !std::is_same_v<Layout, packed_triangle>; }
  bool is_strided() const { return is_always_strided() || extents_[0] < 2; }
  long extent(std::size_t d) const { return extents_[d]; }
  long stride(std::size_t d) const { return static_cast<long>(layout_.stride(d)); }
  // A reference, as CUDA's: not a pointer type to take elements' types from.
  T* const& data_handle() const { return data_; }
  Layout const& mapping() const { return layout_; }
  Accessor const& accessor() const { return accessor_; }

  /// Element (i, j) as it is read.
  typename Accessor::reference operator()(long i, long j) const {
    return accessor_.access(data_, static_cast<std::size_t>(i * stride(0) + j * stride(1)));
  }

 private:
  T* data_;
  std::array<long, N> extents_;
  Layout layout_;
  Accessor accessor_;
};

template <class T, std::size_t N>
mdspan<T, N> strided(T* data, std::array<long, N> extents, std::array<long, N> strides) {
  return {data, extents, {strides}};
}

template <class T, std::size_t N, class Layout, class Accessor, class Factor>
auto scaled(Factor factor, mdspan<T, N, Layout, Accessor> const& m) {
  using with = scaled_accessor<Factor, Accessor>;
  std::array<long, N> extents{};
  for (std::size_t d = 0; d < N; ++d) extents[d] = m.extent(d);
  return mdspan<T, N, Layout, with>(m.data_handle(), extents, m.mapping(),
                                    with{factor, m.accessor()});
}

template <class T, std::size_t N, class Layout, class Accessor>
auto conjugated(mdspan<T, N, Layout, Accessor> const& m) {
  using with = conjugated_accessor<Accessor>;
  std::array<long, N> extents{};
  for (std::size_t d = 0; d < N; ++d) extents[d] = m.extent(d);
  return mdspan<T, N, Layout, with>(m.data_handle(), extents, m.mapping(), with{m.accessor()});
}

}  // namespace alike
