// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Small products on omp by the general driver, in a scope.
#pragma once

#include <xpose/backends/omp/gemm/small/small.hpp>

struct general_driver_only {
  general_driver_only() { xpose::detail::limit_small_products(0); }
  general_driver_only(general_driver_only const&) = delete;
  ~general_driver_only() {
    xpose::detail::limit_small_products(xpose::detail::no_limit_of_small_products);
  }
};
