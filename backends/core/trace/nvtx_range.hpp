// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Ranges of NVTX's domain "xpose" around calls, which Nsight Systems shows and Nsight Compute
// filters by. NVTX is headers alone: it loads the tool that NVTX_INJECTION64_PATH names, when it is
// first asked. A build without these headers has no ranges.
#pragma once

#include <xpose/config.hpp>

#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether a tool takes the domain's ranges. Asks once in a process.
bool has_nvtx_tool();

/// From its construction to its destruction, on the calling thread.
class nvtx_range {
 public:
  /// Without a name there is no range.
  explicit nvtx_range(std::string const& name);
  ~nvtx_range();
  nvtx_range(nvtx_range const&) = delete;
  nvtx_range& operator=(nvtx_range const&) = delete;

 private:
  bool is_open_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
