// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose, copy and permute on a CUDA device as bit copies, whatever the element type: plan, cut,
// choose a row of transpose/kernel_table.hpp for each piece, launch.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/cuda/elementwise/instances/functions.hpp>
#include <xpose/backends/cuda/transpose/copy_in_place.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/pieces.hpp>
#include <xpose/backends/cuda/transpose/launch_kernel.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr struct {
  int word;
  void (*launch)(execution const& where, int row, transpose_piece const& piece);
} launchers[] = {{1, launch_words_1},
                 {2, launch_words_2},
                 {4, launch_words_4},
                 {8, launch_words_8},
                 {16, launch_words_16}};

void copy_bits(execution const& where, copy_request const& r) {
  for_each_transpose_piece(piece_of(r.in, r.out), tuned_capability(),
                           [&](int row, transpose_piece const& piece) {
                             if (only_asks(where, transpose_rows[row].name)) return;
                             for (auto const& words : launchers)
                               if (words.word == piece.word) words.launch(where, row, piece);
                           });
  finish(where);
}

}  // namespace

bool cuda_copies_whole_matrices(copy_request const& r) {
  transpose_piece const whole = piece_of(r.in, r.out);
  transpose_row const& row = transpose_rows[row_for(whole, tuned_capability())];
  return is_one_piece(whole.plan, limits_of(row)) &&
         (row.kernel == transpose_kernel::tiny || row.kernel == transpose_kernel::tiny_bytes ||
          row.kernel == transpose_kernel::scattered);
}

void cuda_run_copy(execution const& where, copy_request const& r) {
  if (has_stand_in(r)) return cuda_run_copy(where, by_stand_in(r));
  if (r.function == element_function::copy_bits) return copy_bits(where, r);
  cuda_run_element_function(where, r);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
