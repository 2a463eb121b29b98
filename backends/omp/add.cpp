// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/add.hpp>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/compiled_add.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
char const* omp_add_kernel(add_request const&) {
  return "add_tiles";
}

void omp_run_add(execution const& where, add_request const& r) {
  run_compiled_add(r, [&](auto const& problem) { omp_add(where.threads, problem); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
