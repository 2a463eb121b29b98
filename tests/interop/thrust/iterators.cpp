// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's iterators as input, from a plain C++ compiler, whatever the device system is.

#include <doctest/doctest.h>

#if !defined(__CUDACC__)
#define __host__
#define __device__
#endif
#include "iterators.hpp"

#include <thrust/device_vector.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/universal_vector.h>

#include <vector>

namespace {

TEST_CASE("Thrust's iterators are read under serial policies") {
  fancy::check_all<thrust::host_vector>(thrust::seq, "omp");
  fancy::check_all<thrust::host_vector>(xpose::seq, "omp");
}

TEST_CASE("Thrust's iterators are read on omp") {
  fancy::check_all<thrust::host_vector>(thrust::omp::par, "omp");
  fancy::check_all<thrust::host_vector>(xpose::omp, "omp");
}

TEST_CASE("Thrust's iterators are read where thrust::device is a host system") {
  fancy::check_all<thrust::device_vector>(thrust::device, "omp");
}

TEST_CASE("iterators of vectors are views of their memory") {
  fancy::check_iterators_of_memory<thrust::host_vector<float>>(thrust::host);
  fancy::check_iterators_of_memory<std::vector<float>>(thrust::omp::par);
  fancy::check_iterators_of_memory<thrust::device_vector<float>>(thrust::device);
  fancy::check_iterators_of_memory<thrust::universal_vector<float>>(thrust::device);
}

}  // namespace
