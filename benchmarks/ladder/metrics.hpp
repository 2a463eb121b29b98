// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What Nsight Compute counts of each rung.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace xpose::bench::ladder {

/// Of one launch. Loads and stores are those that the threads asked for; shared_* count accesses of
/// whole warps (requests), the passes that these took (wavefronts), and the extra ones (conflicts).
/// NaN: the GPU or the profiler does not count it.
struct launch_metrics {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::string kernel;
  double seconds = unknown;
  double load_gbps = unknown;
  double store_gbps = unknown;
  double dram_gbps = unknown;
  double shared_load_requests = unknown;
  double shared_store_requests = unknown;
  double shared_load_wavefronts = unknown;
  double shared_store_wavefronts = unknown;
  double shared_load_conflicts = unknown;
  double shared_store_conflicts = unknown;
};

/// The path of ncu: from PATH, else from /usr/local/cuda*/bin or /opt/nvidia/nsight-compute/.
std::optional<std::string> find_profiler();

/// Runs "this program arguments..." under ncu; a value for each kernel it launches, in their order.
/// Throws std::runtime_error with one line if ncu is missing or may not read the counters.
/// Kernels whose name holds "fill_scalars" are left out.
std::vector<launch_metrics> profile(std::vector<std::string> const& arguments);

/// The same of what ncu --csv --page raw --print-units base printed, mixed with the program's
/// lines.
std::vector<launch_metrics> launches_in(std::vector<std::string> const& printed_lines);

}  // namespace xpose::bench::ladder
