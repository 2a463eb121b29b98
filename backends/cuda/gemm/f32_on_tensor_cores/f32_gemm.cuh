// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of f32 on tensor cores, where the cost model expects that to beat the SIMT kernel: by wgmma
// (gemm/sm90/kernel.cuh), tf32 also by mma.sync (gemm/sm80/mma.cuh). precision(fast_f32), 3xBF16:
// operands are split into bfloat16 planes (split_f32.cuh); if an element has none the SIMT kernel
// runs after all: the device decides by a flag, so the host waits for nothing. precision(tf32): TMA
// rounds operands, or the kernel does.
#pragma once

#include <xpose/backends/cuda/gemm/driver.cuh>
#include <xpose/backends/cuda/gemm/f32_on_tensor_cores/split_f32.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

class fast_f32_gemm {
  using tile = bf16x3_tile<fast_f32_configs, 0>;
  using simt_tile = padded_tile<f32_configs, 0>;

 public:
  explicit fast_f32_gemm(f32_problem const& given)
      : problem_(oriented_for_tiles(given)),
        a_(operand_a(problem_)),
        b_(operand_b(problem_)),
        choice_(choose()) {}
  /// By a choice of fast_f32_configs, whatever the cost model expects.
  fast_f32_gemm(f32_problem const& given, gemm_choice const& choice)
      : problem_(given), a_(operand_a(problem_)), b_(operand_b(problem_)), choice_(choice) {}

  /// Whether the planes fit, the device has wgmma, and the cost model expects it to pay.
  bool pays() const { return choice_.config == 0; }

  void run(execution const& where) const {
    if (explain_only(where, fast_f32_configs::configs[0], choice_)) return;
    launch(where);
    finish(where);
  }
  void launch(execution const& where) const {
    multiply(where, stream_workspace(where, flag_bytes + a_.bytes() + b_.bytes()));
  }

 private:
  static constexpr index flag_bytes = 256;  // in front of the planes

  gemm_choice choose() const {
    using all_configs = joined_configs<fast_f32_configs, f32_configs>;
    constexpr index max_bytes = index{4} << 30;  // of all planes
    index const bytes = a_.bytes() + b_.bytes();
    if (problem_.k_extent == 0 || bytes > max_bytes || !a_.can_be_split() || !b_.can_be_split() ||
        !is_compiled_for_wgmma(gemm_wgmma<tile, f32_problem>))
      return {-1, 1, problem_.k_extent};
    gemm_extents shape = extents_of(problem_);
    // f32 is read once, and its planes are written.
    shape.copied_for_tma = {bytes / bytes_of_parts * (index{sizeof(float)} + bytes_of_parts) / 2,
                            true};
    shape.stores_c_by_tma = can_tma_store_c(problem_, false);
    gemm_gpu gpu = gpu_for<f32_problem>();
    clusters_of_device().copy_to(gpu.clusters);
    return choose_gemm_config(all_configs::configs, all_configs::of_first + all_configs::of_second,
                              shape, gpu);
  }

  void multiply(execution const& where, stream_workspace const& workspace) const {
    auto* const at = static_cast<unsigned char*>(workspace.data());
    auto* const flag = reinterpret_cast<int*>(at);
    void* const a_planes = at + flag_bytes;
    void* const b_planes = at + flag_bytes + a_.bytes();
    check_cuda(cudaMemsetAsync(flag, 0, sizeof(int), stream_of(where)), "cudaMemsetAsync");
    split_operands(where, a_, a_planes, b_, b_planes, flag);
    launch_persistent<tile>(where, problem_, choice_, a_.tensor_at(a_planes),
                            b_.tensor_at(b_planes), {flag, true});
    launch_tile_kernel<simt_tile, simt_accumulators<simt_tile, f32_problem>>(
        where, problem_, {0, 1, problem_.k_extent}, {flag, false});
  }

  f32_problem problem_;
  bf16x3_operand a_, b_;
  gemm_choice choice_;
};

using tf32_problem =
    gemm_problem<tf32_element, tf32_element, float, float, plus_times, deferred_layer<float>>;

class tf32_gemm {
 public:
  explicit tf32_gemm(f32_problem const& given)
      : problem_(oriented_for_tiles(as_tf32(given))),
        choice_(choose_config(problem_)),
        plain_(choose_config(oriented_for_tiles(given))) {}

  /// Whether the device has tensor cores for tf32, and the cost model expects them to pay.
  bool pays() const { return is_faster(choice_, plain_); }

  void run(execution const& where) const {
    if (explain_only(where, tf32_configs::configs[choice_.config], choice_)) return;
    launch_choice(where, problem_, choice_);
    finish(where);
  }

  static tf32_problem as_tf32(f32_problem const& p) {
    return {as_tf32(p.a), as_tf32(p.b), p.c,   p.batch,   p.rows, p.cols,
            p.k_extent,   false,        false, p.scalars, {},     p.epilogue};
  }

 private:
  static strided_batch<tf32_element const> as_tf32(strided_batch<float const> const& o) {
    return {reinterpret_cast<tf32_element const*>(o.data), o.batch_stride, o.row_stride,
            o.col_stride};
  }

  tf32_problem problem_;
  gemm_choice choice_, plain_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
