// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How elements that change their process travel, and which way is expected to be the fastest.
#pragma once

#include "messages.hpp"
#include "progress.hpp"

#include <xpose/mpi.hpp>

#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A move that was checked.
struct travel {
  dist_execution const& where;
  dist_operation op;
  message_plan const& plan;
  local_copies const& copies;
  bool by_rows;  // messages are row-major
};

/// Memory that a process takes for its messages, before anything moves.
index pairwise_bytes(message_plan const& plan, index piece_bytes, int bytes_per_element);
index collective_bytes(message_plan const& plan, int bytes_per_element);
/// Of the device.
index nccl_bytes(message_plan const& plan, index piece_bytes, int bytes_per_element);

void travel_pairwise(travel const& t, message_memory const& memory);
void travel_collectively(travel const& t, message_memory const& memory);
/// The context's window has pieces_each_way outboxes of each process.
void travel_through_window(travel const& t, index outbox_bytes);
/// Behind nccl_communicator::make().
void travel_by_nccl(travel const& t, message_memory const& memory);

inline constexpr int pieces_each_way = 4;

/// What all processes know of a move.
struct move_size {
  index most_bytes;     // that a process sends or receives
  index most_messages;  // that a process sends or receives
  index piece_bytes;
  index bytes_per_element;
  int processes;
  bool is_on_one_node;
  bool is_on_devices;  // on one process, at least
  nccl_use nccl;
  // What a network adds, in a forecast; a call knows of none.
  double network_message_seconds = 0;
  double network_byte_seconds = 0;
};

/// Bytes of an outbox in shared memory; 0 if an element does not fit.
index window_outbox_bytes(move_size const& size);

/// The most bytes that `collective` moves unasked: a process has taken memory for them before it
/// knows what the others send.
index most_collective_bytes(index piece_bytes);

/// The engine of the lowest expected time, or the one that is asked for. Throws backend_error if
/// that cannot do the move.
mpi_engine choose_engine(mpi_engine asked, move_size const& size, dist_operation op);

/// What the cost model expects of the engine.
double expected_seconds(mpi_engine engine, move_size const& size);

char const* name_of(mpi_engine engine);

/// "a process sends up to 3 messages of 24 MB in all; expected: pairwise 12 ms, ..."
std::string reason_for(mpi_engine asked, move_size const& size);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
