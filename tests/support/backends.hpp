// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The backends as test parameters: a policy, the memory its operands live in, and whether this
// machine has it. A test case is written once: TEST_CASE_TEMPLATE("...", Backend, ALL_BACKENDS).
#pragma once

#include "gpu.hpp"
#include "memory.hpp"

#include <xpose/xpose.hpp>

/// A policy whose backend is chosen at run time, so that a test is compiled once for all backends.
/// What the library's policies themselves become is asserted in core/policy.cpp and
/// in "the backend and kernel that run ...".
struct run_time_policy {
  xpose::detail::execution where;
};

template <>
struct xpose::detail::policy_traits<run_time_policy> {
  static constexpr device_use uses_device = device_use::possible;
  static execution make(run_time_policy p) { return p.where; }
};

struct backend {
  char const* name;  // as explain() and XPOSE_VERBOSE say it
  place where;
  run_time_policy policy;
};

template <class Policy>
backend make_backend(char const* name, place where, Policy const& policy) {
  return {name, where, {xpose::detail::policy_traits<Policy>::make(policy)}};
}

struct on_reference {
  static backend get() { return make_backend("reference", place::host, xpose::reference); }
  static bool is_here() { return true; }
};

struct on_seq {
  static backend get() { return make_backend("omp", place::host, xpose::seq); }
  static bool is_here() { return true; }
};

struct on_omp {
  static backend get() { return make_backend("omp", place::host, xpose::omp); }
  static bool is_here() { return true; }
};

/// omp on operands that begin right behind, or end right before, a page that may not be touched.
struct on_omp_guard_before {
  static backend get() { return make_backend("omp", place::host_guard_before, xpose::omp); }
  static bool is_here() { return true; }
};
struct on_omp_guard_behind {
  static backend get() { return make_backend("omp", place::host_guard_behind, xpose::omp); }
  static bool is_here() { return true; }
};

struct on_cuda {
  static backend get() { return make_backend("cuda", place::device, xpose::cuda.strict()); }
  static bool is_here() { return needs_gpu(); }
};

#define HOST_BACKENDS on_reference, on_seq, on_omp
#define ALL_BACKENDS HOST_BACKENDS, on_cuda
// For what runs through the list of cases.
#define GUARDED_HOST_BACKENDS on_reference, on_seq, on_omp_guard_before, on_omp_guard_behind
#define GUARDED_BACKENDS GUARDED_HOST_BACKENDS, on_cuda
