// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one list of gemm types that the library compiles on every backend. Anything else is
// instantiated in the user's translation unit from the same templates. A type is one row here;
// every backend's table is made from this list.
#pragma once

#include <xpose/detail/element_type.hpp>
#include <xpose/semiring.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class A, class B, class C, class Accumulate, class Semiring = plus_times>
struct gemm_types {};

template <class... Rows>
struct gemm_type_list {};

template <class T, class Semiring = plus_times>
using same_types = gemm_types<T, T, T, T, Semiring>;

using compiled_gemms = gemm_type_list<                                       //
    same_types<float>, same_types<double>,                                   //
    same_types<complex_value<float>>, same_types<complex_value<double>>,     //
    gemm_types<float16, float16, float16, float>,                            //
    gemm_types<float16, float16, float, float>,                              //
    gemm_types<bfloat16, bfloat16, bfloat16, float>,                         //
    gemm_types<bfloat16, bfloat16, float, float>,                            //
    gemm_types<float8_e4m3, float8_e4m3, float, float>,                      //
    gemm_types<float8_e4m3, float8_e4m3, bfloat16, float>,                   //
    gemm_types<float8_e5m2, float8_e5m2, float, float>,                      //
    gemm_types<float8_e4m3, float8_e5m2, float, float>,                      //
    gemm_types<float8_e5m2, float8_e4m3, float, float>,                      //
    gemm_types<std::int8_t, std::int8_t, std::int32_t, std::int32_t>,        //
    gemm_types<std::uint8_t, std::uint8_t, std::int32_t, std::int32_t>,      //
    same_types<std::int32_t>, same_types<std::int64_t>,                      //
    same_types<float, min_plus>, same_types<double, min_plus>,               //
    same_types<std::int32_t, min_plus>, same_types<std::int64_t, min_plus>,  //
    same_types<float, max_plus>, same_types<double, max_plus>,               //
    same_types<std::int32_t, max_plus>, same_types<std::int64_t, max_plus>,  //
    gemm_types<std::uint8_t, std::uint8_t, std::uint8_t, std::int32_t, or_and>>;

template <class Row, class List>
struct is_listed;
template <class Row, class... Rows>
struct is_listed<Row, gemm_type_list<Rows...>> : std::disjunction<std::is_same<Row, Rows>...> {};

template <class Row>
inline constexpr bool is_compiled_gemm = is_listed<Row, compiled_gemms>::value;

}  // namespace detail
}  // namespace v0
}  // namespace xpose
