// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What tune() found on a GPU, as kernels are chosen by it.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>
#include <xpose/backends/cuda/transpose/select.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct device_tuning {
  tuned_moves moves;
  gemm_rates gemm;
};

/// Of the current device. A file is read when a device is first used, and again behind what changes
/// the tuning of the process; else a call costs cudaGetDevice.
device_tuning const& tuning_of_device();

}  // namespace detail
}  // namespace v0
}  // namespace xpose
