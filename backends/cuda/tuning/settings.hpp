// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The settings of a GPU as a tuning file has them.
#pragma once

#include <xpose/backends/core/tuning/tuning_file.hpp>
#include <xpose/backends/cuda/tuning/device_tuning.hpp>

#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// This thread's calls choose by these, as tune() compares them; null: by its tuning again.
void try_gemm_rates(gemm_rates const* rates);

/// By the settings of a file. Throws backend_error for one that does not exist, or whose value is
/// none.
device_tuning device_tuning_of(tuning_file const& tuning, int capability);

/// "transpose_tile_aligned<4> 64x64, 512 threads, 4 blocks"
XPOSE_EXPORT std::string label_of(transpose_config const& config);

/// "aligned_4_medium": the setting of a class of transposes.
XPOSE_EXPORT std::string name_of(tuned_move_class const& of);

/// Rates and times that gemm's cost model has (gemm/config/costs.hpp), in hundredths of these.
struct named_gemm_rate {
  char const* name;
  float gemm_rates::*rate;
};
inline constexpr named_gemm_rate named_gemm_rates[] = {
    {"gemm_memory_percent", &gemm_rates::memory},
    {"gemm_l2_percent", &gemm_rates::l2},
    {"gemm_launch_percent", &gemm_rates::launch},
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
