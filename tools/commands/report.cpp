// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/report.hpp"

#include "npy/npy_header.hpp"
#include "terminal/failure.hpp"
#include "terminal/json_text.hpp"
#include "terminal/standard_streams.hpp"

#include <cstdio>

namespace xpose::tools {

void print_report(run_settings const& settings, run_target const& target, report const& r) {
  if (!target.why_not_cuda.empty())
    print_line(stderr,
               text_of("xpose: note: --policy cuda ran on ", r.backend, ": ", target.why_not_cuda));
  if (settings.is_json) {
    print_json(json_object()
                   .add_text("operation", r.operation)
                   .add_text("policy", settings.policy)
                   .add_text("backend", r.backend)
                   .add_text("kernel", r.kernel)
                   .add_integers("shape", r.shape)
                   .add_text("dtype", r.descr)
                   .add_number("seconds", r.seconds)
                   .add_text("output", r.output));
    return;
  }
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3g", r.seconds);
  print_line(stdout,
             text_of(r.operation, ": ", r.output, ", shape ", shape_text(r.shape), ", dtype ",
                     r.descr, ", ", seconds, " s on ", r.backend, " (", r.kernel, ")"));
}

}  // namespace xpose::tools
