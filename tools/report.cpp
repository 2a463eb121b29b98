// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "report.hpp"

#include "failure.hpp"
#include "json_text.hpp"
#include "npy_header.hpp"

#include <cstdio>

namespace xpose::tools {

void print_report(run_settings const& settings, workplace const& place, report const& r) {
  if (!place.why_not_cuda.empty())
    std::fprintf(stderr, "xpose: note: --policy cuda ran on %s: %s\n", r.backend.c_str(),
                 place.why_not_cuda.c_str());
  if (settings.is_json) {
    json_object object;
    object.add_text("operation", r.operation)
        .add_text("policy", settings.policy)
        .add_text("backend", r.backend)
        .add_text("kernel", r.kernel)
        .add_integers("shape", r.shape)
        .add_text("dtype", r.descr)
        .add_number("seconds", r.seconds)
        .add_text("output", r.output);
    std::printf("%s\n", object.text().c_str());
    return;
  }
  std::printf("%s: %s, shape %s, dtype %s, %.3g s on %s (%s)\n", r.operation.c_str(),
              r.output.c_str(), shape_text(r.shape).c_str(), r.descr.c_str(), r.seconds,
              r.backend.c_str(), r.kernel.c_str());
}

}  // namespace xpose::tools
