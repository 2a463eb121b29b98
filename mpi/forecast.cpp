// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The numbers on which the processes of a move agree, without the processes.
#include <xpose/detail/dist_forecast.hpp>

#include "engines.hpp"
#include "move.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

void check_layout(char const* name, dist_layout const& l, int processes) {
  if (l.rows < 0 || l.cols < 0)
    refuse<shape_error>("forecast: ", name, " is ", l.rows, 'x', l.cols);
  if (l.block_rows < 1 || l.block_cols < 1 || l.grid.rows < 1 || l.grid.cols < 1)
    refuse<layout_error>("forecast: ", name, " has blocks of ", l.block_rows, 'x', l.block_cols,
                         " on a grid of ", l.grid.rows, 'x', l.grid.cols,
                         "; all of them must be positive");
  if (l.grid.size() > processes)
    refuse<layout_error>("forecast: ", name, " has a grid of ", l.grid.rows, 'x', l.grid.cols,
                         " processes, there are ", processes);
}

/// Bytes of both matrices on the process, which no part of a message exceeds. Throws
/// overflow_error.
index bytes_on(int rank, dist_layout const& in, dist_layout const& out, int bytes) {
  index of_in = 0, of_out = 0, both = 0;
  bool const is_too_large =
      __builtin_mul_overflow(in.local_rows(rank), in.local_cols(rank), &of_in) ||
      __builtin_mul_overflow(out.local_rows(rank), out.local_cols(rank), &of_out) ||
      __builtin_add_overflow(of_in, of_out, &both) || __builtin_mul_overflow(both, bytes, &both);
  if (is_too_large)
    refuse<overflow_error>("forecast: process ", rank, " has ", in.local_rows(rank), 'x',
                           in.local_cols(rank), " elements of in and ", out.local_rows(rank), 'x',
                           out.local_cols(rank), " of out, of ", bytes,
                           " bytes each; they do not fit 64 bits");
  return both;
}

/// Adds what one process has.
void look_at(int rank, dist_layout const& in, dist_layout const& out, int bytes,
             forecast_machine const& machine, dist_forecast& most) {
  index const of_both = bytes_on(rank, in, out, bytes);  // before the plan multiplies extents
  message_plan const plan(in, out, rank, machine.processes);
  auto const raise = [](index& largest, index value) { largest = std::max(largest, value); };
  raise(most.most_bytes, std::max(plan.elements_sent(), plan.elements_received()) * bytes);
  raise(most.most_messages, std::max(plan.messages_sent(), plan.messages_received()));
  raise(most.matrix_bytes, of_both);
  index const collective = collective_bytes(plan, bytes);
  bool const may_be = collective <= 2 * most_collective_bytes(machine.piece_bytes);
  raise(most.message_bytes,
        std::max(pairwise_bytes(plan, machine.piece_bytes, bytes), may_be ? collective : 0));
  if (machine.is_on_devices) raise(most.device_bytes, nccl_bytes(plan, machine.piece_bytes, bytes));
}

}  // namespace

dist_forecast forecast_move(dist_operation op, dist_layout const& in, dist_layout const& out,
                            int bytes_per_element, forecast_machine const& machine) {
  check_layout("in", in, machine.processes);
  check_layout("out", out, machine.processes);
  dist_layout const read = op == dist_operation::transpose ? in.transposed() : in;
  if (read.rows != out.rows || read.cols != out.cols)
    refuse<shape_error>("forecast: out is ", out.rows, 'x', out.cols, ", expected ", read.rows, 'x',
                        read.cols);
  dist_forecast f{};
  // A process looks at all others: 4 million pairs take a second, and 64 processes have the largest
  // share of an even layout among them.
  int const looked_at = std::max(64, 4000000 / machine.processes);
  int const step = std::max(1, machine.processes / looked_at);
  for (int rank = 0; rank < machine.processes; rank += step)
    look_at(rank, read, out, bytes_per_element, machine, f);
  bool const is_on_one_node = machine.processes_on_node >= machine.processes;
  move_size const size{f.most_bytes,
                       f.most_messages,
                       machine.piece_bytes,
                       bytes_per_element,
                       machine.processes,
                       is_on_one_node,
                       machine.is_on_devices,
                       machine.is_on_devices ? nccl_use::possible : nccl_use::no_device,
                       is_on_one_node ? 0 : machine.message_seconds,
                       is_on_one_node ? 0 : machine.byte_seconds};
  bool const travels = f.most_bytes > 0;
  mpi_engine const engine =
      travels ? choose_engine(mpi_engine::by_cost, size, op) : mpi_engine::by_cost;
  if (travels) f.seconds = expected_seconds(engine, size);
  write_text(f.how.backend, sizeof(f.how.backend), "mpi");
  write_text(f.how.kernel, sizeof(f.how.kernel), travels ? name_of(engine) : "local");
  write_text(f.how.reason, sizeof(f.how.reason),
             travels ? reason_for(mpi_engine::by_cost, size) : "every process holds what it needs");
  return f;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
