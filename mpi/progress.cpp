// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "progress.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/mpi.hpp>

#include <cstdio>
#include <thread>

namespace xpose {
inline namespace v0 {
namespace detail {

char const* name_of(dist_operation op) {
  constexpr char const* names[] = {"transpose", "redistribute", "add", "gemm"};
  return names[static_cast<int>(op)];
}

void require_success(int code, char const* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw mpi_error(code, message(call, ": ", text).c_str());
}

patience::patience(dist_execution const& where, dist_operation op)
    : state_(*where.state), op_(op), limit_seconds_(where.timeout_seconds) {}

bool patience::is_over() const {
  std::chrono::duration<double> const waited = clock::now() - last_progress_;
  return limit_seconds_ > 0 && waited.count() >= limit_seconds_;
}

void patience::wait_a_little() {
  // About a millisecond. Whoever yields at once loses its time slice to other programs of the
  // machine: with a compiler on the same two cores a move of 16 MB took 2 to 4 times as long.
  constexpr unsigned looks_alone = 10000;
  constexpr unsigned looks_between_clocks = 256;  // the clock costs as much as the look
  ++looks_;
  if (state_.is_crowded || looks_ > looks_alone) std::this_thread::yield();
  if (limit_seconds_ <= 0 || looks_ % looks_between_clocks != 0) return;
  if (is_over()) end_program();
}

void patience::end_program() {
  std::chrono::duration<double> const waited = clock::now() - last_progress_;
  std::fprintf(stderr,
               "xpose: %s: rank %d of %d has waited %.0f seconds for the others; a process is "
               "dead, or did not make this call. Ending the program by MPI_Abort.\n",
               name_of(op_), state_.rank, state_.size, waited.count());
  MPI_Abort(state_.communicator, 1);
}

void patience::wait(MPI_Request& request, char const* call) {
  made_progress();
  for (int done = 0;;) {
    require_success(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
    if (done != 0) return made_progress();
    wait_a_little();
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
