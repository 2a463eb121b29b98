// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of f32 on a CUDA device: on tensor cores where precision() allows it and the cost model
// expects it to pay, else as every other group of types.

#include <xpose/backends/cuda/gemm/f32_on_tensor_cores/f32_gemm.cuh>
#include <xpose/backends/cuda/gemm/instances/instance.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Run>
void run_f32_problem(gemm_request const& r, Run const& run) {
  run_compiled_problem(r, gemm_groups::f32{}, run, deferred_epilogue_of{});
}

void run(execution const& where, gemm_request const& r) {
  run_f32_problem(r, [&](f32_problem const& problem) {
    if (r.precision == gemm_precision::fast_f32)
      if (fast_f32_gemm product(problem); product.pays()) return product.run(where);
    if (r.precision == gemm_precision::tf32)
      if (tf32_gemm const product(problem); product.pays()) return product.run(where);
    cuda_gemm(where, problem);
  });
}

void run_config(execution const& where, gemm_request const& r, gemm_choice const& choice) {
  run_f32_problem(r, [&](f32_problem const& problem) {
    if (r.precision == gemm_precision::tf32)
      launch_choice(where, tf32_gemm::as_tf32(problem), choice);
    else if (r.precision == gemm_precision::fast_f32) fast_f32_gemm(problem, choice).launch(where);
    else launch_choice(where, problem, choice);
  });
}

}  // namespace

template <>
gemm_instance instance_of<gemm_groups::f32>() {
  return {run, run_config};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
