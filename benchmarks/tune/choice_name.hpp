// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How tune_gemm writes a choice of a config, and fit_gemm reads it.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>

#include <string>

namespace xpose::bench {

/// "wgmma_64x64/4c": in four splits, in a cluster; "wgmma_64x64*2x4/1": in clusters of 2x4 tiles;
/// "f64_64x64/1s": by stream-K.
inline std::string name_of(detail::gemm_config const& config, detail::gemm_choice const& choice) {
  std::string const cluster =
      "*" + std::to_string(choice.cluster.rows) + "x" + std::to_string(choice.cluster.cols);
  std::string const cols =
      has_any_cols(config) ? "x" + std::to_string(block_cols_of(config, choice)) : "";
  return config.name + cols + (choice.cluster.blocks() > 1 ? cluster : "") + "/" +
         std::to_string(choice.split_k) + (choice.in_cluster ? "c" : "") +
         (choice.stream_k ? "s" : "");
}

}  // namespace xpose::bench
