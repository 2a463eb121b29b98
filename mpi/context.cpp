// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "progress.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/mpi.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

bool is_usable() {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

/// Processors that this process may run on: launchers bind processes to some of them.
int processors_allowed() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

/// OpenMP would start a thread for each processor in every process of the node.
execution local_execution(int ranks_on_node) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return policy_traits<omp_policy>::make(omp);
  int const share = static_cast<int>(std::thread::hardware_concurrency()) / ranks_on_node;
  int const count = std::max(1, std::min(share, processors_allowed()));
  return policy_traits<omp_policy>::make(omp.with(threads{count}));
}

int count_ranks_on_node(MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  require_success(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
                  "MPI_Comm_split_type");
  int count = 1;
  require_success(MPI_Comm_size(node, &count), "MPI_Comm_size");
  require_success(MPI_Comm_free(&node), "MPI_Comm_free");
  return count;
}

}  // namespace

dist_execution default_execution(mpi_state* state) noexcept {
  constexpr double half_an_hour = 1800;
  // Timed for 1 KB to 16 MB on 4 processes of one node: docs/mpi.md.
  constexpr index piece_bytes = index{1} << 20;
  return {state,  state->local, half_an_hour, piece_bytes, static_cast<int>(mpi_engine::by_cost),
          nullptr};
}

}  // namespace detail

mpi_error::mpi_error(int code, char const* message) : std::runtime_error(message), code_(code) {}
mpi_error::~mpi_error() = default;
char const* mpi_error::what() const noexcept { return std::runtime_error::what(); }

mpi_context::mpi_context(MPI_Comm communicator) : state_(nullptr) {
  using namespace detail;
  if (!is_usable())
    throw backend_error(
        "mpi_context: MPI is not initialised, or is finalised; call MPI_Init first");
  if (communicator == MPI_COMM_NULL)
    throw backend_error("mpi_context: the communicator is MPI_COMM_NULL");
  auto state = std::make_unique<mpi_state>();
  require_success(MPI_Comm_dup(communicator, &state->communicator), "MPI_Comm_dup");
  require_success(MPI_Comm_set_errhandler(state->communicator, MPI_ERRORS_RETURN),
                  "MPI_Comm_set_errhandler");
  require_success(MPI_Comm_rank(state->communicator, &state->rank), "MPI_Comm_rank");
  require_success(MPI_Comm_size(state->communicator, &state->size), "MPI_Comm_size");
  state->ranks_on_node = count_ranks_on_node(state->communicator);
  state->is_crowded = state->ranks_on_node > static_cast<int>(std::thread::hardware_concurrency());
  state->local = local_execution(state->ranks_on_node);
  state_ = state.release();
}

mpi_context::~mpi_context() {
  if (state_ == nullptr) return;
  if (detail::is_usable()) {
    state_->cublasmp.free();
    state_->nccl.free();
    state_->grids.free();
    state_->window.free();
    MPI_Comm_free(&state_->communicator);
  }
  delete state_;
}

int mpi_context::rank() const noexcept { return state_->rank; }
int mpi_context::size() const noexcept { return state_->size; }
int mpi_context::ranks_on_node() const noexcept { return state_->ranks_on_node; }
MPI_Comm mpi_context::communicator() const noexcept { return state_->communicator; }

}  // namespace v0
}  // namespace xpose
