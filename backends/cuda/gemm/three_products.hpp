// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Complex gemm by three real products (precision(three_products)).
#pragma once

#include <xpose/detail/execution.hpp>
#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether a request asks for it, has complex operands alone, and the cost model expects it to end
/// before the product by four.
bool pays_three_products(gemm_request const& r);

/// run(execution, request) computes a batch of real products.
void cuda_three_products(execution const& where, gemm_request const& r,
                         void (*run)(execution const& where, gemm_request const& r));

}  // namespace detail
}  // namespace v0
}  // namespace xpose
