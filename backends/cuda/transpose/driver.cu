// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose, copy and permute on a CUDA device as bit copies, whatever the element type: plan, cut,
// choose a row of transpose/kernel_table.hpp for each piece, launch.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/backends/cuda/elementwise/instances/functions.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/copy_in_place.hpp>
#include <xpose/backends/cuda/transpose/launch_kernel.hpp>
#include <xpose/backends/cuda/transpose/pieces.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr struct {
  int word;
  void (*launch)(execution const& where, int config, transpose_piece const& piece);
} launchers[] = {{1, launch_words_1},
                 {2, launch_words_2},
                 {4, launch_words_4},
                 {8, launch_words_8},
                 {16, launch_words_16}};

void copy_bits(execution const& where, copy_request const& r) {
  for_each_transpose_piece(piece_of(r.in, r.out), tuned_capability(),
                           [&](int config, transpose_piece const& piece) {
                             if (explain_only(where, transpose_configs[config].name)) return;
                             for (auto const& words : launchers)
                               if (words.word == piece.word) words.launch(where, config, piece);
                           });
  finish(where);
}

}  // namespace

bool cuda_copy_can_run_in_place(copy_request const& r) {
  transpose_piece const whole = piece_of(r.in, r.out);
  transpose_config const& config = transpose_configs[config_for(whole, tuned_capability())];
  return is_one_piece(whole.plan, limits_of(config)) &&
         (config.kernel == transpose_kernel::tiny ||
          config.kernel == transpose_kernel::tiny_bytes ||
          config.kernel == transpose_kernel::scattered);
}

void cuda_run_copy(execution const& where, copy_request const& r) {
  if (has_stand_in(r)) return cuda_run_copy(where, by_stand_in(r));
  if (r.function == element_function::copy_bits) return copy_bits(where, r);
  cuda_run_element_function(where, r);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
