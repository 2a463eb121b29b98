// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-mpi predict: what a move would cost, on processes that need not be there.
#pragma once

#include <xpose/config.hpp>

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace xpose::tools {

struct predict_words {
  std::string operation = "transpose";
  std::string shape;  // 4096x2048, of the input
  index bytes_per_element = 8;
  int processes = 0;
  int processes_on_node = 0;  // 0: all of them
  std::string grid, to_grid;  // 32x32; empty: row slabs
  index block = 0;            // 0: one block a process in each direction
  index to_block = 0;         // 0: as block
  bool is_on_devices = false;
  double latency = 0;    // seconds, between nodes
  double bandwidth = 0;  // bytes a second and process, between nodes; 0: that of the node
  bool is_json = false;
};

/// Adds the subcommand; parsing it fills the words.
CLI::App* add_predict(CLI::App& app, predict_words& words);

/// Prints the prediction. Throws failure, layout_error or shape_error.
void predict(predict_words const& words);

}  // namespace xpose::tools
