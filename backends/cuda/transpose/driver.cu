// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose, copy and permute on a CUDA device as bit copies, whatever the element type: plan, cut
// into pieces, choose a config of kernel_table.cuh for each, launch.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/backends/cuda/elementwise/instances/functions.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/select.hpp>
#include <xpose/backends/cuda/tuning/device_tuning.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

void copy_bits(execution const& where, copy_request const& r) {
  for_each_transpose_piece(plan_bit_copy(r.in, r.out),
                           {tuned_capability(), &tuning_of_device().moves},
                           [&](bit_copy const& piece, transpose_config const& config) {
                             if (!explain_only(where, config.name))
                               config.launch(where, config, piece);
                           });
  finish(where);
}

}  // namespace

void cuda_run_copy(execution const& where, copy_request const& r) {
  if (has_stand_in(r)) return cuda_run_copy(where, by_stand_in(r));
  if (r.function == element_function::copy_bits) return copy_bits(where, r);
  cuda_run_functions<functions_of::short_integers>(where, r);
  cuda_run_functions<functions_of::long_integers>(where, r);
  cuda_run_functions<functions_of::others>(where, r);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
