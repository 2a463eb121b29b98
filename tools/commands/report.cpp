// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/report.hpp"

#include "npy/dtype.hpp"
#include "terminal/failure.hpp"
#include "terminal/json_text.hpp"
#include "terminal/standard_streams.hpp"

#include <algorithm>
#include <cstdio>

namespace xpose::tools {
namespace {

std::string text_of_seconds(double seconds) {
  char text[32];
  if (seconds < 1e-3) std::snprintf(text, sizeof text, "%.3g us", seconds * 1e6);
  else if (seconds < 1) std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  else std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

/// In 1e9 units a second.
double rate_of(report const& r) {
  double const amount = r.work.amount * (1 - r.done_before);
  return r.times.call > 0 ? amount / r.times.call / 1e9 : 0;
}

std::string text_of_rate(report const& r) {
  char text[64];
  double const rate = rate_of(r);
  bool const is_large = rate >= 1000;
  std::snprintf(text, sizeof text, "%.3g %c%s/s", is_large ? rate / 1000 : rate,
                is_large ? 'T' : 'G', r.work.unit);
  return text;
}

int percent_of(double share) { return static_cast<int>(share * 100); }

/// Simple types as NumPy says them, <f4; others as the header spells them.
std::string text_of_dtype(std::string const& descr) {
  bool const is_quoted = descr.size() > 2 && (descr.front() == '\'' || descr.front() == '"') &&
                         descr.find(descr.front(), 1) == descr.size() - 1;
  return is_quoted ? descr.substr(1, descr.size() - 2) : descr;
}

std::string line_of(report const& r) {
  std::string line =
      text_of(r.operation, ": ", r.output == "-" ? "standard output" : r.output, ", shape ",
              shape_text(r.header->shape), ", dtype ", text_of_dtype(r.header->descr), ", on ",
              r.backend, " (", r.kernel, "): ", text_of_seconds(r.times.call));
  if (r.work.amount > 0) line += ", " + text_of_rate(r);
  line += "; files " + text_of_seconds(r.times.files) + "; in all " + text_of_seconds(r.seconds);
  if (r.done_before > 0) line += text_of("; resumed at ", percent_of(r.done_before), " %");
  return line;
}

json_object json_of(run_settings const& settings, report const& r) {
  json_object object;
  object.add_text("operation", r.operation)
      .add_text("policy", settings.policy)
      .add_text("backend", r.backend)
      .add_text("kernel", r.kernel)
      .add_integers("shape", r.header->shape)
      .add_json("dtype", json_dtype(r.header->descr, r.header->is_utf8))
      .add_number("call_seconds", r.times.call)
      .add_number("file_seconds", r.times.files)
      .add_number("seconds", r.seconds)
      .add_number("rate", rate_of(r))
      .add_text("rate_unit", std::string("G") + r.work.unit + "/s")
      .add_text("output", r.output);
  if (settings.is_resumable) object.add_number("resumed_at", r.done_before);
  return object;
}

}  // namespace

void print_report(run_settings const& settings, run_target const& target, report const& r) {
  if (!target.why_not_cuda.empty())
    print_line(stderr,
               text_of("xpose: note: --policy cuda ran on ", r.backend, ": ", target.why_not_cuda));
  std::FILE* const to = r.output == "-" ? stderr : stdout;
  if (settings.is_json) print_json(json_of(settings, r), to);
  else print_line(to, line_of(r));
}

}  // namespace xpose::tools
