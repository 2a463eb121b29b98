// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of f32 on a CUDA device with precision(fast_f32): operands are split into parts of two bytes
// (gemm/f32_on_tensor_cores/split_f32.cuh), which warpgroups multiply (gemm/sm90/kernel.cuh), where that is expected to end
// before the plain kernel. Where an element has no parts the plain kernel runs after all; the
// device decides, so that nothing waits for it.
#pragma once

#include <xpose/backends/cuda/gemm/driver.cuh>
#include <xpose/backends/cuda/gemm/f32_on_tensor_cores/split_f32.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// f32 in parts: six products of bfloat16 for one. H100 SXM, 2026-11-21.
struct split_rows {
  static constexpr gemm_row rows[] = {{"fast_f32_128x128", gemm_arithmetic::split_warpgroups, 128,
                                       128, 32, 64, 128, 0, 1, 4, true, 1, 90, 215, 1650, 2}};
};

class fast_f32_gemm {
  using tile = split_tile<split_rows, 0>;
  using sums = warpgroup_sums<tile, f32_problem>;
  using plain_tile = gemm_tile<f32_rows, 0>;
  using plain_sums = fma_sums<plain_tile, f32_problem>;

 public:
  explicit fast_f32_gemm(f32_problem const& given)
      : problem_(as_tiles_take_it(given)),
        a_(problem_.a, problem_.batch, problem_.rows, problem_.depth, problem_.a.row_stride,
           problem_.a.col_stride),
        b_(problem_.b, problem_.batch, problem_.cols, problem_.depth, problem_.b.col_stride,
           problem_.b.row_stride) {}

  /// Whether the parts fit, the device has the instructions, and the model expects it to pay.
  bool pays() const {
    using all_rows = joined_rows<split_rows, f32_rows>;
    constexpr index most_bytes = index{4} << 30;  // of all parts
    index const bytes = a_.bytes() + b_.bytes();
    if (problem_.depth == 0 || bytes > most_bytes || !a_.can_be_split() || !b_.can_be_split() ||
        !is_compiled())
      return false;
    gemm_shape shape = shape_of(problem_);
    // Read once, and written in parts.
    shape.copied_for_maps = {bytes / bytes_of_parts * (index{sizeof(float)} + bytes_of_parts) / 2,
                             true};
    gemm_choice const choice = choose_gemm_row(
        all_rows::rows, all_rows::of_first + all_rows::of_second, shape, board_for<f32_problem>());
    return choice.row == 0 && choice.splits == 1;
  }

  void run(execution const& where) const {
    if (only_asks(where, split_rows::rows[0].name)) return;
    multiply(where, stream_workspace(where, of_flag + a_.bytes() + b_.bytes()));
    finish(where);
  }

 private:
  static constexpr index of_flag = 256;  // bytes in front of the parts

  void multiply(execution const& where, stream_workspace const& workspace) const {
    auto* const at = static_cast<unsigned char*>(workspace.data());
    auto* const flag = reinterpret_cast<int*>(at);
    void* const a_parts = at + of_flag;
    void* const b_parts = at + of_flag + a_.bytes();
    check_cuda(cudaMemsetAsync(flag, 0, sizeof(int), stream_of(where)), "cudaMemsetAsync");
    split_both(where, a_, a_parts, b_, b_parts, flag);
    multiply_parts(where, a_parts, b_parts, {flag, true});
    multiply_plain(where, {flag, false});
  }

  static bool is_compiled() {
    return is_compiled_for_warpgroups(gemm_warpgroups<tile, f32_problem>);
  }

  gemm_choice undivided() const { return {0, 1, problem_.depth}; }

  void multiply_parts(execution const& where, void* a_parts, void* b_parts,
                      gemm_condition const& condition) const {
    warpgroup_maps const maps = maps_of<tile>(problem_, a_.lines_at(a_parts), b_.lines_at(b_parts));
    launch_gemm_grid<tile, sums>(where, problem_, undivided(), condition,
                                 [&](index tiles, gemm_grid const& grid) {
                                   launch_persistent<tile>(where, tiles, problem_, grid, maps);
                                 });
  }

  void multiply_plain(execution const& where, gemm_condition const& condition) const {
    launch_gemm_tiles<plain_tile, plain_sums>(
        where, problem_, undivided(), gemm_tiles<plain_tile, plain_sums, f32_problem>, condition);
  }

  f32_problem problem_;
  operand_in_parts a_;
  operand_in_parts b_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
