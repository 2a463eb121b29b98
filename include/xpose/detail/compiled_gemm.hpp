// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one list of gemm types that the library compiles on every backend. Anything else is
// instantiated in the user's translation unit from the same templates. A type is one entry here;
// every backend's table is made from this list. On cuda, each group is a source file of its own, so
// that they compile at once (cmake/library.cmake reads them here).
#pragma once

#include <xpose/detail/element_type.hpp>
#include <xpose/semiring.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class A, class B, class C, class Accumulate, class Semiring = plus_times>
struct gemm_types {};

template <class... Types>
struct gemm_type_list {};

template <class T, class Semiring = plus_times>
using same_types = gemm_types<T, T, T, T, Semiring>;

template <class T>
using to_f32 = gemm_types<T, T, float, float>;

namespace gemm_groups {

using f32 = gemm_type_list<same_types<float>>;
using f64 = gemm_type_list<same_types<double>>;
using complex = gemm_type_list<same_types<complex_value<float>>, same_types<complex_value<double>>>;
using f16 = gemm_type_list<gemm_types<float16, float16, float16, float>>;
using f16_to_f32 = gemm_type_list<to_f32<float16>>;
using bf16 = gemm_type_list<gemm_types<bfloat16, bfloat16, bfloat16, float>>;
using bf16_to_f32 = gemm_type_list<to_f32<bfloat16>>;
using f8 = gemm_type_list<to_f32<float8_e4m3>,  //
                          gemm_types<float8_e4m3, float8_e4m3, bfloat16, float>,
                          to_f32<float8_e5m2>,  //
                          gemm_types<float8_e4m3, float8_e5m2, float, float>,
                          gemm_types<float8_e5m2, float8_e4m3, float, float>>;
using i8 = gemm_type_list<gemm_types<std::int8_t, std::int8_t, std::int32_t, std::int32_t>>;
using u8 = gemm_type_list<gemm_types<std::uint8_t, std::uint8_t, std::int32_t, std::int32_t>>;
using integers = gemm_type_list<same_types<std::int32_t>, same_types<std::int64_t>>;
template <class Semiring>
using numbers_over =
    gemm_type_list<same_types<float, Semiring>, same_types<double, Semiring>,
                   same_types<std::int32_t, Semiring>, same_types<std::int64_t, Semiring>>;
using min_plus = numbers_over<xpose::min_plus>;
using max_plus = numbers_over<xpose::max_plus>;
using or_and = gemm_type_list<
    gemm_types<std::uint8_t, std::uint8_t, std::uint8_t, std::int32_t, xpose::or_and>>;

}  // namespace gemm_groups

template <class... Groups>
struct gemm_group_list {};

using compiled_gemm_groups =
    gemm_group_list<gemm_groups::f32, gemm_groups::f64, gemm_groups::complex, gemm_groups::f16,
                    gemm_groups::f16_to_f32, gemm_groups::bf16, gemm_groups::bf16_to_f32,
                    gemm_groups::f8, gemm_groups::i8, gemm_groups::u8, gemm_groups::integers,
                    gemm_groups::min_plus, gemm_groups::max_plus, gemm_groups::or_and>;

template <class... First, class... Second>
gemm_type_list<First..., Second...> operator+(gemm_type_list<First...>, gemm_type_list<Second...>);
template <class... Groups>
auto types_of(gemm_group_list<Groups...>) -> decltype((Groups() + ...));

/// The types of all groups.
using compiled_gemms = decltype(types_of(compiled_gemm_groups()));
/// With a layer_epilogue.
using compiled_layers = gemm_type_list<same_types<float>, same_types<double>,
                                       gemm_types<float16, float16, float16, float>,
                                       gemm_types<bfloat16, bfloat16, bfloat16, float>,
                                       gemm_types<std::int8_t, std::int8_t, float, std::int32_t>>;

template <class Types, class List>
struct is_listed;
template <class Row, class... Rows>
struct is_listed<Row, gemm_type_list<Rows...>> : std::disjunction<std::is_same<Row, Rows>...> {};

template <class Row>
inline constexpr bool is_compiled_gemm = is_listed<Row, compiled_gemms>::value;

template <class Row>
inline constexpr bool is_compiled_layer = is_listed<Row, compiled_layers>::value;

}  // namespace detail
}  // namespace v0
}  // namespace xpose
