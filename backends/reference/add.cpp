// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/reference/add.hpp>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/compiled_add.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
char const* reference_add_kernel(add_request const&) {
  return "add_in_order";
}

void reference_run_add(execution const&, add_request const& r) {
  run_compiled_add(r, [](auto const& problem) { reference_add(problem); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
