// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of f32 with precision(tf32): TMA rounds operands to tf32 for the wgmma kernel
// (gemm/sm90/kernel.cuh), where the cost model expects that to beat the SIMT kernel.
#pragma once

#include <xpose/backends/cuda/gemm/launch_config.cuh>

namespace xpose::detail {

using tf32_problem =
    gemm_problem<tf32_element, tf32_element, float, float, plus_times, no_epilogue>;

class tf32_gemm {
 public:
  explicit tf32_gemm(f32_problem const& given)
      : problem_(oriented_for_tiles(as_tf32(given))),
        choice_(choose_config(problem_)),
        plain_(choose_config(oriented_for_tiles(given))) {}

  /// Whether the device has wgmma, and the cost model expects it to pay.
  bool pays() const { return is_faster(choice_, plain_); }

  void run(execution const& where) const {
    if (explain_only(where, tf32_configs::configs[choice_.config].name)) return;
    launch_choice(where, problem_, choice_);
    finish(where);
  }

  static tf32_problem as_tf32(f32_problem const& p) {
    return {as_tf32(p.a), as_tf32(p.b), p.c,   p.batch,   p.rows, p.cols,
            p.k_extent,   false,        false, p.scalars, {},     {}};
  }

 private:
  static strided_batch<tf32_element const> as_tf32(strided_batch<float const> const& o) {
    return {reinterpret_cast<tf32_element const*>(o.data), o.batch_stride, o.row_stride,
            o.col_stride};
  }

  tf32_problem problem_;
  gemm_choice choice_;
  gemm_choice plain_;
};

}  // namespace xpose::detail
