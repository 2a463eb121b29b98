// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a plan's operands are those that gemm takes, its C neither const nor conjugated nor an iterator_view

#include <xpose/plan.hpp>

auto make(xpose::matrix_view<float const> a) { return xpose::plan(xpose::omp, a, a, a); }
