// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this policy has an allocator and is kept by reference: give mpi.with() a
#include <xpose/mpi.hpp>
#include <xpose/thrust.hpp>

#include <thrust/system/omp/execution_policy.h>

#include <memory>

xpose::mpi_policy call(xpose::mpi_context const& context) {
  std::allocator<char> allocator;
  return xpose::mpi(context).with(thrust::omp::par(allocator));
}
