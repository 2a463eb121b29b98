// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A call in a few words, for the ranges that profilers show and for the log: "gemm f32 300x200x64"
// (MxNxK), "transpose f32 300x200" (of in), "permute f32 to 6x4x5".
#pragma once

#include <xpose/detail/request.hpp>

#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// As xpose-bench names it: "f32", "bf16", "c64"; "b12" for an element that has only a size.
std::string type_text(element_type type, int bytes_per_element);

/// Of any request, checked or not.
std::string call_text(copy_request const& request);
std::string call_text(gemm_request const& request);
std::string call_text(inplace_request const& request);
std::string call_text(add_request const& request);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
