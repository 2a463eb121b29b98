// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What thrust::device means where THRUST_DEVICE_SYSTEM is a system of the host: the same cases from
// g++ and from nvcc, with both systems.
#pragma once

#include <doctest/doctest.h>

#include "host_policies.hpp"

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>

static_assert(THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CUDA);

namespace {

struct user_device_policy : thrust::device_execution_policy<user_device_policy> {};

TEST_CASE("thrust::device, its tag and what derives from it run where the device system says") {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
  runs_as const device{"xpose::omp"};
#else
  runs_as const device{"xpose::seq"};
#endif
  refusing_allocator allocator;
  device("thrust::device", thrust::device);
  device("thrust::device(allocator)", thrust::device(allocator));
  device("thrust::device_system_tag", thrust::device_system_tag{});
  device("a policy derived from thrust::device_execution_policy", user_device_policy{});
}

TEST_CASE("the other systems keep their meaning") {
  runs_as{"xpose::seq"}("thrust::seq", thrust::seq);
  runs_as{"xpose::seq"}("thrust::host", thrust::host);
  runs_as{"xpose::seq"}("thrust::cpp::par", thrust::cpp::par);
  runs_as{"xpose::omp"}("thrust::omp::par", thrust::omp::par);
}

TEST_CASE("device vectors are memory of the host, and iterators are read there") {
  matrices<thrust::device_vector<float>> m;
  xpose::transpose(thrust::device, m.in_view(), m.out_view());
  CHECK(m.are_transposed());
  thrust::device_vector<int> numbers(6);
  xpose::transpose(thrust::device, xpose::view(thrust::make_counting_iterator(0), 2, 3),
                   xpose::view(numbers, 3, 2));
  CHECK(numbers[1] == 3);
  CHECK(numbers[4] == 2);
}

}  // namespace
