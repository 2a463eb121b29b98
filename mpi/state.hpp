// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What an mpi_context owns.
#pragma once

#include "cublasmp.hpp"
#include "kept_memory.hpp"
#include "nccl.hpp"
#include "scalapack.hpp"
#include "shared_window.hpp"

#include <xpose/detail/execution.hpp>

#include <mpi.h>

namespace xpose {
inline namespace v0 {
namespace detail {

struct mpi_state {
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  int ranks_on_node = 1;
  bool is_crowded = false;  // more of them than processors
  kept_memory summands[2];  // A and B of add
  execution local{};        // of a policy that names no local one
  shared_window window;
  blacs_grids grids;
  device_queues device;     // of calls whose local policy is a device's
  nccl_communicator nccl;   // of all processes
  cublasmp_grids cublasmp;  // over it

  /// A call failed: ends NCCL's kernels, and no later call uses it.
  void fail_nccl() noexcept {
    cublasmp.forget();
    nccl.fail();
  }
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
