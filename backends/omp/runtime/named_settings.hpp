// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The settings of the omp backend as a tuning file has them.
#pragma once

#include <xpose/backends/omp/runtime/settings.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A setting as a tuning file has it, and the values that it may have there.
struct named_omp_setting {
  char const* name;
  omp_setting omp_settings::*setting;
  double least, most;
};
inline constexpr named_omp_setting named_omp_settings[] = {
    {"move_team_bytes", &omp_settings::move_team_bytes, 1 << 10, 1 << 28},
    {"matrix_stream_bytes", &omp_settings::matrix_stream_bytes, 1 << 16, 1LL << 40},
    {"gemm_team_products", &omp_settings::gemm_team_products, 1 << 12, 1 << 28},
    {"gemm_l2_percent", &omp_settings::gemm_l2_percent, 10, 100},
    {"gemm_packed_bytes", &omp_settings::gemm_packed_bytes, 1 << 20, 16 << 20},
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
