// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a plan's operands lie in one memory; under across() call gemm

#include <xpose/plan.hpp>

auto make(xpose::matrix_view<float> a) { return xpose::plan(xpose::cuda.across(), a, a, a); }
