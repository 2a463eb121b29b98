// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One move of a distributed matrix to another layout, for operands that are checked or are being
// checked: transpose and redistribute are one, add makes up to two.
#pragma once

#include "agreement.hpp"
#include "engines.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {

class checked_move {
 public:
  /// Of `where`, which outlives this, the device is known when check() is called.
  checked_move(dist_execution const& where, dist_move const& move, char const* in_name = "in",
               char const* out_name = "out")
      : where_(where), move_(move), in_name_(in_name), out_name_(out_name) {}

  /// Throws what is wrong on this process, and takes the memory that the move needs.
  void check();
  /// What the processes have to agree on, and what they tell each other. Before settle().
  void add_to(agreement& agreed);
  void add_sizes_to(agreement& agreed);
  /// The engine, the same on all processes; behind settle(). Collective.
  void choose(agreement const& agreed);
  void explain(explanation_text& text) const;
  /// Throws on all processes if a device of one failed.
  void run();

 private:
  /// in, as out reads it.
  dist_operand read() const;
  bool travels() const { return size_.most_bytes > 0; }
  void take_memory();
  void take_device_memory(index host_bytes);
  /// Makes NCCL's communicator; another engine if that fails.
  void start_nccl();
  void travel_by_engine(travel const& t);

  dist_execution const& where_;
  dist_move move_;
  char const* in_name_;
  char const* out_name_;
  operand in_{};
  operand out_{};
  message_plan plan_{{}, {}, 0, 1};
  message_memory memory_;       // empty: the pinned memory of the device
  message_memory nccl_memory_;  // of the device
  nccl_use nccl_ = nccl_use::no_device;
  move_size size_{};
  mpi_engine engine_ = mpi_engine::by_cost;
  int bytes_number_ = 0;
  int messages_number_ = 0;
  int nodes_number_ = 0;
  int by_rows_number_ = 0;
  int devices_number_ = 0;
  int nccl_number_ = 0;
  bool by_rows_ = true;
};

/// Copies a text that may be too long.
void write_text(char* to, std::size_t capacity, std::string const& text);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
