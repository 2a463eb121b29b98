// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the file of a group of types instantiates: gemm/driver.cuh for each type of the group.
#pragma once

#include <xpose/backends/core/problems/compiled_gemm.hpp>
#include <xpose/backends/cuda/gemm/block/deferred_layer.cuh>
#include <xpose/backends/cuda/gemm/driver.cuh>
#include <xpose/backends/cuda/gemm/instances/instance.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Group>
gemm_instance instance_of() {
  return {[](execution const& where, gemm_request const& r) {
            run_compiled_problem(
                r, Group{}, [&](auto const& problem) { cuda_gemm(where, problem); },
                deferred_epilogue_of{});
          },
          [](execution const& where, gemm_request const& r, gemm_choice const& choice) {
            run_compiled_problem(
                r, Group{}, [&](auto const& problem) { launch_choice(where, problem, choice); },
                deferred_epilogue_of{});
          }};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
