// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a distributed move would cost on a machine that need not be there: for tools.
#pragma once

#include <xpose/detail/dist_request.hpp>
#include <xpose/mpi_export.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct forecast_machine {
  int processes;
  int processes_on_node;
  index piece_bytes;
  // Between nodes; 0: as within one.
  double message_seconds;
  double byte_seconds;
  bool is_on_devices = false;  // each process has one, and NCCL
};

struct dist_forecast {
  index most_bytes;      // that a process sends or receives
  index most_messages;   // that a process sends or receives
  index matrix_bytes;    // in and out of the process that has most of them
  index message_bytes;   // memory for messages, of the process that needs most
  index device_bytes;    // the same of a device's memory, for NCCL
  double seconds;        // of the engine; 0: nothing travels
  explanation_text how;  // as explain() says it
};

/// What every process of such a machine would find: the layouts' plan of messages and the cost
/// model of the calls themselves. Of more than 2000 processes it looks at some, evenly spaced.
/// Starts nothing and needs no MPI to be initialised. Throws layout_error and shape_error for
/// layouts that a call would refuse.
XPOSE_MPI_EXPORT dist_forecast forecast_move(dist_operation op, dist_layout const& in,
                                             dist_layout const& out, int bytes_per_element,
                                             forecast_machine const& machine);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
