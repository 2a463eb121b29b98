// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a plan keeps of a small product on the host, so that its calls neither check nor choose.
#pragma once

#include <xpose/detail/request.hpp>

#include <cstddef>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Plain data of the library. Copyable; holds no address of an operand or a scalar that is read.
struct planned_product {
  /// C = [alpha] A B [+ beta C] of operands that begin there, with run_gemm()'s bits. False, with
  /// nothing written: they are not aligned or not plainly apart, or the environment was reloaded.
  /// Null: the plan is of no such product.
  bool (*multiply)(planned_product const& plan, void const* a, void const* b, void const* c,
                   void const* alpha, void const* beta);
  unsigned generation;  // of the environment
  alignas(std::max_align_t) unsigned char state[224];
};

/// Of a request that choose_for_gemm() has taken, with what it chose.
XPOSE_EXPORT planned_product plan_small_gemm(execution const& where, chosen_backend const& chosen,
                                             gemm_request const& request);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
