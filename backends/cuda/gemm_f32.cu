// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device of floats.

#include <xpose/backends/cuda/gemm_fast_f32.cuh>
#include <xpose/backends/cuda/gemm_part.cuh>

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

/// The product by parts of operands, if the request may be calculated so.
std::optional<fast_f32_gemm> fast_gemm_of(gemm_request const& r) {
  std::optional<fast_f32_gemm> product;
  if (r.precision == gemm_precision::fast_f32)
    run_if_asked(r, gemm_types<float, float, float, float, plus_times>{},
                 [&](fast_f32_problem const& problem) { product.emplace(problem); });
  return product && product->pays() ? product : std::nullopt;
}

bool run(execution const& where, gemm_request const& r) {
  auto const fast = fast_gemm_of(r);
  if (!fast) return part_that_takes<is_taken>().run(where, r);
  fast->run(where);
  return true;
}

char const* kernel(gemm_request const& r) {
  return fast_gemm_of(r) ? fast_f32_gemm::name() : part_that_takes<is_taken>().kernel(r);
}

}  // namespace

gemm_part gemms_of_f32() {
  return {run, kernel};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
