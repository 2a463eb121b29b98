// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What Nsight Compute counts of each rung.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xpose::bench::ladder {

/// Of one launch. Loads and stores are those that the threads asked for; shared_* count accesses of
/// whole warps (requests), the passes that these took (wavefronts), and the extra ones (conflicts).
struct launch_metrics {
  std::string kernel;
  double load_gbps = 0;
  double store_gbps = 0;
  double dram_gbps = 0;
  double shared_load_requests = 0;
  double shared_store_requests = 0;
  double shared_load_wavefronts = 0;
  double shared_store_wavefronts = 0;
  double shared_load_conflicts = 0;
  double shared_store_conflicts = 0;
};

/// Runs "this program arguments..." under ncu; a value for each kernel it launches, in their order.
/// Throws std::runtime_error with one line if ncu is missing or may not read the counters.
/// Kernels whose name holds "fill_scalars" are left out.
std::vector<launch_metrics> profile(std::vector<std::string> const& arguments);

}  // namespace xpose::bench::ladder
