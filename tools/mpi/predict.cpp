// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "mpi/predict.hpp"

#include "terminal/failure.hpp"
#include "terminal/json_text.hpp"
#include "terminal/standard_streams.hpp"

#include <xpose/detail/dist_forecast.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

namespace xpose::tools {
namespace {

struct extents {
  index rows, cols;
};

extents read_extents(char const* option, std::string const& text) {
  extents e{};
  char const* const end = text.data() + text.size();
  auto const rows = std::from_chars(text.data(), end, e.rows);
  bool is_read = rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x';
  if (is_read) {
    auto const cols = std::from_chars(rows.ptr + 1, end, e.cols);
    is_read = cols.ec == std::errc() && cols.ptr == end;
  }
  constexpr index most = index{1} << 31;
  if (!is_read || e.rows < 1 || e.cols < 1 || e.rows >= most || e.cols >= most)
    throw failure(option, "'", text,
                  "' is no pair of extents such as 4096x2048, each from 1 to 2^31");
  return e;
}

/// Row slabs without a grid; without a block one block a process in each direction.
dist_layout layout_of(extents shape, char const* option, std::string const& grid, index block,
                      int processes) {
  if (grid.empty() && block == 0) return dist_layout::row_slabs(shape.rows, shape.cols, processes);
  extents const g = grid.empty() ? extents{processes, 1} : read_extents(option, grid);
  if (g.rows > processes || g.cols > processes)
    throw failure(option, "the grid ", grid, " has more than the ", processes, " processes");
  auto const block_of = [block](index extent, index parts) {
    return block > 0 ? block : std::max<index>(1, (extent + parts - 1) / parts);
  };
  return {shape.rows,
          shape.cols,
          block_of(shape.rows, g.rows),
          block_of(shape.cols, g.cols),
          {static_cast<int>(g.rows), static_cast<int>(g.cols)}};
}

}  // namespace

CLI::App* add_predict(CLI::App& app, predict_words& words) {
  CLI::App* const command =
      app.add_subcommand("predict", "what a move would cost, on processes that need not be there");
  command->add_option("operation", words.operation, "transpose or redistribute")
      ->required()
      ->check(CLI::IsMember({"transpose", "redistribute"}));
  command->add_option("--shape", words.shape, "rows and columns of the input, 4096x2048")
      ->required();
  command->add_option("--processes", words.processes, "how many")
      ->required()
      ->check(CLI::Range(1, 1 << 24));
  command->add_option("--node", words.processes_on_node, "processes of a node; default: all")
      ->check(CLI::Range(1, 1 << 24));
  command->add_option("--bytes", words.bytes_per_element, "of an element, 8 if not given")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--grid", words.grid, "processes in rows and columns; default: row slabs");
  command->add_option("--to-grid", words.to_grid, "of the output; default: as --grid");
  command->add_option("--block", words.block, "rows and columns of a block; default: one a process")
      ->check(CLI::Range(1, 1 << 30));
  command->add_option("--to-block", words.to_block, "of the output; default: as --block")
      ->check(CLI::Range(1, 1 << 30));
  command->add_option("--latency", words.latency, "seconds of a message between nodes")
      ->check(CLI::Range(0.0, 10.0));
  command->add_option("--bandwidth", words.bandwidth, "bytes a second of a process between nodes")
      ->check(CLI::Range(1.0, 1e15));
  command->add_flag("--gpu", words.is_on_devices, "each process has a GPU, and NCCL");
  command->add_flag("--json", words.is_json, "print one JSON object");
  return command;
}

void predict(predict_words const& words) {
  extents const shape = read_extents("--shape", words.shape);
  bool const is_transpose = words.operation == "transpose";
  extents const to_shape = is_transpose ? extents{shape.cols, shape.rows} : shape;
  std::string const& to_grid = words.to_grid.empty() ? words.grid : words.to_grid;
  index const to_block = words.to_block == 0 ? words.block : words.to_block;
  auto const in = layout_of(shape, "--grid", words.grid, words.block, words.processes);
  auto const out = layout_of(to_shape, "--to-grid", to_grid, to_block, words.processes);
  int const on_node = words.processes_on_node == 0 ? words.processes : words.processes_on_node;
  detail::forecast_machine const machine{words.processes,
                                         on_node,
                                         std::max(index{1} << 20, words.bytes_per_element),
                                         words.latency,
                                         words.bandwidth > 0 ? 1 / words.bandwidth : 0,
                                         words.is_on_devices};
  auto const operation =
      is_transpose ? detail::dist_operation::transpose : detail::dist_operation::redistribute;
  detail::dist_forecast const f =
      detail::forecast_move(operation, in, out, static_cast<int>(words.bytes_per_element), machine);
  if (words.is_json) {
    print_json(json_object()
                   .add_text("operation", words.operation)
                   .add_integer("processes", words.processes)
                   .add_text("engine", f.how.kernel)
                   .add_text("reason", f.how.reason)
                   .add_number("seconds", f.seconds)
                   .add_integer("bytes", f.most_bytes)
                   .add_integer("messages", f.most_messages)
                   .add_integer("matrix_bytes", f.matrix_bytes)
                   .add_integer("message_memory_bytes", f.message_bytes)
                   .add_integer("device_memory_bytes", f.device_bytes));
    return;
  }
  print_line(stdout, text_of(f.how.kernel, ": ", f.how.reason));
  print_line(stdout,
             text_of("a process has up to ", f.matrix_bytes, " bytes of both matrices, and takes ",
                     f.message_bytes, " bytes for messages",
                     words.is_on_devices ? text_of(", and ", f.device_bytes, " of its GPU") : ""));
}

}  // namespace xpose::tools
