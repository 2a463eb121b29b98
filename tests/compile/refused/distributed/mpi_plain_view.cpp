// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: write transpose(xpose::mpi(context), in, out) with two dist_matrix_view
#include <xpose/mpi.hpp>

void call(xpose::mpi_context const& context, xpose::matrix_view<float> in,
          xpose::matrix_view<float> out) {
  xpose::transpose(xpose::mpi(context), in, out);
}
