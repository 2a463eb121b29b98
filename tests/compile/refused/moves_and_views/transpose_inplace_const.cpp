// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: transpose_inplace needs a view that is not const

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> view) { xpose::transpose_inplace(xpose::omp, view); }
