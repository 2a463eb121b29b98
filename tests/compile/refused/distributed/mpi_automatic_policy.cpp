// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the local policy of xpose::mpi is xpose::omp, xpose::seq or xpose::cuda
#include <xpose/mpi.hpp>

xpose::mpi_policy call(xpose::mpi_context const& context) {
  return xpose::mpi(context).with(xpose::automatic);
}
