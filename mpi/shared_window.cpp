// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "shared_window.hpp"

namespace xpose::detail {

bool shared_window::reserve(MPI_Comm communicator, index bytes_each) {
  if (bytes_each <= bytes_each_) return true;
  free();
  void* base = nullptr;
  int const code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes_each), 1, MPI_INFO_NULL,
                                           communicator, &base, &window_);
  int const has_failed = code != MPI_SUCCESS;
  int any_has_failed = 1;
  if (MPI_Allreduce(&has_failed, &any_has_failed, 1, MPI_INT, MPI_MAX, communicator) !=
          MPI_SUCCESS ||
      any_has_failed != 0) {
    if (has_failed == 0) MPI_Win_free(&window_);
    window_ = MPI_WIN_NULL;
    return false;
  }
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  bytes_each_ = bytes_each;
  return true;
}

void shared_window::free() {
  if (window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
  window_ = MPI_WIN_NULL;
  bytes_each_ = 0;
}

std::byte* shared_window::of_process(int rank) const {
  MPI_Aint bytes = 0;
  int unit = 0;
  void* base = nullptr;
  MPI_Win_shared_query(window_, rank, &bytes, &unit, &base);
  return static_cast<std::byte*>(base);
}

}  // namespace xpose::detail
