// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add on a GPU for the compiled types.

#include <xpose/backends/cuda/add/driver.cuh>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/compiled_add.hpp>

void xpose::detail::cuda_run_add(execution const& where, add_request const& r) {
  run_compiled_add(r, [&](auto const& problem) { cuda_add(where, problem); });
}
