// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of the compiled types on a CUDA device, as functions of a request: one instance for each
// group of types.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>
#include <xpose/detail/compiled_gemm.hpp>
#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct gemm_instance {
  void (*run)(execution const& where, gemm_request const& request);
  void (*run_config)(execution const& where, gemm_request const& request,
                     gemm_choice const& choice);
};

/// Of a group of types. Defined in the group's own file; a group without one does not link.
template <class Group>
gemm_instance instance_of();

/// Runs a config of the request's table whatever the cost model would choose, on operands as they
/// are and without waiting: for tests/cuda/gemm_configs, whose own copies of all kernels took seven
/// minutes to compile.
XPOSE_EXPORT void cuda_run_gemm_config(execution const& where, gemm_request const& request,
                                       gemm_choice const& choice);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
