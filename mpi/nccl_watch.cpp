// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "nccl_watch.hpp"

#include <xpose/backends/core/message.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr int failed_tag = 4;

}  // namespace

nccl_use settle_nccl(dist_execution const& where, nccl_use agreed) {
  if (agreed != nccl_use::untested) return agreed;
  mpi_state& state = *where.state;
  state.cublasmp.free();
  return state.nccl.compare_devices(state.communicator, where.device);
}

void give_up_nccl(dist_execution const& where) {
  mpi_state& state = *where.state;
  int const own = state.nccl.has_told ? 1 : 0;
  int tellers = 0;
  require_success(MPI_Allreduce(&own, &tellers, 1, MPI_INT, MPI_SUM, state.communicator),
                  "MPI_Allreduce");
  for (int n = state.nccl.notes_received; n < tellers - own; ++n)
    require_success(MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, failed_tag, state.communicator,
                             MPI_STATUS_IGNORE),
                    "MPI_Recv");
  state.nccl.has_told = false;
  state.nccl.notes_received = 0;
  state.fail_nccl();
}

nccl_watch::nccl_watch(dist_execution const& where, dist_operation op)
    : where_(where), op_(op), patience_(where, op) {}

void nccl_watch::expect(int result, char const* call) noexcept {
  if (result == nccl_success || result == nccl_in_progress || has_failed_) return;
  fail({error_kind::backend,
        message(name_of(op_), ": ", call, ": ", find_nccl()->error_string(result))});
}

void nccl_watch::fail(refusal const& fault) noexcept {
  if (has_failed_) return;
  has_failed_ = true;
  where_.device->note_fault(fault);
  tell_others();
  where_.state->fail_nccl();
}

/// Messages without a byte, which MPI sends at once.
void nccl_watch::tell_others() const {
  where_.state->nccl.has_told = true;
  for (int peer = 0; peer < where_.state->size; ++peer) {
    if (peer == where_.state->rank) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(nullptr, 0, MPI_BYTE, peer, failed_tag, where_.state->communicator, &request);
    MPI_Request_free(&request);
  }
}

bool nccl_watch::was_told() const {
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, failed_tag, where_.state->communicator, &is_there, &status);
  if (is_there == 0) return false;
  MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, failed_tag, where_.state->communicator,
           MPI_STATUS_IGNORE);
  ++where_.state->nccl.notes_received;
  return true;
}

void nccl_watch::wait(int event) noexcept {
  nccl_communicator& nccl = where_.state->nccl;
  patience_.made_progress();
  while (!where_.device->is_done(event)) {
    if (!has_failed_) {
      int error = nccl_success;
      expect(find_nccl()->async_error(nccl.handle(), &error), "ncclCommGetAsyncError");
      expect(error, "NCCL");
    }
    if (!has_failed_ && was_told()) {
      has_failed_ = true;
      where_.state->fail_nccl();
    }
    if (patience_.is_over()) {
      where_.state->fail_nccl();  // else its kernels would keep the device from ending
      patience_.end_program();
    }
    patience_.wait_a_little();
  }
  if (where_.device->has_fault() && !has_failed_) fail(where_.device->take_fault());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
