// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "nccl.hpp"
#include "found_library.hpp"

#include <cstdlib>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

nccl_functions functions_of(void* library, std::string const& from) {
  nccl_functions f;
  find(library, "ncclGetUniqueId", f.get_unique_id);
  find(library, "ncclCommInitRank", f.init_rank);
  find(library, "ncclCommDestroy", f.destroy);
  find(library, "ncclCommAbort", f.abort);
  find(library, "ncclCommGetAsyncError", f.async_error);
  find(library, "ncclGroupStart", f.group_start);
  find(library, "ncclGroupEnd", f.group_end);
  find(library, "ncclSend", f.send);
  find(library, "ncclRecv", f.receive);
  find(library, "ncclGetErrorString", f.error_string);
  f.from = from;
  return f;
}

nccl_functions look_for_nccl() {
  nccl_functions const found = look_for(functions_of, "XPOSE_NCCL", {"libnccl.so.2"});
  // NVLink's multicast is of no use to sends and receives, and takes memory of every process.
  if (found.is_complete()) setenv("NCCL_NVLS_ENABLE", "0", 0);
  return found;
}

kept_library<nccl_functions> const& library() {
  static auto const& found =
      *new kept_library<nccl_functions>(look_for_nccl(), "NCCL", "XPOSE_NCCL");
  return found;
}

}  // namespace

bool nccl_functions::is_complete() const {
  return get_unique_id && init_rank && destroy && abort && async_error && group_start &&
         group_end && send && receive && error_string;
}

nccl_functions const* find_nccl() { return library().functions(); }

/// What to say where this process has none, or another one lacks it.
static char const* why_no_nccl() {
  if (find_nccl() != nullptr) return "another process did not find it (XPOSE_NCCL names it)";
  return library().why_not();
}

char const* obstacle_of(nccl_use use) {
  switch (use) {
    case nccl_use::ready:
    case nccl_use::possible:
    case nccl_use::untested:
      break;
    case nccl_use::shared:
      return "two processes have the same device";
    case nccl_use::failed:
      return "it failed in this context";
    case nccl_use::no_memory:
      return "a device has no memory for its pieces";
    case nccl_use::not_found:
      return why_no_nccl();
    case nccl_use::no_device:
      return "a process runs on its processor";
  }
  return "";
}

nccl_use nccl_communicator::use_of(int device) const {
  if (find_nccl() == nullptr) return nccl_use::not_found;
  return device == device_ || use_ == nccl_use::failed ? use_ : nccl_use::untested;
}

nccl_use nccl_communicator::compare_devices(MPI_Comm communicator, device_queues const* queues) {
  free();
  struct entry {
    int is_known;
    device_identity id;
  };
  int processes = 1;
  MPI_Comm_size(communicator, &processes);
  entry own{};
  std::vector<entry> all;
  try {
    own.id = queues->identity();
    own.is_known = 1;
  } catch (...) {  // then nobody uses NCCL
  }
  all.resize(static_cast<std::size_t>(processes));
  bool is_usable = MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE,
                                 communicator) == MPI_SUCCESS;
  use_ = nccl_use::possible;
  for (std::size_t a = 0; a < all.size(); ++a) {
    is_usable = is_usable && all[a].is_known != 0;
    for (std::size_t b = 0; b < a; ++b)
      if (is_same_device(all[a].id, all[b].id)) use_ = nccl_use::shared;
  }
  if (!is_usable) use_ = nccl_use::failed;
  device_ = queues->device();
  return use_;
}

bool nccl_communicator::make(MPI_Comm communicator) noexcept {
  nccl_functions const& nccl = *find_nccl();
  int processes = 1;
  int rank = 0;
  MPI_Comm_size(communicator, &processes);
  MPI_Comm_rank(communicator, &rank);
  struct {
    nccl_id id;
    int result;
  } first{};
  if (rank == 0) first.result = nccl.get_unique_id(&first.id);
  bool is_made = MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, communicator) == MPI_SUCCESS &&
                 first.result == nccl_success &&
                 nccl.init_rank(&handle_, processes, first.id, rank) == nccl_success;
  int const own = is_made ? 1 : 0;
  int all = 0;
  is_made = MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, communicator) == MPI_SUCCESS && all != 0;
  if (is_made) use_ = nccl_use::ready;
  else fail();
  return is_made;
}

void nccl_communicator::fail() noexcept {
  if (handle_ != nullptr) find_nccl()->abort(std::exchange(handle_, nullptr));
  use_ = nccl_use::failed;
}

void nccl_communicator::free() noexcept {
  if (handle_ != nullptr) find_nccl()->destroy(std::exchange(handle_, nullptr));
  use_ = nccl_use::untested;
  device_ = -1;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
