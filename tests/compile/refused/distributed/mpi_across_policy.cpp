// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: local matrices of xpose::mpi lie in one memory
#include <xpose/mpi.hpp>

xpose::mpi_policy call(xpose::mpi_context const& context) {
  return xpose::mpi(context).with(xpose::cuda.across());
}
