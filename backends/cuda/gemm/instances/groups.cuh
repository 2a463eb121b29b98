// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The compiled gemms in groups, so that they are compiled by several files at once: one list of the
// groups, from which the parts that run are made, and one function that says which of them a row of
// the list of compiled types belongs to. A group whose file is missing does not link.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>
#include <xpose/detail/compiled_gemm.hpp>
#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// As the files of their kernels are called.
enum class gemm_type_group {
  f32,
  f64,
  complex,
  float16,
  float16_to_f32,
  bfloat16,
  bfloat16_to_f32,
  float8,
  int8,
  uint8,
  integers,
  tropical,
  semirings,
  none
};

/// The group of a row of the list of compiled types.
template <class A, class B, class C, class K, class Semiring>
constexpr gemm_type_group group_of(gemm_types<A, B, C, K, Semiring>) {
  using group = gemm_type_group;
  if (!std::is_same_v<Semiring, plus_times>)
    return std::is_floating_point_v<K> ? group::tropical : group::semirings;
  if (!std::is_arithmetic_v<K>) return group::complex;
  if (std::is_same_v<A, float>) return group::f32;
  if (std::is_same_v<A, double>) return group::f64;
  if (std::is_same_v<A, float16>)
    return std::is_same_v<C, float> ? group::float16_to_f32 : group::float16;
  if (std::is_same_v<A, bfloat16>)
    return std::is_same_v<C, float> ? group::bfloat16_to_f32 : group::bfloat16;
  if (is_float8<A>) return group::float8;
  if (std::is_same_v<A, std::int8_t>) return group::int8;
  if (std::is_same_v<A, std::uint8_t>) return group::uint8;
  return std::is_integral_v<A> && sizeof(A) >= 4 ? group::integers : group::none;
}

template <class... Rows>
constexpr bool have_groups(gemm_type_list<Rows...>) {
  return ((group_of(Rows{}) != gemm_type_group::none) && ...);
}
static_assert(have_groups(compiled_gemms{}), "a row of compiled_gemms needs a group");

/// What a group's file does with a request of its types.
struct gemm_instance {
  void (*run)(execution const& where, gemm_request const& request);
  void (*run_config)(execution const& where, gemm_request const& request,
                     gemm_choice const& choice);
};
/// Defined in the group's file.
template <gemm_type_group Group>
gemm_instance instance_of_group();

/// By a row of the request's table whatever the model would choose, on operands as they are and
/// without waiting: for tests/gemm_rows, whose own copies of all kernels took seven minutes to
/// compile.
XPOSE_EXPORT void cuda_run_gemm_config(execution const& where, gemm_request const& request,
                                       gemm_choice const& choice);

}  // namespace detail
}  // namespace v0
}  // namespace xpose

#if defined(__CUDACC__)
#include <xpose/backends/core/problems/compiled_gemm.hpp>
#include <xpose/backends/cuda/gemm/driver.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// visit(problem) of a request with the types of a group; backend_error of any other.
template <gemm_type_group Group, class Visit, class... Rows>
void visit_group(gemm_request const& r, gemm_type_list<Rows...>, Visit const& visit) {
  auto const visit_row = [&](auto row) {
    if constexpr (group_of(row) == Group) return run_if_asked(r, row, visit);
    else return false;
  };
  if (!(visit_row(Rows{}) || ...)) refuse_types(operation::gemm);
}

/// The part that computes each product by its own types' kernels.
template <gemm_type_group Group>
gemm_instance plain_instance() {
  return {[](execution const& where, gemm_request const& r) {
            visit_group<Group>(r, compiled_gemms{},
                               [&](auto const& problem) { cuda_gemm(where, problem); });
          },
          [](execution const& where, gemm_request const& r, gemm_choice const& choice) {
            visit_group<Group>(r, compiled_gemms{},
                               [&](auto const& problem) { launch_choice(where, problem, choice); });
          }};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
