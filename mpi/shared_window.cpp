// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "shared_window.hpp"

#include "device.hpp"

#include <xpose/backends/core/ceil_div.hpp>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// Of each process's part. MPI aligns windows as it likes (Open MPI's parts begin 8 bytes past a
// multiple of 16), and kernels read the aligned vec16s that a run of bytes lies in.
constexpr index alignment = 64;

index aligned_up(index bytes) { return ceil_div(bytes, alignment) * alignment; }

}  // namespace

bool shared_window::reserve(MPI_Comm communicator, index bytes_each, bool for_devices,
                            bool has_device) {
  if (bytes_each <= bytes_each_ && (is_for_devices_ || !for_devices)) return true;
  free();
  void* base = nullptr;
  index const bytes_of_part = aligned_up(bytes_each);
  int has_failed =
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes_of_part + alignment), 1, MPI_INFO_NULL,
                              communicator, &base, &window_) != MPI_SUCCESS;
  if (has_failed != 0) window_ = MPI_WIN_NULL;
  if (has_failed == 0 && for_devices && has_device) {
    // The processes' parts follow each other: one range, since two may share a page.
    int processes = 1;
    MPI_Comm_size(communicator, &processes);
    std::byte* const first = of_process(0);
    if (pin(first, of_process(processes - 1) + bytes_of_part - first)) pinned_ = first;
    else has_failed = 1;
  }
  int any_has_failed = 1;
  if (MPI_Allreduce(&has_failed, &any_has_failed, 1, MPI_INT, MPI_MAX, communicator) != MPI_SUCCESS)
    any_has_failed = 1;
  if (window_ != MPI_WIN_NULL) MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  bytes_each_ = bytes_each;
  is_for_devices_ = for_devices;
  if (any_has_failed != 0) free();
  return any_has_failed == 0;
}

void shared_window::free() {
  if (pinned_ != nullptr) unpin(pinned_);
  pinned_ = nullptr;
  bytes_each_ = 0;
  if (window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
  window_ = MPI_WIN_NULL;
}

std::byte* shared_window::of_process(int rank) const {
  MPI_Aint bytes = 0;
  int unit = 0;
  void* base = nullptr;
  MPI_Win_shared_query(window_, rank, &bytes, &unit, &base);
  // The same byte for all processes, as they map the memory at multiples of a page.
  auto const address = static_cast<index>(reinterpret_cast<std::uintptr_t>(base));
  return static_cast<std::byte*>(base) + (aligned_up(address) - address);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
