// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// NCCL, found when the first call could use it: of the program if it has it, else of a shared
// library. So neither its header nor the library is needed to build, and a program without GPUs
// never loads it.
#pragma once

#include "device.hpp"

#include <mpi.h>

#include <string>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// ncclUniqueId.
struct nccl_id {
  char bytes[128];
};

/// What xpose calls, with the types of nccl.h: an ncclResult_t and an ncclDataType_t are int, an
/// ncclComm_t and a cudaStream_t pointers.
struct nccl_functions {
  int (*get_unique_id)(nccl_id* id) = nullptr;
  int (*init_rank)(void** communicator, int processes, nccl_id id, int rank) = nullptr;
  int (*destroy)(void* communicator) = nullptr;
  int (*abort)(void* communicator) = nullptr;
  int (*async_error)(void* communicator, int* error) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*send)(void const* data, std::size_t count, int type, int peer, void* communicator,
              void* stream) = nullptr;
  int (*receive)(void* data, std::size_t count, int type, int peer, void* communicator,
                 void* stream) = nullptr;
  char const* (*error_string)(int result) = nullptr;
  std::string from;  // "the program", or the library's name

  bool is_complete() const;
};
inline constexpr int nccl_success = 0;
inline constexpr int nccl_in_progress = 7;
inline constexpr int nccl_bytes_type = 1;  // ncclUint8

/// Null: there is none. Looks once a process.
nccl_functions const* find_nccl();

/// What keeps a call from NCCL. Of all processes the largest counts.
enum class nccl_use : int {
  ready,      // there is a communicator for these devices
  possible,   // each process has a device of its own
  shared,     // two processes have the same device, which NCCL does not support
  failed,     // an earlier call, or the making of the communicator
  untested,   // whose devices are the same
  no_memory,  // of a device, for its pieces
  not_found,
  no_device,  // a process runs on its processor
};

/// The end of a sentence that begins with the engine's name; empty if NCCL can be used.
char const* obstacle_of(nccl_use use);

/// NCCL's communicator of the processes of a context, or of the first of them.
class nccl_communicator {
 public:
  /// Of this process alone, with its current device.
  nccl_use use_of(int device) const;
  /// Collective: which processes have the same device.
  nccl_use compare_devices(MPI_Comm communicator, device_queues const* queues);
  /// Collective, behind compare_devices(). False on all processes if one could not.
  bool make(MPI_Comm communicator) noexcept;
  void* handle() const { return handle_; }
  /// A call failed: ends NCCL's kernels, and no later call uses it.
  void fail() noexcept;
  void free() noexcept;

  // Of the call: notes of a failure, which a process sends to all others (nccl_watch.hpp).
  bool has_told = false;
  int notes_received = 0;

 private:
  void* handle_ = nullptr;
  int device_ = -1;  // that was compared
  nccl_use use_ = nccl_use::untested;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
