// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of floats, as precision() allows.

#include <xpose/backends/cuda/gemm_fast_f32.cuh>
#include <xpose/backends/cuda/gemm_part.cuh>
#include <xpose/backends/cuda/gemm_tf32.cuh>

#include <optional>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Row>
struct is_taken {
  using T = types_of<Row>;
  static constexpr bool value = T::sums_products && std::is_same_v<typename T::input, float>;
};

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

bool run(execution const& where, gemm_request const& r) {
  return visit_faster(r, [&](auto const& product) { product.run(where); }) ||
         part_that_takes<is_taken>().run(where, r);
}

char const* kernel(gemm_request const& r) {
  char const* name = nullptr;
  return visit_faster(r, [&](auto const& product) { name = product.name(); })
             ? name
             : part_that_takes<is_taken>().kernel(r);
}

bool run_row(execution const& where, gemm_request const& r, gemm_choice const& choice) {
  if (r.precision == gemm_precision::tf32)
    return run_if_asked(r, gemm_types<float, float, float, float, plus_times>{},
                        [&](f32_problem const& problem) {
                          launch_chosen_row(where, tf32_gemm::as_tf32(problem), choice);
                        });
  return part_that_takes<is_taken>().run_row(where, r, choice);
}

}  // namespace

gemm_part gemms_of_f32() {
  return {run, kernel, run_row};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
