// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: write transpose(policy, in, out) or transpose(policy, in, out, function)

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float> in) { xpose::transpose(xpose::omp, in); }
