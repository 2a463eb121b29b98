// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The user's settings of a run, and the backend that it really uses.
#pragma once

#include <xpose/detail/across_request.hpp>

#include <cstdint>
#include <string>

namespace xpose::tools {

struct run_settings {
  std::string policy = "automatic";
  int threads = 0;
  bool is_json = false;
  std::uint64_t memory_bytes = 0;         // that a tile may take; 0: not said
  std::uint64_t device_memory_bytes = 0;  // of temporary memory on a device; 0: not said
  bool is_resumable = false;
};

struct run_target {
  // Files are in pageable memory, of which pieces pass through a device. Backends of the host take
  // it for an ordinary execution.
  detail::across_execution where;
  int threads;  // that the command itself uses; 0: all that OpenMP offers
  bool is_on_device;
  std::string why_not_cuda;  // set when cuda was asked for and cannot run here
};

/// Throws failure for settings that do not go together.
run_target find_run_target(run_settings const& settings);

}  // namespace xpose::tools
