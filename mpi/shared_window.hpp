// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory that all processes of a communicator see, where they run on one node.
#pragma once

#include <xpose/config.hpp>

#include <mpi.h>

namespace xpose {
inline namespace v0 {
namespace detail {

class shared_window {
 public:
  /// Collective. Whether each process has at least so many bytes of it now; the same answer on all.
  /// `for_devices`, the same on all: kernels of those processes that have a device reach it.
  bool reserve(MPI_Comm communicator, index bytes_each, bool for_devices, bool has_device);
  /// Collective.
  void free();

  std::byte* of_process(int rank) const;
  /// Before reading what another process wrote, and behind writing what it will read.
  void synchronise() const { MPI_Win_sync(window_); }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  index bytes_each_ = 0;
  bool is_for_devices_ = false;
  void* pinned_ = nullptr;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
