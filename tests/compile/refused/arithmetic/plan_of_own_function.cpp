// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a plan is for types, semirings and epilogues that are compiled into xpose; call
// gemm for your own

#include <xpose/plan.hpp>

auto make(xpose::matrix_view<float const> a, xpose::matrix_view<float> c) {
  return xpose::plan(xpose::omp, a, a, c, xpose::options().epilogue([](float x) { return 2 * x; }));
}
