// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls of xpose::cuda.across(): where the registry sends them once they are checked.
#pragma once

#include <xpose/detail/across_request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The request has elements; its device is current. Operands in the device's reach are left to the
/// CUDA backend's driver, or to `code`; others are moved there and back. Throws backend_error for
/// code of the caller's if an operand is out of reach, for devices that the machine has not, and
/// under capture.
void run_across(execution const& where, across_terms const& terms, copy_request const& request,
                user_code const& code);
void run_across(execution const& where, across_terms const& terms, gemm_request const& request,
                user_code const& code);
void run_across(execution const& where, across_terms const& terms, add_request const& request,
                user_code const& code);
/// transpose_inplace has one operand, and runs where it lies.
inline void run_across(execution const&, across_terms const&, inplace_request const&,
                       user_code const&) {}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
