// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of floats, as precision() allows.

#include <xpose/backends/cuda/gemm/f32_on_tensor_cores/fast_f32.cuh>
#include <xpose/backends/cuda/gemm/f32_on_tensor_cores/tf32.cuh>
#include <xpose/backends/cuda/gemm/instances/groups.cuh>

#include <optional>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// The product by a faster way than the plain kernel's, if the request allows it and it pays.
template <class Product>
std::optional<Product> faster(gemm_request const& r, gemm_precision allows) {
  std::optional<Product> product;
  if (r.precision == allows)
    run_if_asked(r, gemm_types<float, float, float, float, plus_times>{},
                 [&](auto const& problem) { product.emplace(problem); });
  return product && product->pays() ? product : std::nullopt;
}

/// visit(product) of the faster product there is; false if there is none.
template <class Visit>
bool visit_faster(gemm_request const& r, Visit const& visit) {
  if (auto const product = faster<fast_f32_gemm>(r, gemm_precision::fast_f32)) visit(*product);
  else if (auto const rounded = faster<tf32_gemm>(r, gemm_precision::tf32)) visit(*rounded);
  else return false;
  return true;
}

void run(execution const& where, gemm_request const& r) {
  if (!visit_faster(r, [&](auto const& product) { product.run(where); }))
    plain_instance<gemm_type_group::f32>().run(where, r);
}

void run_config(execution const& where, gemm_request const& r, gemm_choice const& choice) {
  if (r.precision != gemm_precision::tf32)
    return plain_instance<gemm_type_group::f32>().run_config(where, r, choice);
  visit_group<gemm_type_group::f32>(r, compiled_gemms{}, [&](f32_problem const& problem) {
    launch_choice(where, tf32_gemm::as_tf32(problem), choice);
  });
}

}  // namespace

template <>
gemm_instance instance_of_group<gemm_type_group::f32>() {
  return {run, run_config};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
