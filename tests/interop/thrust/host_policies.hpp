// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The spellings of Thrust's policies that run on the host whatever the device system is.
#pragma once

#include "matrices.hpp"

#include <thrust/execution_policy.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>

struct user_host_policy : thrust::host_execution_policy<user_host_policy> {};
struct user_omp_policy : thrust::omp::execution_policy<user_omp_policy> {};

template <class Visit>
void for_each_serial_policy(Visit const& visit) {
  refusing_allocator allocator;
  visit("thrust::seq", thrust::seq);
  visit("thrust::seq(allocator)", thrust::seq(allocator));
  visit("thrust::host", thrust::host);
  visit("thrust::host(allocator)", thrust::host(allocator));
  visit("thrust::host_system_tag", thrust::host_system_tag{});
  visit("thrust::cpp::par", thrust::cpp::par);
  visit("thrust::cpp::par(allocator)", thrust::cpp::par(allocator));
  visit("thrust::cpp::tag", thrust::cpp::tag{});
  visit("a policy derived from thrust::host_execution_policy", user_host_policy{});
}

template <class Visit>
void for_each_omp_policy(Visit const& visit) {
  refusing_allocator allocator;
  visit("thrust::omp::par", thrust::omp::par);
  visit("thrust::omp::par(allocator)", thrust::omp::par(allocator));
  visit("thrust::omp::par(allocator by value)", thrust::omp::par(refusing_allocator{}));
  visit("thrust::omp::tag", thrust::omp::tag{});
  visit("a policy derived from thrust::omp::execution_policy", user_omp_policy{});
}

/// Runs a transpose on host memory and says whether it ran as under xpose's policy and is right.
struct runs_as {
  std::string expected;

  template <class Policy>
  void operator()(char const* spelling, Policy const& policy) const {
    CAPTURE(spelling);
    matrices<thrust::host_vector<float>> m;
    std::string const report = m.report_of(policy);
    CAPTURE(report);
    CHECK(contains(report, "backend omp,"));
    CHECK(contains(report, "the policy is " + expected));
    CHECK(m.are_transposed());
  }
};
