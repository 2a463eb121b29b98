// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of f32 on a CUDA device with precision(fast_f32): operands are split into parts of two bytes
// (gemm/f32_on_tensor_cores/split_f32.cuh), which warpgroups multiply (gemm/sm90/kernel.cuh), where
// that is expected to end before the plain kernel. Where an element has no parts the plain kernel
// runs after all; the device decides, so that nothing waits for it.
#pragma once

#include <xpose/backends/cuda/gemm/f32_on_tensor_cores/split_f32.cuh>
#include <xpose/backends/cuda/gemm/launch_config.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

class fast_f32_gemm {
  using tile = bf16x3_tile<fast_f32_configs, 0>;
  using accumulators = wgmma_accumulators<tile, f32_problem>;
  using plain_tile = padded_tile<f32_configs, 0>;
  using plain_sums = simt_accumulators<plain_tile, f32_problem>;

 public:
  explicit fast_f32_gemm(f32_problem const& given)
      : problem_(oriented_for_tiles(given)),
        a_(problem_.a, problem_.batch, problem_.rows, problem_.k_extent, problem_.a.row_stride,
           problem_.a.col_stride),
        b_(problem_.b, problem_.batch, problem_.cols, problem_.k_extent, problem_.b.col_stride,
           problem_.b.row_stride) {}

  /// Whether the parts fit, the device has the instructions, and the model expects it to pay.
  bool pays() const {
    using all_rows = joined_configs<fast_f32_configs, f32_configs>;
    constexpr index most_bytes = index{4} << 30;  // of all parts
    index const bytes = a_.bytes() + b_.bytes();
    if (problem_.k_extent == 0 || bytes > most_bytes || !a_.can_be_split() || !b_.can_be_split() ||
        !is_compiled())
      return false;
    gemm_extents shape = extents_of(problem_);
    // Read once, and written in parts.
    shape.copied_for_tma = {bytes / bytes_of_parts * (index{sizeof(float)} + bytes_of_parts) / 2,
                            true};
    gemm_choice const choice = choose_gemm_config(
        all_rows::configs, all_rows::of_first + all_rows::of_second, shape, gpu_for<f32_problem>());
    return choice.config == 0 && choice.split_k == 1;
  }

  void run(execution const& where) const {
    if (explain_only(where, fast_f32_configs::configs[0].name)) return;
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
    split_operands(where, a_, a_parts, b_, b_parts, flag);
    multiply_parts(where, a_parts, b_parts, {flag, true});
    multiply_plain(where, {flag, false});
  }

  static bool is_compiled() { return is_compiled_for_wgmma(gemm_wgmma<tile, f32_problem>); }

  gemm_choice undivided() const { return {0, 1, problem_.k_extent}; }

  void multiply_parts(execution const& where, void* a_parts, void* b_parts,
                      gemm_condition const& condition) const {
    gemm_tma_descriptors const maps =
        tma_descriptors_of<tile>(problem_, a_.tensor_at(a_parts), b_.tensor_at(b_parts));
    launch_gemm_grid<tile, accumulators>(
        where, problem_, undivided(), condition, [&](index tiles, gemm_grid const& grid) {
          launch_persistent<tile>(where, tiles, problem_, grid, maps);
        });
  }

  void multiply_plain(execution const& where, gemm_condition const& condition) const {
    launch_tile_kernel<plain_tile, plain_sums>(
        where, problem_, undivided(), gemm_tile_kernel<plain_tile, plain_sums, f32_problem>,
        condition);
  }

  f32_problem problem_;
  bf16x3_operand a_;
  bf16x3_operand b_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
