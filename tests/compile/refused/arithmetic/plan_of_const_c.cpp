// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: gemm's C must not be const

#include <xpose/plan.hpp>

auto make(xpose::matrix_view<float const> a) { return xpose::plan(xpose::omp, a, a, a); }
