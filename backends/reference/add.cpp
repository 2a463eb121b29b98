// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/reference/add.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/compiled_add.hpp>

void xpose::detail::reference_run_add(execution const& where, add_request const& r) {
  run_compiled_add(r, [&](auto const& problem) { reference_add(where, problem); });
}
