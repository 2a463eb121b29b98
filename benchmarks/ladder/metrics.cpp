// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "ladder/metrics.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

extern char** environ;

namespace xpose::bench::ladder {
namespace {

namespace fs = std::filesystem;

struct metric {
  char const* counter;
  double launch_metrics::*member;
  double scale;  ///< from ncu's base units: bytes a second, nanoseconds
};

constexpr metric metrics[] = {
    {"gpu__time_duration.sum", &launch_metrics::seconds, 1e-9},
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

bool starts_with(std::string const& line, char const* start) {
  return line.compare(0, std::strlen(start), start) == 0;
}

bool is_executable(fs::path const& file) {
  return fs::is_regular_file(file) && access(file.c_str(), X_OK) == 0;
}

/// The last by name of directory/name_start*/below that is a program: the newest version.
std::optional<std::string> newest(fs::path const& directory, char const* name_start,
                                  char const* below) {
  std::optional<std::string> best;
  std::error_code no_such_directory;
  for (auto const& entry : fs::directory_iterator(directory, no_such_directory)) {
    auto const file = entry.path() / below;
    if (starts_with(entry.path().filename().string(), name_start) && is_executable(file))
      best = std::max(best, std::optional(file.string()));
  }
  return best;
}

class pipe_from_child {
 public:
  pipe_from_child() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe for ncu");
    write_end_ = ends[1];
    stream_ = fdopen(ends[0], "r");
  }
  pipe_from_child(pipe_from_child const&) = delete;
  ~pipe_from_child() {
    close_write_end();
    std::fclose(stream_);
  }

  int write_end() const { return write_end_; }
  void close_write_end() {
    if (write_end_ >= 0) close(write_end_);
    write_end_ = -1;
  }
  /// Until the child and its children have closed their ends.
  std::vector<std::string> read_lines() {
    std::vector<std::string> lines;
    char* text = nullptr;
    std::size_t capacity = 0;
    for (ssize_t length; (length = getline(&text, &capacity, stream_)) > 0;) {
      lines.emplace_back(text, static_cast<std::size_t>(length));
      while (!lines.back().empty() && (lines.back().back() == '\n' || lines.back().back() == '\r'))
        lines.back().pop_back();
    }
    std::free(text);
    return lines;
  }

 private:
  int write_end_ = -1;
  FILE* stream_ = nullptr;
};

/// What the command prints, errors among it.
std::vector<std::string> run_for_lines(std::vector<std::string> command) {
  std::vector<char*> words;
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  pipe_from_child output;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), STDERR_FILENO);
  pid_t child = 0;
  int const failure = posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw std::runtime_error("cannot start " + command[0] + ": " + std::strerror(failure));
  output.close_write_end();
  auto lines = output.read_lines();
  int status = 0;
  waitpid(child, &status, 0);  // the lines say what was measured, or why nothing was
  return lines;
}

/// The cells of a line of CSV; a quote within a quoted cell is written twice.
std::vector<std::string> cells_of(std::string const& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t c = 0; c < line.size(); ++c) {
    if (line[c] == '"' && is_quoted && c + 1 < line.size() && line[c + 1] == '"') {
      cells.back() += line[c++];
    } else if (line[c] == '"') {
      is_quoted = !is_quoted;
    } else if (line[c] == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[c];
    }
  }
  return cells;
}

/// "1,234.5" with its thousands separators; what is no number ("n/a", nothing) is unknown.
double value_of(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? launch_metrics::unknown : value;
}

/// Why there are no launches.
std::string trouble_in(std::vector<std::string> const& lines) {
  std::string last;
  for (auto const& line : lines) {
    if (line.find("ERR_NVGPUCTRPERM") != std::string::npos)
      return "ncu may not read the GPU's counters (ERR_NVGPUCTRPERM): run as root, or load the "
             "driver with NVreg_RestrictProfilingToAdminUsers=0";
    if (starts_with(line, "==ERROR== ")) return "ncu: " + line.substr(std::strlen("==ERROR== "));
    if (!line.empty() && !starts_with(line, "==")) last = line;
  }
  return "ncu measured nothing" + (last.empty() ? "" : ": " + last);
}

}  // namespace

std::optional<std::string> find_profiler() {
  std::string const path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  for (std::size_t first = 0; first < path.size();) {
    std::size_t const end = std::min(path.find(':', first), path.size());
    auto const file = fs::path(path.substr(first, end - first)) / "ncu";
    if (end > first && is_executable(file)) return file.string();
    first = end + 1;
  }
  if (is_executable("/usr/local/cuda/bin/ncu")) return "/usr/local/cuda/bin/ncu";
  if (auto found = newest("/usr/local", "cuda", "bin/ncu")) return found;
  return newest("/opt/nvidia/nsight-compute", "", "ncu");
}

std::vector<launch_metrics> launches_in(std::vector<std::string> const& printed_lines) {
  std::vector<std::string> columns;
  std::vector<launch_metrics> launches;
  for (auto const& line : printed_lines) {
    if (starts_with(line, "\"ID\",")) columns = cells_of(line);
    if (columns.empty() || line.empty() || line[0] != '"') continue;
    auto const cells = cells_of(line);
    if (cells.size() != columns.size()) continue;
    // The heading and the line of units below it have no number in the first cell.
    if (cells[0].empty() || cells[0].find_first_not_of("0123456789") != std::string::npos) continue;
    launch_metrics launch;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c] == "Kernel Name") launch.kernel = cells[c];
      for (auto const& m : metrics)
        if (columns[c] == m.counter) launch.*m.member = value_of(cells[c]) * m.scale;
    }
    if (launch.kernel.find("fill_scalars") == std::string::npos) launches.push_back(launch);
  }
  if (launches.empty()) throw std::runtime_error(trouble_in(printed_lines));
  return launches;
}

std::vector<launch_metrics> profile(std::vector<std::string> const& arguments) {
  auto const profiler = find_profiler();
  if (!profiler)
    throw std::runtime_error(
        "--metrics needs ncu (Nsight Compute) on PATH or in /usr/local/cuda*/bin");
  std::string counters;
  for (auto const& m : metrics) counters += (counters.empty() ? "" : ",") + std::string(m.counter);
  // No clock control: ncu would lock the base clock, and its figures stand beside ours.
  std::vector<std::string> command = {*profiler,
                                      "--clock-control",
                                      "none",
                                      "--csv",
                                      "--page",
                                      "raw",
                                      "--print-units",
                                      "base",
                                      "--metrics",
                                      counters,
                                      fs::read_symlink("/proc/self/exe").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return launches_in(run_for_lines(std::move(command)));
}

}  // namespace xpose::bench::ladder
