// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "run/result_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace xpose::bench {
namespace {

constexpr char const* csv_columns[] = {"operation",    "policy",
                                       "device",       "threads",
                                       "type",         "shape",
                                       "layout",       "implementation",
                                       "role",         "kernel",
                                       "suite",        "median_s",
                                       "min_s",        "mean_s",
                                       "stddev_s",     "repeats",
                                       "host_s",       "gbps",
                                       "tflops",       "ceiling",
                                       "ceiling_name", "ratio_to_ceiling",
                                       "best_peer",    "ratio_to_best_peer",
                                       "verified",     "verified_by",
                                       "cache",        "state",
                                       "seed",         "case",
                                       "class",        "note"};

void open(std::ofstream& stream, std::string const& file) {
  if (file.empty()) return;
  stream.open(file);
  if (!stream) throw std::runtime_error(file + ": cannot be written");
}

void require_written(std::ofstream& stream, std::string const& file) {
  if (!file.empty() && !stream.flush()) throw std::runtime_error(file + ": cannot be written");
}

std::string csv_cell(json const& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  std::string quoted = "\"";
  for (char const c : value.get<std::string>()) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

double number(json const& result, char const* member) {
  auto const found = result.find(member);
  return found == result.end() || !found->is_number() ? 0 : found->get<double>();
}

std::string text(json const& result, char const* member) {
  auto const found = result.find(member);
  return found == result.end() || !found->is_string() ? "" : found->get<std::string>();
}

std::string seconds_text(double seconds) {
  char buffer[32];
  if (seconds < 1e-3) std::snprintf(buffer, sizeof buffer, "%.2f us", seconds * 1e6);
  else if (seconds < 1) std::snprintf(buffer, sizeof buffer, "%.3f ms", seconds * 1e3);
  else std::snprintf(buffer, sizeof buffer, "%.3f s", seconds);
  return buffer;
}

}  // namespace

result_output::result_output(bench_settings const& settings, std::size_t jobs)
    : json_file_(settings.json_file),
      csv_file_(settings.csv_file),
      jobs_(jobs),
      is_terminal_(isatty(2) != 0) {
  open(json_stream_, json_file_);
  open(csv_stream_, csv_file_);
  if (!csv_file_.empty()) {
    std::string line;
    for (auto const* const column : csv_columns)
      line += (line.empty() ? "" : ",") + std::string(column);
    csv_stream_ << line << '\n';
    require_written(csv_stream_, csv_file_);
  }
}

result_output::~result_output() { wipe_progress(); }

void result_output::take_run(json const& description) {
  // A worker that follows a crashed one describes itself again.
  std::string const policy = text(description, "policy");
  if (std::find(policies_told_.begin(), policies_told_.end(), policy) != policies_told_.end())
    return;
  policies_told_.push_back(policy);
  if (json_file_.empty()) return;
  json_stream_ << description.dump() << '\n';
  require_written(json_stream_, json_file_);
}

void result_output::take_result(json const& result) {
  results_.push_back(result);
  if (text(result, "role") == "xpose" && !result.value("verified", false) &&
      text(result, "note").rfind("skipped", 0) != 0)
    ++failures_;
  print(result);
  if (!json_file_.empty()) {
    json_stream_ << result.dump() << '\n';
    require_written(json_stream_, json_file_);
  }
  if (!csv_file_.empty()) {
    std::string line;
    for (auto const* const column : csv_columns)
      line += (column == csv_columns[0] ? "" : ",") +
              (result.contains(column) ? csv_cell(result[column]) : std::string());
    csv_stream_ << line << '\n';
    require_written(csv_stream_, csv_file_);
  }
}

void result_output::take_note(std::string const& note) {
  wipe_progress();
  std::fprintf(stderr, "xpose-bench: %s\n", note.c_str());
}

void result_output::take_progress(int job, std::string const& candidate) {
  if (!is_terminal_) return;
  std::fprintf(stderr, "\r\033[K%d of %zu  %s", job + 1, jobs_, candidate.c_str());
  std::fflush(stderr);
  is_progress_shown_ = true;
}

void result_output::wipe_progress() {
  if (is_progress_shown_) std::fputs("\r\033[K", stderr);
  is_progress_shown_ = false;
}

void result_output::print(json const& result) {
  wipe_progress();
  std::string const heading = text(result, "operation") + " " +
                              (result.contains("table") ? text(result, "table") + " " : "") +
                              text(result, "policy") + " " + text(result, "type") + " " +
                              text(result, "shape") + " " + text(result, "layout") + "  (" +
                              text(result, result.contains("state") ? "state" : "cache") + ")";
  if (heading != heading_) std::printf("%s\n", heading.c_str());
  heading_ = heading;
  bool const is_arithmetic = result.contains("tflops");
  double const median = number(result, "median_s");
  if (median <= 0) {
    std::printf("  %-17s %s\n", text(result, "implementation").c_str(),
                text(result, "note").c_str());
    return;
  }
  std::printf("  %-17s %11s %9.*f %s  +-%4.1f%%", text(result, "implementation").c_str(),
              seconds_text(median).c_str(), is_arithmetic ? 3 : 1,
              number(result, is_arithmetic ? "tflops" : "gbps"), is_arithmetic ? "TF/s" : "GB/s",
              100 * number(result, "stddev_s") / number(result, "mean_s"));
  if (number(result, "enqueue_s") > 0)
    std::printf("  enqueued in %s", seconds_text(number(result, "enqueue_s")).c_str());
  if (number(result, "ratio_to_ceiling") > 0)
    std::printf("  %5.3f of %s", number(result, "ratio_to_ceiling"),
                text(result, "ceiling_name").c_str());
  if (number(result, "ratio_to_best_peer") > 0)
    std::printf("  %.2f x %s", number(result, "ratio_to_best_peer"),
                text(result, "best_peer").c_str());
  std::printf("  %s%s%s\n", result.value("verified", false) ? "verified" : "NOT VERIFIED",
              text(result, "note").empty() ? "" : "  ", text(result, "note").c_str());
  std::fflush(stdout);
}

}  // namespace xpose::bench
