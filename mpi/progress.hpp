// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// MPI's return codes as exceptions, and waiting that ends. docs/mpi.md names the calls of MPI's and
// ScaLAPACK's that have no clock but their own.
#pragma once

#include "state.hpp"

#include <xpose/detail/dist_request.hpp>

#include <chrono>

namespace xpose {
inline namespace v0 {
namespace detail {

char const* name_of(dist_operation op);

/// Throws mpi_error, with MPI's text for the code, unless it is MPI_SUCCESS.
void require_success(int code, char const* call);

/// How long a process waits without progress. When the time is up the program ends: a message that
/// was promised does not come, and MPI has no way to take the others back.
class patience {
 public:
  patience(dist_execution const& where, dist_operation op);

  void made_progress() {
    last_progress_ = clock::now();
    looks_ = 0;
  }
  /// Called when nothing has happened. Lets another process run, at once if there are more than
  /// processors, else after a while; MPI_Abort behind the limit.
  void wait_a_little();
  /// Whether the limit is reached.
  bool is_over() const;
  /// Says how long this process has waited, and for whom; then MPI_Abort.
  void end_program();
  /// Until the request is complete.
  void wait(MPI_Request& request, char const* call);

 private:
  using clock = std::chrono::steady_clock;

  mpi_state const& state_;
  dist_operation op_;
  double limit_seconds_;
  clock::time_point last_progress_ = clock::now();
  unsigned looks_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
