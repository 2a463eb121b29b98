// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a distributed gemm is ScaLAPACK's p?gemm: of float, double and their
#include <xpose/mpi.hpp>

void call(xpose::mpi_context const& context, xpose::dist_matrix_view<int> a,
          xpose::dist_matrix_view<int> c) {
  xpose::gemm(xpose::mpi(context), a, a, c);
}
