// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What makes a class an mdspan, the tensor of its stored elements, and what its accessor does to
// them: an element function, or a conjugated view and a factor.
#pragma once

#include <xpose/detail/gemm_dispatch.hpp>
#include <xpose/detail/wrong_call.hpp>
#include <xpose/view.hpp>

#include <string_view>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether stride(d) can be called. std::mdspan always declares it, so its mapping is asked.
template <class M, class = void>
struct has_strides : std::true_type {};
template <class M>
struct has_strides<M, std::void_t<typename M::mapping_type>> {
  template <class Mapping>
  static auto test(int) -> decltype(std::declval<Mapping const&>().stride(0), std::true_type{});
  template <class>
  static std::false_type test(...);
  static constexpr bool value = decltype(test<typename M::mapping_type>(0))::value;
};

template <class M, class = void>
struct may_lack_strides : std::false_type {};
template <class M>
struct may_lack_strides<M, std::void_t<decltype(M::is_always_strided())>>
    : std::bool_constant<!M::is_always_strided()> {};

/// What an accessor does to an element that is read.
enum class reading { as_they_are, scaled, conjugated, unknown };

/// The accessor of a class without one: elements are unchanged.
template <class T>
struct plain_accessor {
  using element_type = T;
  using reference = T&;
};

template <class M, class = void>
struct accessor_of {
  using type = plain_accessor<typename M::element_type>;
  static constexpr type of(M const&) { return {}; }
};
template <class M>
struct accessor_of<M, std::void_t<decltype(std::declval<M const&>().accessor())>> {
  using type = std::decay_t<decltype(std::declval<M const&>().accessor())>;
  static constexpr type of(M const& m) { return m.accessor(); }
};
template <class M>
using accessor_of_t = typename accessor_of<M>::type;

template <class A, class = void>
struct nested_of {
  using type = void;
};
template <class A>
struct nested_of<A, std::void_t<decltype(std::declval<A const&>().nested_accessor())>> {
  using type = std::decay_t<decltype(std::declval<A const&>().nested_accessor())>;
};
template <class A>
using nested_of_t = typename nested_of<A>::type;

template <class A, class = void>
struct has_factor : std::false_type {};
template <class A>
struct has_factor<A, std::void_t<decltype(std::declval<A const&>().scaling_factor())>>
    : std::true_type {};

/// Any nested accessor looks alike; only the name says that it conjugates.
template <template <class> class Accessor>
constexpr bool is_called_conjugated() {
  return std::string_view(__PRETTY_FUNCTION__).find("conjugated_accessor]") !=
         std::string_view::npos;
}
template <class A>
struct is_conjugating : std::false_type {};
template <template <class> class Accessor, class Nested>
struct is_conjugating<Accessor<Nested>> : std::bool_constant<is_called_conjugated<Accessor>()> {};

template <class A>
constexpr reading reading_of() {
  if constexpr (!std::is_void_v<nested_of_t<A>>) {
    return has_factor<A>::value       ? reading::scaled
           : is_conjugating<A>::value ? reading::conjugated
                                      : reading::unknown;
  } else {
    return std::is_same_v<typename A::reference, typename A::element_type&> ? reading::as_they_are
                                                                            : reading::unknown;
  }
}

/// The innermost accessor, whose elements are in memory.
template <class A>
struct innermost
    : std::conditional_t<std::is_void_v<nested_of_t<A>>, type_tag<A>, innermost<nested_of_t<A>>> {};
template <>
struct innermost<void> {};

template <class M>
using stored_element = typename innermost<accessor_of_t<M>>::type::element_type;

template <class A>
constexpr bool is_scaled() {
  if constexpr (std::is_void_v<A>) return false;
  else return has_factor<A>::value || is_scaled<nested_of_t<A>>();
}

/// Refuses accessors that xpose does not know.
template <class A>
constexpr bool is_known() {
  if constexpr (std::is_void_v<A>) return true;
  else return reading_of<A>() != reading::unknown && is_known<nested_of_t<A>>();
}

/// Whether the accessor's conjugate is that of xpose.
template <class A>
constexpr bool conjugates_as_xpose() {
  if constexpr (std::is_void_v<A>) return true;
  else
    return (reading_of<A>() != reading::conjugated ||
            std::is_arithmetic_v<typename A::element_type> ||
            element_type_of<typename A::element_type>() != element_type::other) &&
           conjugates_as_xpose<nested_of_t<A>>();
}

/// The stored elements of an mdspan.
template <class M>
auto stored_tensor(M const& m) {
  using A = accessor_of_t<M>;
  static_assert(M::rank() >= 1, "xpose: an mdspan without dimensions is no tensor");
  static_assert(has_strides<M>::value,
                "xpose: the mdspan's layout has no strides; xpose takes layout_left, layout_right, "
                "layout_stride and padded layouts");
  static_assert(is_known<A>(),
                "xpose: the mdspan's accessor changes elements in a way that xpose does not know; "
                "it knows accessors that give references, scaled_accessor and "
                "conjugated_accessor");
  static_assert(
      conjugates_as_xpose<A>(),
      "xpose: a conjugated mdspan must have elements that xpose can conjugate: real, "
      "std::complex, cuda::std::complex with xpose/cuda_complex.hpp, thrust::complex with "
      "xpose/thrust.hpp");
  constexpr std::size_t rank = M::rank() >= 1 ? M::rank() : 1;  // each error is one message
  std::array<index, rank> extents{};
  std::array<index, rank> strides{};
  for (std::size_t d = 0; d < M::rank(); ++d) extents[d] = static_cast<index>(m.extent(d));
  if constexpr (may_lack_strides<M>::value) {
    if (!m.is_strided()) {
      dimension refused[rank] = {};
      for (std::size_t d = 0; d < rank; ++d) refused[d].extent = extents[d];
      refuse_layout(refused, static_cast<int>(rank));
    }
  }
  if constexpr (has_strides<M>::value && M::rank() >= 1)
    for (std::size_t d = 0; d < rank; ++d) strides[d] = static_cast<index>(m.stride(d));
  return tensor_view<stored_element<M>, rank>(m.data_handle(), extents, strides);
}

