// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A part of the compiled gemms, so that they are compiled by several files at once. Each row of the
// list of compiled types belongs to the first part that takes it.
#pragma once

#include <xpose/backends/cuda/gemm_row.hpp>
#include <xpose/detail/compiled_gemm.hpp>
#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Of a request with the part's types; false, or null, with others.
struct gemm_part {
  bool (*run)(execution const& where, gemm_request const& request);
  char const* (*kernel)(gemm_request const& request);
  bool (*run_row)(execution const& where, gemm_request const& request, gemm_choice const& choice);
};

/// By a row of the request's table whatever the model would choose, on operands as they are and
/// without waiting: for tests/gemm_rows, whose own copies of all kernels took seven minutes to
/// compile.
XPOSE_EXPORT void cuda_run_gemm_row(execution const& where, gemm_request const& request,
                                    gemm_choice const& choice);

gemm_part gemms_of_f32();
gemm_part gemms_of_f64();
gemm_part gemms_of_complex();
gemm_part gemms_of_float16();
gemm_part gemms_of_float16_to_f32();
gemm_part gemms_of_bfloat16();
gemm_part gemms_of_bfloat16_to_f32();
gemm_part gemms_of_float8();
gemm_part gemms_of_int8();
gemm_part gemms_of_uint8();
gemm_part gemms_of_integers();
gemm_part gemms_of_tropical_reals();
gemm_part gemms_of_other_semirings();

}  // namespace detail
}  // namespace v0
}  // namespace xpose

#if defined(__CUDACC__)
#include <xpose/backends/compiled_problem.hpp>
#include <xpose/backends/cuda/gemm.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The rows of a list for which Takes<Row>::value holds.
template <template <class> class Takes, class Visit, class... Rows>
bool visit_taken(gemm_request const& r, gemm_type_list<Rows...>, Visit const& visit) {
  auto const visit_row = [&](auto row) {
    if constexpr (Takes<decltype(row)>::value) return run_if_asked(r, row, visit);
    else return false;
  };
  return (visit_row(Rows{}) || ...);
}

template <template <class> class Takes>
gemm_part part_that_takes() {
  return {[](execution const& where, gemm_request const& r) {
            return visit_taken<Takes>(r, compiled_gemms{},
                                      [&](auto const& problem) { cuda_gemm(where, problem); });
          },
          [](gemm_request const& r) {
            char const* name = nullptr;
            visit_taken<Takes>(r, compiled_gemms{},
                               [&](auto const& problem) { name = cuda_gemm_row_name(problem); });
            return name;
          },
          [](execution const& where, gemm_request const& r, gemm_choice const& choice) {
            return visit_taken<Takes>(r, compiled_gemms{}, [&](auto const& problem) {
              launch_chosen_row(where, problem, choice);
            });
          }};
}

/// What a row of the list is made of.
template <class Row>
struct types_of;
template <class A, class B, class C, class K, class Semiring>
struct types_of<gemm_types<A, B, C, K, Semiring>> {
  using input = A;
  using output = C;
  using sum = K;
  static constexpr bool sums_products = std::is_same_v<Semiring, plus_times>;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
