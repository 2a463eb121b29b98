// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A call that is watched, and its line of XPOSE_VERBOSE.
#pragma once

#include <xpose/backends/core/message.hpp>
#include <xpose/detail/request.hpp>

#include <cstdio>
#include <cstring>
#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Request>
struct watched_call : launch_report {
  execution const& where;
  Request const& request;
};

/// XPOSE_VERBOSE: one line a call on standard error, by one write, so that lines of several threads
/// do not mix.
template <class Request>
void print_line(launch_report const& report) {
  auto const& call = static_cast<watched_call<Request> const&>(report);
  execution const& where = call.where;
  Request const& r = call.request;
  auto const& out = r.output();
  std::string line =
      message("xpose: ", name_of(r.op), " to ", extents(out), " of ", out.bytes_per_element,
              " bytes: backend ", report.backend, ", kernel ", report.kernel);
  if (std::strcmp(report.backend, "cuda") == 0)
    line += message(", stream ", where.stream, where.nosync ? ", nosync" : ", sync");
  if (std::strcmp(report.backend, "omp") == 0 && where.threads != 0)
    line += message(", threads ", where.threads);
  line += message(" (", report.reason, ")\n");
  std::fputs(line.c_str(), stderr);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