/// The view of the stored elements, conjugated() as often as the accessor says, without factors.
template <class A, class View>
constexpr auto unscaled(View const& view) {
  if constexpr (std::is_void_v<A>) return view;
  else if constexpr (reading_of<A>() == reading::conjugated)
    return conjugated(unscaled<nested_of_t<A>>(view));
  else return unscaled<nested_of_t<A>>(view);
}

/// An operand as a view of its stored elements; an xpose view is returned unchanged.
template <class X>
auto stored_view(X const& x) {
  if constexpr (is_view<X>::value) return x;
  else {
    constexpr bool has_view = X::rank() == 2 || X::rank() == 3;
    static_assert(has_view,
                  "xpose: an mdspan of rank 2 is a matrix and one of rank 3 a batch; of other "
                  "ranks it is a tensor, for permute");
    if constexpr (has_view) return v0::view(stored_tensor(x));
    else return matrix_view<stored_element<X>>();
  }
}

/// An operand of gemm and add as a view, without its factor.
template <class X>
auto unscaled_view(X const& x) {
  if constexpr (is_view<X>::value) return x;
  else return unscaled<accessor_of_t<X>>(stored_view(x));
}

/// x -> factor * x by C++'s rules; complex products are the textbook ones, as in gemm.
template <class Factor>
struct scale_by {
  XPOSE_CALLS_USER_CODE
  template <class T>
  XPOSE_HOST_DEVICE auto operator()(T const& x) const {
    using Product = std::decay_t<decltype(factor * x)>;
    using K = kernel_type_t<Product>;
    if constexpr (std::is_same_v<K, Product>) return factor * x;
    else
      return bits_as<Product>(static_cast<K>(as_kernel_value(factor)) *
                              static_cast<K>(as_kernel_value(x)));
  }
  Factor factor;
};

/// x -> then(first(x)).
template <class First, class Then>
struct composed {
  XPOSE_CALLS_USER_CODE
  template <class T>
  XPOSE_HOST_DEVICE auto operator()(T const& x) const {
    return then(first(x));
  }
  First first;
  Then then;
};

/// The element function f of a call, after all that the accessor does to a stored element.
template <class A, class F>
auto behind(A const& accessor, F const& f) {
  constexpr reading how = reading_of<A>();
  if constexpr (how == reading::as_they_are) return f;
  else if constexpr (how == reading::conjugated && std::is_same_v<F, identity>)
    return behind(accessor.nested_accessor(), conjugate{});  // compiled for every backend
  else if constexpr (how == reading::conjugated)
    return behind(accessor.nested_accessor(), composed<conjugate, F>{conjugate{}, f});
  else {
    scale_by<std::decay_t<decltype(accessor.scaling_factor())>> const scale{
        accessor.scaling_factor()};
    return behind(accessor.nested_accessor(), composed<decltype(scale), F>{scale, f});
  }
}
template <class X, class F>
auto function_behind(X const& x, F const& f) {
  if constexpr (is_mdspan<X>::value) return behind(accessor_of<X>::of(x), f);
  else return f;
}

template <class X, bool = is_mdspan<X>::value>
inline constexpr bool is_scaled_operand = false;
template <class X>
inline constexpr bool is_scaled_operand<X, true> = is_scaled<accessor_of_t<X>>();

/// A scalar for gemm or add, in the type that they compute in.
template <class Compute, class Scalar>
auto calculating(Scalar const& scalar) {
  using K = canonical_type_t<Compute>;
  static_assert(!std::is_integral_v<Compute> || !std::is_floating_point_v<Scalar>,
                "xpose: a floating scalar or factor would be cut to the integer type that is "
                "calculated in; for gemm, options().accumulate<double>() changes that type");
  return static_cast<K>(as_kernel_value(cast<Compute>{}(scalar)));
}

/// The product of all factors of an accessor.
template <class Compute, class A>
auto factor_of(A const& accessor) {
  using K = canonical_type_t<Compute>;
  constexpr reading how = reading_of<A>();
  if constexpr (how == reading::scaled) {
    K const factor = calculating<Compute>(accessor.scaling_factor());
    if constexpr (!is_scaled<nested_of_t<A>>()) return factor;
    else return static_cast<K>(factor * factor_of<Compute>(accessor.nested_accessor()));
  } else {
    static_assert(how == reading::conjugated);
    return scalar_traits<K>::conj(factor_of<Compute>(accessor.nested_accessor()));
  }
}

/// The scalar of a term times the factors of its operands; the scalar itself if they have none.
template <class Compute, class Scalar, class... Operands>
auto times_factors(Scalar const& scalar, Operands const&... operands) {
  if constexpr (!(is_scaled_operand<Operands> || ...)) return scalar;
  else {
    using K = canonical_type_t<Compute>;
    K product = calculating<Compute>(scalar);
    auto const multiply = [&product](auto const& operand) {
      using X = std::decay_t<decltype(operand)>;
      if constexpr (is_scaled_operand<X>)
        product = static_cast<K>(product * factor_of<Compute>(accessor_of<X>::of(operand)));
    };
    (multiply(operands), ...);
    return product;
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
