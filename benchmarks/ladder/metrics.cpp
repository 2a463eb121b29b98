// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "metrics.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace xpose::bench::ladder {
namespace {

struct metric {
  char const* counter;
  double launch_metrics::*member;
  double scale;
};

constexpr metric metrics[] = {
    {"l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second", &launch_metrics::load_gbps, 1e-9},
    {"l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second", &launch_metrics::store_gbps, 1e-9},
    {"dram__bytes.sum.per_second", &launch_metrics::dram_gbps, 1e-9},
    {"smsp__inst_executed_op_shared_ld.sum", &launch_metrics::shared_load_requests, 1},
    {"smsp__inst_executed_op_shared_st.sum", &launch_metrics::shared_store_requests, 1},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     &launch_metrics::shared_load_wavefronts, 1},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     &launch_metrics::shared_store_wavefronts, 1},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     &launch_metrics::shared_load_conflicts, 1},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     &launch_metrics::shared_store_conflicts, 1},
};

std::string find_profiler() {
  std::string const path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  for (std::size_t first = 0; first <= path.size();) {
    std::size_t const end = std::min(path.find(':', first), path.size());
    auto const file = std::filesystem::path(path.substr(first, end - first)) / "ncu";
    if (access(file.c_str(), X_OK) == 0) return file.string();
    first = end + 1;
  }
  if (access("/usr/local/cuda/bin/ncu", X_OK) == 0) return "/usr/local/cuda/bin/ncu";
  throw std::runtime_error(
      "--metrics needs ncu (Nsight Compute) on PATH or in /usr/local/cuda/bin");
}

std::string quoted(std::string const& word) {
  std::string text = "'";
  for (char const c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::vector<std::string> lines_of(std::string const& command) {
  FILE* const stream = popen(command.c_str(), "r");
  if (stream == nullptr) throw std::runtime_error("cannot start ncu");
  std::vector<std::string> lines;
  char* text = nullptr;
  std::size_t capacity = 0;
  for (ssize_t length; (length = getline(&text, &capacity, stream)) > 0;) {
    lines.emplace_back(text, static_cast<std::size_t>(length));
    while (!lines.back().empty() && (lines.back().back() == '\n' || lines.back().back() == '\r'))
      lines.back().pop_back();
  }
  std::free(text);
  pclose(stream);
  return lines;
}

/// The cells of a line of CSV in which every cell is quoted.
std::vector<std::string> cells_of(std::string const& line) {
  std::vector<std::string> cells;
  bool is_inside = false;
  for (std::size_t c = 0; c < line.size(); ++c) {
    if (line[c] == '"') {
      if (!is_inside) cells.emplace_back();
      is_inside = !is_inside;
    } else if (is_inside) {
      cells.back() += line[c];
    }
  }
  return cells;
}

double value_of(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  return std::strtod(text.c_str(), nullptr);  // "n/a" is 0
}

}  // namespace

std::vector<launch_metrics> profile(std::vector<std::string> const& arguments) {
  std::string counters;
  for (auto const& m : metrics) counters += (counters.empty() ? "" : ",") + std::string(m.counter);
  std::string command = quoted(find_profiler()) +
                        " --clock-control none --csv --page raw --print-units base --metrics " +
                        counters + " " +
                        quoted(std::filesystem::read_symlink("/proc/self/exe").string());
  for (auto const& argument : arguments) command += " " + quoted(argument);
  std::vector<std::string> columns;
  std::vector<launch_metrics> launches;
  std::string trouble;
  bool is_units_line = false;
  for (auto const& line : lines_of(command + " 2>&1")) {
    if (line.rfind("==ERROR==", 0) == 0 && trouble.empty()) trouble = line.substr(10);
    if (line.rfind("\"ID\"", 0) == 0) {
      columns = cells_of(line);
      is_units_line = true;
      continue;
    }
    if (columns.empty() || line.empty() || line[0] != '"') continue;
    if (std::exchange(is_units_line, false)) continue;
    auto const cells = cells_of(line);
    launch_metrics launch;
    for (std::size_t c = 0; c < std::min(columns.size(), cells.size()); ++c) {
      if (columns[c] == "Kernel Name") launch.kernel = cells[c];
      for (auto const& m : metrics)
        if (columns[c] == m.counter) launch.*m.member = value_of(cells[c]) * m.scale;
    }
    if (launch.kernel.find("fill_scalars") == std::string::npos) launches.push_back(launch);
  }
  if (launches.empty())
    throw std::runtime_error("ncu measured nothing" + (trouble.empty() ? "" : ": " + trouble));
  return launches;
}

}  // namespace xpose::bench::ladder
