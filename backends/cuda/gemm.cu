// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device for the compiled types: finds the part that has a request's types.

#include <xpose/backends/backend.hpp>
#include <xpose/backends/cuda/gemm_part.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr gemm_part (*parts[])() = {gemms_of_f32,
                                    gemms_of_f64,
                                    gemms_of_complex,
                                    gemms_of_float16,
                                    gemms_of_float16_to_f32,
                                    gemms_of_bfloat16,
                                    gemms_of_bfloat16_to_f32,
                                    gemms_of_float8,
                                    gemms_of_int8,
                                    gemms_of_uint8,
                                    gemms_of_integers,
                                    gemms_of_tropical_reals,
                                    gemms_of_other_semirings};

}  // namespace

char const* cuda_gemm_kernel(gemm_request const& r) {
  static constexpr double zero[2] = {};
  gemm_request asked = r;  // of explain(), which has no scalars
  asked.alpha = asked.beta = zero;
  for (auto* part : parts)
    if (char const* const name = part().kernel(asked)) return name;
  return "gemm_tiles";  // of a user's types: the row is chosen where they are compiled
}

void cuda_run_gemm(execution const& where, gemm_request const& r) {
  for (auto* part : parts)
    if (part().run(where, r)) return;
}

void cuda_run_gemm_row(execution const& where, gemm_request const& r, gemm_choice const& choice) {
  for (auto* part : parts)
    if (part().run_row(where, r, choice)) return;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
