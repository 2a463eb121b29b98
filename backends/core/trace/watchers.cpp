// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/trace/watchers.hpp>

#include <xpose/backends/core/trace/call_log.hpp>
#include <xpose/backends/core/trace/nvtx_range.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>

#include <cstdlib>
#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {

bool is_verbose() {
  char const* const verbose = std::getenv("XPOSE_VERBOSE");
  return verbose != nullptr && std::strcmp(verbose, "1") == 0;
}

environment_setting<unsigned> watchers([] {
  unsigned found = 0;
  if (is_verbose()) found |= verbose_lines;
  if (open_call_log(std::getenv("XPOSE_LOG"))) found |= call_log;
  if (has_nvtx_tool()) found |= nvtx_ranges;
  read_tuning(is_verbose());
  return found;
});

}  // namespace detail
}  // namespace v0
}  // namespace xpose
