// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose tune: measures this machine's devices, or shows what was measured.

#include "commands/commands.hpp"
#include "terminal/failure.hpp"
#include "terminal/json_text.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/standard_streams.hpp"

#include <xpose/backends/core/tuning/store.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/explain.hpp>
#include <xpose/tuning.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iomanip>
#include <optional>
#include <sstream>

namespace xpose::tools {
namespace {

/// What there is for one device.
struct device_tuning {
  std::string backend;
  std::string device;
  std::string path;
  std::optional<detail::tuning_file> file;
  std::string why_not_used;  // of a file that there is
};

std::vector<device_tuning> devices_of(std::string const& policy) {
  char reason[256];
  bool const has_cuda = detail::cuda_is_available(reason, sizeof reason);
  if (policy == "cuda" && !has_cuda)
    throw failure("tune", "cuda was asked for and no CUDA device can run it: ", reason);
  std::vector<device_tuning> devices;
  if (policy != "cuda") devices.push_back({"omp", detail::omp_device(), {}, {}, {}});
  if (policy != "omp" && has_cuda) devices.push_back({"cuda", detail::cuda_device(), {}, {}, {}});
  return devices;
}

void read(device_tuning& d, detail::tuning_location const& place) {
  d.path = detail::tuning_path(place, d.backend, d.device);
  d.file = detail::read_tuning_file(d.path);
  if (d.file) d.why_not_used = detail::why_foreign(*d.file, d.backend, d.device);
}

using table_row = std::array<std::string, 4>;

/// Columns as wide as what is in them; the last one has numbers.
void print_table(std::vector<table_row> const& rows) {
  std::array<std::size_t, 4> widths{};
  for (table_row const& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  for (table_row const& row : rows) {
    std::ostringstream line;
    for (std::size_t c = 0; c + 1 < row.size(); ++c)
      line << "  " << std::left << std::setw(static_cast<int>(widths[c])) << row[c];
    line << "  " << std::right << std::setw(static_cast<int>(widths[3])) << row[3];
    print_line(stdout, line.str());
  }
}

table_row row_of(detail::tuned_setting const& s) {
  if (s.value == s.built_in) return {s.name, s.built_in, "the same", ""};
  std::ostringstream gain;
  gain << std::fixed << std::setprecision(2) << s.gain;
  return {s.name, s.built_in, s.value, gain.str()};
}

void print_text_of(device_tuning const& d) {
  print_line(stdout, text_of(d.backend, " on ", d.device));
  if (!d.file) return print_line(stdout, "  not tuned: the built-in settings");
  print_line(stdout, "  file " + d.path);
  if (!d.why_not_used.empty()) return print_line(stdout, "  not used: " + d.why_not_used);
  std::vector<table_row> rows = {{"setting", "built-in", "tuned", "gain"}};
  for (detail::tuned_setting const& s : d.file->settings) rows.push_back(row_of(s));
  print_table(rows);
}

json_object json_of(device_tuning const& d) {
  std::vector<json_object> settings;
  if (d.file && d.why_not_used.empty())
    for (detail::tuned_setting const& s : d.file->settings)
      settings.push_back(json_object()
                             .add_text("name", s.name)
                             .add_text("built_in", s.built_in)
                             .add_text("tuned", s.value)
                             .add_number("gain", s.gain));
  return json_object()
      .add_text("backend", d.backend)
      .add_text("device", d.device)
      .add_text("path", d.file ? d.path : "")
      .add_bool("is_used", d.file && d.why_not_used.empty())
      .add_text("why_not_used", d.why_not_used)
      .add_objects("settings", settings);
}

int show(tune_arguments const& arguments) {
  char const* const variable = std::getenv("XPOSE_TUNING");
  detail::tuning_location place =
      detail::tuning_location_of(arguments.path.empty() ? variable : arguments.path.c_str());
  bool const is_off = place.is == detail::tuning_location::kind::off;
  if (place.is_named() && access(place.path.c_str(), F_OK) != 0)
    throw failure("tune", "there is no file or folder ", place.path, "; `xpose tune` writes one");
  auto devices = devices_of(arguments.policy);
  std::vector<json_object> objects;
  if (is_off && !arguments.is_json)
    print_line(stdout, "XPOSE_TUNING is off: calls use the built-in settings");
  for (device_tuning& d : devices) {
    if (!is_off) read(d, place);
    if (arguments.is_json) objects.push_back(json_of(d));
    else if (!is_off) print_text_of(d);
  }
  if (arguments.is_json) print_json(json_object().add_objects("devices", objects));
  return 0;
}

}  // namespace

int run_tune(tune_arguments const& arguments) {
  if (arguments.shows) return show(arguments);
  static_cast<void>(devices_of(arguments.policy));  // throws if there are none
  {
    progress_bar bar("tune");
    tune_options options;
    options.seconds = arguments.seconds;
    options.omp = arguments.policy != "cuda";
    options.cuda = arguments.policy != "omp";
    options.gemm_order = arguments.gemm_order;
    options.path = arguments.path.empty() ? nullptr : arguments.path.c_str();
    options.progress = [](void* shown, char const*, double done) {
      static_cast<progress_bar*>(shown)->show(done);
    };
    options.context = &bar;
    tune(options);
  }
  return show(arguments);
}

}  // namespace xpose::tools
