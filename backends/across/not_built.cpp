// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// across() of a build without CUDA: its calls fall back to the processor, so that these are never
// called.

#include <xpose/backends/across/drivers.hpp>
#include <xpose/error.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

constexpr char const* reason = "xpose was built without CUDA";

void run_across(execution const&, across_terms const&, copy_request const&, user_code const&) {
  throw backend_error(reason);
}
void run_across(execution const&, across_terms const&, gemm_request const&, user_code const&) {
  throw backend_error(reason);
}
void run_across(execution const&, across_terms const&, add_request const&, user_code const&) {
  throw backend_error(reason);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
