// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Driver of gemm on a CUDA device: orients the product, selects a config, launches, waits if asked.
// Assumes a checked problem. The library instantiates it for the compiled types
// (gemm/instances), a user's .cu for its own.
#pragma once

#include <xpose/backends/cuda/gemm/launch_config.cuh>

namespace xpose::detail {

template <class Problem>
static void cuda_gemm(execution const& where, Problem const& given) {
  Problem const problem = oriented_for_tiles(given);
  gemm_choice const choice = choose_config(problem);
  if (choice.config < 0) refuse_gemm(problem.rows, problem.cols);
  if (explain_only(where, gemm_configs_of<Problem>::type::configs[choice.config].name)) return;
  launch_choice(where, problem, choice);
  finish(where);
}

}  // namespace xpose::detail
