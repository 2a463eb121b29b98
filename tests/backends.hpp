// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The backends as test parameters: a policy, the memory its operands live in, and whether this
// machine has it. A test case is written once: TEST_CASE_TEMPLATE("...", Backend, ALL_BACKENDS).
#pragma once

#include "gpu.hpp"
#include "memory.hpp"

#include <xpose/xpose.hpp>

struct on_seq {
  static constexpr char const* name = "reference";
  static constexpr place where = place::host;
  static auto policy() { return xpose::seq; }
  static bool is_here() { return true; }
};

struct on_omp {
  static constexpr char const* name = "omp";
  static constexpr place where = place::host;
  static auto policy() { return xpose::omp; }
  static bool is_here() { return true; }
};

struct on_cuda {
  static constexpr char const* name = "cuda";
  static constexpr place where = place::device;
  static auto policy() { return xpose::cuda.strict(); }
  static bool is_here() { return needs_gpu(); }
};

#define ALL_BACKENDS on_seq, on_omp, on_cuda
#define HOST_BACKENDS on_seq, on_omp
