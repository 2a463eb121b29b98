// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "engines.hpp"

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>
#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr index most_window_bytes = index{32} << 20;  // of all processes of the node

/// Whether the engine can do a move of any size; by_cost asks for more (is_candidate).
bool can_do(mpi_engine engine, move_size const& size) {
  constexpr index most_elements = std::numeric_limits<int>::max();
  switch (engine) {
    case mpi_engine::collective:
      return size.most_bytes / size.bytes_per_element <= most_elements;
    case mpi_engine::shared_memory:
      return size.is_on_one_node && window_outbox_bytes(size) > 0;
    case mpi_engine::nccl:
      return *obstacle_of(size.nccl) == '\0';
    case mpi_engine::by_cost:
    case mpi_engine::pairwise:
      break;
  }
  return true;
}

bool is_candidate(mpi_engine engine, move_size const& size) {
  return can_do(engine, size) && (engine != mpi_engine::collective ||
                                  size.most_bytes <= most_collective_bytes(size.piece_bytes));
}

index piece_of(mpi_engine engine, move_size const& size) {
  return engine == mpi_engine::shared_memory ? std::max<index>(1, window_outbox_bytes(size))
                                             : size.piece_bytes;
}

/// The time of a move is start + per_message * messages + per_byte * bytes, both of the process
/// that has most. Packing and unpacking are in per_byte.
struct time_terms {
  double start;  // seconds
  double per_message;
  double per_byte;
};

/// Fitted to transposes of 64x64 to 1024x1024 doubles between two processes (xpose-mpi-bench, Open
/// MPI 4.1.4 on two cores of an EPYC, 2026-11); on a network only the bytes of pairwise and
/// collective grow, alike. Of devices: of 1024x1024 to 32768x16384 between two H100 with NVLink
/// (2026-11-26).
struct engine_cost {
  mpi_engine engine;
  char const* name;
  char const* needs;
  bool sends_pieces;
  bool overlaps;  // packing with the wire
  time_terms on_host;
  time_terms on_devices;
};

constexpr engine_cost costs[] = {
    {mpi_engine::shared_memory,
     "shared_memory",
     "processes of one node, and pieces of an element",
     true,
     true,
     {0, 3.0e-6, 0.25e-9},
     {20e-6, 15e-6, 0.04e-9}},
    {mpi_engine::pairwise,
     "pairwise",
     "",
     true,
     true,
     {0, 3.0e-6, 0.42e-9},
     {20e-6, 15e-6, 0.28e-9}},
    {mpi_engine::collective,
     "collective",
     "fewer than 2^31 elements a process",
     false,
     false,
     {0, 2.5e-6, 0.45e-9},
     {20e-6, 15e-6, 0.38e-9}},
    {mpi_engine::nccl,
     "nccl",
     "NCCL, and a device for each process",
     false,
     true,
     {0, 0, 0},
     {50e-6, 10e-6, 0.006e-9}},
};

double expected_seconds(engine_cost const& cost, move_size const& size) {
  index const pieces =
      cost.sends_pieces ? ceil_div(size.most_bytes, piece_of(cost.engine, size)) : index{0};
  time_terms const& terms = size.is_on_devices ? cost.on_devices : cost.on_host;
  double const per_message = std::max(terms.per_message, size.network_message_seconds);
  double const per_byte = cost.overlaps ? std::max(terms.per_byte, size.network_byte_seconds)
                                        : terms.per_byte + size.network_byte_seconds;
  return terms.start + per_message * static_cast<double>(std::max(size.most_messages, pieces)) +
         per_byte * static_cast<double>(size.most_bytes);
}

}  // namespace

index window_outbox_bytes(move_size const& size) {
  index const share = most_window_bytes / (index{pieces_each_way} * size.processes);
  index const bytes = std::min(share, size.piece_bytes) / 64 * 64;
  return bytes >= size.bytes_per_element ? bytes : 0;
}

index most_collective_bytes(index piece_bytes) { return piece_bytes; }

double expected_seconds(mpi_engine engine, move_size const& size) {
  for (engine_cost const& cost : costs)
    if (cost.engine == engine) return expected_seconds(cost, size);
  return 0;
}

char const* name_of(mpi_engine engine) {
  for (engine_cost const& cost : costs)
    if (cost.engine == engine) return cost.name;
  return "by_cost";
}

mpi_engine choose_engine(mpi_engine asked, move_size const& size, dist_operation op) {
  if (asked != mpi_engine::by_cost) {
    for (engine_cost const& cost : costs)
      if (cost.engine == asked && !can_do(asked, size))
        refuse<backend_error>(name_of(op), ": the engine ", cost.name, " needs ", cost.needs,
                              asked == mpi_engine::nccl ? "; " : "",
                              asked == mpi_engine::nccl ? obstacle_of(size.nccl) : "");
    return asked;
  }
  engine_cost const* best = nullptr;
  for (engine_cost const& cost : costs)
    if (is_candidate(cost.engine, size) &&
        (best == nullptr || expected_seconds(cost, size) < expected_seconds(*best, size)))
      best = &cost;
  return best->engine;
}

std::string reason_for(mpi_engine asked, move_size const& size) {
  std::string text = message("a process sends or receives up to ", size.most_messages,
                             " messages, ", size.most_bytes, " bytes; ",
                             asked == mpi_engine::by_cost ? "" : "asked for; ", "expected:");
  char const* separator = " ";
  for (engine_cost const& cost : costs) {
    if (!is_candidate(cost.engine, size)) continue;
    auto const microseconds = static_cast<index>(expected_seconds(cost, size) * 1e6 + 0.5);
    text += message(separator, cost.name, ' ', microseconds, " us");
    separator = ", ";
  }
  if (size.is_on_devices && !can_do(mpi_engine::nccl, size))
    text += message("; not nccl: ", obstacle_of(size.nccl));
  return text;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
